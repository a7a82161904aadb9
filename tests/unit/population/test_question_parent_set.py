import tracemalloc

import numpy as np
import pytest

from deniable.errors import DataError, InvalidArgument
from deniable.population import question as data
from tests.cases.refusals import refuses


def written(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "x.csv"
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1\n2.5\n-3e2\n", [[1.0], [2.5], [-300.0]]),
        ("1,2\r\n3, 4\r\n", [[1.0, 2.0], [3.0, 4.0]]),
        ("\ufeff7\n", [[7.0]]),
        ("1\n\n2", [[1.0], [2.0]]),
        ("5,5\n5,5\n", [[5.0, 5.0], [5.0, 5.0]]),
    ],
)
def test_numbers_without_a_header(tmp_path, text, expected):
    found = data.numbers(written(tmp_path, text))
    assert found.tolist() == expected
    assert found.dtype == np.float64
    assert data.numbers(str(written(tmp_path, text))).tolist() == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at-least-one-record-none"),
        ("\n \n", "at-least-one-record-none"),
        ("age,visits\n1,2\n", "line-1-of-column-1"),
        ("1,2\n3,secret\n", "something-else-at-line-2"),
        ("1,2\n3\n", "numbers-line: 2 | 1 | line 2 of"),
        ("1\n2,3\n", "numbers-line: 1 | 2 | line 2 of"),
        ("1\nnan\n", "finite-numbers-at-line-2"),
        ("1\n\ninf\n", "finite-numbers-at-line-3"),
        ("1e200\n", "size-at-most-1e100-something: line 1"),
        ("1;2\n", "something-else: line 1"),
        ("1,\n2,3\n", "something-else-at-line-1"),
        ("1 2\n", "something-else: line 1"),
        ("# 1\n2\n", "something-else: line 1"),
    ],
)
def test_files_that_are_no_tables_of_numbers(tmp_path, text, message):
    with refuses(DataError, message) as caught:
        data.numbers(written(tmp_path, text))
    assert "secret" not in str(caught.value)


def test_what_is_wrong_in_a_large_file_is_found_without_holding_it(tmp_path):
    path = written(tmp_path, "age\n" + "12.5\n" * 200_000)
    tracemalloc.start()
    try:
        with refuses(DataError, "line-1-of-column-1"):
            data.numbers(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < path.stat().st_size


def test_a_file_in_another_encoding(tmp_path):
    with refuses(DataError, "utf-8-text"):
        data.numbers(written(tmp_path, "é\n", "latin-1"))


def test_no_file(tmp_path):
    with refuses(InvalidArgument, "csv-file-of-candidates-not"):
        data.numbers(tmp_path / "none.csv", "candidates")


def test_arrays():
    assert data.numbers([1, 2, 3]).shape == (3, 1)
    assert data.numbers([[1, 2], [3, 4]]).shape == (2, 2)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([[1.0, np.nan]], "finite-and-at-most-1e100: _ | 0 | 1"),
        ([np.inf], "finite-and-at-most-1e100: _ | 0 | 0"),
        ([1e101], "finite-and-at-most-1e100"),
        ([], "at-least-one-shape"),
        (np.zeros((2, 2, 2)), "at-least-one-shape: (2, 2, 2)"),
        (3.0, "at-least-one-shape-records"),
        (["a"], "numbers-record-row: records"),
        ([[1.0], [1.0, 2.0]], "numbers-record-row: records"),
        (None, "finite-and-at-most-1e100: _ | 0"),
    ],
)
def test_arrays_that_are_no_records(value, message):
    with refuses(InvalidArgument, message):
        data.numbers(np.atleast_1d(np.array(np.nan)) if value is None else value)


def test_clipping_scales_to_the_norm():
    rows = np.array([[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]])
    found = data.clip_records(rows, 1.0)
    assert found == pytest.approx(np.array([[0.6, 0.8], [0.3, 0.4], [0.0, 0.0]]))
    wild = np.random.default_rng(0).normal(size=(2000, 7)) * 1e5
    norms = np.sqrt((data.clip_records(wild, 0.1).astype(np.longdouble) ** 2).sum(axis=1))
    assert norms.max() <= np.longdouble(0.1)


def test_clipping_one_column_keeps_whole_numbers_whole():
    found = data.clip_records(np.array([[-9.0], [2.0], [7.0]]), 5)
    assert found.tolist() == [[-5.0], [2.0], [5.0]]


@pytest.mark.parametrize("clip", [0.0, -1.0, float("nan"), float("inf"), "x"])
def test_no_clip(clip):
    with refuses(InvalidArgument, "names-argument: clip"):
        data.clip_records(np.array([[1.0], [2.0]]), clip)


def test_a_clip_that_leaves_nothing():
    with refuses(InvalidArgument, "choose-larger-clip-or-centre"):
        data.clip_records(np.array([[5.0], [7.0]]), 2.0)
    assert data.clip_records(np.array([[5.0], [5.0]]), 2.0).tolist() == [[2.0], [2.0]]


def test_one_column_and_whole_numbers():
    assert data.only_column(np.array([[1.0], [2.0]]), "Laplace").tolist() == [1.0, 2.0]
    with refuses(InvalidArgument, "one-column-for-noise: Laplace | 2"):
        data.only_column(np.ones((3, 2)), "Laplace")
    assert data.as_integers(np.array([1.0, -2.0]), "discrete").tolist() == [1, -2]
    for wrong in (0.5, 2.0**52):
        with refuses(InvalidArgument, "whole-numbers-up-to-2"):
            data.as_integers(np.array([1.0, wrong]), "discrete")
