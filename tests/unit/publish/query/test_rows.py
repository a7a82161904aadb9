import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteLaplace, NoisyTopK
from deniable.publish.query import CellRows, Grouping, published
from deniable.publish.statistics import Count, Entities, Mean, Sum
from tests.cases.refusals import refuses

NOISE, CHOICE = DiscreteLaplace(2.0), NoisyTopK(2.0, 1, "exponential")


def test_groups_name_the_keys_in_cell_order():
    grouping = Grouping(("plan", "year"), (("free", "shared"), (1, 2)))
    assert grouping.groups()[1:3] == [
        {"plan": "free", "year": 2},
        {"plan": "shared", "year": 1},
    ]
    assert Grouping().groups() == [{}]


def test_widths_are_in_steps():
    assert published.half_width(NOISE, 0.5) == 0.5 * NOISE.half_width(0.95)
    assert published.score_width(CHOICE, 10, 0.25) == 0.25 * CHOICE.score_gap(10, 0.95)


@pytest.mark.parametrize("mechanism", [None, CHOICE])
def test_a_number_needs_noise_on_numbers(mechanism):
    with refuses(InvalidArgument, "noise-on-numbers-none"):
        published.half_width(mechanism)


@pytest.mark.parametrize("mechanism", [None, NOISE])
def test_a_choice_needs_a_selection(mechanism):
    with refuses(InvalidArgument, "noisy-selection"):
        published.score_width(mechanism, 10)


CELLS = Grouping(("plan", "year"), (("free", "shared"), (1, 2)))
NUMBERS = np.array([5, -(2**62) - 1, 0, 7])
MANY = [
    (Count(), [NUMBERS], [NOISE]),
    (Count(scaled=True), [NUMBERS], [NOISE]),
    (Entities(), [NUMBERS], [NOISE]),
    (Sum("age", (0, 100)), [NUMBERS], [NOISE]),
    (Mean("age", (0, 100)), [NUMBERS, np.array([1, 0, -3, 9])], [NOISE, NOISE]),
]


@pytest.mark.parametrize(("statistic", "noisy", "noises"), MANY)
def test_what_an_attack_reads_is_what_the_rows_hold(statistic, noisy, noises):
    rows = statistic.rows("q", CELLS, noisy, noises)
    assert isinstance(rows, CellRows)
    both = [[row.value, row.half_width_95] for row in rows]
    assert rows.values_and_half_widths().tolist() == both
    assert [type(number) for pair in both for number in pair] == [float] * (2 * len(rows))
    assert [row.groups for row in rows] == [keys for keys in CELLS.groups() for _ in noisy]
    assert rows == list(rows)
    assert rows[-1] == list(rows)[-1] != rows[0]


@pytest.mark.parametrize(("statistic", "noisy", "noises"), MANY)
def test_of_no_cells_there_are_no_rows(statistic, noisy, noises):
    none = Grouping(("plan",), ((),))
    rows = statistic.rows("q", none, [each[:0] for each in noisy], noises)
    assert len(rows) == 0
    assert list(rows) == []
    assert rows.values_and_half_widths().shape == (0, 2)


def test_a_number_too_many_is_refused():
    with pytest.raises(ValueError, match="zip"):
        list(Count().rows("q", CELLS, [np.arange(5)], [NOISE]))
