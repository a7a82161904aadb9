import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, NegativeMembership, PositiveMembership, PureDP
from deniable.priors import BoundedPriors, CorrelatedPriors, OneOutOfPriors
from deniable.theorems import from_membership
from deniable.theorems import membership as theorems
from tests.cases.refusals import refuses
from tests.cases.theorem_tables import agree, edges, refusals

OUT = Adjacency.ADD_REMOVE
EVEN = BoundedPriors(0.5, 0.5)
MIDDLE = BoundedPriors(0.3, 0.7)
FAMILIES = [
    BoundedPriors(),
    MIDDLE,
    BoundedPriors(0.0, 0.0),
    BoundedPriors(1.0, 1.0),
    BoundedPriors(5e-324, 5e-324),
]
TERMS = [
    ((0.25, 0.5), 3.0),  # aγ < 1, both terms are 3
    ((0.25, 0.75), 7 / 3),  # aγ < 1, the second decides
    ((0.25, 0.25), 3.0),  # aγ < 1, the first decides
    ((0.5, 0.5), 3.0),  # aγ = 1
    ((0.75, 0.75), 7 / 3),  # aγ > 1
    ((0.0, 0.0), 2.0),
    ((1.0, 1.0), 2.0),
]
"""Intervals, and the likelihood ratio at which γ over them is 2."""
AROUND_HALF = [
    ((0.5, 0.5), 3.0),
    ((0.0, 1.0), 2.0),
    ((0.25, 0.75), 7 / 3),
    ((0.25, 1.0), 7 / 3),
    ((0.0, 0.75), 7 / 3),
    ((0.5, 1.0), 3.0),
]
"""(γ + h − 1)/h at γ = 2 for h = min(b, 1 − a): the smaller of both terms in all these."""

positive, positive_for = (
    theorems.pure_dp_to_positive_membership,
    theorems.pure_dp_for_positive_membership,
)
negative = theorems.pure_dp_to_negative_membership
back = from_membership.positive_membership_to_replace_one_dp
negative_back = from_membership.negative_membership_to_replace_one_dp
around_half = from_membership.positive_membership_around_half_to_replace_one_dp
negative_around_half = from_membership.negative_membership_around_half_to_replace_one_dp


@edges(
    *((positive, PureDP(0.0), each, PositiveMembership(1.0, each)) for each in FAMILIES),
    *((positive, PureDP(math.inf), each, PositiveMembership(math.inf, each)) for each in FAMILIES),
    *((positive_for, PositiveMembership(1.0, each), PureDP(0.0)) for each in FAMILIES),
    *((positive_for, PositiveMembership(math.inf, each), PureDP(math.inf)) for each in FAMILIES),
    *(
        (positive_for, PositiveMembership(2.0, BoundedPriors(*ends)), PureDP(math.log(ratio)))
        for ends, ratio in TERMS
    ),
    *(
        (
            positive,
            positive_for(PositiveMembership(2.0, BoundedPriors(*ends))),
            BoundedPriors(*ends),
            PositiveMembership(2.0, BoundedPriors(*ends)),
        )
        for ends, _ in TERMS
    ),
    # γ beyond floats is infinite, and ε stays finite
    (positive, PureDP(1e308), MIDDLE, PositiveMembership(math.inf, MIDDLE)),
    (
        positive_for,
        PositiveMembership(1e308, MIDDLE),
        PureDP(math.log(1e308) - math.log(0.7)),
    ),
    (positive_for, PositiveMembership(2.0, adjacency=OUT), PureDP(math.log(2), OUT)),
    (positive, PureDP(math.log(2), OUT), BoundedPriors(), PositiveMembership(2.0, adjacency=OUT)),
    (back, PositiveMembership(1.0), PureDP(0.0)),
    (back, PositiveMembership(4.0), PureDP(math.log(4))),
    (back, PositiveMembership(math.inf), PureDP(math.inf)),
    (negative_back, NegativeMembership(4.0), PureDP(math.log(4))),
    *(
        (around_half, PositiveMembership(2.0, BoundedPriors(*ends)), PureDP(math.log(ratio)))
        for ends, ratio in AROUND_HALF
    ),
    *(
        (
            negative_around_half,
            NegativeMembership(2.0, BoundedPriors(*ends)),
            PureDP(math.log(ratio)),
        )
        for ends, ratio in AROUND_HALF
    ),
    (around_half, PositiveMembership(1.0, EVEN), PureDP(0.0)),
    (around_half, PositiveMembership(math.inf, EVEN), PureDP(math.inf)),
    (negative_around_half, NegativeMembership(1.0, EVEN), PureDP(0.0)),
    (negative_around_half, NegativeMembership(math.inf, EVEN), PureDP(math.inf)),
)
def test_edges(theorem, given, expected):
    assert agree(theorem(*given), expected)


@pytest.mark.parametrize("ends", [(0.0, 1.0), (0.2, 0.7), (0.25, 0.25), (0.0, 0.0), (1.0, 1.0)])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 2.0, math.inf])
def test_theorem_2_with_the_interval_reflected(ends, epsilon):
    low, high = ends
    found = negative(PureDP(epsilon, OUT), BoundedPriors(low, high))
    mirror = positive(PureDP(epsilon), BoundedPriors(1 - high, 1 - low))
    assert agree(found, NegativeMembership(mirror.gamma, BoundedPriors(low, high), OUT))


def no_interval(theorem, membership):
    return theorem, membership(2.0, OneOutOfPriors(2)), NotApplicable, "within-interval"


@refusals(
    (positive, PureDP(1.0), CorrelatedPriors(), NotApplicable, "within-interval"),
    (negative, PureDP(1.0), CorrelatedPriors(), NotApplicable, "within-interval"),
    (
        back,
        PositiveMembership(2.0, adjacency=OUT),
        NotApplicable,
        "guarantee-with-neighbours: a replace-one | add-remove",
    ),
    (back, PositiveMembership(2.0, exceedance=0.1), NotApplicable, "no-exception-exceedance"),
    (
        back,
        PositiveMembership(2.0, BoundedPriors(0.0, 0.9)),
        NotApplicable,
        "interval-that-holds-half",
    ),
    no_interval(back, PositiveMembership),
    (
        negative_back,
        NegativeMembership(2.0, adjacency=OUT),
        NotApplicable,
        "guarantee-with-neighbours: a replace-one | add-remove",
    ),
    (negative_back, NegativeMembership(2.0, BoundedPriors(0.1)), NotApplicable, "every-belief"),
    (
        around_half,
        PositiveMembership(2.0, adjacency=OUT),
        NotApplicable,
        "guarantee-with-neighbours: a replace-one | add-remove",
    ),
    (
        around_half,
        PositiveMembership(2.0, BoundedPriors(0, 0.49)),
        NotApplicable,
        "family-with-beliefs-of-half",
    ),
    (
        around_half,
        PositiveMembership(2.0, BoundedPriors(0.51)),
        NotApplicable,
        "family-with-beliefs-of-half",
    ),
    (
        around_half,
        PositiveMembership(2.0, EVEN, exceedance=0.1),
        NotApplicable,
        "no-exception-exceedance",
    ),
    no_interval(around_half, PositiveMembership),
    (
        negative_around_half,
        NegativeMembership(2.0, adjacency=OUT),
        NotApplicable,
        "guarantee-with-neighbours: a replace-one | add-remove",
    ),
    (
        negative_around_half,
        NegativeMembership(2, BoundedPriors(0, 0.49)),
        NotApplicable,
        "family-with-beliefs-of-half",
    ),
    (
        negative_around_half,
        NegativeMembership(2, BoundedPriors(0.51)),
        NotApplicable,
        "family-with-beliefs-of-half",
    ),
    no_interval(negative_around_half, NegativeMembership),
)
def test_refusals(theorem, given, error, message):
    with refuses(error, message):
        theorem(*given)
