import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteLaplace
from deniable.population.question import Ones, Question, Summands
from deniable.population.whole_sums import bracket
from deniable.population.work.effort import Effort

NOISE = DiscreteLaplace(1.5)


@pytest.mark.parametrize("delta", [0.0, 0.05])
def test_a_count_is_the_sum_of_zeros_and_ones(delta):
    column = Summands([1, 1, 1, 0, 0, 0, 0])
    listed = bracket(Question(column, 2, delta, [0, 2, 3]), NOISE, Effort())
    counted = bracket(Question(Ones(3, 7), 2, delta, [0, 2, 3]), NOISE, Effort())
    assert (listed.method, counted.method) == ("lattice", "hypergeometric")
    assert counted.records.tolist() == [0, 2, 3]
    assert counted.upper == pytest.approx(listed.upper, abs=1e-9)


def test_both_kinds_of_records():
    found = bracket(Question(Ones(3, 7), 2), NOISE, Effort())
    assert found.records.tolist() == [0, 3]
    assert bracket(Question(Ones(7, 7), 2), NOISE, Effort()).upper.tolist() == [0.0]


def test_without_time_the_noise_alone_bounds():
    found = bracket(Question(Ones(300, 1000), 100), NOISE, Effort(time_limit=1e-9))
    assert found.lower.tolist() == [0.0, 0.0]
    assert found.upper == pytest.approx([1 / 1.5] * 2)


@pytest.mark.parametrize(
    ("values", "message"),
    [([[1, 2], [3, 4]], "one column for discrete-laplace noise"), ([0.5, 1], "whole numbers")],
)
def test_one_column_of_whole_numbers(values, message):
    with pytest.raises(InvalidArgument, match=message):
        bracket(Question(Summands(values), 1), NOISE, Effort())
