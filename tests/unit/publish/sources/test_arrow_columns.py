"""What is scanned of an Arrow table is what each of its rows says."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from deniable.certificate.results import whole_numbers
from deniable.publish.sources import exact, scanned_type, without_categories

RUNS = pa.RunEndEncodedArray.from_arrays(
    pa.array([2, 3, 7], pa.int32()), pa.array(["a", None, "b"])
)
WORDS = ["a", "a", None, "b", "b", "b", "b"]


def test_types_that_are_scanned():
    assert scanned_type(pa.timestamp("ns", "Asia/Tokyo")) == pa.timestamp("ns")
    assert scanned_type(pa.timestamp("us", "Asia/Tokyo")) == pa.timestamp("us", "Asia/Tokyo")
    assert scanned_type(RUNS.type) == pa.string()
    assert scanned_type(pa.int8()) == pa.int8()


@pytest.mark.parametrize("of", [pa.int64(), pa.int32(), pa.uint8()])
@pytest.mark.parametrize("pieces", [[], [[]], [[0, 7]], [[1, 2], [], [3]]])
def test_whole_numbers_are_what_arrow_makes_of_them(of, pieces):
    column = pa.chunked_array([pa.array([9, *each], of).slice(1) for each in pieces], of)
    numbers = whole_numbers(column)
    assert numbers.dtype == np.int64
    assert numbers.tolist() == column.to_pylist()


def test_whole_numbers_are_all_there():
    extremes = [-(2**63), 2**63 - 1]
    assert whole_numbers(pa.chunked_array([extremes])).tolist() == extremes
    with pytest.raises(TypeError, match="null"):
        whole_numbers(pa.chunked_array([[1, None]]))


@pytest.mark.parametrize("start", range(8))
@pytest.mark.parametrize("length", range(8))
def test_a_slice_of_runs_begins_where_it_begins(start, length):
    pieces = pa.chunked_array([RUNS.slice(start, length), RUNS])
    rows = exact(pa.table({"x": pieces}))
    assert rows["x"].type == pa.string()
    assert rows["x"].to_pylist() == WORDS[start : start + length] + WORDS


@pytest.mark.parametrize(
    "values",
    [
        pa.array(["a", None, "b"]).dictionary_encode(),
        pa.array(["a", None, "b"], pa.string_view()),
        pa.array([b"a" * 16, None, b"b" * 16], pa.uuid()),
        pa.array([1, None, 2], pa.decimal64(9, 2)),
    ],
    ids=lambda values: str(values.type),
)
def test_runs_of_values_of_any_type(values):
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3, 7], pa.int32()), values)
    given = values.to_pylist()
    expected = [given[0], *given[1:2], *[given[2]] * 4]
    found = exact(pa.table({"x": runs.slice(1)}))["x"]
    assert found.to_pylist() == expected
    assert found.type == scanned_type(runs.type)


def test_no_metadata_stays():
    said = {"ARROW:extension:name": "arrow.bool8", "ARROW:extension:metadata": ""}
    schema = pa.schema([pa.field("x", pa.int8(), metadata=said)], metadata={"pandas": "{}"})
    found = exact(pa.table([pa.array([5], pa.int8())], schema=schema)).schema
    assert found.metadata is None
    assert found.field("x").metadata is None


def test_categories_as_their_values():
    words = pa.array(WORDS).dictionary_encode()
    schema = pa.schema([("x", words.type), ("y", pa.int8())])
    assert without_categories(schema) == pa.schema([("x", pa.string()), ("y", pa.int8())])
    assert pc.run_end_decode(RUNS).to_pylist() == WORDS  # the oracle of the first test
