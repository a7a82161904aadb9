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
from deniable.theorems.membership import pure_dp_to_positive_membership
from deniable.theorems.other_families import (
    bayesian_dp_to_positive_membership,
    negative_membership_to_narrower_prior,
    positive_membership_to_bayesian_dp,
    positive_membership_to_narrower_prior,
    positive_membership_to_sampling_dp,
    privacy_loss_tail_to_positive_membership,
    sampling_dp_to_negative_membership,
    sampling_dp_to_positive_membership,
)
from deniable.theorems.random_data import approx_dp_to_sampling_dp

OUT = Adjacency.ADD_REMOVE


@pytest.mark.parametrize(
    ("adversary", "adjacency"),
    [
        (BoundedPriors(0.25, 0.5), Adjacency.REPLACE_ONE),
        (BoundedPriors(0.3, 0.3), Adjacency.ADD_REMOVE),
        (OneOutOfPriors(4), Adjacency.REPLACE_ONE),
        (OneOutOfPriors(3), Adjacency.REPLACE_ONE),
        (SampledPriors(0.5), Adjacency.ADD_REMOVE),
    ],
    ids=str,
)
def test_what_is_inside_inherits(adversary, adjacency):
    wide = PositiveMembership(2.0, BoundedPriors(0.25, 0.5), 1e-6, adjacency)
    found = positive_membership_to_narrower_prior(wide, adversary)
    assert found == PositiveMembership(2.0, adversary, 1e-6, adjacency)


@pytest.mark.parametrize(
    ("adversary", "adjacency"),
    [
        (BoundedPriors(), Adjacency.REPLACE_ONE),
        (BoundedPriors(0.2, 0.3), Adjacency.REPLACE_ONE),
        (OneOutOfPriors(5), Adjacency.REPLACE_ONE),
        (OneOutOfPriors(4), Adjacency.ADD_REMOVE),
        (SampledPriors(0.6), Adjacency.ADD_REMOVE),
        (SampledPriors(0.5), Adjacency.REPLACE_ONE),
        (CorrelatedPriors(), Adjacency.REPLACE_ONE),
    ],
    ids=str,
)
def test_what_is_outside_does_not(adversary, adjacency):
    wide = PositiveMembership(2.0, BoundedPriors(0.25, 0.5), adjacency=adjacency)
    with pytest.raises(NotApplicable, match="Expected"):
        positive_membership_to_narrower_prior(wide, adversary)


def test_other_families_have_no_parts():
    with pytest.raises(NotApplicable, match="within an interval"):
        positive_membership_to_narrower_prior(
            PositiveMembership(2.0, OneOutOfPriors(4)), BoundedPriors(0.25, 0.25)
        )


def test_what_is_inside_inherits__negative_membership_to_narrower_prior():
    found = negative_membership_to_narrower_prior(NegativeMembership(2.0), OneOutOfPriors(3))
    assert found == NegativeMembership(2.0, OneOutOfPriors(3))


def test_what_is_outside_does_not__negative_membership_to_narrower_prior():
    wide = NegativeMembership(2.0, BoundedPriors(0.25, 0.5))
    with pytest.raises(NotApplicable, match="Expected beliefs within"):
        negative_membership_to_narrower_prior(wide, BoundedPriors(0.25, 0.6))


def test_gamma_is_that_of_pure_dp_with_the_exceedance_beside_it():
    tail = PrivacyLossTail(0.5, 1e-6)
    found = privacy_loss_tail_to_positive_membership(tail, BoundedPriors(0.5, 0.5))
    assert math.isclose(found.gamma, (math.exp(0.5) + 1) / 2)
    assert found.exceedance == 1e-6
    assert found.spec.endswith(",1e-06@0.5-0.5")


def test_the_exponential():
    found = bayesian_dp_to_positive_membership(BayesianDP(math.log(3), OUT))
    assert (found.adversary, found.adjacency) == (CorrelatedPriors(), OUT)
    assert found.gamma == pytest.approx(3.0, rel=1e-15)
    assert bayesian_dp_to_positive_membership(BayesianDP(math.inf, OUT)).gamma == math.inf


def test_membership_must_be_a_value():
    with pytest.raises(NotApplicable, match="got replace-one"):
        bayesian_dp_to_positive_membership(BayesianDP(1.0))


def test_independent_records_say_nothing_of_correlated_ones():
    with pytest.raises(NotApplicable, match="got one over independent records"):
        bayesian_dp_to_positive_membership(BayesianDP(1.0, OUT, independent=True))


def test_the_logarithm():
    family = CorrelatedPriors(downward_scalable=True)
    found = positive_membership_to_bayesian_dp(PositiveMembership(3.0, family, adjacency=OUT))
    assert found == BayesianDP(found.epsilon, OUT)
    assert found.epsilon == pytest.approx(math.log(3), rel=1e-15)
    limitless = PositiveMembership(math.inf, family, adjacency=OUT)
    assert positive_membership_to_bayesian_dp(limitless).epsilon == math.inf


@pytest.mark.parametrize(
    ("guarantee", "message"),
    [
        (PositiveMembership(2.0, CorrelatedPriors(), adjacency=OUT), "downward scalable"),
        (PositiveMembership(2.0, adjacency=OUT), "downward scalable"),
        (PositiveMembership(2.0, CorrelatedPriors(True)), "got replace-one"),
        (PositiveMembership(2.0, CorrelatedPriors(True), 0.1, OUT), "no exception"),
    ],
    ids=str,
)
def test_refusals(guarantee, message):
    with pytest.raises(NotApplicable, match=message):
        positive_membership_to_bayesian_dp(guarantee)


@pytest.mark.parametrize("beta", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 2.0])
def test_amplified_dp_says_the_same_as_dp(beta, epsilon):
    sampled = approx_dp_to_sampling_dp(ApproxDP(epsilon, 0.0, OUT), beta)
    found = sampling_dp_to_positive_membership(sampled)
    direct = pure_dp_to_positive_membership(PureDP(epsilon, OUT), BoundedPriors(beta, beta))
    assert (found.adversary, found.adjacency) == (SampledPriors(beta), OUT)
    assert found.gamma == pytest.approx(direct.gamma, rel=1e-13)


def test_edges_and_refusals():
    assert sampling_dp_to_positive_membership(SamplingDP(0.5, math.inf)).gamma == math.inf
    with pytest.raises(NotApplicable, match="delta = 0"):
        sampling_dp_to_positive_membership(SamplingDP(0.5, 1.0, 0.1))
    with pytest.raises(NotApplicable, match="beta < 1"):
        sampling_dp_to_positive_membership(SamplingDP(1.0, 1.0))


@pytest.mark.parametrize(
    ("beta", "ratio", "gamma"),
    [(0.5, 1.5, 2.0), (0.75, 2.0, 2.0), (0.75, 3.0, 3.0), (0.5, 1.0, 1.0)],
)
def test_either_term(beta, ratio, gamma):
    found = sampling_dp_to_negative_membership(SamplingDP(beta, math.log(ratio)))
    assert found.gamma == pytest.approx(gamma, rel=1e-14)
    assert (found.adversary, found.adjacency) == (SampledPriors(beta), OUT)


@pytest.mark.parametrize("epsilon", [math.log(2) * 1.001, 1.0, math.inf])
def test_absence_may_become_certain(epsilon):
    assert sampling_dp_to_negative_membership(SamplingDP(0.5, epsilon)).gamma == math.inf


def test_refusals__sampling_dp_to_negative_membership():
    with pytest.raises(NotApplicable, match="delta = 0"):
        sampling_dp_to_negative_membership(SamplingDP(0.5, 1.0, 0.1))


@pytest.mark.parametrize(("beta", "gamma"), [(0.5, 1.5), (0.1, 2.0), (0.1, 20.0), (0.5, 1.0)])
def test_there_and_back_is_no_weaker_where_the_other_half_allows(beta, gamma):
    guarantee = PositiveMembership(gamma, SampledPriors(beta), adjacency=OUT)
    found = positive_membership_to_sampling_dp(guarantee)
    assert found.beta == beta
    assert found.epsilon >= -math.log1p(-beta) * (1 - 1e-15)
    back = sampling_dp_to_positive_membership(found).gamma
    if found.epsilon > -math.log1p(-beta) * (1 + 1e-12):
        assert back == pytest.approx(gamma, rel=1e-13)


def test_edges_and_refusals__positive_membership_to_sampling_dp():
    limitless = PositiveMembership(math.inf, SampledPriors(0.5), adjacency=OUT)
    assert positive_membership_to_sampling_dp(limitless).epsilon == math.inf
    with pytest.raises(NotApplicable, match="sampled entities"):
        positive_membership_to_sampling_dp(PositiveMembership(2.0))
    with pytest.raises(NotApplicable, match="no exception"):
        positive_membership_to_sampling_dp(
            PositiveMembership(2.0, SampledPriors(0.5), 0.1, Adjacency.ADD_REMOVE)
        )
