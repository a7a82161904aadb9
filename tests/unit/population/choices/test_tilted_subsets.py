import itertools
import math

import numpy as np
import pytest
from scipy.stats import chisquare

from deniable.population.choices.tilted_subsets import TiltedSubsets


@pytest.mark.parametrize(("records", "size"), [(1, 0), (1, 1), (5, 0), (5, 5), (6, 3)])
def test_every_draw_has_the_size(records, size):
    law = TiltedSubsets(np.linspace(-3, 2, records), size)
    drawn = law.draws(np.random.default_rng(0), 50)
    assert drawn.shape == (50, records)
    assert (drawn.sum(axis=1) == size).all()


def test_the_law_is_the_product_over_the_members():
    """χ² over 20 subsets; a false alarm has probability 1e-9."""
    weights = np.array([0.0, -1.0, 0.5, 1.0, -0.5, 0.2])
    drawn = TiltedSubsets(weights, 3).draws(np.random.default_rng(1), 20_000)
    subsets = list(itertools.combinations(range(6), 3))
    seen = [(drawn[:, list(subset)].all(axis=1)).sum() for subset in subsets]
    law = np.array([math.exp(weights[list(subset)].sum()) for subset in subsets])
    assert chisquare(seen, 20_000 * law / law.sum()).pvalue > 1e-9
    assert chisquare(seen).pvalue < 1e-9  # the uniform law is rejected


def test_weights_far_apart():
    weights = np.array([0.0, -2000.0, -1000.0, -500.0])
    drawn = TiltedSubsets(weights, 2).draws(np.random.default_rng(2), 100)
    assert (drawn == [True, False, False, True]).all()
