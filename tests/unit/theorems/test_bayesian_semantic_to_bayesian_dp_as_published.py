import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import BayesianSemantic
from deniable.theorems.bayesian_semantic_to_bayesian_dp import bayesian_semantic_to_bayesian_dp
from deniable.theorems.bayesian_semantic_to_bayesian_dp_as_published import (
    bayesian_semantic_to_bayesian_dp_as_published,
)


def test_it_is_weaker():
    for distance in (0.0, 0.1, 0.4):
        published = bayesian_semantic_to_bayesian_dp_as_published(BayesianSemantic(distance))
        assert published.epsilon == pytest.approx(2 * math.atanh(2 * distance), rel=1e-14)
        sharp = bayesian_semantic_to_bayesian_dp(BayesianSemantic(distance))
        assert sharp.epsilon <= published.epsilon
    with pytest.raises(NotApplicable, match="below 1/2"):
        bayesian_semantic_to_bayesian_dp_as_published(BayesianSemantic(0.6))
