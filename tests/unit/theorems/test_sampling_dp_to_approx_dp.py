import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, ApproxDP, SamplingDP
from deniable.theorems.sampling_dp_to_approx_dp import sampling_dp_to_approx_dp


def test_everyone_is_kept():
    found = sampling_dp_to_approx_dp(SamplingDP(1.0, 0.5, 1e-6))
    assert found == ApproxDP(0.5, 1e-6, Adjacency.ADD_REMOVE)
    with pytest.raises(NotApplicable, match="Expected beta = 1"):
        sampling_dp_to_approx_dp(SamplingDP(0.5, 0.5))
