import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.population.question import Ones, Question, SampleFunction, Summands, sample_size

COLUMN = Summands([0.0, 1.0, 5.0])


def test_sample_sizes():
    assert sample_size(3, 4) == 3
    for size, message in [(4, "1 <= size < 4"), (9, "got size=9"), (0, ">= 1"), (1.5, "whole")]:
        with pytest.raises(InvalidArgument, match=message):
            sample_size(size, 4)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"size": 3}, "Expected 1 <= size < 3, the number of records, got size=3"),
        ({"size": 0}, "size >= 1"),
        ({"delta": 1.0}, "Expected 0 <= delta < 1"),
        ({"delta": -0.1}, "delta"),
        ({"delta": float("nan")}, "delta"),
        ({"records": "best"}, "Expected records to be one of worst, all"),
        ({"records": [3]}, r"Expected records from 0 to 2, at least one, got \[3\]"),
        ({"records": [-1]}, "records >= 0"),
        ({"records": []}, "at least one"),
        ({"records": [1, 1]}, r"Expected every record once, got \[1, 1\]"),
    ],
)
def test_what_cannot_be_asked(changed, message):
    with pytest.raises(InvalidArgument, match=message):
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
    [((6, 5), "Expected 0 <= ones <= 5"), ((-1, 5), "ones >= 0"), ((0, 1), "population >= 2")],
)
def test_counts_that_cannot_be(given, message):
    with pytest.raises(InvalidArgument, match=message):
        Ones(*given)


@pytest.mark.parametrize("rows", [3.0, [], [1.0, float("nan")]])
def test_rows_are_finite(rows):
    with pytest.raises(InvalidArgument, match="Expected"):
        SampleFunction(np.median, rows)
