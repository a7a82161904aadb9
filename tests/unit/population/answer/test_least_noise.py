import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.errors import InfeasibleTarget, InvalidArgument
from deniable.population.answer.least_noise import LADDER, TOLERANCE, Search, target_epsilon


@given(
    st.floats(0.05, 5),
    st.floats(-6, 6).map(lambda x: 10.0**x),
    st.floats(-3, 3).map(lambda x: 10.0**x),
    st.sampled_from([0.5, 1.0, 2.0]),
)
def test_the_least_scale_of_a_power_law(target, unit, start, power):
    tried = {}

    def analysis(scale):
        tried[scale] = (unit / scale) ** power
        return tried[scale]

    found = Search(analysis, float, target).least(unit * start)
    exact = unit / target ** (1 / power)
    assert exact <= found.scale <= exact * (1 + 2 * TOLERANCE)
    assert tried[found.scale] == found.upper == found.result <= target
    assert len(tried) < 30


def test_an_upper_end_that_is_0_from_somewhere_on():
    found = Search(lambda s: max(3 - s, 0.0), float, 0.0).least(1.0)
    assert 3 <= found.scale <= 3 * (1 + TOLERANCE)


def test_an_upper_end_that_is_infinite_up_to_somewhere():
    found = Search(lambda s: math.inf if s < 7 else 0.5, float, 1.0).least(1.0)
    assert 7 <= found.scale <= 7 * (1 + TOLERANCE)


def test_nothing_meets_the_target():
    with pytest.raises(InfeasibleTarget, match=r"got target=0\.5\. Choose a larger target"):
        Search(lambda _: math.inf, float, 0.5).least(1.0)
    with pytest.raises(InfeasibleTarget):
        Search(lambda s: 1.1 + 1 / s, float, 1.0).least(1.0)


def test_everything_meets_the_target():
    with pytest.raises(InvalidArgument, match="Nothing needs to be calibrated"):
        Search(lambda _: 0.0, float, 0.5).least(1.0)


def bumpy(scale):
    """Falls, but for a bump at 1.2 times the scale where it first passes 1."""
    return 1 / scale + (0.5 if 1.25 <= scale <= 1.35 else 0.0)


def test_a_bump_above_is_passed_over_by_the_ladder():
    assert Search(bumpy, float, 1.0).least(0.5).scale == pytest.approx(1.0, rel=1e-3)
    found = Search(bumpy, float, 1.0).least_with_all_above(0.5)
    assert found.scale == pytest.approx(1.35, rel=1e-3)
    assert found.upper <= 1
    assert all(bumpy(found.scale * step) <= 1 for step in LADDER)


def test_targets():
    assert target_epsilon(0) == 0.0
    for wrong in (-1, math.inf, "x"):
        with pytest.raises(InvalidArgument, match="target"):
            target_epsilon(wrong)
