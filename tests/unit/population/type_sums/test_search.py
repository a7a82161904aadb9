"""Upper ends from draws of sums and choices, beside brute force over all samples."""

import functools
import math

import numpy as np
import pytest

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, NoisyTopK
from deniable.numerics.effort import Effort
from deniable.population.question import Selection
from deniable.population.type_sums import ColumnNoise
from deniable.population.type_sums.search import NoisySum, upper_bounds
from tests.cases.effort import some_pairs
from tests.oracles.selections import delta_at, selection_law

KINDS = {DiscreteLaplace: "exponential", DiscreteGaussian: "gumbel"}
ADDED = [0, 1, 1]


def of_sample(noise, number, sum_scale, scale):
    power = 1 if noise is DiscreteLaplace else 2
    grid = range(-40, 46)
    norm = sum(math.exp(-((abs(k) / sum_scale) ** power) / power) for k in range(-300, 301))

    @functools.cache
    def law_of(sample):
        total = sum(ADDED[kind] for kind in sample)
        law = selection_law([sample.count(i) for i in range(3)], number, scale, KINDS[noise])
        return {
            (o, y): p * math.exp(-((abs(y - total) / sum_scale) ** power) / power) / norm
            for o, p in law.items()
            for y in grid
        }

    return lambda sample: law_of(tuple(sorted(sample)))  # whose order says nothing


@pytest.mark.parametrize(
    ("noise", "case"),
    some_pairs([DiscreteLaplace, DiscreteGaussian], [((4, 3, 3), 5), ((3, 3, 2), 2)]),
)
def test_choices_beside_a_sum_are_bounded_in_both_directions(noise, case):
    """Half of the members among them: choices of those left out are no mirror image.

    From one direction alone the first case would be bounded by .337, with .39 the truth.
    """
    (counts, size), delta, number, sum_scale, scale = case, 1e-3, 2, 3.0, 8.0
    choice = Selection(np.eye(3, dtype=int)[:, None], False, NoisyTopK(scale, number, KINDS[noise]))
    rows = np.array(ADDED) - np.dot(counts, ADDED) / sum(counts)
    released = NoisySum(
        np.array(counts), rows[:, None], size, ColumnNoise(noise, [sum_scale]), delta, (choice,)
    )
    effort = Effort(confidence=1 - 1e-6, gap=1.0)
    found = upper_bounds(released, np.arange(3), np.zeros(3), np.full(3, 0.4), effort)
    kinds = [kind for kind, many in enumerate(counts) for _ in range(many)]
    release = of_sample(noise, number, sum_scale, scale)
    assert delta_at(kinds, size, release, float(found.upper.max())) <= delta
    assert delta_at(kinds, size, release, float(found.upper.max()) * 0.8) > delta
