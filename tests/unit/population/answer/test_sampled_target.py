import numpy as np
import pytest

from deniable.bounds import Evidence
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.answer.sampled_target import SHARES, least_sampled_scale
from deniable.population.work.effort import Effort


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
