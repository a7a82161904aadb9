"""From wanted half-widths to the least target that allows them, by public numbers alone."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

import attrs

from deniable.errors import InfeasibleTarget, InvalidArgument
from deniable.numerics.rounding import least
from deniable.publish.plan import PublicPlan
from deniable.theorems.analysis import (
    AdvantageTarget,
    AttackSuccessTarget,
    EpsilonTarget,
    GammaTarget,
    IdentifiabilityTarget,
    MaxPosteriorTarget,
    Target,
)

_TOLERANCE = 1e-4
"""Share of the target up to which the least one is sought; it is then rounded up."""
_DIGITS = 5
"""Significant digits of the answer."""
_LARGEST_LOSS = 200.0
"""Privacy loss beyond which nothing is protected: no target is sought there."""


M = TypeVar("M", bound=PublicPlan)
P = TypeVar("P")
"""A plan, calibrated."""


def solve(plan: M, calibrate: Callable[[M], P]) -> P:
    """The plan with the least target of its kind at which every precision is kept.

    Parameters
    ----------
    plan : PublicPlan
        Each query with its precision; the value of its target is not looked at, its kind is.
    calibrate : callable
        What calibrates a plan, and raises InfeasibleTarget where a precision is not kept.

    Returns
    -------
    The plan, calibrated
        With a target of five significant digits, rounded up, and tried.

    Raises
    ------
    InvalidArgument
        If a query has no precision, or the adversary knows the population.
    InfeasibleTarget
        If no target of this kind allows them, with the one that does.
    """
    if plan.population is not None:
        raise InvalidArgument(
            "Expected a target against everybody, got one beside a population. Solve it without "
            "the list, as the floor."
        )
    if getattr(plan, "spends", None) is not None:
        raise InvalidArgument(
            "Expected a plan with a target, got one that spends a share of a budget. Remove share "
            "and add [target]."
        )
    missing = [query.name for query in plan.queries if query.precision is None]
    if missing:
        raise InvalidArgument(
            f"Expected precision in every query, got none in {missing[0]!r}. Add precision = …."
        )
    low, high = _range(plan)

    def at(value: float) -> P | None:
        target = attrs.evolve(plan.target, value=value)
        try:
            return calibrate(attrs.evolve(plan, target=target))
        except InfeasibleTarget:
            return None

    def keeps(value: float) -> bool:
        return at(value) is not None

    if not keeps(high):
        raise InfeasibleTarget(
            f"Expected half-widths that some {plan.target.kind} allows, got smaller ones: "
            f"{plan.target.kind} = {high:g} does not. Ask for less precision, or for epsilon."
        )
    value = least(keeps, low, high, tolerance=_TOLERANCE)
    for digits in (_DIGITS, _DIGITS + 2, _DIGITS + 5):
        rounded = _rounded_up(value, digits)
        answer = at(rounded) if low < rounded < high else None
        if answer is not None:
            return answer
    raise AssertionError("a target that keeps the half-widths, rounded up, does not")


def _range(plan: PublicPlan) -> tuple[float, float]:
    """Between what nothing allows and what allows about any noise."""
    target: Target = plan.target
    match target:
        case EpsilonTarget():
            return 2.0**-40, _LARGEST_LOSS
        case GammaTarget():
            return 1.0, math.exp(_LARGEST_LOSS)
        case MaxPosteriorTarget():
            return plan.adversary.high, 1 - 1e-9
        case AttackSuccessTarget():
            return 0.5, 1 - 1e-9
        case AdvantageTarget():
            return 0.0, 1 - 1e-9
        case IdentifiabilityTarget():
            return 1 / target.worlds, 1 - 1e-9
    raise AssertionError(f"unknown target {target}")


def _rounded_up(value: float, digits: int) -> float:
    unit = Fraction(10) ** (math.floor(math.log10(value)) - digits + 1)
    return float(math.ceil(Fraction(value) / unit) * unit)
