"""What a release costs a dataset, from what it guarantees; and what would have fitted.

ε adds up with ε, ρ with ρ. A pure release costs ε²/2 of a ρ. Gaussian noise is charged in ρ
whatever sharper curve its certificate used: that adding up curves, and stopping when the total is
used up, is no filter is shown in docs/explanation/errata.md.
"""

import math
import os
from fractions import Fraction
from typing import Any, assert_never

import attrs

from deniable.errors import InfeasibleTarget, InvalidArgument, NotApplicable
from deniable.ledger import units
from deniable.ledger.charge import Charge
from deniable.ledger.dataset import Dataset, Measure, People, check_people
from deniable.ledger.ledger import Ledger
from deniable.ledger.summary import at_least, at_most, ledger_of, one_dataset
from deniable.notions import ZCDP, ApproxDP, GaussianDP, Notion, PureDP
from deniable.notions.notation import parse
from deniable.numerics.answer import Answer
from deniable.numerics.rounding import greatest
from deniable.priors import BoundedPriors
from deniable.theorems.analysis import (
    AdvantageTarget,
    AttackSuccessTarget,
    Calibration,
    EpsilonTarget,
    FalseNegativesTarget,
    GammaTarget,
    IdentifiabilityTarget,
    MaxPosteriorTarget,
    Target,
    calibrated,
    target_of,
)

_DIGITS = 3
"""Significant digits of a target that would fit."""
_TOLERANCE = 1e-4
"""Relative, of the search for it: a tenth of the last digit, and some 15 calibrations."""


def cost_in_units(dataset: Dataset, measure: Measure, amount: Fraction) -> int:
    """Units that a release costs which spends so much ε, or ρ; rounded up.

    Raises
    ------
    NotApplicable
        If the release is Gaussian and the budget an ε.

    Examples
    --------
    >>> from deniable.theorems.analysis.target import EpsilonTarget
    >>> from deniable.ledger.budget import budgeted
    >>> visits = budgeted("visits", EpsilonTarget(1.0), adversary=BoundedPriors(), delta=1e-6)
    >>> units.amount(cost_in_units(visits, Measure.EPSILON, Fraction(1, 2)))
    Fraction(1, 8)
    """
    if measure is dataset.measure:
        return units.to_units(amount)
    if dataset.measure is Measure.EPSILON:
        raise NotApplicable(
            f"Expected a release without delta, since {dataset.name!r} has a budget in epsilon, "
            "got one that spends rho. Leave delta out, or make a dataset with --delta."
        )
    return units.to_units(amount**2 / 2)


def cost_of_guarantee(dataset: Dataset, guarantee: Notion) -> int:
    """Units that anything costs which satisfies a guarantee, rounded up.

    Parameters
    ----------
    dataset : Dataset
        Whose people it is about.
    guarantee : PureDP, ZCDP or GaussianDP
        In the worst case over all tables. What holds of one population, or of beliefs alone, does
        not add up.

    Raises
    ------
    NotApplicable
        If the guarantee does not add up with others, is of other neighbours, is of tables of one
        size only, or is Gaussian and the budget an ε.

    Examples
    --------
    >>> from deniable.theorems.analysis.target import EpsilonTarget
    >>> from deniable.ledger.budget import budgeted
    >>> visits = budgeted("visits", EpsilonTarget(1.0), adversary=BoundedPriors(), delta=1e-6)
    >>> units.amount(cost_of_guarantee(visits, GaussianDP(0.5)))
    Fraction(1, 8)
    """
    match guarantee:
        case PureDP(records=None) | ApproxDP(delta=0.0, records=None):
            measure, spent = Measure.EPSILON, guarantee.epsilon
        case ZCDP():
            measure, spent = Measure.RHO, guarantee.rho
        case GaussianDP(slack=0.0):
            measure, spent = Measure.RHO, guarantee.mu
        case _:
            raise NotApplicable(
                "Expected pure-dp, zcdp or gaussian-dp that holds of every table, got "
                f"{guarantee.spec}, which does not add up with other releases. Charge the release's"
                " worst-case differential privacy."
            )
    if guarantee.adjacency is not dataset.adjacency:
        raise NotApplicable(
            f"Expected a guarantee under {dataset.adjacency}, as {dataset.name!r} has it, got "
            f"{guarantee.spec}. State it for those neighbours: deniable derive."
        )
    if not math.isfinite(spent):
        raise NotApplicable(f"Expected a finite guarantee, got {guarantee.spec}.")
    exact = Fraction(spent)
    return cost_in_units(
        dataset, measure, exact**2 / 2 if isinstance(guarantee, GaussianDP) else exact
    )


def what_fits(
    dataset: Dataset, left: int, target: Target, adversary: BoundedPriors, delta: float | None
) -> Target | None:
    """The largest target of the same kind whose release would fit into so many units.

    Rounded down to three digits; None where nothing fits that noise can meet.

    Examples
    --------
    >>> from deniable.theorems.analysis.target import EpsilonTarget
    >>> from deniable.ledger.budget import budgeted
    >>> visits = budgeted("visits", EpsilonTarget(1.0), adversary=BoundedPriors())
    >>> what_fits(visits, units.UNITS // 8, AttackSuccessTarget(0.7), BoundedPriors(), None)
    AttackSuccessTarget(value=0.531)
    """
    if left <= 0:
        return None

    def needed(value: float) -> int:
        try:
            return _least_units(dataset, _with(target, value), adversary, delta)
        except (InvalidArgument, InfeasibleTarget):  # below what can be asked for, or met
            return 0

    def holds(value: float) -> bool:
        return needed(value) <= left

    least = _nothing(target, adversary)
    value = greatest(holds, least, target.value, tolerance=_TOLERANCE)
    nearest = _rounded_down(value * (1 + 2 * _TOLERANCE))  # the search may end just below it
    value = nearest if holds(nearest) else _rounded_down(value)
    return _with(target, value) if holds(value) and needed(value) else None


def _least_units(
    dataset: Dataset, target: Target, adversary: BoundedPriors, delta: float | None
) -> int:
    """No fewer units than a release with this target takes, whatever it publishes."""
    calibration = calibrated(target, adversary, dataset.adjacency, delta)
    if calibration.composition is None:
        return cost_in_units(dataset, Measure.EPSILON, Fraction(calibration.epsilon))
    return cost_in_units(dataset, Measure.RHO, Fraction(calibration.composition.rho))


def _with(target: Target, value: float) -> Target:
    worlds = target.worlds if isinstance(target, IdentifiabilityTarget) else None
    return target_of(target.kind, value, worlds)


def _nothing(target: Target, adversary: BoundedPriors) -> float:
    """A value at which nothing is learned."""
    match target:
        case GammaTarget():
            return 1.0
        case AttackSuccessTarget():
            return 0.5
        case MaxPosteriorTarget():
            return min(adversary.high, target.value)
        case IdentifiabilityTarget():
            return min(1 / target.worlds, target.value)
        case AdvantageTarget() | EpsilonTarget():
            return 0.0
        case FalseNegativesTarget():
            raise AssertionError("error rates are asked of a training's curve only")
    assert_never(target)


def _rounded_down(value: float) -> float:
    """To three significant digits."""
    if not value:
        return 0.0
    places = _DIGITS - 1 - math.floor(math.log10(abs(value)))
    scale = Fraction(10) ** places
    return float(math.floor(Fraction(value) * scale) / scale)


# --- Charge what others drew: a trained model, a release of another program.


def charge_guarantee(
    ledger: Ledger | str | os.PathLike[str],
    guarantee: str | Notion,
    *,
    what: str,
    dataset: str | None = None,
) -> Charge:
    """Charge anything of which worst-case differential privacy is known, before it is begun.

    Deniable's own releases charge themselves. This is for what it does not draw: of a model that
    will be trained, charge the ρ of all its steps. What nobody enters is not counted.

    Parameters
    ----------
    ledger : Ledger, str or path
        A ledger, its file or its URL.
    guarantee : str or notion
        pure-dp, zcdp or gaussian-dp, as `derive` writes them, under the dataset's neighbours.
        A pure one costs ε²/2 of a budget in ρ.
    what : str
        A label for people.
    dataset : str, optional
        Whose budget; may be left out where there is one.

    Returns
    -------
    Charge
        The entry; its `id` goes to `Ledger.released` when a statement of it is released.

    Raises
    ------
    NotApplicable
        If the guarantee does not add up with others, as those of one population or of beliefs, is
        of other neighbours, or is Gaussian and the budget an ε.
    BudgetExceeded
        If less is left; nothing is written then.
    LedgerError
        If the ledger cannot be read or written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from deniable.ledger import new, units
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "hospital.ledger"
    ...     _ = new(file, "visits", epsilon=1.0)
    ...     entry = charge_guarantee(file, "pure-dp:0.25", what="a table by hand")
    >>> units.amount(entry.units)
    Fraction(1, 4)
    """
    there = ledger_of(ledger)
    people = one_dataset(there, dataset)
    stated = parse(guarantee) if isinstance(guarantee, str) else guarantee
    return there.charge(people, cost_of_guarantee(people, stated), what=what)


# --- What a release would take from a dataset's budget, before anything is spent.


@attrs.frozen(repr=False)
class Cost(Answer):
    """What a release would take, and what would be left.

    Parameters
    ----------
    place : str
        The file, or the server's host and database.
    dataset : Dataset
        Whose budget it is.
    units : int
        What the release would be charged.
    left : int
        What may still be charged, now.
    would_fit : Target or None
        Where it does not fit: the largest target of the same kind that would, if there is one.
    """

    OWNER_ONLY = True

    place: str
    dataset: Dataset
    units: int
    left: int
    would_fit: Target | None

    @property
    def fits(self) -> bool:
        """Whether it could be charged now."""
        return self.units <= self.left

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints; amounts are rounded to the safe side."""
        return {
            "place": self.place,
            "dataset": self.dataset.name,
            "measure": str(self.dataset.measure),
            "cost": at_most(self.units),
            "left": at_least(self.left),
            "left_after": at_least(self.left - self.units) if self.fits else None,
            "fits": self.fits,
            "would_fit": None if self.would_fit is None else self.would_fit.as_json(),
            "units": {"cost": self.units, "left": self.left},
        }


def cost_of_calibration(
    ledger: Ledger | str | os.PathLike[str],
    calibration: Calibration,
    dataset: str | None = None,
    *,
    people: People | None = None,
    is_paid: bool = False,
) -> Cost:
    """What a calibrated budget would take from a dataset, as `deniable.ledger.cost` has it.

    One unit, for an entry, where it `is_paid` already: by the release that is continued.
    """
    there = ledger_of(ledger)
    selected = one_dataset(there, dataset)
    if people is not None:
        check_people(selected, people)
    if calibration.adjacency is not selected.adjacency:
        raise NotApplicable(
            f"Expected a release under {selected.adjacency}, as {selected.name!r} has it, got one "
            f"under {calibration.adjacency}. Ask for that adjacency."
        )
    wanted = 1 if is_paid else units_of(selected, calibration)
    left = selected.budget - there.spent(selected.name)
    fitting = None
    if wanted > left:
        delta = calibration.delta or None
        fitting = what_fits(selected, left, calibration.target, calibration.adversary, delta)
    return Cost(there.shown, selected, wanted, left, fitting)


def units_of(dataset: Dataset, calibration: Calibration) -> int:
    """Units that a release costs which spends all that was calibrated, in whole units."""
    composition = calibration.composition
    measure = Measure.EPSILON if composition is None else Measure.RHO
    amount = calibration.epsilon if composition is None else composition.rho
    return cost_in_units(dataset, measure, units.amount(units.budget(amount)))
