import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import (
    Adjacency,
    ApproxDP,
    BayesianDP,
    NegativeMembership,
    PositiveMembership,
    PrivacyLossTail,
    PureDP,
    SamplingDP,
)
from deniable.priors import BoundedPriors, CorrelatedPriors, OneOutOfPriors, SampledPriors
from deniable.theorems import other_families as theorems
from deniable.theorems.adjacency import approx_dp_to_sampling_dp
from deniable.theorems.membership import pure_dp_to_positive_membership
from tests.cases.refusals import refuses
from tests.cases.theorem_tables import agree, edges, refusals

OUT, IN = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE
EVEN, WIDE = BoundedPriors(0.5, 0.5), BoundedPriors(0.25, 0.5)
CORRELATED, SCALABLE = CorrelatedPriors(), CorrelatedPriors(downward_scalable=True)
SAMPLED = SampledPriors(0.5)

narrower = theorems.positive_membership_to_narrower_prior
doubts_narrower = theorems.negative_membership_to_narrower_prior
from_tail = theorems.privacy_loss_tail_to_positive_membership
from_bayesian = theorems.bayesian_dp_to_positive_membership
to_bayesian = theorems.positive_membership_to_bayesian_dp
from_sampling = theorems.sampling_dp_to_positive_membership
doubts_from_sampling = theorems.sampling_dp_to_negative_membership
to_sampling = theorems.positive_membership_to_sampling_dp


def believed(gamma, family, exceedance=0.0):
    return PositiveMembership(gamma, family, exceedance, OUT)


def sampled_doubts(gamma, beta):
    return NegativeMembership(gamma, SampledPriors(beta), OUT)


@edges(
    *(
        (narrower, PositiveMembership(2.0, WIDE, 1e-6, adjacency), family,
         PositiveMembership(2.0, family, 1e-6, adjacency))
        for family, adjacency in [
            (WIDE, IN),
            (BoundedPriors(0.3, 0.3), OUT),
            (OneOutOfPriors(4), IN),
            (OneOutOfPriors(3), IN),
            (SAMPLED, OUT),
        ]
    ),
    (doubts_narrower, NegativeMembership(2.0), OneOutOfPriors(3),
     NegativeMembership(2.0, OneOutOfPriors(3))),
    (from_tail, PrivacyLossTail(math.log(3), 1e-6), EVEN, PositiveMembership(2.0, EVEN, 1e-6)),
    (from_bayesian, BayesianDP(math.log(3), OUT), believed(3.0, CORRELATED)),
    (from_bayesian, BayesianDP(math.inf, OUT), believed(math.inf, CORRELATED)),
    (to_bayesian, believed(3.0, SCALABLE), BayesianDP(math.log(3), OUT)),
    (to_bayesian, believed(math.inf, SCALABLE), BayesianDP(math.inf, OUT)),
    (from_sampling, SamplingDP(0.5, math.inf), believed(math.inf, SAMPLED)),
    *(
        (doubts_from_sampling, SamplingDP(beta, math.log(ratio)), sampled_doubts(gamma, beta))
        for beta, ratio, gamma in [
            (0.5, 1.5, 2.0),
            (0.75, 2.0, 2.0),
            (0.75, 3.0, 3.0),
            (0.5, 1.0, 1.0),
        ]
    ),
    *(
        (doubts_from_sampling, SamplingDP(0.5, epsilon), sampled_doubts(math.inf, 0.5))
        for epsilon in (math.log(2) * 1.001, 1.0, math.inf)  # absence may become certain
    ),
    (to_sampling, believed(math.inf, SAMPLED), SamplingDP(0.5, math.inf)),
)  # fmt: skip
def test_edges(theorem, given, expected):
    assert agree(theorem(*given), expected)


@pytest.mark.parametrize("beta", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 2.0])
def test_amplified_dp_says_the_same_as_dp(beta, epsilon):
    found = from_sampling(approx_dp_to_sampling_dp(ApproxDP(epsilon, 0.0, OUT), beta))
    direct = pure_dp_to_positive_membership(PureDP(epsilon, OUT), BoundedPriors(beta, beta))
    assert (found.adversary, found.adjacency) == (SampledPriors(beta), OUT)
    assert found.gamma == pytest.approx(direct.gamma, rel=1e-13)


@pytest.mark.parametrize(("beta", "gamma"), [(0.5, 1.5), (0.1, 2.0), (0.1, 20.0), (0.5, 1.0)])
def test_there_and_back_is_no_weaker_where_the_other_half_allows(beta, gamma):
    found = to_sampling(believed(gamma, SampledPriors(beta)))
    assert found.beta == beta
    assert found.epsilon >= -math.log1p(-beta) * (1 - 1e-15)
    back = from_sampling(found).gamma
    if found.epsilon > -math.log1p(-beta) * (1 + 1e-12):
        assert back == pytest.approx(gamma, rel=1e-13)


@refusals(
    *(
        (narrower, PositiveMembership(2.0, WIDE, adjacency=a), family, NotApplicable, message)
        for family, a, message in [
            (BoundedPriors(), IN, "beliefs-within"),
            (BoundedPriors(0.2, 0.3), IN, "beliefs-within"),
            (OneOutOfPriors(5), IN, "beliefs-within"),
            (OneOutOfPriors(4), OUT, "family-of-beliefs: add-remove"),
            (SampledPriors(0.6), OUT, "beliefs-within"),
            (SAMPLED, IN, "family-of-beliefs: replace-one"),
            (CORRELATED, IN, "family-of-beliefs: replace-one"),
        ]
    ),
    # other families have no parts
    (narrower, PositiveMembership(2.0, OneOutOfPriors(4)), BoundedPriors(0.25, 0.25),
     NotApplicable, "within-interval"),
    (doubts_narrower, NegativeMembership(2.0, WIDE), BoundedPriors(0.25, 0.6),
     NotApplicable, "beliefs-within"),
    (from_bayesian, BayesianDP(1.0), NotApplicable,
     "guarantee-with-neighbours: an add-remove | replace-one"),
    (from_bayesian, BayesianDP(1.0, OUT, independent=True), NotApplicable, "over-correlated-laws"),
    (to_bayesian, believed(2.0, CORRELATED), NotApplicable, "downward-scalable-correlated-laws"),
    (to_bayesian, believed(2.0, BoundedPriors()), NotApplicable,
     "downward-scalable-correlated-laws"),
    (to_bayesian, PositiveMembership(2.0, SCALABLE), NotApplicable,
     "guarantee-with-neighbours: an add-remove | replace-one"),
    (to_bayesian, believed(2.0, SCALABLE, 0.1), NotApplicable, "no-exception-exceedance"),
    (from_sampling, SamplingDP(0.5, 1.0, 0.1), NotApplicable, "delta-0"),
    (from_sampling, SamplingDP(1.0, 1.0), NotApplicable, "beta-below-1"),
    (doubts_from_sampling, SamplingDP(0.5, 1.0, 0.1), NotApplicable, "delta-0"),
    (to_sampling, PositiveMembership(2.0), NotApplicable, "family-of-sampled-entities"),
    (to_sampling, believed(2.0, SAMPLED, 0.1), NotApplicable, "no-exception-exceedance"),
)  # fmt: skip
def test_refusals(theorem, given, error, message):
    with refuses(error, message):
        theorem(*given)
