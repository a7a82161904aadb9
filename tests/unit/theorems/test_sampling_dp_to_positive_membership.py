import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, ApproxDP, PureDP, SamplingDP
from deniable.priors import BoundedPrior
from deniable.priors.sampled_entities import SampledEntities
from deniable.theorems.approx_dp_to_sampling_dp import approx_dp_to_sampling_dp
from deniable.theorems.pure_dp_to_positive_membership import pure_dp_to_positive_membership
from deniable.theorems.sampling_dp_to_positive_membership import sampling_dp_to_positive_membership

OUT = Adjacency.ADD_REMOVE


@pytest.mark.parametrize("beta", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 2.0])
def test_amplified_dp_says_the_same_as_dp(beta, epsilon):
    sampled = approx_dp_to_sampling_dp(ApproxDP(epsilon, 0.0, OUT), beta)
    found = sampling_dp_to_positive_membership(sampled)
    direct = pure_dp_to_positive_membership(PureDP(epsilon, OUT), BoundedPrior(beta, beta))
    assert (found.adversary, found.adjacency) == (SampledEntities(beta), OUT)
    assert found.gamma == pytest.approx(direct.gamma, rel=1e-13)


def test_edges_and_refusals():
    assert sampling_dp_to_positive_membership(SamplingDP(0.5, math.inf)).gamma == math.inf
    with pytest.raises(NotApplicable, match="delta = 0"):
        sampling_dp_to_positive_membership(SamplingDP(0.5, 1.0, 0.1))
    with pytest.raises(NotApplicable, match="beta < 1"):
        sampling_dp_to_positive_membership(SamplingDP(1.0, 1.0))
