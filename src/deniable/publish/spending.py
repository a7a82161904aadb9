"""The target of a plan that asks for a share of its dataset's budget and takes Gaussian noise."""

import math
from typing import TypeVar

import attrs

from deniable.ledger import units
from deniable.publish.budget import Ask, allocation
from deniable.publish.plan import Plan, PublicPlan
from deniable.theorems.analysis import Composition, EpsilonTarget, least_approx_dp

M = TypeVar("M", bound=PublicPlan)


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

    def at(epsilon: float) -> Composition:
        ask = Ask(EpsilonTarget(epsilon), plan.adversary, plan.adjacency, plan.delta)
        composition = allocation(ask, weights, parts).calibration.composition
        if composition is None:
            raise AssertionError("with delta there is a composition")
        return composition

    def spends(epsilon: float) -> int:
        return math.floor(at(epsilon).rho * units.UNITS)

    # Slack and exposure are those of the parts and of delta, at whatever ε.
    spent = attrs.evolve(at(plan.target.value), rho=plan.spends / units.UNITS)
    epsilon = least_approx_dp(spent, plan.delta).epsilon
    while spends(epsilon) > plan.spends:  # by the last bits of ε and of the enclosures, if at all
        epsilon *= 1 - 2.0**-48
    published = dict(plan.published or {})
    published["target"] = {"epsilon": epsilon, "delta": plan.delta}
    return attrs.evolve(plan, target=EpsilonTarget(epsilon), spends=None, published=published)
