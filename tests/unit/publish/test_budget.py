from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.errors import InfeasibleTarget
from deniable.notions import Adjacency, ApproxDP, PrivacyLossTail
from deniable.pipeline.noise import PublicPart, SelectionPart, VectorPart
from deniable.priors import BoundedPriors
from deniable.publish.budget import Ask, allocation, weight_fractions
from deniable.theorems.analysis import Route, is_satisfied, target_of
from tests.cases.effort import usual
from tests.cases.refusals import refuses

COUNT = VectorPart("count", 1.0, coordinates=4, l1=2, l2=2**0.5, moved=2)
SUM = VectorPart("sum", 2.0**-18, coordinates=1, l1=2**24, l2=2.0**24, moved=1)
TOP = SelectionPart("top", 1.0, cells=1, candidates=3, number=1, sensitivity=1, monotone=False)
SIZE = PublicPart("size")


def ask(kind: str, value: float, delta: float | None = None) -> Ask:
    return Ask(target_of(kind, value), BoundedPriors(0.1, 0.5), Adjacency.REPLACE_ONE, delta)


weights = st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=12)


@given(weights, st.floats(1e-3, 20.0))
@settings(max_examples=usual(67, 200), deadline=None)
def test_shares_add_up_to_no_more_than_epsilon(weights: list[float], epsilon: float) -> None:
    budget = allocation(ask("epsilon", epsilon), weights, [(COUNT, SUM)] * len(weights))
    spent = [Fraction(share.epsilon) for row in budget.shares for share in row]
    assert sum(spent) <= Fraction(budget.calibration.epsilon)
    assert float(sum(spent)) == pytest.approx(epsilon, rel=1e-12)


def test_shares_follow_the_weights_and_parts_of_a_query_share_evenly() -> None:
    budget = allocation(ask("epsilon", 1.0), [1.0, 3.0], [(COUNT, SUM), (TOP,)])
    assert [[share.epsilon for share in row] for row in budget.shares] == [[0.125, 0.125], [0.75]]


def test_a_public_part_takes_no_share() -> None:
    budget = allocation(ask("epsilon", 1.0), [1.0], [(SUM, SIZE)])
    assert budget.shares[0][0].epsilon == 1.0
    assert budget.shares[0][1] is None
    assert weight_fractions([5.0], [(SUM, SIZE)]) == [(Fraction(1), Fraction(0))]


def test_with_delta_rho_is_split() -> None:
    budget = allocation(ask("gamma", 2.0, 1e-6), [1.0, 1.0], [(COUNT,), (SUM,)])
    composition = budget.calibration.composition
    assert composition is not None
    spent = [Fraction(share.rho) for row in budget.shares for share in row]
    assert sum(spent) <= Fraction(composition.rho)
    assert all(share.epsilon is None for row in budget.shares for share in row)


def test_gaussian_parts_alone_get_the_sharper_curve() -> None:
    fine = allocation(ask("epsilon", 1.0, 1e-6), [1.0], [(SUM,)]).calibration.composition
    mixed = allocation(ask("epsilon", 1.0, 1e-6), [9.0, 1.0], [(SUM,), (TOP,)])
    assert fine is not None
    assert fine.route is Route.GAUSSIAN
    assert is_satisfied(fine, ApproxDP(1.0, 1e-6))
    assert mixed.calibration.composition is not None
    assert mixed.calibration.composition.route is Route.CONCENTRATED
    assert mixed.calibration.composition.rho < fine.rho


def test_beliefs_with_delta_rest_on_a_tail() -> None:
    calibration = allocation(ask("max_posterior", 0.9, 1e-6), [1.0], [(SUM,)]).calibration
    assert calibration.composition is not None
    assert is_satisfied(calibration.composition, PrivacyLossTail(calibration.epsilon, 1e-6))
    assert calibration.exceedance == calibration.delta == 1e-6


def test_an_unreachable_target_is_refused() -> None:
    with refuses(InfeasibleTarget, "target-that-some-noise-meets"):
        allocation(ask("gamma", 1.0), [1.0], [(COUNT,)])
