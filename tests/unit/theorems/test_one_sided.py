import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import (
    Adjacency,
    NegativeMembership,
    OneSidedDP,
    PositiveMembership,
    PureDP,
    Side,
)
from deniable.priors import BoundedPriors, SampledPriors
from deniable.theorems.membership import (
    pure_dp_to_negative_membership,
    pure_dp_to_positive_membership,
)
from deniable.theorems.one_sided import (
    negative_membership_to_one_sided_dp,
    one_sided_dp_to_negative_membership,
    one_sided_dp_to_positive_membership,
    positive_membership_to_one_sided_dp,
)

OUT = Adjacency.ADD_REMOVE


@pytest.mark.parametrize("adversary", [BoundedPriors(), BoundedPriors(0.2, 0.7)], ids=str)
@pytest.mark.parametrize("epsilon", [0.0, 0.4, 3.0, math.inf])
def test_it_needs_no_more_than_half_of_dp(adversary, epsilon):
    found = one_sided_dp_to_positive_membership(OneSidedDP(epsilon), adversary)
    assert found == pure_dp_to_positive_membership(PureDP(epsilon, OUT), adversary)


def test_the_other_half_says_nothing():
    with pytest.raises(NotApplicable, match="Expected the positive half"):
        one_sided_dp_to_positive_membership(OneSidedDP(1.0, Side.NEGATIVE), BoundedPriors())


@pytest.mark.parametrize("adversary", [BoundedPriors(), BoundedPriors(0.2, 0.7)], ids=str)
@pytest.mark.parametrize("epsilon", [0.0, 0.4, 3.0, math.inf])
def test_it_needs_no_more_than_half_of_dp__one_sided_dp_to_negative_membership(adversary, epsilon):
    found = one_sided_dp_to_negative_membership(OneSidedDP(epsilon, Side.NEGATIVE), adversary)
    assert found == pure_dp_to_negative_membership(PureDP(epsilon, OUT), adversary)


def test_the_other_half_says_nothing__one_sided_dp_to_negative_membership():
    with pytest.raises(NotApplicable, match="Expected the negative half"):
        one_sided_dp_to_negative_membership(OneSidedDP(1.0), BoundedPriors())


@pytest.mark.parametrize(
    ("ends", "ratio"),
    [
        ((0.25, 0.5), 3.0),
        ((0.25, 0.75), 7 / 3),
        ((0.5, 0.5), 3.0),
        ((0.0, 0.5), 2.0),
        ((0.0, 1.0), 2.0),
        ((0.75, 1.0), 2.0),
    ],
)
def test_the_ends_of_the_interval_decide(ends, ratio):
    guarantee = PositiveMembership(2.0, BoundedPriors(*ends), adjacency=OUT)
    found = positive_membership_to_one_sided_dp(guarantee)
    assert found.side is Side.POSITIVE
    assert found.epsilon == pytest.approx(math.log(ratio), rel=1e-15)


@pytest.mark.parametrize("ends", [(0.0, 1.0), (0.2, 0.7), (0.9, 0.9)])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 2.0])
def test_there_and_back(ends, epsilon):
    there = one_sided_dp_to_positive_membership(OneSidedDP(epsilon), BoundedPriors(*ends))
    back = positive_membership_to_one_sided_dp(there).epsilon
    assert epsilon <= back
    assert back == pytest.approx(epsilon, rel=1e-14, abs=1e-14)


def test_no_bound_stays_none():
    assert (
        positive_membership_to_one_sided_dp(PositiveMembership(math.inf, adjacency=OUT)).epsilon
        == math.inf
    )


@pytest.mark.parametrize(
    ("guarantee", "message"),
    [
        (PositiveMembership(2.0), "got replace-one"),
        (PositiveMembership(2.0, exceedance=0.1, adjacency=OUT), "no exception"),
        (PositiveMembership(2.0, BoundedPriors(0.0, 0.0), adjacency=OUT), "Certainty is never"),
        (PositiveMembership(2.0, BoundedPriors(1.0, 1.0), adjacency=OUT), "Certainty is never"),
        (PositiveMembership(2.0, SampledPriors(0.5), adjacency=OUT), "within an interval"),
    ],
    ids=str,
)
def test_refusals(guarantee, message):
    with pytest.raises(NotApplicable, match=message):
        positive_membership_to_one_sided_dp(guarantee)


@pytest.mark.parametrize(
    ("ends", "ratio"),
    [((0.5, 0.75), 3.0), ((0.25, 0.75), 7 / 3), ((0.5, 1.0), 2.0), ((0.0, 0.25), 2.0)],
)
def test_the_interval_is_reflected(ends, ratio):
    found = negative_membership_to_one_sided_dp(NegativeMembership(2.0, BoundedPriors(*ends), OUT))
    assert found.side is Side.NEGATIVE
    assert found.epsilon == pytest.approx(math.log(ratio), rel=1e-15)


@pytest.mark.parametrize("ends", [(0.0, 1.0), (0.2, 0.7), (0.1, 0.1)])
def test_there_and_back__negative_membership_to_one_sided_dp(ends):
    half = OneSidedDP(0.3, Side.NEGATIVE)
    there = one_sided_dp_to_negative_membership(half, BoundedPriors(*ends))
    back = negative_membership_to_one_sided_dp(there).epsilon
    assert 0.3 <= back == pytest.approx(0.3, rel=1e-14)


def test_edges_and_refusals():
    limitless = NegativeMembership(math.inf, adjacency=OUT)
    assert negative_membership_to_one_sided_dp(limitless).epsilon == math.inf
    with pytest.raises(NotApplicable, match="got replace-one"):
        negative_membership_to_one_sided_dp(NegativeMembership(2.0))
    with pytest.raises(NotApplicable, match="Certainty is never"):
        negative_membership_to_one_sided_dp(NegativeMembership(2.0, BoundedPriors(1.0, 1.0), OUT))
