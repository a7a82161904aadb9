"""A file is read once, by as many ways as a pattern may find it, and in one order."""

import itertools
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.notions import Adjacency
from deniable.publish.query import Protection, Query
from deniable.publish.sources.reader import files
from deniable.publish.sources.table import Source
from deniable.publish.statistics import Count
from deniable.publish.totals.aggregate import exact_totals

PLACES = ["x", "a/y", "a/b/z"]


def tree(folder, suffix):
    """One row in each of three files, at three depths."""
    for number, place in enumerate(PLACES):
        path = folder / "sub" / f"{place}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        if suffix == "parquet":
            pq.write_table(pa.table({"p": [str(number)]}), path)
        else:
            path.write_text(f"p\n{number}\n")
    return folder


def rows(folder, pattern):
    protection = Protection(Adjacency.ADD_REMOVE, 1)
    work = [(Query("n", Count()), protection)]
    # Without an entity column: each row is one, and a row that is read twice counts twice.
    (found,) = exact_totals(Source(pattern, folder), None, work)
    return int(found.sum())


PATTERNS = [
    "sub/**/**/*.{}",
    "sub/**/*.{}",
    "**/**/**/*.{}",
    "sub/../sub/**/*.{}",
    "./sub//**/*.{}",
]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_file_found_by_several_ways(tmp_path, pattern, suffix):
    assert rows(tree(tmp_path, suffix), pattern.format(suffix)) == len(PLACES)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_links_are_the_file_they_lead_to(tmp_path, suffix):
    tree(tmp_path, suffix)
    first = tmp_path / "sub" / f"x.{suffix}"
    (tmp_path / "sub" / f"a symbolic link.{suffix}").symlink_to(first)
    (tmp_path / "sub" / f"a relative link.{suffix}").symlink_to(f"a/y.{suffix}")
    os.link(first, tmp_path / "sub" / f"a hard link.{suffix}")
    (tmp_path / "sub" / "a folder").symlink_to(tmp_path / "sub" / "a", target_is_directory=True)
    (tmp_path / "sub" / "a" / "b" / "a loop").symlink_to(tmp_path / "sub")
    (tmp_path / "sub" / f"broken.{suffix}").symlink_to(tmp_path / "nothing")
    for pattern in (f"sub/**/*.{suffix}", f"sub/**/**/*.{suffix}"):
        assert rows(tmp_path, pattern) == len(PLACES)


def test_the_order_is_that_of_the_names_and_the_first_name_counts(tmp_path):
    tree(tmp_path, "csv")
    os.link(tmp_path / "sub" / "x.csv", tmp_path / "sub" / "a" / "z.csv")
    for pattern in ("sub/**/*.csv", "sub/**/**/*.csv"):
        found = files(Source(pattern, tmp_path))
        names = [str(path.relative_to(tmp_path)) for path in found]
        assert names == ["sub/a/b/z.csv", "sub/a/y.csv", "sub/a/z.csv"]


ODD = ["[ab].{}", "a*.{}", "a?.{}", "**.{}", "{{a,b}}.{}", "g=1/h=2/x.{}", 'it\'s "x".{}', "%20.{}"]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("name", ODD)
def test_a_name_that_looks_like_a_pattern_is_one_file(tmp_path, name, suffix):
    """And the folders g=1/h=2 are no columns g and h, though the file has some of that name."""
    for number, place in enumerate(
        [name.format(suffix), f"a.{suffix}", f"ab.{suffix}", f"b.{suffix}"]
    ):
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        columns = {"g": [f"g{number}"] * (number + 1), "h": ["h"] * (number + 1)}
        if suffix == "parquet":
            pq.write_table(pa.table(columns), path)
        else:
            lines = itertools.chain(["g,h"], map(",".join, zip(*columns.values(), strict=True)))
            path.write_text("\n".join(lines))
    assert rows(tmp_path, name.format(suffix)) == 1
