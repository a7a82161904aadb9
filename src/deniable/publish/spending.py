"""The target of a plan that asks for a share of its dataset's budget and takes Gaussian noise."""

import math
from typing import TypeVar

import attrs

from deniable.ledger import units
from deniable.publish.budget import Ask, allocation, slack_of, weight_fractions
from deniable.publish.plan import Plan, PublicPlan
from deniable.theorems.analysis import Composition, EpsilonTarget, Route, least_approx_dp

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

    def spends(epsilon: float) -> int:
        ask = Ask(EpsilonTarget(epsilon), plan.adversary, plan.adjacency, plan.delta)
        composition = allocation(ask, weights, parts).calibration.composition
        if composition is None:
            raise AssertionError("with delta there is a composition")
        return math.floor(composition.rho * units.UNITS)

    slack = slack_of(weight_fractions(weights, parts), parts)
    rho = plan.spends / units.UNITS
    spent = Composition(rho, Route.CONCENTRATED, slack, plan.adjacency)
    epsilon = least_approx_dp(spent, plan.delta).epsilon
    while spends(epsilon) > plan.spends:  # by the last bits of ε and of the enclosures, if at all
        epsilon *= 1 - 2.0**-48
    published = dict(plan.published or {})
    published["target"] = {"epsilon": epsilon, "delta": plan.delta}
    return attrs.evolve(plan, target=EpsilonTarget(epsilon), spends=None, published=published)
