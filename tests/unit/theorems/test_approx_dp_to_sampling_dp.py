import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, ApproxDP, SamplingDP
from deniable.theorems.approx_dp_to_sampling_dp import approx_dp_to_sampling_dp

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
