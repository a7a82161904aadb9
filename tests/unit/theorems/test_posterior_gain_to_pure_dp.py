import math

import pytest

from deniable.notions import Adjacency, PosteriorGain, PureDP
from deniable.theorems.posterior_gain_to_pure_dp import posterior_gain_to_pure_dp
from deniable.theorems.pure_dp_to_posterior_gain import pure_dp_to_posterior_gain


@pytest.mark.parametrize("gain", [0.0, 0.1, 0.5])
def test_there_and_back(gain):
    found = posterior_gain_to_pure_dp(PosteriorGain(gain))
    assert found.adjacency is Adjacency.REPLACE_ONE
    back = pure_dp_to_posterior_gain(found).gain
    assert gain <= back == pytest.approx(gain, rel=1e-14)


def test_certainty_is_no_bound():
    assert posterior_gain_to_pure_dp(PosteriorGain(1.0)) == PureDP(math.inf)
