import math

from deniable.errors import InfeasibleTarget, NotApplicable
from deniable.notions import (
    Adjacency,
    MaxPosterior,
    OneSidedDP,
    PositiveMembership,
    PrivacyLossTail,
    PureDP,
    Side,
)
from deniable.priors import BoundedPriors
from deniable.theorems import beliefs as theorems
from deniable.theorems import from_membership as from_membership_theorems
from tests.cases.refusals import refuses
from tests.cases.theorem_tables import agree, edges, refusals

OUT = Adjacency.ADD_REMOVE
LOSSES = (0.0, 1.0, 1e308, math.inf)

most, least = theorems.pure_dp_to_max_posterior, theorems.pure_dp_to_min_posterior
budget = theorems.pure_dp_for_max_posterior
from_half = from_membership_theorems.one_sided_dp_to_max_posterior
from_membership = from_membership_theorems.positive_membership_to_max_posterior
from_tail = theorems.privacy_loss_tail_to_max_posterior


@edges(
    # certainty stays
    *((most, PureDP(x), p, MaxPosterior(p, p)) for x in LOSSES for p in (0.0, 1.0)),
    *((least, PureDP(x), p, p) for x in LOSSES for p in (0.0, 1.0)),
    # without a bound any belief goes anywhere
    *((most, PureDP(x), 1e-300, MaxPosterior(1.0, 1e-300)) for x in (1e308, math.inf)),
    *((least, PureDP(x), 0.999, 0.0) for x in (1e308, math.inf)),
    # the odds move by e^ε
    (most, PureDP(math.log(4)), 0.2, MaxPosterior(0.5, 0.2)),
    (most, PureDP(math.log(4), OUT), 0.2, MaxPosterior(0.5, 0.2, adjacency=OUT)),
    (least, PureDP(math.log(4)), 0.5, 0.2),
    (budget, MaxPosterior(0.5, 0.2, adjacency=OUT), PureDP(math.log(4), OUT)),
    *(
        (from_half, OneSidedDP(1.0), p, most(PureDP(1.0, OUT), p))  # no more than half is needed
        for p in (0.0, 0.05, 0.5, 1.0)
    ),
    *(
        (from_membership, PositiveMembership(gamma), p, MaxPosterior(posterior, p))
        for gamma, p, posterior in [  # both bounds of the definition
            (2.0, 0.25, 0.5),
            (2.0, 0.5, 0.75),
            (4.0, 0.125, 0.5),
            (2.0, 0.0, 0.0),
            (2.0, 1.0, 1.0),
            (math.inf, 0.25, 1.0),
            (1.0, 0.25, 0.25),
        ]
    ),
    # exceptions are kept
    (
        from_membership,
        PositiveMembership(2.0, BoundedPriors(0.0, 0.5), 1e-6, OUT),
        0.5,
        MaxPosterior(0.75, 0.5, 1e-6, OUT),
    ),
    (from_tail, PrivacyLossTail(math.log(3), 1e-6), 0.5, MaxPosterior(0.75, 0.5, 1e-6)),
)
def test_edges(theorem, given, expected):
    assert agree(theorem(*given), expected)


NARROW = PositiveMembership(1.5, BoundedPriors(0.0, 0.3))


@refusals(
    # a cap at or below the prior is out of reach
    *(
        (budget, MaxPosterior(q, 0.3), InfeasibleTarget, "max-posterior-above-0-3-raise")
        for q in (0.3, 0.2, 0.0)
    ),
    (budget, MaxPosterior(0.5, 0.0), NotApplicable, "every-release-keeps-such-target"),
    (budget, MaxPosterior(1.0, 0.5), NotApplicable, "every-release-keeps-such-target"),
    (from_half, OneSidedDP(1.0, Side.NEGATIVE), 0.5, NotApplicable, "positive-half"),
    # given the size, a limit on everybody is no limit on one
    (from_membership, NARROW, 0.3, NotApplicable, "every-belief-about-others-too"),
    *(
        (from_membership, PositiveMembership(2.0, family), 0.3, NotApplicable, "every-belief")
        for family in (BoundedPriors(0.1, 0.5), BoundedPriors(0.0, 0.2))
    ),
)
def test_refusals(theorem, given, error, message):
    with refuses(error, message):
        theorem(*given)
