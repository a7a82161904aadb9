import itertools
import math

import numpy as np
import pytest

from deniable.population.whole_sums.chernoff_tilt import few_bits, pairs, spectrum, tilt_at
from deniable.population.whole_sums.multiset import multiset


def problem():
    return multiset([0, 1, 1, 4, 6, 6, 9], 3)[0]


@pytest.mark.parametrize("rate", [0.0, 0.25, -0.5, 3.0])
def test_a_tilt_takes_the_size_on_average(rate):
    found = tilt_at(problem(), rate)
    assert problem().counts @ found.taken == pytest.approx(3, abs=1e-5)
    assert found.taken + found.left == pytest.approx(np.ones(5), abs=1e-15)
    assert found.period >= found.length


def test_few_bits():
    assert few_bits(0.0) == 0
    assert few_bits(-0.1, up=True) < -0.1 < few_bits(-0.1, up=True) * (1 - 1e-6)
    assert few_bits(0.75) == 0.75


def test_the_spectrum_is_the_generating_function():
    """Inverted plainly: the probability of each count and sum of the others."""
    tilt, target = tilt_at(problem(), 0.125), 3
    waves = spectrum(problem(), np.array([target]), tilt)
    others = [0, 1, 1, 2, 3, 4]  # positions in values, one 6 left out
    for which, k in enumerate((2, 3)):
        exact: dict[int, float] = {}
        for members in itertools.combinations(range(6), k):
            at = sum(problem().values[others[i]] - tilt.centre for i in members)
            chance = math.prod(
                (tilt.taken if i in members else tilt.left)[others[i]] for i in range(6)
            )
            exact[at] = exact.get(at, 0.0) + chance
        full = np.zeros(tilt.period // 2 + 1, complex)
        full[waves.frequencies] = np.conj(waves.values[:, which, 0])
        law = np.fft.irfft(full, tilt.period)
        for at, chance in exact.items():
            assert law[at % tilt.period] == pytest.approx(chance, abs=waves.error)
    assert waves.error < 1e-13


def test_frequencies_left_out_are_counted():
    large = multiset(list(range(20)) * 40, 400)[0]
    tilt = tilt_at(large, 0.0)
    h, a, kept, dropped = pairs(large, tilt)
    assert len(h) == len(a) < tilt.period * tilt.order / 100
    assert 0 < dropped < 1e-13 * kept
