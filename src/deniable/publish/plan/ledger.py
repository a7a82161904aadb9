"""[ledger] of a plan: the dataset that a release is charged to, and where its ledger is."""

import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs

from deniable.ledger import costs, units
from deniable.ledger.book import check_exposure
from deniable.ledger.dataset import Dataset, Measure, word
from deniable.ledger.ledger import Ledger
from deniable.ledger.server import is_url
from deniable.ledger.units import Spending
from deniable.publish.plan.known_keys import LAPLACE
from deniable.publish.plan.spelling import quote_text
from deniable.publish.plan.table import GivenLedger, PlanTable
from deniable.publish.plan.targets import NOISE
from deniable.theorems.analysis import BoundedPriors, Target, calibrated

NAME = "ledger"
SHARE = "share"  # the key of what a plan spends of its dataset's budget, instead of a target
TARGET = "target"
_PLACES = ("file", "url")
_HANDED_OVER = "handed over"
"""What stands for the place of a ledger that comes as an argument; it is withheld like any."""


def dataset_of(table: PlanTable) -> str | None:
    """The name of the dataset; None of an empty table."""
    if not table.entries:
        return None
    if SHARE in table:
        share_of(table)
    given = [key for key in _PLACES if key in table]
    if len(given) != 1:
        got = " and ".join(given) or "neither"
        remedy = "Name the ledger's file, or the URL of its server."
        raise table.error("", "one of file and url", got, remedy)
    table.text(given[0])
    with table.locate_errors("dataset"):
        return word(table.text("dataset"), "the dataset's name")


def ledger_of(table: PlanTable, base: Path, handed: GivenLedger) -> Ledger | None:
    """The ledger itself; a relative file is looked up in `base`."""
    if handed.ledger is not None or not table.entries:
        return handed.ledger
    if "file" in table:
        return Ledger(base / table.text("file"))
    with table.locate_errors("url"):
        place = table.text("url")
        if not is_url(place):
            raise table.value_error("url", "postgresql://…", place, "Write file for a file.")
        return Ledger(place)


def with_handed(top: PlanTable, handed: GivenLedger) -> PlanTable:
    """The plan with its ledger named, for one that is handed over."""
    table = top.section(NAME)
    if handed.ledger is None:
        remedy = "Hand over the ledger too, or name the dataset in the plan."
        raise table.error("dataset", "a ledger with a dataset", "a dataset alone", remedy)
    for key in _PLACES:
        if key in table:
            remedy = f"Leave {key} out, or hand over no ledger."
            raise table.error(key, "one ledger", "one in the plan and one handed over", remedy)
    named = table.text("dataset") if "dataset" in table else handed.dataset
    if named is None:
        raise table.error("dataset", "the name of a dataset", "none", "Give dataset too.")
    if handed.dataset not in (None, named):
        got = f"{quote_text(named)} and {quote_text(str(handed.dataset))}"
        raise table.error("dataset", "one dataset", got, "Name it once.")
    entries: dict[str, Any] = {"file": _HANDED_OVER, "dataset": named}
    if SHARE in table:
        entries[SHARE] = table.raw(SHARE)
    return top.having(NAME, entries)


_FRACTION = re.compile(r"\s*(\d{1,6})\s*/\s*(\d{1,6})\s*")


def share_of(table: PlanTable) -> Fraction:
    """The share that a plan asks for, exactly."""
    value = table.raw(SHARE)
    if isinstance(value, str) and (parts := _FRACTION.fullmatch(value)) and int(parts[2]):
        share = Fraction(int(parts[1]), int(parts[2]))
    elif isinstance(value, str):
        raise table.value_error(SHARE, "a fraction of whole numbers", value, 'Write share = "1/3".')
    else:
        share = Fraction(repr(table.number(SHARE)))  # the decimal that stands there
    if not 0 < share <= 1:
        raise table.value_error(SHARE, "0 < share <= 1", value)
    return share


@attrs.frozen
class ShareOfBudget:
    """What a plan may spend that asks for a share of each amount of its dataset's budget.

    It `is_provisional` where noise is Gaussian: the target is known once its queries are.
    """

    dataset: Dataset
    most: Spending
    is_provisional: bool


def with_target(
    top: PlanTable, base: Path, handed: GivenLedger
) -> tuple[PlanTable, ShareOfBudget | None]:
    """A plan that asks for a share, with the target that spends it.

    A pure release spends ε of a budget in ε, ε²/2 of one in ρ, and so its target is known here.
    What Gaussian noise spends depends on the queries: then the target is provisional.
    """
    table, target = top.section(NAME), top.section(TARGET)
    if SHARE not in table:
        return top, None
    name, ledger = dataset_of(table), ledger_of(table, base, handed)
    if name is None or ledger is None:
        raise AssertionError("a table with a share names a ledger and a dataset")
    for key in target.entries:
        if key not in ("delta", NOISE):
            remedy = "Keep one of them; delta may stand beside a share."
            raise target.error(key, "no target beside a share of the budget", "one", remedy)
    if "knows" in top.section("adversary"):
        remedy = "Say what everybody may come to believe in [floor], and leave the share out."
        got = "one beside an adversary who knows the population"
        raise table.error(SHARE, "a share against everybody", got, remedy)
    dataset = ledger.dataset(name)
    share = share_of(table)
    most = Spending(
        units.part_of(dataset.budget, share), units.part_of(dataset.exposure or 0, share)
    )
    # Of a budget in ρ: (e/U)²/2 <= s/U for e² <= 2 s U. Both are below 2⁵³, so a float holds them.
    spends = most.units
    if dataset.measure is Measure.RHO:
        spends = math.isqrt(2 * spends * units.UNITS)
    epsilon = spends / units.UNITS
    if not epsilon:
        raise table.error(SHARE, "a share of at least 2^-40", "less", "Ask for more.")
    is_gaussian = "delta" in target and target.entries.get(NOISE) != LAPLACE
    if is_gaussian and dataset.measure is Measure.EPSILON:
        remedy = "Leave delta out, or make a dataset with --delta."
        if dataset.exposure is not None:
            remedy = f'Write noise = "{LAPLACE}", or make a dataset with --delta.'
        raise target.error("delta", "a budget in rho for delta", "one in epsilon", remedy)
    spending = top.having(TARGET, {"epsilon": epsilon, **target.entries})
    return spending, ShareOfBudget(dataset, most, is_gaussian)


def check_exposure_of_share(
    table: PlanTable,
    share: ShareOfBudget,
    target: Target,
    adversary: BoundedPriors,
    delta: float,
    *,
    laplace: bool,
) -> None:
    """Refuse a plan by unknown keys whose delta keeps more for them than its share allows."""
    dataset = share.dataset
    calibration = calibrated(
        target, adversary, dataset.adjacency, delta, unknown_keys=True, pure_noise=laplace
    )
    cost = Spending(0, units.to_exposure(calibration.exposure))
    check_exposure(dataset, cost)
    if cost.exposure > (left := share.most.exposure):
        most, more = units.format_distinct(left, cost.exposure, units.EXPOSURE_UNITS)
        smaller = costs.delta_that_fits(dataset, left, target, adversary, delta, pure_noise=laplace)
        remedy = "Ask for a larger share."
        if smaller is not None:
            remedy = f"Set delta to {smaller:g} or less, or ask for a larger share."
        raise table.error(SHARE, f"an exposure of at most {most}, its share", more, remedy)
