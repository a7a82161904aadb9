"""What each part may spend, from a plan's target or its share of a ledger's budget."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

import attrs

from deniable.errors.late import late
from deniable.notions import Adjacency
from deniable.numerics.rounding import directed, lower
from deniable.pipeline.noise import Part, PublicPart, Share, VectorPart
from deniable.publish.plan import Plan, PublicPlan
from deniable.theorems.analysis import BoundedPriors, Calibration, EpsilonTarget, Target, calibrated

if TYPE_CHECKING:
    from deniable.ledger import units
    from deniable.theorems import analysis
    from deniable.theorems.analysis import Composition, Households
else:  # for releases that are charged to a ledger, and for Gaussian noise
    analysis = late("deniable.theorems.analysis")
    units = late("deniable.ledger.units")

M = TypeVar("M", bound=PublicPlan)


@attrs.frozen
class Allocation:
    """A calibrated target and its split: for each query, for each part, a share or None."""

    calibration: Calibration
    shares: tuple[tuple[Share | None, ...], ...]


@attrs.frozen
class Ask:
    """What a release must keep to: all of it public."""

    target: Target
    adversary: BoundedPriors
    adjacency: Adjacency
    delta: float | None
    whole_units: bool = False
    """Whether shares are whole units of a ledger."""
    pure_noise: bool = False
    """Whether δ is for unknown keys alone."""
    households: "Households | None" = None
    """Those whose members the target speaks of."""


def allocation(ask: Ask, weights: Sequence[float], parts: Sequence[tuple[Part, ...]]) -> Allocation:
    """Calibrate the target for these parts and split the budget by the queries' weights.

    Shares are computed in exact fractions and each is rounded down, so that they add up to no
    more than the budget: ε without δ, or where δ is for unknown keys alone, and ρ with it. For a
    ledger they are rounded down to whole units, so that exactly these are charged.
    """
    fractions = weight_fractions(weights, parts)
    slack = None if ask.delta is None else slack_of(fractions, parts)
    unknown = any(has_unknown_keys(row) for row in parts)
    calibration = calibrated(
        ask.target,
        ask.adversary,
        ask.adjacency,
        ask.delta,
        slack,
        unknown_keys=unknown,
        pure_noise=ask.pure_noise,
        households=ask.households,
    )
    kind, spent = "epsilon", calibration.noise_epsilon
    budget = calibration.epsilon if spent is None else spent
    if calibration.composition is not None:
        kind, budget = "rho", calibration.composition.rho
    return Allocation(calibration, tuple(_each(row, budget, kind, ask) for row in fractions))


def has_unknown_keys(parts: Sequence[Part]) -> bool:
    """Whether some part's coordinates are those that occur in the table."""
    return any(isinstance(part, VectorPart) and part.unknown for part in parts)


def weight_fractions(
    weights: Sequence[float], parts: Sequence[tuple[Part, ...]]
) -> list[tuple[Fraction, ...]]:
    """Each part's exact fraction of the whole: the query's weight, split evenly; 0 if public."""
    total = sum(map(Fraction, weights), Fraction(0))
    result = []
    for weight, row in zip(weights, parts, strict=True):
        noisy = sum(not isinstance(part, PublicPart) for part in row)
        each = Fraction(weight) / total / noisy
        result.append(tuple(Fraction(0) if isinstance(p, PublicPart) else each for p in row))
    return result


def slack_of(
    fractions: Sequence[tuple[Fraction, ...]], parts: Sequence[tuple[Part, ...]]
) -> float | None:
    """√κ of the Gaussian parts; None beside a selection, or where coordinates have no end."""
    entries = []
    for row, shares in zip(parts, fractions, strict=True):
        for part, share in zip(row, shares, strict=True):
            if isinstance(part, VectorPart) and not part.endless:
                entries.append((share, part.l2, part.moved))
            elif not isinstance(part, PublicPart):
                return None
    return analysis.lattice_slack(entries)


def _each(
    fractions: tuple[Fraction, ...], budget: float, kind: str, ask: Ask
) -> tuple[Share | None, ...]:
    exact = [each * Fraction(budget) if each else None for each in fractions]
    if ask.whole_units:
        exact = [None if each is None else units.in_whole_units(each) for each in exact]
    with directed() as r:
        spent = [None if each is None else lower(r(each)) for each in exact]
    return tuple(
        None if amount is None else Share(**{"epsilon": None, "rho": None, kind: amount})
        for amount in spent
    )


def with_target(plan: M) -> M:
    """The plan, whose target spends what it may spend; a plan with a target of its own as it is.

    With Gaussian noise, the ρ of (ε, δ) depends on what the queries publish. The target is the
    least ε at which so much ρ is (ε, δ)-DP; no unit more is charged.
    """
    if not isinstance(plan, Plan) or plan.spends is None or plan.delta is None:
        return plan
    weights = [query.weight for query in plan.queries]
    parts = [
        query.statistic.parts(plan.protection(query), query.grouping.cells)
        for query in plan.queries
    ]

    def at(epsilon: float) -> "Composition":
        ask = Ask(EpsilonTarget(epsilon), plan.adversary, plan.adjacency, plan.delta)
        composition = allocation(ask, weights, parts).calibration.composition
        if composition is None:
            raise AssertionError("with delta there is a composition")
        return composition

    def spends(epsilon: float) -> int:
        return math.floor(at(epsilon).rho * units.UNITS)

    # Slack and exposure are those of the parts and of delta, at whatever ε.
    spent = attrs.evolve(at(plan.target.value), rho=plan.spends / units.UNITS)
    epsilon = analysis.least_approx_dp(spent, plan.delta).epsilon
    while spends(epsilon) > plan.spends:  # by the last bits of ε and of the enclosures, if at all
        epsilon *= 1 - 2.0**-48
    published = dict(plan.published or {})
    published["target"] = {"epsilon": epsilon, "delta": plan.delta}
    return attrs.evolve(plan, target=EpsilonTarget(epsilon), spends=None, published=published)
