"""Scores and loss functions of candidates, and the laws of what is chosen."""

import itertools
import math
import statistics

import attrs
import numpy as np
import pytest
from scipy.special import softmax

from deniable.errors import InvalidArgument
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort, OutOfTime, limited
from deniable.population.choices import LossFunction, of_distances, of_table
from deniable.population.choices.enumeration import OutputLaws
from deniable.population.choices.loss_function import Listed, sample_losses
from deniable.population.choices.sampling import inclusion, tilts
from tests.cases.effort import usual
from tests.cases.refusals import refuses

LOSSES = np.array([[0.0, 1.0, 4.0], [2.0, 2.0, 2.0], [1.0, 0.0, -3.0]])


def test_distances_over_twice_the_sensitivity():
    found = of_distances(np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([[0.0, 0.0]]), 5.0)
    assert found.table.tolist() == [[0.0, 0.5]]
    assert 0 < found.off < 1e-14
    with refuses(InvalidArgument, "candidates-with-columns: 2"):
        of_distances(np.zeros((2, 2)), np.zeros((2, 3)), 1.0)


def test_losses_are_cut_to_their_bounds():
    found = of_table(LOSSES, 2, sensitivity=None, bounds=(-1.0, 3.0))
    assert (found.table * 8).T.tolist() == [[0, 1, 3], [0, 0, 0], [2, 1, 0]]


def test_a_sensitivity_is_of_the_mean():
    found = of_table(LOSSES, 2, sensitivity=4.0, bounds=None)
    assert (found.table * 16).T.tolist() == [[0, 1, 4], [0, 0, 0], [4, 3, 0]]
    with refuses(InvalidArgument, "sensitivity-that-exchanging"):
        of_table(LOSSES, 2, sensitivity=3.4, bounds=None)


@pytest.mark.parametrize("bounds", [(1.0, 1.0), (2.0, 1.0), (0.0, np.inf)])
def test_bounds_that_are_none(bounds):
    with refuses(InvalidArgument, "loss-bound"):
        of_table(LOSSES, 2, sensitivity=None, bounds=bounds)


def test_widening_covers_an_offset_of_a_record():
    """A constant of a record cancels; before it is taken off it costs digits of nothing else."""
    plain = of_table(LOSSES, 2, sensitivity=9.0, bounds=None)
    moved = of_table(LOSSES + 2.0**30, 2, sensitivity=9.0, bounds=None)
    assert plain.table.tolist() == moved.table.tolist()
    assert plain.widening(2, 10.0) < 1e-13


ROWS = np.array([1.0, 2.0, 2.5, 4.0, 9.0, 7.0, 3.0])
WANTED = [0.0, 3.0, 8.0]


def distance(wanted, rows):
    return abs(wanted - statistics.median(rows.tolist()))


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
    found = sample_losses(question(size), 0.3, 5.0, Effort(confidence=0.99, gap=2.0))
    assert found.evidence is Evidence.CONFIDENCE
    assert np.all(found.lower <= exact)
    assert np.all(exact <= found.upper)
    assert found.upper.max() < 5.0


def test_half_of_the_confidence_covers_more_than_half():
    # Failures are Bin(runs, at most ½) or fewer; 38 or more of 40 have chance below 1e-9, 20 of
    # 20 below 1e-6.
    runs, too_many = usual((20, 20), (40, 38))
    exact = Listed.of(question()).laws(0.3).population_epsilon().upper
    failures = 0
    for seed in range(runs):
        found = sample_losses(question(), 0.3, 5.0, Effort(confidence=0.5, gap=30.0, seed=seed))
        failures += bool(np.any(found.lower > exact) or np.any(exact > found.upper))
    assert failures < too_many


def test_no_time():
    with limited(0.0):
        with pytest.raises(OutOfTime):
            Listed.of(question())
        found = sample_losses(question(), 0.3, 5.0, Effort())
    assert found.upper.tolist() == [5.0] * 7
    assert found.evidence is Evidence.ENCLOSURE


@pytest.mark.parametrize("wrong", [math.nan, math.inf, 1e200])
def test_a_loss_that_is_no_number(wrong):
    with refuses(InvalidArgument, "loss-that-finite-number-up"):
        Listed.of(question(loss=lambda *_: wrong))


IN = np.log([[0.7, 0.2, 0.1], [0.25, 0.25, 0.5]])
OUT = np.log([[0.4, 0.4, 0.2], [0.25, 0.25, 0.5]])


def test_pure_epsilon_is_the_largest_ratio():
    found = OutputLaws(IN, OUT, 0.0).population_epsilon()
    assert found.evidence is Evidence.ENCLOSURE
    assert found.worst() == 0
    assert found.maximum().lower == pytest.approx(math.log(2))
    assert found.lower[1] == 0


def test_the_error_widens_both_ends():
    sharp = OutputLaws(IN, OUT, 0.0).population_epsilon().maximum()
    wide = OutputLaws(IN, OUT, 1e-3).population_epsilon().maximum()
    assert wide.lower <= sharp.lower - 0.0019
    assert wide.upper >= sharp.upper + 0.0019


def test_probabilities_too_small_for_floats():
    laws = OutputLaws([[0.0, -2000.0]], [[0.0, -2400.0]], 0.0)
    assert laws.population_epsilon().maximum().upper == pytest.approx(400)


def test_bad_input():
    with refuses(InvalidArgument, "records-by-outputs"):
        OutputLaws([0.0], [0.0], 0.0)
    with refuses(InvalidArgument, "one-shape"):
        OutputLaws(IN, OUT[:1], 0.0)
    with refuses(InvalidArgument, "below-least: error | 0"):
        OutputLaws(IN, OUT, -1.0)


def test_frozen():
    laws = OutputLaws(IN, OUT, 0.0)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        laws.error = 1.0
    with pytest.raises(ValueError, match="read-only"):
        laws.log_in[0, 0] = 0.0


def test_impossible_outputs():
    never = OutputLaws([[0.0, -np.inf]], [[0.0, -np.inf]], 0.0).population_epsilon().maximum()
    assert (never.lower, never.upper < 1e-14) == (0.0, True)
    tells = OutputLaws([[0.0, -np.inf]], np.log([[0.5, 0.5]]), 1e-3).population_epsilon().maximum()
    assert (tells.lower, tells.upper) == (math.inf, math.inf)


def test_inclusion_probabilities_add_up_and_keep_their_odds():
    weights = np.array([[0.0, 1.0, -2.0, 3.0], [0.0, 0.0, 0.0, 0.0], [900.0, -900.0, 0.0, 0.0]])
    found = inclusion(weights, 2)
    assert found.sum(axis=1) == pytest.approx(2)
    assert found[1] == pytest.approx(0.5)
    odds = np.log(found[0] / (1 - found[0])) - weights[0]
    assert np.ptp(odds) < 1e-9


@pytest.mark.parametrize("scale", [0.1, 2.0, 20.0])
def test_weights_are_the_law_at_the_centre_of_what_they_tilt_to(scale):
    table = np.random.default_rng(0).normal(size=(5, 40)) * scale / 10
    weights = tilts(table, 20)
    assert weights.sum(axis=1) == pytest.approx(1)
    assert (weights >= 0).all()
    centre = inclusion(weights @ table - table, 20)
    assert softmax(-(centre @ table.T), axis=1) == pytest.approx(weights, abs=2e-3)


def test_equal_candidates_share_the_weight():
    assert tilts(np.ones((3, 8)), 4) == pytest.approx(1 / 3)
