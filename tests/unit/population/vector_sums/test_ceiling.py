import math

import numpy as np

from deniable.population.vector_sums.ceiling import upper_ends
from deniable.population.vector_sums.sum_release import SumRelease
from deniable.population.work.effort import Effort
from deniable.population.work.time_limit import limited
from tests.oracles import population as brute

ROWS = np.random.default_rng(4).normal(size=(8, 2))
RELEASE = SumRelease.of(ROWS, 4, 2.0)
EXACT = [brute.gaussian_epsilon(ROWS, 4, 2.0, 0.1, x, step=0.2) for x in range(8)]


def found(records, ceiling, *, seconds=math.inf, told=None, **effort):
    with limited(seconds):
        progress = {} if told is None else {"progress": told.append}
        return upper_ends(RELEASE, np.array(records), 0.1, ceiling, Effort(**effort, **progress))


def test_records_are_shown_to_be_below_and_above_the_truth():
    told = []
    ceiling = 1.5 * max(EXACT)
    bounds = found(range(8), ceiling, told=told)
    assert np.all(bounds.upper <= ceiling)
    assert np.all(bounds.upper >= np.array(EXACT) - 1e-3)
    assert bounds.draws > 0
    assert told[-1] == 1.0


def test_no_ceiling_can_be_proved_that_is_too_low():
    worst = int(np.argmax(EXACT))
    bounds = found([worst], 0.5 * EXACT[worst])
    assert bounds.upper[0] >= EXACT[worst] - 1e-3


def test_a_seed_gives_the_same_whatever_the_workers():
    one, other = found([0, 1, 2], 0.5, seed=3), found([0, 1, 2], 0.5, seed=3, workers=2)
    assert one.upper.tolist() == other.upper.tolist()
    assert one.upper.tolist() != found([0, 1, 2], 0.5, seed=4).upper.tolist()


def test_without_time():
    assert found([0, 1], 1.0, seconds=-1.0).upper.tolist() == [np.inf, np.inf]
    assert found([0, 1], 1.0, seconds=-1.0).draws == 0


def test_coverage_over_seeds():
    # At confidence ½ failures are Bin(60, at most ½) or fewer; 52 or more have chance 1e-9.
    worst = int(np.argmax(EXACT))
    failures = sum(
        found([worst], 10.0, seed=seed, confidence=0.5).upper[0] < EXACT[worst] - 1e-3
        for seed in range(60)
    )
    assert failures < 52
