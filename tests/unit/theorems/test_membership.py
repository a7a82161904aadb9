import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, NegativeMembership, PositiveMembership, PureDP
from deniable.priors import BoundedPriors, CorrelatedPriors, OneOutOfPriors
from deniable.theorems.membership import (
    negative_membership_around_half_to_replace_one_dp as negative_around_half,
)
from deniable.theorems.membership import (
    negative_membership_to_replace_one_dp,
    positive_membership_to_replace_one_dp,
    pure_dp_for_positive_membership,
    pure_dp_to_negative_membership,
    pure_dp_to_positive_membership,
)
from deniable.theorems.membership import (
    positive_membership_around_half_to_replace_one_dp as positive_around_half,
)

OUT = Adjacency.ADD_REMOVE


PRIORS = [
    BoundedPriors(0.0, 1.0),
    BoundedPriors(0.3, 0.7),
    BoundedPriors(0.0, 0.0),
    BoundedPriors(1.0, 1.0),
    BoundedPriors(5e-324, 5e-324),
    BoundedPriors(),
]


@pytest.mark.parametrize("adversary", PRIORS, ids=str)
def test_no_budget_is_no_gain_and_no_bound_is_none(adversary):
    assert pure_dp_to_positive_membership(PureDP(0.0), adversary).gamma == 1.0
    assert pure_dp_to_positive_membership(PureDP(math.inf), adversary).gamma == math.inf
    assert pure_dp_for_positive_membership(PositiveMembership(1.0, adversary)).epsilon == 0.0
    found = pure_dp_for_positive_membership(PositiveMembership(math.inf, adversary))
    assert found.epsilon == math.inf


@pytest.mark.parametrize(
    ("ends", "gamma", "ratio"),
    [
        ((0.25, 0.5), 2.0, 3.0),  # aγ < 1, both terms are 3
        ((0.25, 0.75), 2.0, 7 / 3),  # aγ < 1, the second decides
        ((0.25, 0.25), 2.0, 3.0),  # aγ < 1, the first decides
        ((0.5, 0.5), 2.0, 3.0),  # aγ = 1
        ((0.75, 0.75), 2.0, 7 / 3),  # aγ > 1
        ((0.0, 0.0), 2.0, 2.0),
        ((1.0, 1.0), 2.0, 2.0),
    ],
)
def test_either_term_of_the_minimum(ends, gamma, ratio):
    adversary = BoundedPriors(*ends)
    found = pure_dp_for_positive_membership(PositiveMembership(gamma, adversary))
    assert found.epsilon == pytest.approx(math.log(ratio), rel=1e-15)
    assert pure_dp_to_positive_membership(found, adversary).gamma == gamma


def test_gamma_beyond_floats_is_infinite_and_epsilon_stays_finite():
    adversary = BoundedPriors(0.3, 0.7)
    assert pure_dp_to_positive_membership(PureDP(1e308), adversary).gamma == math.inf
    found = pure_dp_for_positive_membership(PositiveMembership(1e308, adversary))
    assert found.epsilon == pytest.approx(math.log(1e308) - math.log(0.7))


def test_the_adjacency_asked_for_is_kept():
    for adjacency in Adjacency:
        target = PositiveMembership(2.0, BoundedPriors(0.3, 0.7), adjacency=adjacency)
        assert pure_dp_for_positive_membership(target).adjacency is adjacency
    assert pure_dp_to_positive_membership(PureDP(1.0), target.adversary).adversary is (
        target.adversary
    )


@pytest.mark.parametrize("ends", [(0.0, 1.0), (0.2, 0.7), (0.25, 0.25), (0.0, 0.0), (1.0, 1.0)])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 2.0, math.inf])
def test_theorem_2_with_the_interval_reflected(ends, epsilon):
    low, high = ends
    found = pure_dp_to_negative_membership(PureDP(epsilon, OUT), BoundedPriors(low, high))
    mirror = pure_dp_to_positive_membership(PureDP(epsilon), BoundedPriors(1 - high, 1 - low))
    assert found.adjacency is OUT
    assert found.gamma == pytest.approx(mirror.gamma, rel=1e-14)


def test_edges():
    with pytest.raises(NotApplicable, match="within an interval"):
        pure_dp_to_negative_membership(PureDP(1.0), CorrelatedPriors())


def test_the_logarithm():
    assert positive_membership_to_replace_one_dp(PositiveMembership(1.0)) == PureDP(0.0)
    whole = PositiveMembership(4.0, BoundedPriors(0.0, 1.0))
    found = positive_membership_to_replace_one_dp(whole)
    assert found.adjacency is Adjacency.REPLACE_ONE
    assert found.epsilon == pytest.approx(math.log(4), rel=1e-15)
    limitless = PositiveMembership(math.inf)
    assert positive_membership_to_replace_one_dp(limitless).epsilon == math.inf


@pytest.mark.parametrize(
    ("guarantee", "message"),
    [
        (PositiveMembership(2.0, adjacency=Adjacency.ADD_REMOVE), "got add-remove"),
        (PositiveMembership(2.0, exceedance=0.1), "no exception"),
        (PositiveMembership(2.0, BoundedPriors(0.0, 0.9)), "An interval that holds 1/2"),
        (PositiveMembership(2.0, OneOutOfPriors(3)), "within an interval"),
    ],
    ids=str,
)
def test_refusals(guarantee, message):
    with pytest.raises(NotApplicable, match=message):
        positive_membership_to_replace_one_dp(guarantee)


def test_the_logarithm__negative_membership_to_replace_one_dp():
    found = negative_membership_to_replace_one_dp(NegativeMembership(4.0))
    assert found.epsilon == pytest.approx(math.log(4), rel=1e-15)


@pytest.mark.parametrize(
    "guarantee",
    [
        NegativeMembership(2.0, adjacency=Adjacency.ADD_REMOVE),
        NegativeMembership(2.0, BoundedPriors(0.1, 1.0)),
    ],
    ids=str,
)
def test_refusals__negative_membership_to_replace_one_dp(guarantee):
    with pytest.raises(NotApplicable, match="Expected"):
        negative_membership_to_replace_one_dp(guarantee)


@pytest.mark.parametrize(
    ("low", "high", "ratio"),
    [
        (0.5, 0.5, 3.0),
        (0.0, 1.0, 2.0),
        (0.25, 0.75, 7 / 3),
        (0.25, 1.0, 7 / 3),
        (0.0, 0.75, 7 / 3),
        (0.5, 1.0, 3.0),
    ],
)
def test_gamma_of_two(low, high, ratio):
    """(γ + h − 1)/h for h = min(b, 1 − a): the smaller of both terms in all these."""
    found = positive_around_half(PositiveMembership(2.0, BoundedPriors(low, high)))
    assert found.adjacency is Adjacency.REPLACE_ONE
    assert found.epsilon == pytest.approx(math.log(ratio), rel=1e-15)


def test_no_move_and_no_bound():
    even = BoundedPriors(0.5, 0.5)
    assert positive_around_half(PositiveMembership(1.0, even)) == PureDP(0.0)
    assert positive_around_half(PositiveMembership(math.inf, even)).epsilon == math.inf


@pytest.mark.parametrize(
    ("guarantee", "message"),
    [
        (PositiveMembership(2.0, adjacency=Adjacency.ADD_REMOVE), "got add-remove"),
        (PositiveMembership(2.0, BoundedPriors(0.0, 0.49)), "beliefs of 1/2"),
        (PositiveMembership(2.0, BoundedPriors(0.51, 1.0)), "beliefs of 1/2"),
        (PositiveMembership(2.0, OneOutOfPriors(2)), "within an interval"),
    ],
    ids=str,
)
def test_refusals__positive_membership_around_half_to_replace_one_dp(guarantee, message):
    with pytest.raises(NotApplicable, match=message):
        positive_around_half(guarantee)


def test_exceptions_are_refused():
    with pytest.raises(NotApplicable, match="no exception"):
        positive_around_half(PositiveMembership(2.0, BoundedPriors(0.5, 0.5), exceedance=0.1))


@pytest.mark.parametrize(
    ("low", "high", "ratio"),
    [
        (0.5, 0.5, 3.0),
        (0.0, 1.0, 2.0),
        (0.25, 0.75, 7 / 3),
        (0.25, 1.0, 7 / 3),
        (0.0, 0.75, 7 / 3),
        (0.5, 1.0, 3.0),
    ],
)
def test_gamma_of_two__negative_membership_around_half_to_replace_one_dp(low, high, ratio):
    """(γ + h − 1)/h for h = min(b, 1 − a): the smaller of both terms in all these."""
    found = negative_around_half(NegativeMembership(2.0, BoundedPriors(low, high)))
    assert found.adjacency is Adjacency.REPLACE_ONE
    assert found.epsilon == pytest.approx(math.log(ratio), rel=1e-15)


def test_no_move_and_no_bound__negative_membership_around_half_to_replace_one_dp():
    even = BoundedPriors(0.5, 0.5)
    assert negative_around_half(NegativeMembership(1.0, even)) == PureDP(0.0)
    assert negative_around_half(NegativeMembership(math.inf, even)).epsilon == math.inf


@pytest.mark.parametrize(
    ("guarantee", "message"),
    [
        (NegativeMembership(2.0, adjacency=Adjacency.ADD_REMOVE), "got add-remove"),
        (NegativeMembership(2.0, BoundedPriors(0.0, 0.49)), "beliefs of 1/2"),
        (NegativeMembership(2.0, BoundedPriors(0.51, 1.0)), "beliefs of 1/2"),
        (NegativeMembership(2.0, OneOutOfPriors(2)), "within an interval"),
    ],
    ids=str,
)
def test_refusals__negative_membership_around_half_to_replace_one_dp(guarantee, message):
    with pytest.raises(NotApplicable, match=message):
        negative_around_half(guarantee)
