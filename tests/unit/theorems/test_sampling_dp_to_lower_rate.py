import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import SamplingDP
from deniable.theorems.sampling_dp_to_lower_rate import sampling_dp_to_lower_rate


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
