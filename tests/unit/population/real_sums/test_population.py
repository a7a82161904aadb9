import numpy as np
import pytest
from scipy.stats import binom


def test_sizes_and_rates(small):
    assert small.records == 7
    assert small.rate == 3 / 7
    assert small.others == (2, 3)
    assert small.total(small.values) == pytest.approx(0, abs=1e-12)


def test_chances_are_binomial(small):
    assert small.chances() == pytest.approx(binom.pmf([2, 3], 6, 3 / 7))
    assert small.chance() == pytest.approx(binom.pmf(3, 7, 3 / 7))
    assert 0 < small.typical_chance() < 1


def test_spread_of_the_sum_of_a_fixed_number(small):
    mean, spread = small.centre_and_spread()
    numbers = np.repeat(small.values, small.counts)
    assert mean == pytest.approx(0, abs=1e-12)
    # Bernoulli choices given their number have about the spread of sampling without replacement.
    assert spread == pytest.approx(np.sqrt(3 * 4 / 7 * numbers.var()), rel=1e-9)
