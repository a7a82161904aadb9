import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, PositiveMembership
from deniable.priors.sampled_entities import SampledEntities
from deniable.theorems.positive_membership_to_sampling_dp import positive_membership_to_sampling_dp
from deniable.theorems.sampling_dp_to_positive_membership import sampling_dp_to_positive_membership

OUT = Adjacency.ADD_REMOVE


@pytest.mark.parametrize(("beta", "gamma"), [(0.5, 1.5), (0.1, 2.0), (0.1, 20.0), (0.5, 1.0)])
def test_there_and_back_is_no_weaker_where_the_other_half_allows(beta, gamma):
    guarantee = PositiveMembership(gamma, SampledEntities(beta), adjacency=OUT)
    found = positive_membership_to_sampling_dp(guarantee)
    assert found.beta == beta
    assert found.epsilon >= -math.log1p(-beta) * (1 - 1e-15)
    back = sampling_dp_to_positive_membership(found).gamma
    if found.epsilon > -math.log1p(-beta) * (1 + 1e-12):
        assert back == pytest.approx(gamma, rel=1e-13)


def test_edges_and_refusals():
    limitless = PositiveMembership(math.inf, SampledEntities(0.5), adjacency=OUT)
    assert positive_membership_to_sampling_dp(limitless).epsilon == math.inf
    with pytest.raises(NotApplicable, match="sampled entities"):
        positive_membership_to_sampling_dp(PositiveMembership(2.0))
    with pytest.raises(NotApplicable, match="no exception"):
        positive_membership_to_sampling_dp(
            PositiveMembership(2.0, SampledEntities(0.5), 0.1, Adjacency.ADD_REMOVE)
        )
