"""The same kernel on NumPy and on the strict array API."""

import array_api_strict
import numpy as np
import pytest
from scipy.special import logsumexp

from deniable.population.choices.pair_sums import pair_sums


def plainly(first, second):
    both = first[:, None, :] + second[None, :, :]
    laws = both - logsumexp(both, axis=2, keepdims=True)
    return logsumexp(laws, axis=1), logsumexp(laws, axis=0)


def rows(number, spread, seed):
    return np.random.default_rng(seed).normal(size=(number, 4)) * spread


@pytest.mark.parametrize("spread", [0.1, 10.0, 200.0, 3000.0, 1e6])
@pytest.mark.parametrize("other", [0.1, 500.0])
@pytest.mark.parametrize("library", [np, array_api_strict])
def test_equals_the_plain_sums(spread, other, library):
    first, second = rows(7, spread, 1), rows(5, other, 2)
    found = pair_sums(library.asarray(first), library.asarray(second), 3)
    for values, expected in zip(found, plainly(first, second), strict=True):
        scale = 1 + np.abs(first).max() + np.abs(second).max()
        assert np.abs(np.asarray(values) - expected).max() <= 1e-14 * scale


def test_a_column_small_throughout():
    """Candidate 1 never passes e^-900 of candidate 0, yet its sums are right."""
    first = np.array([[0.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    second = np.array([[0.0, -900.0], [0.0, -950.0]])
    found = pair_sums(first, second, 2)
    for values, expected in zip(found, plainly(first, second), strict=True):
        assert np.abs(values - expected).max() <= 1e-12
