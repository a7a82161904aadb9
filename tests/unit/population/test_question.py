import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.population.question import Ones, Question, SampleFunction, Summands, sample_size
from tests.cases.refusals import refuses

COLUMN = Summands([0.0, 1.0, 5.0])


def test_sample_sizes():
    assert sample_size(3, 4) == 3
    for size, message in [
        (4, "1-at-most-size-below-number: 4"),
        (9, "1-at-most-size-below-number: _ | 9"),
        (0, "below-least: _ | 1"),
        (1.5, "not-whole"),
    ]:
        with refuses(InvalidArgument, message):
            sample_size(size, 4)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"size": 3}, "1-at-most-size-below-number: 3 | 3"),
        ({"size": 0}, "below-least: size | 1"),
        ({"delta": 1.0}, "0-at-most-delta-below-1"),
        ({"delta": -0.1}, "not-from-0-to-1: delta"),
        ({"delta": float("nan")}, "not-a-number: delta"),
        ({"records": "best"}, "not-one-of: records | worst, all"),
        ({"records": [3]}, "records-from-0-to-at-least: 2 | [3]"),
        ({"records": [-1]}, "below-least: records | 0"),
        ({"records": []}, "at-least-one"),
        ({"records": [1, 1]}, "every-record-once: [1, 1]"),
    ],
)
def test_what_cannot_be_asked(changed, message):
    with refuses(InvalidArgument, message):
        Question(**({"data": COLUMN, "size": 2, "delta": 0.1} | changed))


@pytest.mark.parametrize(
    ("records", "targets"), [("worst", [0, 1, 2]), ("all", [0, 1, 2]), ([2, 0], [2, 0])]
)
def test_records_meant(records, targets):
    assert Question(COLUMN, np.int64(2), 0.1, records).targets.tolist() == targets


def test_kinds_of_data():
    assert (COLUMN.population, COLUMN.columns, COLUMN.constant) == (3, 1, False)
    assert Summands([[1.0, 2.0], [1.0, 2.0]]).constant
    assert [Ones(ones, 5).constant for ones in (0, 3, 5)] == [True, False, True]
    assert SampleFunction(np.median, [1, 2]).population == 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((6, 5), "0-at-most-ones-at-most: 5"),
        ((-1, 5), "below-least: ones | 0"),
        ((0, 1), "below-least: population | 2"),
    ],
)
def test_counts_that_cannot_be(given, message):
    with refuses(InvalidArgument, message):
        Ones(*given)


@pytest.mark.parametrize("rows", [3.0, [], [1.0, float("nan")]])
def test_rows_are_finite(rows):
    with refuses(InvalidArgument, "expects-something"):
        SampleFunction(np.median, rows)
