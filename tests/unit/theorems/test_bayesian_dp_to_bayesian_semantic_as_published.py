import math

import pytest

from deniable.notions import BayesianDP
from deniable.theorems.bayesian_dp_to_bayesian_semantic import bayesian_dp_to_bayesian_semantic
from deniable.theorems.bayesian_dp_to_bayesian_semantic_as_published import (
    bayesian_dp_to_bayesian_semantic_as_published,
)


def test_it_is_weaker():
    for epsilon in (0.0, 0.1, 0.3, math.inf):
        published = bayesian_dp_to_bayesian_semantic_as_published(BayesianDP(epsilon))
        assert published.epsilon == pytest.approx(min(math.expm1(2 * epsilon), 1.0), rel=1e-14)
        sharp = bayesian_dp_to_bayesian_semantic(BayesianDP(epsilon))
        assert sharp.epsilon <= published.epsilon
