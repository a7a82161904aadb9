import math
from fractions import Fraction

import numpy as np
import pytest

from deniable.population.whole_sums import flat as _flat
from deniable.population.whole_sums.multiset import multiset

COUNTS = np.array([[0, 3, 0, 0, 1, 5, 0], [2, 0, 7, 0, 0, 0, 4]], float)
RATE = 0.3


def noisy(row, at):
    """Σ count·α^distance, in fractions of the α that float64 holds."""
    alpha = Fraction(math.exp(-RATE))
    return sum((Fraction(int(c)) * alpha ** abs(at - s) for s, c in enumerate(row)), Fraction())


def test_noise_is_added_by_its_definition():
    found, error = _flat.noisy_counts(COUNTS, RATE)
    for row, count in zip(found, COUNTS, strict=True):
        for at, value in enumerate(row):
            assert value == pytest.approx(float(noisy(count, at)), rel=1e-14)
    assert 0 < error < 1e-13


@pytest.mark.parametrize("length", [1, 2, 3, 50, 101])
def test_any_length(length):
    counts = np.random.default_rng(length).integers(1, 9, (2, length)).astype(float)
    found, _ = _flat.noisy_counts(counts, 0.01)
    away = np.abs(np.subtract.outer(np.arange(length), np.arange(length)))
    np.testing.assert_allclose(found, counts @ np.exp(-0.01 * away), rtol=1e-13)


def test_largest_loss_contains_that_of_every_output():
    low, high = _flat.largest_loss(COUNTS, RATE, 0.25)
    losses = [math.log(noisy(COUNTS[0], at) / noisy(COUNTS[1], at)) + 0.25 for at in range(-5, 13)]
    assert low <= max(map(abs, losses)) <= high
    assert high - low < 1e-12


def test_the_law_adds_up_with_both_tails():
    low, high = _flat.noisy_law(COUNTS, RATE, (9.0, 13.0))
    assert low.shape == high.shape == (2, 1, 9)
    assert np.all(low.sum(axis=2) <= 1 + 1e-14)
    assert np.all(high.sum(axis=2) >= 1 - 1e-14)
    assert high.sum(axis=2) == pytest.approx(low.sum(axis=2), rel=1e-12)


def test_which_noise_is_flat():
    problem, _ = multiset([0, 7, 1000], 1)
    assert _flat.fits(problem, 0.6)
    assert not _flat.fits(problem, 0.601)
