"""Upper ends of large lists: above what other engines know for certain, and of use."""

import attrs
import numpy as np
import pytest

from deniable.mechanisms import Gaussian
from deniable.numerics.effort import Effort
from deniable.population import real_sums
from deniable.population.question import Question, Summands
from deniable.population.swaps import FEWEST_MEMBERS, Members, corners, upper_bound

DELTA = 1e-6


def incomes(number, seed=0):
    rng = np.random.default_rng(seed)
    return np.rint(np.minimum(rng.lognormal(10.5, 0.8, number), 200_000)).astype(np.int64)


def one_column(column, size, scale):
    """The certain lower end of a sum of one column."""
    worst = int(np.abs(column - column.mean()).argmax())
    question = Question(Summands(column.astype(float)), size, DELTA, [worst])
    return float(real_sums.bracket(question, Gaussian(scale), Effort()).maximum().lower)


def members(columns, size, scales, *, squares=True):
    values, counts = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    return Members(values, counts, size, np.asarray(scales, float), squares)


@pytest.mark.parametrize(("number", "size"), [(20_000, 10_000), (20_000, 5000)])
def test_a_sum_is_bounded_above_what_is_certain_and_not_far_above(number, size):
    column, scale = incomes(number), 200_000.0
    least = one_column(column, size, scale)
    found = upper_bound(members([column], size, [scale]), DELTA)
    assert least <= found <= 8 * least


def test_several_columns_of_several_scales_tell_at_least_what_each_tells():
    income, age = incomes(40_000), np.random.default_rng(1).integers(18, 90, 40_000)
    columns = [income, (age < 40).astype(int), (age >= 65).astype(int), age]
    scales = [400_000.0, 9.0, 4.0, 150.0]
    found = upper_bound(members(columns, 20_000, scales), DELTA)
    assert max(one_column(income, 20_000, 4e5), one_column(age, 20_000, 150.0)) <= found
    assert found < 4


@pytest.mark.parametrize("squares", [True, False])
def test_more_noise_and_more_members_hide_more(squares):
    def of(number, scale):
        columns = [incomes(number), np.arange(number) % 3]
        return upper_bound(members(columns, number // 2, [scale, 5.0], squares=squares), DELTA)

    assert of(20_000, 4e5) < of(5000, 4e5)
    assert of(20_000, 4e6) <= of(20_000, 4e5)


def test_columns_are_measured_in_units_of_their_noise():
    """A column and its noise ten times as large tell as much."""
    once = members([incomes(10_000), np.arange(10_000) % 2], 5000, [2e5, 6.0])
    tens = attrs.evolve(once, values=once.values * [1, 10], scales=once.scales * [1, 10])
    assert upper_bound(tens, DELTA) == pytest.approx(upper_bound(once, DELTA), rel=1e-12)


def test_someone_far_from_all_others_is_hidden_by_noise_alone():
    column = np.append(np.arange(5000), 10_000_000)
    scale = 1e6
    found = upper_bound(members([column], 2500, [scale]), DELTA)
    assert found > one_column(column, 2500, scale)
    assert found > 10


def test_a_list_that_is_too_small_gets_no_bound():
    assert upper_bound(members([np.arange(FEWEST_MEMBERS - 1)], 50, [1e9]), DELTA) == np.inf


def test_corners_enclose_every_cell():
    columns = np.stack([np.arange(300) % 2, np.arange(300)], axis=1)
    found = corners(columns, np.ones(300, int))
    for cell in (0, 1):
        inside = columns[columns[:, 0] == cell][:, 1]
        ends = found[found[:, 0] == cell][:, 1]
        assert ends.min() == inside.min()
        assert ends.max() == inside.max()
