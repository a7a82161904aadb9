"""Which members make a cell, which column it is about, and what comes of lists without one."""

import attrs
import numpy as np
import pytest

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian
from deniable.numerics.effort import Effort
from deniable.population import real_sums
from deniable.population.api.integer_vectors import IntegerVectors, bound_vectors
from deniable.population.question import Question, Summands
from deniable.population.swaps import Members, bound_within_cells, number_epsilon

DELTA = 1e-6


def incomes(number, seed=0, most=200_000):
    rng = np.random.default_rng(seed)
    return np.rint(np.minimum(rng.lognormal(10.5, 0.8, number), most)).astype(np.int64)


def members(columns, size, scales, *, squares=True):
    values, counts = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    return Members(values, counts, size, np.asarray(scales, float), squares)


def of(members, wanted=1.0, lost=None):
    return bound_within_cells(
        members, DELTA, wanted, np.zeros(members.values.shape[1]) if lost is None else lost
    )


def cell(values, members, scale, wanted=1.0):
    distinct, counts = np.unique(values, return_counts=True)
    made = real_sums.Cell(distinct, counts, members.population, members.size)
    return real_sums.bound_cell(made, Gaussian(scale), DELTA, wanted, on_lattice=False)


def test_a_bin_is_a_cell_with_those_at_the_bound_of_the_sum():
    """So many incomes are cut off at one value that it is a cell of its own at first."""
    income, bins = incomes(4000, most=60_000), np.arange(4000) % 2
    list_ = members([income, bins], 2000, [3e5, 9.0])
    expected = max(cell(income[bins == each], list_, 3e5) for each in (0, 1))
    assert of(list_) == pytest.approx(expected, rel=1e-12)


def test_sums_by_group_are_cells_of_one_column_each_and_zeros_join_them():
    income, group = incomes(300), np.arange(300) % 3
    income[:20] = 0
    columns = [np.where(group == each, income, 0) for each in range(3)]
    list_ = members(columns, 150, [8e5, 9e5, 1e6])
    worst = []
    # The zeros join whichever group is the largest: of equal ones the first in order of values.
    for joined in range(3):
        parts = [income[(group == each) & (income > 0)] for each in range(3)]
        parts[joined] = np.append(parts[joined], np.zeros((income == 0).sum(), int))
        scales = (8e5, 9e5, 1e6)
        worst.append(
            max(cell(part, list_, scale) for part, scale in zip(parts, scales, strict=True))
        )
    assert any(of(list_) == pytest.approx(each, rel=1e-12) for each in worst)


def test_a_cell_of_equal_members_tells_its_number():
    """The second bin has one income, and no other cell that it could join."""
    income, bins = incomes(3000), (np.arange(3000) % 3 == 0).astype(int)
    income[bins == 1] = 7
    list_ = members([income, bins], 1500, [1e9, 9.0])
    number = number_epsilon(1000, list_, DELTA)
    assert of(list_) == pytest.approx(max(number, cell(income[bins == 0], list_, 1e9)), rel=1e-12)


def test_two_columns_of_many_values_in_one_cell_are_another_question():
    list_ = members([incomes(3000), incomes(3000, 1)], 1500, [1e9, 1e9])
    assert of(list_) == np.inf


def test_a_cell_of_two_has_no_bound_and_is_looked_at_first():
    bins = np.append(np.zeros(20_000, int), [1, 1])
    list_ = members([incomes(20_002), bins], 10_001, [1e6, 9.0])
    assert of(list_) == np.inf


def test_it_is_above_what_is_certain_of_the_sum_alone():
    income, bins = incomes(2000), np.arange(2000) % 2
    list_ = members([income, bins], 1000, [8e5, 9.0])
    worst = int(np.abs(income - income.mean()).argmax())
    question = Question(Summands(income.astype(float)), 1000, DELTA, [worst])
    least = real_sums.bracket(question, Gaussian(8e5), Effort()).maximum().lower
    assert least <= of(list_) <= 2 * least


def test_coarse_noise_is_looked_at_on_whole_numbers():
    visits, bins = incomes(1200) // 2000, np.arange(1200) % 2
    list_ = members([visits, bins], 600, [200.0, 9.0])
    real, whole = of(list_), of(list_, lost=np.array([1.0, 0.0]))
    assert whole == pytest.approx(real, rel=3e-3)
    # Whole Laplace noise is looked at as real noise only.
    assert of(attrs.evolve(list_, squares=False), lost=np.array([1.0, 0.0])) == np.inf


@pytest.mark.parametrize("noise", [DiscreteGaussian, DiscreteLaplace])
def test_vectors_are_answered_by_cells_where_nothing_else_answers(noise):
    income, bins = incomes(400), np.arange(400) % 2
    vectors = np.stack([income, bins, 1 - bins], axis=1)
    data = IntegerVectors(vectors, np.ones(400, int), 200)
    scales = np.array([1.5e6, 9.0, 9.0])
    answer = bound_vectors(data, scales, noise, 1e-4, 1.0, Effort())
    assert answer.method == "cells"
    assert 0.2 < answer.bound.upper <= 1.0
    # With less noise it is missed, and whatever is given back misses it too.
    less = bound_vectors(data, scales / 30, noise, 1e-4, 0.2, Effort(time_limit=1.0))
    assert less is None or less.bound.upper > 0.2
