"""Whether a ledger holds: its sums, its order, its chains, and certificates that it paid for."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

from deniable.certificate.files import CERTIFICATE
from deniable.certificate.json_documents import read_document, statement_sha256
from deniable.errors import InvalidArgument
from deniable.ledger import units
from deniable.ledger.charge import Charge, State, chain_start
from deniable.ledger.dataset import Dataset
from deniable.ledger.ledger import Ledger
from deniable.ledger.summary import ledger_of
from deniable.ledger.units import Spending, at_least, at_most
from deniable.numerics.answer import Answer, fields_of

Books = Sequence[tuple[Dataset, Sequence[Charge]]]


@attrs.frozen
class Finding:
    """One thing that was looked at, and what is wrong with it; empty where it holds."""

    name: str
    finding: str = ""

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong."""
        return not self.finding


@attrs.frozen(repr=False)
class CheckedLedger(Answer):
    """What a check of a ledger found: by dataset, then by certificate."""

    OWNER_ONLY = True

    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Whether everything holds."""
        return all(each.holds for each in self.findings)

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        checks = [fields_of(each, "name", "holds", "finding") for each in self.findings]
        return {"holds": self.holds, "checks": checks}


def check(
    ledger: Ledger | str | os.PathLike[str],
    certificates: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
) -> CheckedLedger:
    """Recompute a ledger's sums, order and chains, and compare certificates with their charges.

    A copy of a ledger that went on by itself cannot be seen in a file. It shows in certificates:
    those that the other copy paid for name entries that are not in this one.

    Parameters
    ----------
    ledger : Ledger, str or path
        A ledger, its file or its URL.
    certificates : path, or iterable of path
        Certificates, or folders of releases.

    Returns
    -------
    CheckedLedger
        What holds, and what does not.

    Raises
    ------
    InvalidArgument
        If a certificate cannot be read.
    LedgerError
        If the ledger cannot be read, or is none.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from deniable.ledger import check, new
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "hospital.ledger"
    ...     _ = new(file, "visits", entity="patient", epsilon=1.0)
    ...     check(file).holds
    True
    """
    there = ledger_of(ledger)
    books = [(each, there.entries(each.name)) for each in there.datasets()]
    findings = [Finding("file", "; ".join(there.damage()))]
    for dataset, entries in books:
        for name, wrong in (
            ("chain", _chain(dataset, entries)),
            ("order", _order(entries)),
            ("sum", _sum(dataset, entries)),
        ):
            findings.append(Finding(f"{dataset.name}: {name}", next(wrong, "")))
    if isinstance(certificates, str | os.PathLike):
        certificates = [certificates]
    for path in certificates:
        findings.append(Finding(str(path), _certificate(Path(path), books)))
    return CheckedLedger(tuple(findings))


def _chain(dataset: Dataset, entries: Sequence[Charge]) -> Iterator[str]:
    """Each entry fits its digest, and names the one before."""
    before = chain_start(dataset)
    for number, each in enumerate(entries, 1):
        if each.previous != before or not each.linked:
            yield f"entry {number} was changed, or one before it is missing"
        before = each.sha256


def _order(entries: Sequence[Charge]) -> Iterator[str]:
    """A charge comes first, and ends once."""
    charged: dict[str, Charge] = {}
    ended: set[str] = set()
    for number, each in enumerate(entries, 1):
        first = charged.get(each.id)
        if each.state is State.CHARGED:
            if first is not None:
                yield f"entry {number} charges what was charged before"
            charged[each.id] = each
        elif first is None:
            yield f"entry {number} ends what was never charged"
        elif each.id in ended:
            yield f"entry {number} ends what had ended before"
        elif each.state is State.VOID and (each.units, each.exposure or 0) != (
            -first.units,
            -(first.exposure or 0),
        ):
            yield f"entry {number} gives back another amount than was charged"
        else:
            ended.add(each.id)


def _sum(dataset: Dataset, entries: Sequence[Charge]) -> Iterator[str]:
    """What is spent never passed the budget, nor the exposure its own."""
    spent = Spending(0)
    for number, each in enumerate(entries, 1):
        spent += Spending(each.units, each.exposure or 0)
        if spent.units > dataset.budget:
            yield (
                f"entry {number} brings what is spent to {dataset.measure} {at_most(spent.units)}, "
                f"the budget is {at_least(dataset.budget)}"
            )
        if (each.exposure is None) != (dataset.exposure is None):
            yield f"entry {number} has an exposure where the dataset has no budget of it, or none"
        if spent.exposure > (dataset.exposure or 0):
            yield (
                f"entry {number} brings the exposure that is spent to {_probability(spent)}, the "
                f"budget is {_probability(dataset.spending)}"
            )


def _probability(spent: Spending) -> float:
    return float(units.exposure(spent.exposure))


def _certificate(path: Path, books: Books) -> str:
    """What is wrong between a certificate and its charge."""
    document = read_document(path / CERTIFICATE if path.is_dir() else path)
    if not isinstance(document, dict):
        raise InvalidArgument(f"{path} is not a certificate.")
    block = document.get("ledger")
    if not isinstance(block, dict):
        return "it says nothing of a ledger: what it spent is in none"
    matches = [
        (dataset, entries) for dataset, entries in books if dataset.name == block.get("dataset")
    ]
    if not matches:
        return "it names a dataset that this ledger does not have"
    [(dataset, entries)] = matches
    charge = next((each for each in entries if each.sha256 == block.get("entry")), None)
    if charge is None or charge.state is not State.CHARGED:
        return (
            "its charge is not in this ledger: it was charged to a copy of it, or to another ledger"
        )
    stated = [block.get(key) for key in ("measure", "budget", "charged")]
    if stated != [str(dataset.measure), at_least(dataset.budget), at_least(charge.units)]:
        return "its measure, budget or charge is another than this ledger's"
    exposed = None
    if charge.exposure:
        cost = Spending(charge.units, charge.exposure)
        exposed = _probability(cost), _probability(dataset.spending)
    if (block.get("exposure"), block.get("exposure_budget")) != (exposed or (None, None)):
        return "its exposure is another than this ledger's"
    end = next((each for each in entries if each.id == charge.id and each is not charge), None)
    if end is None:
        return "its charge was never entered as released: this ledger is older than the certificate"
    if end.state is State.VOID:
        return "its charge is void, and yet there is a certificate"
    if end.statement_sha256 not in (None, statement_sha256(document)):
        return "its charge was released with another certificate"
    return ""
