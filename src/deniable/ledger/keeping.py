"""What the keeper of a ledger does by hand: makes a dataset, voids a charge, exports a book."""

import csv
import io
import os
from typing import Any

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.ledger import units
from deniable.ledger.budget import budgeted
from deniable.ledger.charge import Charge, State, chain_start
from deniable.ledger.dataset import HOUSEHOLD, Dataset
from deniable.ledger.households import checked_households
from deniable.ledger.ledger import Ledger
from deniable.ledger.summary import Summary, ledger_of, one_dataset, summary
from deniable.ledger.tables import ENTRY_COLUMNS, Overview
from deniable.notions import Adjacency
from deniable.numerics.answer import Answer
from deniable.theorems.analysis import BoundedPriors, only_target


def new(
    ledger: Ledger | str | os.PathLike[str],
    dataset: str,
    *,
    entity: str | None = None,
    unit: str | None = None,
    adjacency: Adjacency | str = Adjacency.REPLACE_ONE,
    prior: tuple[float, float] = (0.0, 1.0),
    gamma: float | None = None,
    max_posterior: float | None = None,
    attack_success: float | None = None,
    advantage: float | None = None,
    identifiability: float | None = None,
    worlds: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    exposure: float | None = None,
    household: int | None = None,
    odds_ratio: float | None = None,
    icc: float | None = None,
    difference: float | None = None,
    by_household: bool = False,
    each_row: bool = False,
) -> Summary:
    """Add a dataset to a ledger, and make the ledger if there is none.

    All of it is fixed from then on. Tables that hold the same people share one dataset.

    Parameters
    ----------
    ledger : Ledger, str or path
        A ledger, its file or its URL.
    dataset : str
        The name of these people in plans and certificates.
    entity, unit : str, optional
        The column that names a person, and a word for one of them.
    adjacency : Adjacency or str
        "replace-one" or "add-remove".
    prior : (float, float)
        The ends [a, b] of what may be believed before the first release.
    gamma, max_posterior, attack_success, advantage : float
        What may be believed at most after all releases, as in `deniable.calibrate`.
    identifiability, worlds : float, int
        ρ of differential identifiability over so many possible worlds.
    epsilon : float
        The budget ε, instead of a limit.
    delta : float, optional
        In (0, 1): the budget is in ρ, and admits Gaussian noise. Probability that what the ledger
        says of rises of belief in an entity fails, and likewise of falls.
    exposure : float, optional
        In (0, 1): a second budget, for keys that nobody knows: the probability that some appear
        which one entity alone has. Below half of `delta`; `delta`/1000 costs little accuracy.
        Without `delta`, the limits on beliefs fail with 100 times this probability.
    household : int, optional
        The most people who belong together. The limit is then on beliefs in one of them, and the
        budget the ε or ρ of each person that keeps to it; `epsilon` stays a person's.
    odds_ratio, icc, difference : float, optional
        One model of how their memberships are tied, as in `explain_households`; left out, in any
        way. With `delta` the first only, and for gamma and max_posterior.
    by_household : bool
        Whether the entity is the household: one column of fixed membership, of at most `household`
        people. Limit and budget are then the household's.
    each_row : bool
        That each row is a person by itself. Without it `entity` or `unit` has to be given: no plan
        with an entity can be charged to a dataset without, and its name is taken for good.

    Returns
    -------
    Summary
        The empty book.

    Raises
    ------
    InvalidArgument
        If a number is out of range, not exactly one target is given, nothing says who a person is,
        or the dataset is there. Nothing is written then.
    InfeasibleTarget
        If no noise meets the target.
    LedgerError
        If the ledger cannot be read or written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from deniable.ledger import new
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "hospital.ledger"
    ...     limits = {"max_posterior": 0.5, "prior": (0.01, 0.1)}
    ...     answer = new(file, "visits", entity="patient", **limits)
    >>> round(answer.as_json()["budget"], 4)
    2.1972
    """
    target = only_target(
        worlds, gamma=gamma, max_posterior=max_posterior, attack_success=attack_success,
        advantage=advantage, identifiability=identifiability, epsilon=epsilon,
    )  # fmt: skip
    if entity is None and unit is None and not each_row:
        raise InvalidArgument(
            'Expected entity, the column that names a person, got none. Give entity="COLUMN"; unit '
            "for a study's genotypes; or each_row=True, where each row is a person by itself."
        )
    ties = {"odds_ratio": odds_ratio, "icc": icc, "difference": difference}
    made = budgeted(
        dataset,
        target,
        adversary=BoundedPriors(*validate.pair(prior, "prior")),
        adjacency=Adjacency(adjacency),
        delta=delta,
        exposure=exposure,
        entity=entity,
        unit=HOUSEHOLD if by_household and unit is None else unit,
        households=checked_households(household, **ties),
        by_household=bool(by_household),
    )
    there = ledger_of(ledger)
    there.create(made)
    return summary(there, made, Overview((), (), chain_start(made)))


_LEAST_SHOWN = 8
"""Digits of an ID that must be given: `show` prints as many, which two charges hardly share."""


def void(
    ledger: Ledger | str | os.PathLike[str], charge: str, *, because: str, by: str | None = None
) -> Charge:
    """Record that a charge was never released, so that its units can be spent again.

    Only the owner can know. Statements on what was published so far count the charge all the
    same, in case something had been released after all.

    Parameters
    ----------
    ledger : Ledger, str or path
        A ledger, its file or its URL.
    charge : str
        The charge's ID, or as many of its first digits as no other charge shares, at least 8.
    because : str
        Why; it stays in the book.
    by : str, optional
        Who; the user of the process if left out.

    Returns
    -------
    Charge
        The new entry.

    Raises
    ------
    InvalidArgument
        If there is no such charge, it was released or is void, or the reason cannot be shown.
    LedgerError
        If the ledger cannot be read or written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from deniable import Ledger
    >>> from deniable.ledger import new, show, void
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "hospital.ledger"
    ...     _ = new(file, "visits", entity="patient", epsilon=1.0)
    ...     charge = Ledger(file).charge("visits", 2**39, what="June")
    ...     _ = void(file, charge.id, because="The table was last year's.")
    ...     show(file).as_json()["left"]
    1.0
    """
    there = ledger_of(ledger)
    # The ID that begins so.
    matches = {
        each.id
        for dataset in there.datasets()
        for each in there.entries(dataset.name)
        if each.state is State.CHARGED and each.id.startswith(charge)
    }
    if len(charge) < _LEAST_SHOWN or len(matches) > 1:
        raise InvalidArgument(
            f"Expected the ID of one charge, got {charge!a}. Give at least {_LEAST_SHOWN} of its "
            "digits, and as many as no other charge shares."
        )
    return there.void(matches.pop() if matches else charge, because, by=by)


_COLUMNS = tuple(name for name in ENTRY_COLUMNS if name != "exposure")
"""Those that every book has."""


@attrs.frozen(repr=False)
class Exported(Answer):
    """A dataset and all entries of its book."""

    OWNER_ONLY = True

    dataset: Dataset
    entries: tuple[Charge, ...]

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints; `units` are of 2⁻⁴⁰."""
        return {
            "dataset": self.dataset.as_json(),
            "entries": [each.as_json() | _amounts(each) for each in self.entries],
        }

    def as_csv(self) -> str:
        """A header, and a line an entry: RFC 4180, all texts in quotation marks.

        A text that a spreadsheet would compute, such as a label =1+1, gets an apostrophe in front,
        which spreadsheets do not show; the JSON has it as it was entered.
        """
        out = io.StringIO()
        table = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
        has_exposure = self.dataset.exposure is not None
        names = [*_COLUMNS, "amount", *(("exposure", "exposure_amount") if has_exposure else ())]
        table.writerow(names)
        for each in self.entries:
            values = each.as_json() | _amounts(each)
            cells = ["" if (cell := values.get(name)) is None else cell for name in names]
            table.writerow([validate.guard_formula(c) if isinstance(c, str) else c for c in cells])
        return out.getvalue()


def export(ledger: Ledger | str | os.PathLike[str], dataset: str | None = None) -> Exported:
    """Return all entries of a dataset's book.

    Parameters
    ----------
    ledger : Ledger, str or path
        A ledger, its file or its URL.
    dataset : str, optional
        Whose book; may be left out where there is one.

    Returns
    -------
    Exported
        For those who keep the ledger; none of it is public.

    Raises
    ------
    InvalidArgument
        If there is no such dataset, or none is named and there are several.
    LedgerError
        If the ledger cannot be read, or is none.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from deniable import Ledger
    >>> from deniable.ledger import export, new
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "hospital.ledger"
    ...     _ = new(file, "visits", entity="patient", epsilon=1.0)
    ...     _ = Ledger(file).charge("visits", 2**39, what="June", by="Ada")
    ...     [entry] = export(file).as_json()["entries"]
    >>> entry["what"], entry["amount"], entry["state"]
    ('June', 0.5, 'charged')
    """
    there = ledger_of(ledger)
    selected = one_dataset(there, dataset)
    return Exported(selected, there.entries(selected.name))


def _amounts(entry: Charge) -> dict[str, float]:
    """Return an entry in the dataset's measure: at least what it spends, at most what it gives."""
    is_spent = entry.units >= 0
    amount = units.at_most(entry.units) if is_spent else -units.at_least(-entry.units)
    if entry.exposure is None:
        return {"amount": amount}
    return {"amount": amount, "exposure_amount": float(units.exposure(entry.exposure))}
