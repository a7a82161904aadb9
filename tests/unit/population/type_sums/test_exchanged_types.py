"""δ = 0 from exchanges of types, beside every likelihood that keeps to them."""

import itertools
import math

import numpy as np
import pytest

from deniable.mechanisms import DiscreteLaplace
from deniable.numerics.effort import Effort
from deniable.population import count, type_sums
from deniable.population.question import Question, Types


def ratio(people, size, record, likelihood):
    sums = [0.0, 0.0]
    for sample in itertools.combinations(range(len(people)), size):
        sums[record not in sample] += likelihood(sample)
    many = len(people)
    return (sums[0] / math.comb(many - 1, size - 1)) / (sums[1] / math.comb(many - 1, size))


@pytest.mark.parametrize("size", [1, 3, 6])
def test_no_likelihood_that_keeps_to_the_distances_tells_more(size):
    rng = np.random.default_rng(size)
    counts = np.array([3, 1, 3])
    people = np.repeat(np.arange(3), counts)
    for _ in range(40):
        # ln w = a metric's Lipschitz function: the least over anchors of costs of getting there.
        slopes = rng.normal(size=(4, 3))
        shift = rng.normal(size=4)
        distances = np.abs(slopes[:, :, None] - slopes[:, None]).max(axis=0)

        def likelihood(sample, slopes=slopes, shift=shift):
            held = np.bincount(people[list(sample)], minlength=3)
            return math.exp(float((slopes @ held + shift).min()))

        ends = type_sums.exchanged(distances, counts, size)
        for record, kind in enumerate(people):
            assert abs(math.log(ratio(people, size, record, likelihood))) <= ends[kind] + 1e-12


@pytest.mark.parametrize(("counts", "size"), [([5, 9], 6), ([400, 700], 300), ([30_000, 5], 9)])
def test_two_types_are_a_count_with_laplace_noise(counts, size):
    scale = 2.5
    ends = type_sums.exchanged(np.array([[0, 0.4], [0.4, 0]]), np.array(counts), size)
    exact = count(counts[0], sum(counts), size, scale=scale).population_epsilon
    assert exact.lower * (1 - 1e-9) <= ends.max() <= exact.upper * (1 + 1e-6)


def test_a_cell_of_a_histogram_is_exact():
    cells = Types(np.eye(3), [40, 25, 8])
    exact = type_sums.bracket(Question(cells, 30, 0.0), DiscreteLaplace(4.0), Effort()).maximum()
    far = (1 - np.eye(3)) * 2 / 4.0
    ends = type_sums.exchanged(far, cells.counts, 30)
    assert exact.upper * (1 - 1e-9) <= ends.max() <= exact.upper * (1 + 1e-9)


def test_types_too_many_to_list_have_the_largest_factor_and_no_less():
    """Ten thousand and one of a type: a uniform slope, never below the listed one."""
    far = np.array([[0, 0.3, 0.1], [0.3, 0, 0.3], [0.1, 0.3, 0]])
    few = type_sums.exchanged(far, np.array([9_000, 10, 8_000]), 8_500)
    many = type_sums.exchanged(far, np.array([9_000, 10, 8_000]) * 10, 85_000)
    assert np.all(many >= few * 0.95)
    assert many.max() <= 0.3 * (1 + 1e-9)


def test_alike_tells_nothing_and_too_far_is_no_bound():
    counts = np.array([3, 4])
    assert type_sums.exchanged(np.zeros((2, 2)), counts, 2).tolist() == [0, 0]
    assert np.isinf(type_sums.exchanged(np.array([[0, 1e3], [1e3, 0]]), counts, 2)).all()
