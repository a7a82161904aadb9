"""Laws of the exact enumeration, against plain Python over all samples."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from deniable.numerics.effort import Effort
from deniable.population.choices.enumeration import enumerate_samples
from deniable.population.choices.sampling import exchange_means, sample_bounds
from deniable.population.choices.scores import (
    adjacent_epsilon,
    restricted_epsilon,
)
from tests.cases.effort import usual
from tests.oracles import choices as brute


@st.composite
def cases(draw, most=9):
    """Scores of all sizes, with repeated records and candidates, and a sample size."""
    records = draw(st.integers(2, most))
    candidates = draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scores = rng.normal(size=(candidates, records)) * draw(st.sampled_from([0.01, 1.0, 30.0, 2e3]))
    if draw(st.booleans()):
        scores = scores[:, rng.integers(0, records, records)]
    if draw(st.booleans()):
        scores = scores[rng.integers(0, candidates, candidates)]
    return scores, draw(st.integers(1, records - 1))


def assert_same(found, scores, size):
    """Within the stated error, and the rounding of the plain sums."""
    for logs, expected in zip(
        (found.log_in, found.log_out), brute.log_laws(scores.tolist(), size), strict=True
    ):
        away = np.abs(logs - np.array(expected))
        plain = 1e-15 * (10 + np.abs(scores).max(axis=0).sum())
        assert away.max() <= found.error + plain


@given(cases())
@settings(max_examples=usual(16, 60))
def test_equals_the_plain_sum_over_all_samples(case):
    scores, size = case
    found = enumerate_samples(scores, size)
    assert found.subsets == math.comb(scores.shape[1], size)
    assert_same(found, scores, size)


@pytest.mark.parametrize(("records", "size"), [(12, 6), (12, 2), (12, 11), (11, 5)])
@pytest.mark.parametrize("scale", [0.3, 2000.0, 1e7])
def test_equals_the_plain_sum_over_twelve_records(records, size, scale):
    scores = np.random.default_rng(size).random((3, records)) * scale
    assert_same(enumerate_samples(scores, size), scores, size)


@given(cases())
@settings(max_examples=usual(11, 40))
def test_epsilon_is_the_worst_output(case):
    scores, size = case
    found = enumerate_samples(scores, size).population_epsilon()
    laws = brute.log_laws(scores.tolist(), size)
    slack = 1e-14 * (10 + np.abs(scores).max(axis=0).sum())
    for record, law, other in zip(found.records, *laws, strict=True):
        expected = brute.epsilon(law, other, 0.0)
        assert found.lower[record] - slack <= expected <= found.upper[record] + slack
        assert found.upper[record] - found.lower[record] <= 1e-7


@given(cases(), st.floats(-1e3, 1e3))
@settings(max_examples=usual(8, 25))
def test_constants_of_a_record_and_the_order_of_things_change_nothing(case, constant):
    scores, size = case
    rng = np.random.default_rng(0)
    records, candidates = rng.permutation(scores.shape[1]), rng.permutation(len(scores))
    found = enumerate_samples(scores, size)
    shifted = scores + constant * rng.normal(size=scores.shape[1])
    moved = enumerate_samples(shifted[candidates][:, records], size)
    slack = found.error + moved.error + 1e-12 * (1 + abs(constant)) * scores.shape[1]
    for one, other in ((found.log_in, moved.log_in), (found.log_out, moved.log_out)):
        assert np.abs(one[records][:, candidates] - other).max() <= slack


@given(cases())
@settings(max_examples=usual(8, 25))
def test_equal_records_hide_nothing(case):
    scores, size = case
    alike = enumerate_samples(np.repeat(scores[:, :1], scores.shape[1], axis=1), size)
    assert alike.population_epsilon().maximum().lower == 0
    assert alike.population_epsilon().maximum().upper <= 4 * alike.error


@given(cases())
@settings(max_examples=usual(8, 25))
def test_total_probability(case):
    """Both laws are laws, and mix to the same law of the output for every record."""
    scores, size = case
    found = enumerate_samples(scores, size)
    inside, outside = np.exp(found.log_in), np.exp(found.log_out)
    slack = 4 * found.error
    assert inside.sum(axis=1) == pytest.approx(1, abs=slack)
    assert outside.sum(axis=1) == pytest.approx(1, abs=slack)
    mixed = (size * inside + (scores.shape[1] - size) * outside) / scores.shape[1]
    assert np.ptp(mixed, axis=0).max() <= slack


def test_the_number_of_workers_changes_nothing():
    scores = np.random.default_rng(1).random((5, 14))
    one, two = (enumerate_samples(scores, 6, effort=Effort(workers=workers)) for workers in (1, 2))
    assert np.abs(one.log_in - two.log_in).max() <= one.error
    assert np.abs(one.log_out - two.log_out).max() <= one.error


@given(cases(most=7))
@settings(max_examples=usual(11, 40))
def test_epsilon_over_adjacent_samples_and_the_bounds_in_order(case):
    scores, size = case
    found = adjacent_epsilon(scores, size)
    expected = brute.adjacent_epsilon(scores.tolist(), size)
    slack = 1e-14 * (10 + np.abs(scores).max(axis=0).sum())
    assert found.lower - slack <= expected <= found.upper + slack
    assert found.upper - found.lower <= 1e-7
    tilde = enumerate_samples(scores, size).population_epsilon().maximum()
    assert tilde.lower <= found.upper
    assert found.lower <= brute.exchange_epsilon(scores.tolist()) + slack
    assert brute.exchange_epsilon(scores.tolist()) <= restricted_epsilon(scores) + slack
    restricted = brute.restricted_epsilon(scores.tolist(), size)
    assert restricted_epsilon(scores) == pytest.approx(restricted, abs=slack)


@given(cases(most=8))
@settings(max_examples=usual(16, 60))
def test_the_mean_over_exchanges_is_a_bound_for_every_sample_size(case):
    scores, size = case
    rise, fall = exchange_means(scores, size)
    found = enumerate_samples(scores, size)
    ratio = found.log_in - found.log_out
    assert (ratio <= rise + 2 * found.error).all()
    assert (-ratio <= fall + 2 * found.error).all()
    slack = 1e-11 * (1 + rise.max()) + 1e-14 * np.abs(scores).max()
    assert max(rise.max(), fall.max()) <= brute.exchange_epsilon(scores.tolist()) + slack


def test_the_mean_over_exchanges_is_attained():
    """All but one are sampled, and exchanging any one costs the same."""
    scores = np.array([[0.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0]])
    rise, _ = exchange_means(scores * 1e3, 3)
    found = enumerate_samples(scores * 1e3, 3)
    assert found.log_in[0, 0] - found.log_out[0, 0] == pytest.approx(rise[0, 0], rel=1e-12)


@given(cases(most=8), st.integers(0, 99))
@settings(max_examples=usual(8, 25))
def test_sampling_brackets_the_exact_value(case, seed):
    """Intervals of confidence 1 − 1e-9: one miss is a fault, whatever the number of examples."""
    scores, size = case
    effort = Effort(confidence=1 - 1e-9, seed=seed, gap=1.0, time_limit=0.05)
    found, exact = sample_bounds(scores, size, effort=effort), enumerate_samples(scores, size)
    epsilon = exact.population_epsilon()
    assert (found.lower <= epsilon.upper).all()
    assert (epsilon.lower <= found.upper + 2 * exact.error).all()


def test_sampling_covers_as_often_as_it_says():
    """More misses of 60 than allowed have probability below 1e-9 at confidence 0.6."""
    scores = np.random.default_rng(2).random((2, 4)) * 2
    exact = enumerate_samples(scores, 2).population_epsilon()
    misses = 0
    for seed in range(60):
        found = sample_bounds(scores, 2, effort=Effort(confidence=0.6, seed=seed, gap=0.1))
        covered = (found.lower <= exact.upper) & (exact.lower <= found.upper)
        misses += not covered.all()
    assert misses <= binom.isf(1e-9, 60, 0.4)
