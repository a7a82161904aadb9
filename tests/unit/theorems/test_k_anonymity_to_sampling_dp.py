import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import KAnonymity
from deniable.theorems.k_anonymity_to_sampling_dp import k_anonymity_to_sampling_dp


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
