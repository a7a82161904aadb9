"""What a release costs a dataset, from what it guarantees; and what would have fitted.

ε adds up with ε, ρ with ρ. A pure release costs ε²/2 of a ρ. Gaussian noise is charged in ρ
whatever sharper curve its certificate used: that adding up curves, and stopping when the total is
used up, is no filter is shown in docs/explanation/errata.md.
"""

import math
from fractions import Fraction
from typing import assert_never

from deniable.errors import InfeasibleTarget, InvalidArgument, NotApplicable
from deniable.ledger import units
from deniable.ledger.dataset import Dataset, Measure
from deniable.notions import ZCDP, ApproxDP, GaussianDP, Notion, PureDP
from deniable.numerics.rounding import greatest
from deniable.priors import BoundedPriors
from deniable.theorems.analysis.calibrate import calibrated
from deniable.theorems.analysis.target import (
    AdvantageTarget,
    AttackSuccessTarget,
    EpsilonTarget,
    FalseNegativesTarget,
    GammaTarget,
    IdentifiabilityTarget,
    MaxPosteriorTarget,
    Target,
    target_of,
)

_DIGITS = 3
"""Significant digits of a target that would fit."""
_TOLERANCE = 1e-4
"""Relative, of the search for it: a tenth of the last digit, and some 15 calibrations."""


def cost(dataset: Dataset, measure: Measure, amount: Fraction) -> int:
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
    >>> units.amount(cost(visits, Measure.EPSILON, Fraction(1, 2)))
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
    return cost(dataset, measure, exact**2 / 2 if isinstance(guarantee, GaussianDP) else exact)


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
        return cost(dataset, Measure.EPSILON, Fraction(calibration.epsilon))
    return cost(dataset, Measure.RHO, Fraction(calibration.composition.rho))


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
