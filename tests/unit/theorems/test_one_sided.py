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
from deniable.theorems import from_membership
from deniable.theorems.membership import (
    pure_dp_to_negative_membership,
    pure_dp_to_positive_membership,
)
from tests.cases.refusals import refuses
from tests.cases.theorem_tables import agree, edges, refusals

OUT = Adjacency.ADD_REMOVE
POSITIVE, NEGATIVE = Side.POSITIVE, Side.NEGATIVE
CERTAIN_IN, CERTAIN_OUT = BoundedPriors(1.0, 1.0), BoundedPriors(0.0, 0.0)

to_positive = from_membership.one_sided_dp_to_positive_membership
to_negative = from_membership.one_sided_dp_to_negative_membership
from_positive = from_membership.positive_membership_to_one_sided_dp
from_negative = from_membership.negative_membership_to_one_sided_dp


def believed(gamma, family=None, exceedance=0.0):
    return PositiveMembership(gamma, family or BoundedPriors(), exceedance, OUT)


def doubted(gamma, family=None):
    return NegativeMembership(gamma, family or BoundedPriors(), OUT)


@edges(
    *(
        (from_positive, believed(2.0, BoundedPriors(*ends)), OneSidedDP(math.log(ratio), POSITIVE))
        for ends, ratio in [  # the ends of the interval decide
            ((0.25, 0.5), 3.0),
            ((0.25, 0.75), 7 / 3),
            ((0.5, 0.5), 3.0),
            ((0.0, 0.5), 2.0),
            ((0.0, 1.0), 2.0),
            ((0.75, 1.0), 2.0),
        ]
    ),
    *(
        (from_negative, doubted(2.0, BoundedPriors(*ends)), OneSidedDP(math.log(ratio), NEGATIVE))
        for ends, ratio in [  # reflected
            ((0.5, 0.75), 3.0),
            ((0.25, 0.75), 7 / 3),
            ((0.5, 1.0), 2.0),
            ((0.0, 0.25), 2.0),
        ]
    ),
    (from_positive, believed(math.inf), OneSidedDP(math.inf, POSITIVE)),
    (from_negative, doubted(math.inf), OneSidedDP(math.inf, NEGATIVE)),
)
def test_edges(theorem, given, expected):
    assert agree(theorem(*given), expected)


@pytest.mark.parametrize("family", [BoundedPriors(), BoundedPriors(0.2, 0.7)], ids=str)
@pytest.mark.parametrize("epsilon", [0.0, 0.4, 3.0, math.inf])
def test_beliefs_need_no_more_than_their_half_of_dp(family, epsilon):
    whole = PureDP(epsilon, OUT)
    rise = to_positive(OneSidedDP(epsilon), family)
    assert rise == pure_dp_to_positive_membership(whole, family)
    fall = to_negative(OneSidedDP(epsilon, NEGATIVE), family)
    assert fall == pure_dp_to_negative_membership(whole, family)


@pytest.mark.parametrize("ends", [(0.0, 1.0), (0.2, 0.7), (0.9, 0.9), (0.1, 0.1)])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 2.0])
@pytest.mark.parametrize(
    ("there", "back", "side"),
    [(to_positive, from_positive, POSITIVE), (to_negative, from_negative, NEGATIVE)],
    ids=["positive", "negative"],
)
def test_there_and_back(ends, epsilon, there, back, side):
    found = back(there(OneSidedDP(epsilon, side), BoundedPriors(*ends))).epsilon
    assert epsilon <= found == pytest.approx(epsilon, rel=1e-14, abs=1e-14)


@refusals(
    (
        to_positive,
        OneSidedDP(1.0, NEGATIVE),
        BoundedPriors(),
        NotApplicable,
        "positive-half-negative",
    ),
    (to_negative, OneSidedDP(1.0, POSITIVE), BoundedPriors(), NotApplicable, "negative-half"),
    (
        from_positive,
        PositiveMembership(2.0),
        NotApplicable,
        "guarantee-with-neighbours: _ | replace-one",
    ),
    (from_positive, believed(2.0, exceedance=0.1), NotApplicable, "no-exception-exceedance"),
    (from_positive, believed(2.0, CERTAIN_OUT), NotApplicable, "certainty-never-shaken"),
    (from_positive, believed(2.0, CERTAIN_IN), NotApplicable, "certainty-never-shaken"),
    (from_positive, believed(2.0, SampledPriors(0.5)), NotApplicable, "within-interval"),
    (
        from_negative,
        NegativeMembership(2.0),
        NotApplicable,
        "guarantee-with-neighbours: _ | replace-one",
    ),
    (from_negative, doubted(2.0, CERTAIN_IN), NotApplicable, "certainty-never-shaken"),
)
def test_refusals(theorem, given, error, message):
    with refuses(error, message):
        theorem(*given)
