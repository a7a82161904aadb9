import math

import pytest

from deniable.notions import PureDP, Semantic
from deniable.theorems.pure_dp_to_semantic import pure_dp_to_semantic
from deniable.theorems.pure_dp_to_semantic_as_published import pure_dp_to_semantic_as_published


def test_it_is_weaker_and_soon_vacuous():
    for epsilon in (0.0, 0.01, 0.3):
        published = pure_dp_to_semantic_as_published(PureDP(epsilon)).epsilon
        assert published == pytest.approx(math.expm1(2 * epsilon), rel=1e-14)
        assert pure_dp_to_semantic(PureDP(epsilon)).epsilon <= published
    for epsilon in (math.log(2) / 2 * 1.0001, 5.0, math.inf):
        assert pure_dp_to_semantic_as_published(PureDP(epsilon)) == Semantic(1.0)
    assert pure_dp_to_semantic_as_published(PureDP(0.346)).epsilon < 1
