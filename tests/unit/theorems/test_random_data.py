import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, ApproxDP, BayesianDP, KAnonymity, PureDP, SamplingDP
from deniable.theorems.random_data import (
    approx_dp_to_sampling_dp,
    bayesian_dp_to_pure_dp,
    k_anonymity_to_sampling_dp,
    pure_dp_to_bayesian_dp,
    sampling_dp_to_approx_dp,
    sampling_dp_to_lower_rate,
)

OUT = Adjacency.ADD_REMOVE


def test_sampling_amplifies():
    found = approx_dp_to_sampling_dp(ApproxDP(math.log(3), 0.5, OUT), 0.25)
    assert found == SamplingDP(0.25, found.epsilon, 0.125)
    assert found.epsilon == pytest.approx(math.log(1.5), rel=1e-15)


def test_keeping_everyone_changes_nothing():
    assert approx_dp_to_sampling_dp(ApproxDP(0.7, 1e-6, OUT), 1.0) == SamplingDP(1.0, 0.7, 1e-6)


def test_replace_one_is_another_matter():
    with pytest.raises(NotApplicable, match="got replace-one"):
        approx_dp_to_sampling_dp(ApproxDP(1.0, 0.0), 0.5)


def test_amplification():
    found = sampling_dp_to_lower_rate(SamplingDP(0.5, math.log(3), 0.5), 0.25)
    assert (found.beta, found.delta) == (0.25, 0.25)
    assert found.epsilon == pytest.approx(math.log(2), rel=1e-15)


def test_edges():
    same = SamplingDP(0.5, 1.0, 0.1)
    assert sampling_dp_to_lower_rate(same, 0.5) is same
    assert sampling_dp_to_lower_rate(SamplingDP(0.5, 0.0), 0.1) == SamplingDP(0.1, 0.0)
    assert sampling_dp_to_lower_rate(SamplingDP(0.5, math.inf), 0.1).epsilon == math.inf
    with pytest.raises(NotApplicable, match="Sampling more amplifies less"):
        sampling_dp_to_lower_rate(SamplingDP(0.5, 1.0), 0.6)


def test_everyone_is_kept():
    found = sampling_dp_to_approx_dp(SamplingDP(1.0, 0.5, 1e-6))
    assert found == ApproxDP(0.5, 1e-6, Adjacency.ADD_REMOVE)
    with pytest.raises(NotApplicable, match="Expected beta = 1"):
        sampling_dp_to_approx_dp(SamplingDP(0.5, 0.5))


@pytest.mark.parametrize(
    ("k", "beta", "epsilon", "delta"), [(5, 0.1, 1.0, 1.765e-4), (20, 0.2, 1.0, 6.033e-9)]
)
def test_the_table_of_the_paper(k, beta, epsilon, delta):
    found = k_anonymity_to_sampling_dp(KAnonymity(k), beta, epsilon)
    assert (found.beta, found.epsilon) == (beta, epsilon)
    assert found.delta == pytest.approx(delta, rel=1e-3)


def test_one_entity_makes_no_crowd():
    """k = 1: one entity in a group, kept with probability β, is published."""
    assert k_anonymity_to_sampling_dp(KAnonymity(1), 0.25, 1.0).delta == 0.25


def test_a_rate_near_one_still_ends():
    found = k_anonymity_to_sampling_dp(KAnonymity(5), 0.999, 7.0)
    assert 0.9 < found.delta <= 1.0


def test_refusals():
    for rate, epsilon in ((0.5, 0.69), (1.0, 5.0)):
        with pytest.raises(NotApplicable, match="Raise epsilon or lower the rate"):
            k_anonymity_to_sampling_dp(KAnonymity(5), rate, epsilon)
    assert k_anonymity_to_sampling_dp(KAnonymity(5), 0.5, math.log(2) * 1.001).delta < 1


def test_only_for_independent_records():
    for adjacency in Adjacency:
        found = pure_dp_to_bayesian_dp(PureDP(0.2, adjacency))
        assert found == BayesianDP(0.2, adjacency, independent=True)


def test_the_number_stays():
    for adjacency in Adjacency:
        for independent in (False, True):
            found = bayesian_dp_to_pure_dp(BayesianDP(0.2, adjacency, independent))
            assert found == PureDP(0.2, adjacency)
