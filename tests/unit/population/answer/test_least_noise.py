"""The least noise for a target."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.errors import InfeasibleTarget, InvalidArgument
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from deniable.population.answer import (
    LADDER,
    SHARES,
    TOLERANCE,
    RecordBounds,
    Search,
    least_sampled_scale,
    target_epsilon,
)
from tests.cases.refusals import refuses


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
    with refuses(InfeasibleTarget, "target-choose-larger: 0.5"):
        Search(lambda _: math.inf, float, 0.5).least(1.0)
    with pytest.raises(InfeasibleTarget):
        Search(lambda s: 1.1 + 1 / s, float, 1.0).least(1.0)


def test_everything_meets_the_target():
    with refuses(InvalidArgument, "nothing-needs-to-calibrated"):
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
        with refuses(InvalidArgument, "names-argument: target"):
            target_epsilon(wrong)


def analyst(seen, noise=0.0, certified=None):
    """ε̃ = 1/scale, found with some noise; `certified` multiplies what a certificate says."""

    def analysis(scale, effort):
        seen.append((scale, effort))
        draw = effort.generator(0).normal() * noise
        factor = 1.05 if certified is None or effort.confidence == 0.9 else certified
        upper = factor * np.exp(abs(draw)) / scale
        found = RecordBounds(
            [0], [0.0], [upper], Evidence.CONFIDENCE, confidence=effort.confidence, draws=1,
            seed=effort.seed,
        )  # fmt: skip
        return found.by("crowd")

    return analysis


EFFORT = Effort(confidence=0.9, seed=3, time_limit=100.0)


def test_pilots_propose_and_one_certificate_decides():
    seen = []
    scale, found = least_sampled_scale(analyst(seen, 0.01), 0.5, 1.0, 10.0, EFFORT)
    assert found.maximum().upper <= 0.5
    assert 2.1 < scale < 2.4
    *pilots, (at, last) = seen
    assert at == scale
    assert last.confidence == pytest.approx(1 - 0.1 * SHARES[0])
    assert len({effort.seed for _, effort in seen} | {EFFORT.seed}) == len(seen) + 1
    assert all(effort.checkpoint is None for _, effort in pilots)
    assert found.maximum().confidence == 0.9
    assert found.maximum().seed == 3


def test_a_certificate_that_misses_is_tried_again_with_less_alpha():
    seen = []
    certified = analyst(seen, certified=1.09)
    scale, found = least_sampled_scale(certified, 0.5, 1.0, 10.0, EFFORT)
    tries = [(at, effort) for at, effort in seen if effort.confidence != 0.9]
    assert 2 <= len(tries) <= 3
    assert [effort.confidence for _, effort in tries] == pytest.approx(
        [1 - 0.1 * share for share in SHARES[: len(tries)]]
    )
    assert tries[-1][0] == scale
    assert len({effort.seed for _, effort in tries}) == len(tries)
    assert found.maximum().upper <= 0.5


def test_all_certificates_together_keep_to_the_confidence():
    assert sum(SHARES) <= 1


def test_nothing_below_the_certain_scale_is_certified():
    assert least_sampled_scale(analyst([], certified=9.0), 0.5, 1.0, 10.0, EFFORT) is None
    assert least_sampled_scale(analyst([]), 0.5, 1.0, 1.01, EFFORT) is None
