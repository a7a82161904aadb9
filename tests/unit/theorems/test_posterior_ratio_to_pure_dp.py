import math

import pytest

from deniable.notions import Adjacency, PosteriorRatio
from deniable.theorems.posterior_ratio_to_pure_dp import posterior_ratio_to_pure_dp


@pytest.mark.parametrize("ratio", [1.0, 1.5, 9.0, math.inf])
def test_the_logarithm(ratio):
    found = posterior_ratio_to_pure_dp(PosteriorRatio(ratio))
    assert found.adjacency is Adjacency.REPLACE_ONE
    assert found.epsilon == pytest.approx(math.log(ratio), rel=1e-15)
