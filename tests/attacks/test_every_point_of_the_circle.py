"""Inversion over how many records are chosen: no point of the circle is lost, whatever N is.

With N = 22 and others π·N/2π is below N/2 in floats: a point was left out, and ε̃ of 2 of 22 records
was said to be 3.92, where it is 4.82.
"""

import math

import numpy as np
import pytest

from deniable import population
from deniable.population.real_sums.problem import Kernel
from deniable.population.real_sums.problem import standardise_population as parent_set
from deniable.population.real_sums.subset_sums import chunks, nodes, transforms
from deniable.population.real_sums.tilt import window
from tests.cases.effort import one_in


def sizes(many):
    return sorted({1, 2, many // 3, many - 1} & set(range(1, many)))


@pytest.mark.parametrize("first", [2, 102])
def test_a_characteristic_function_begins_at_one(first):
    """At θ = 0 the sum over the circle is the chance that n are chosen, over itself."""
    for many in {*range(first, first + 5), *one_in(7, range(first, first + 100), 6)}:
        for size in sizes(many):
            values, counts = np.array([0.0, 1.0]), np.array([many - 1, 1])
            whole, kernel = parent_set(values, counts, size, 1.0), Kernel(1.0)
            length = window(whole, kernel, math.log(whole.tiny))
            where = nodes(whole, kernel, length, min(whole.chances()))
            chunk = chunks(whole, where, np.array([1]))[0]
            for found in transforms(whole, where, chunk, whole.chances()):
                assert abs(found[0, 0] - 1) <= where.errors, (many, size)


def test_two_of_twenty_two_against_all_samples():
    """The record of value 3 among 11 zeros and 10 ones: at ε the hockey stick is δ."""
    found = population.gaussian(
        [0.0] * 11 + [1.0] * 10 + [3.0], 2, sigma=1.5, delta=0.01, query="sum", records=[21]
    ).population_epsilon
    t = np.linspace(-12, 18, 300_001)

    def density(law):
        return sum(p * np.exp(-(((t - s) / 1.5) ** 2) / 2) for s, p in law.items())

    inside = density({3: 11 / 21, 4: 10 / 21})
    outside = density({0: 55 / 210, 1: 110 / 210, 2: 45 / 210})
    step = (t[1] - t[0]) / (1.5 * math.sqrt(2 * math.pi))
    for epsilon, above in ((found.lower, True), (found.upper, False)):
        most = max(
            float(np.maximum(p - math.exp(epsilon) * q, 0.0).sum() * step)
            for p, q in ((inside, outside), (outside, inside))
        )
        assert most >= 0.01 * (1 - 1e-6) if above else most <= 0.01 * (1 + 1e-6)
