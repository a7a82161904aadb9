import itertools
import math

import numpy as np
import pytest

from deniable.bounds import Evidence
from deniable.errors import InvalidArgument
from deniable.population.choices.loss_function import Listed, LossFunction, sampled_losses
from deniable.population.work.effort import Effort
from deniable.population.work.time_limit import OutOfTime, limited

ROWS = np.array([1.0, 2.0, 2.5, 4.0, 9.0, 7.0, 3.0])
WANTED = [0.0, 3.0, 8.0]


def distance(wanted, rows):
    return abs(wanted - float(np.median(rows)))


def question(size=3, loss=distance):
    return LossFunction(loss, ROWS, WANTED, size)


def brute_laws(size, rate, record):
    laws = {True: [], False: []}
    for sample in itertools.combinations(range(7), size):
        weights = [math.exp(-rate * distance(w, ROWS[list(sample)])) for w in WANTED]
        laws[record in sample].append(np.array(weights) / sum(weights))
    return [np.log(np.mean(laws[side], axis=0)) for side in (True, False)]


@pytest.mark.parametrize("size", [1, 3, 6])
@pytest.mark.parametrize("rate", [0.0, 0.7, 40.0])
def test_laws_against_every_sample(size, rate):
    found = Listed.of(question(size)).laws(rate)
    assert found.subsets == math.comb(7, size)
    for record in range(7):
        inside, outside = brute_laws(size, rate, record)
        np.testing.assert_allclose(found.log_in[record], inside, atol=1e-11)
        np.testing.assert_allclose(found.log_out[record], outside, atol=1e-11)


def test_far_probabilities_do_not_vanish():
    found = Listed.of(question()).laws(400.0)
    assert np.isfinite(found.log_in).all()
    assert np.isfinite(found.log_out).all()


@pytest.mark.parametrize("size", [1, 3, 6])
def test_adjacent_samples(size):
    listed = Listed.of(question(size))
    samples = [set(each) for each in itertools.combinations(range(7), size)]
    pairs = [
        (i, j) for i, j in itertools.combinations(range(len(samples)), 2)
        if len(samples[i] - samples[j]) == 1
    ]  # fmt: skip
    change = max(np.abs(listed.losses[i] - listed.losses[j]).max() for i, j in pairs)
    assert listed.largest_change() == change
    logs = listed.log_probabilities(2.0)
    exact = max(np.abs(logs[i] - logs[j]).max() for i, j in pairs)
    assert exact <= listed.adjacent_epsilon(2.0) <= exact + 1e-12


@pytest.mark.parametrize("size", [1, 3, 6])
def test_draws_cover_the_truth(size):
    exact = Listed.of(question(size)).laws(0.3).population_epsilon().upper
    with limited(3.0):
        found = sampled_losses(question(size), 0.3, 5.0, Effort(confidence=0.99, gap=0.5))
    assert found.evidence is Evidence.CONFIDENCE
    assert np.all(found.lower <= exact)
    assert np.all(exact <= found.upper)
    assert found.upper.max() < 5.0


def test_half_of_the_confidence_covers_more_than_half():
    # Failures are Bin(40, at most ½) or fewer; 38 or more have chance below 1e-9.
    exact = Listed.of(question()).laws(0.3).population_epsilon().upper
    failures = 0
    for seed in range(40):
        found = sampled_losses(question(), 0.3, 5.0, Effort(confidence=0.5, gap=30.0, seed=seed))
        failures += bool(np.any(found.lower > exact) or np.any(exact > found.upper))
    assert failures < 38


def test_no_time():
    with limited(0.0):
        with pytest.raises(OutOfTime):
            Listed.of(question())
        found = sampled_losses(question(), 0.3, 5.0, Effort())
    assert found.upper.tolist() == [5.0] * 7
    assert found.evidence is Evidence.ENCLOSURE


@pytest.mark.parametrize("wrong", [math.nan, math.inf, 1e200])
def test_a_loss_that_is_no_number(wrong):
    with pytest.raises(InvalidArgument, match="finite number up to 1e100"):
        Listed.of(question(loss=lambda *_: wrong))
