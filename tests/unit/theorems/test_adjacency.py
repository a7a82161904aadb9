import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import ZCDP, Adjacency, ApproxDP, GaussianDP, OneSidedDP, PureDP, Side
from deniable.theorems.adjacency import (
    add_remove_approx_dp_to_replace_one_approx_dp,
    add_remove_dp_for_replace_one_dp,
    add_remove_dp_to_replace_one_dp,
    add_remove_gaussian_dp_to_replace_one_gaussian_dp,
    add_remove_zcdp_for_replace_one_zcdp,
    add_remove_zcdp_to_replace_one_zcdp,
    one_sided_dp_to_pure_dp,
    pure_dp_to_one_sided_dp,
)

OUT = Adjacency.ADD_REMOVE


@pytest.mark.parametrize("epsilon", [0.0, 5e-324, 0.1, 700.0, math.inf])
def test_twice_and_half(epsilon):
    doubled = add_remove_dp_to_replace_one_dp(PureDP(epsilon, Adjacency.ADD_REMOVE))
    assert doubled == PureDP(2 * epsilon, Adjacency.REPLACE_ONE)
    assert add_remove_dp_for_replace_one_dp(doubled) == PureDP(epsilon, Adjacency.ADD_REMOVE)


def test_half_of_the_smallest_floats_is_rounded_down():
    assert add_remove_dp_for_replace_one_dp(PureDP(3 * 5e-324)).epsilon == 5e-324
    assert add_remove_dp_for_replace_one_dp(PureDP(5e-324)).epsilon == 0.0


def test_replace_one_has_nothing_to_be_doubled():
    with pytest.raises(NotApplicable, match="Expected an add-remove guarantee, got replace-one"):
        add_remove_dp_to_replace_one_dp(PureDP(1.0))


@pytest.mark.parametrize(
    ("epsilon", "delta", "doubled", "grown"),
    [
        (0.0, 0.25, 0.0, 0.5),
        (1.0, 0.0, 2.0, 0.0),
        (1.0, 0.5, 2.0, 1.0),
        (math.inf, 0.1, math.inf, 0.1),
    ],
)
def test_two_steps(epsilon, delta, doubled, grown):
    found = add_remove_approx_dp_to_replace_one_approx_dp(ApproxDP(epsilon, delta, OUT))
    assert found == ApproxDP(doubled, grown)


def test_delta_grows_with_epsilon():
    found = add_remove_approx_dp_to_replace_one_approx_dp(ApproxDP(math.log(3), 1e-6, OUT))
    assert found.delta == pytest.approx(4e-6, rel=1e-12)


def test_replace_one_is_there_already():
    with pytest.raises(NotApplicable, match="add-remove"):
        add_remove_approx_dp_to_replace_one_approx_dp(ApproxDP(1.0, 0.0))


def test_rho_is_fourfold_and_back():
    one = ZCDP(0.3, Adjacency.ADD_REMOVE)
    assert add_remove_zcdp_to_replace_one_zcdp(one) == ZCDP(1.2)
    assert add_remove_zcdp_for_replace_one_zcdp(ZCDP(1.2)) == one


def test_the_least_float_is_not_rounded_up():
    assert add_remove_zcdp_for_replace_one_zcdp(ZCDP(5e-324)).rho == 0.0


def test_a_replace_one_guarantee_is_refused():
    with pytest.raises(NotApplicable, match="Expected an add-remove guarantee"):
        add_remove_zcdp_to_replace_one_zcdp(ZCDP(0.3))


def test_the_shift_and_the_slack_double():
    one = GaussianDP(0.3, Adjacency.ADD_REMOVE, slack=0.01)
    twice = add_remove_gaussian_dp_to_replace_one_gaussian_dp(one)
    assert twice == GaussianDP(0.6, slack=0.02)


def test_a_replace_one_guarantee_is_refused__add_remove_gaussian_dp_to_replace_one_gaussian_dp():
    with pytest.raises(NotApplicable, match="Expected an add-remove guarantee"):
        add_remove_gaussian_dp_to_replace_one_gaussian_dp(GaussianDP(0.3))


@pytest.mark.parametrize("side", Side)
def test_each_half_has_the_same_epsilon(side):
    assert pure_dp_to_one_sided_dp(PureDP(0.7, OUT), side) == OneSidedDP(0.7, side)


def test_replace_one_has_no_halves():
    with pytest.raises(NotApplicable, match="got replace-one"):
        pure_dp_to_one_sided_dp(PureDP(0.7), Side.POSITIVE)


def test_the_larger_half_counts():
    low, high = OneSidedDP(0.5), OneSidedDP(2.0, Side.NEGATIVE)
    assert one_sided_dp_to_pure_dp(low, high) == PureDP(2.0, Adjacency.ADD_REMOVE)
    assert one_sided_dp_to_pure_dp(OneSidedDP(3.0), high).epsilon == 3.0


@pytest.mark.parametrize("sides", [(Side.POSITIVE, Side.POSITIVE), (Side.NEGATIVE, Side.POSITIVE)])
def test_both_halves_are_needed_in_order(sides):
    with pytest.raises(NotApplicable, match="Prove the other half too"):
        one_sided_dp_to_pure_dp(*(OneSidedDP(1.0, side) for side in sides))
