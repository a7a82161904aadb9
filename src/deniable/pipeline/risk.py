"""`deniable risk`: what a guarantee, a release or a ledger's budget leaves to an adversary."""

import math
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deniable.errors import InvalidArgument, validate
from deniable.errors.late import late
from deniable.notions import ZCDP, ApproxDP, ApproxZCDP, Notion, PureDP
from deniable.notions.households import Households
from deniable.notions.notation import read_all
from deniable.theorems.analysis import ABOUT_A_GUARANTEE, Risks, households_of, risks_of
from deniable.theorems.analysis.households import about_a_member
from deniable.theorems.pure_and_approximate import approx_zcdp_to_approx_dp

if TYPE_CHECKING:
    from deniable.certificate import files, json_documents
    from deniable.ledger import dataset as datasets
    from deniable.ledger import summary, units
    from deniable.ledger.dataset import Dataset
    from deniable.ledger.ledger import Ledger
    from deniable.pipeline import kind as kinds
else:  # a written guarantee needs no ledger and no kind of release
    files = late("deniable.certificate.files")
    json_documents = late("deniable.certificate.json_documents")
    datasets = late("deniable.ledger.dataset")
    kinds = late("deniable.pipeline.kind")
    summary = late("deniable.ledger.summary")
    units = late("deniable.ledger.units")

_SQLITE = b"SQLite format 3\x00"  # how a ledger's file begins

_OF_A_BUDGET = "everything that the dataset's budget pays for, if every void of it is true"
_OF_A_CERTIFICATE = (
    "what the certificate states of its unit, which is not checked here: deniable check recomputes "
    "it. A secret about several units is not covered."
)


def risk(
    guarantee: "str | os.PathLike[str] | Notion | Sequence[Notion | str] | Ledger",
    baselines: float | Sequence[float] | None = None,
    *,
    candidates: int | None = None,
    dataset: str | None = None,
    household: int | None = None,
    odds_ratio: float | None = None,
    icc: float | None = None,
    difference: float | None = None,
) -> Risks:
    """Bound an adversary's success with a release, given their success without it.

    Parameters
    ----------
    guarantee : str, path, notion, several notions or Ledger
        What holds, as a value or written like ``pure-dp:1.0@add-remove``; several are true of one
        and the same release. Or the certificate.json of a release or a training, or its folder:
        what it certifies. Or a ledger, its file or its URL: everything that a dataset's budget
        pays for, if every void of it is true.
    baselines : float or sequence of float, optional
        Successes without the release, in [0, 1]: the probability of the best guess. By default
        0.01, 0.1 and 0.5, and with `candidates` that of one of them.
    candidates : int, optional
        The secret is one of so many equally likely values; any number, however likely, by default.
    dataset : str, optional
        Whose budget of a ledger; may be left out where there is one.
    household : int, optional
        The most people who belong together: the secret is whether one of them is in the data.
    odds_ratio, icc, difference : float, optional
        With `household`: one model of how memberships are tied, as in `Households`.

    Returns
    -------
    Risks
        A row a baseline, rounded up, with the bound and the theorems that give it.

    Raises
    ------
    InvalidArgument
        If a guarantee is written wrong, a file is none of these, or a baseline no probability.
    NotApplicable
        If what is given bounds no tests between data sets, such as population privacy.

    Examples
    --------
    >>> [round(row.success, 4) for row in risk("pure-dp:1.0", [0.1, 0.5]).risks]
    [0.232, 0.7311]
    """
    odds = None if baselines is None else _numbers(baselines)
    together = households_of(household, odds_ratio=odds_ratio, icc=icc, difference=difference)
    place = os.fspath(guarantee) if isinstance(guarantee, str | os.PathLike) else None
    is_book = not isinstance(guarantee, Notion | list | tuple | int | float)
    if place is not None:
        is_book = is_ledger(place)
    if is_book:
        book: Any = guarantee if place is None else place
        notions = budget_of(summary.one_dataset(summary.ledger_of(book), dataset))
        return risks_of(notions, odds, candidates, _OF_A_BUDGET, together)
    check_no_dataset(dataset)
    if place is not None and (os.path.exists(place) or place.endswith(".json")):
        path = Path(place)
        document = json_documents.read_document(path / files.CERTIFICATE if path.is_dir() else path)
        certificate = kinds.kind_of(document).certificate.from_json(document)
        about = f"{_OF_A_CERTIFICATE} {certificate.unit.sentence}"
        return risks_of(certificate.notions, odds, candidates, about, together)
    given = read_all(guarantee if place is None else place)
    if not given:
        raise InvalidArgument("Expected a guarantee, got none.")
    return risks_of(given, odds, candidates, ABOUT_A_GUARANTEE, together)


def _numbers(value: Any) -> list[float]:
    several = isinstance(value, Iterable) and not isinstance(value, (str, bytes))
    if several and getattr(value, "ndim", 1) > 0:
        return [validate.number(each, "each of baselines") for each in value]
    return [validate.number(value, "baselines")]


def check_no_dataset(dataset: str | None) -> None:
    """Refuse the name of a dataset where no ledger is given."""
    if dataset is not None:
        raise InvalidArgument(
            f"Expected `dataset` with a ledger only, got dataset={dataset!r}. Leave it out."
        )


def is_ledger(place: str) -> bool:
    """Whether this is a ledger's URL, or a file that begins like one."""
    if "://" in place:
        return True
    try:
        if not Path(place).is_file():  # who opens a pipe waits for somebody to write
            return False
        with Path(place).open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except (OSError, ValueError):
        return False


_POINTS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
"""ε of points of a curve, in its standard deviations √(2ρ): one is near the best for any test."""


def budget_of(dataset: "Dataset") -> tuple[Notion, ...]:
    """What all that a dataset's budget pays for satisfies; of a household's, about one member."""
    amount, where = units.at_most(dataset.budget), dataset.adjacency
    exposure = float(units.exposure(dataset.exposure or 0))
    given: Sequence[Notion] = (ZCDP(amount, where),)
    if dataset.measure is datasets.Measure.EPSILON:
        given = (ApproxDP(amount, exposure, where) if exposure else PureDP(amount, where),)
    elif exposure:
        spent, unit = ApproxZCDP(amount, exposure, where), math.sqrt(2 * amount)
        given = [approx_zcdp_to_approx_dp(spent, amount + unit * each) for each in _POINTS]
    if dataset.by_household:  # a change within one replaces it by another
        given = [about_a_member(each, Households(2)) for each in given]
    return tuple(given)
