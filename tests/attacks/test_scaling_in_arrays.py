"""Grouped sums that are scaled in arrays: no digit, cost or end may go by where a person's row is.

One row in the last of many public cells is a row as any other, memory that runs out is the one
sentence about it, and nothing that is said holds a number of the table.
"""

import subprocess
import sys
import traceback
import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from deniable.errors import DataError
from deniable.notions import Adjacency
from deniable.publish.sources import SpaceError, engine
from deniable.publish.statistics import Grouping, Protection, Query, Sum
from deniable.publish.totals import exact_totals, scale_contributions
from deniable.publish.totals.row_arrays import RowArrays
from tests.cases.frames import in_memory

FEW = {"entity": [1, 1, 2], "cell": [0, 1, 0], "units": [3, 4, 5]}
MANY_CELLS = 10**6


def with_one_more(cell):
    """The table and one person more, with a row in that cell."""
    more = {"entity": 3, "cell": cell, "units": 2}
    return pa.table({name: [*values, more[name]] for name, values in FEW.items()})


@pytest.mark.parametrize("limit", [100, 6, 1])
@pytest.mark.parametrize("memory", ["40MB", "1GB"])
def test_no_row_makes_more_rows_than_there_are(limit, memory):
    """What is kept for the engine: of four rows it was as many as there are cells before the last.

    With 2^24 public cells one row of one person takes 14 CPU seconds and 700 MB instead of .1 s,
    and with little memory the release ends with an error that it does not end with without her.
    """
    with engine("x", memory) as running:
        given = running.keep("given", with_one_more(MANY_CELLS - 1))
        scaled = scale_contributions(running, given, "entity", "cell", "units", limit)
        assert running.fetch_integer(scaled.count()) <= 2 * 4


@pytest.mark.parametrize("cell", [0, 2049])
def test_no_row_in_any_cell_ends_a_release_for_want_of_memory(cell):
    """Who is told that there was too little memory is told that somebody is in a late cell."""
    numbers = tuple(range(2050))
    grouping = Grouping(("a", "b"), (numbers, numbers))
    given = pa.table(
        {"e": [1, 1, 2, 3], "a": [0, 0, 0, cell], "b": [0, 1, 0, cell], "x": [3.0, 4.0, 5.0, 2.0]}
    )
    protection = Protection(Adjacency.ADD_REMOVE, None, 100.0)
    work = [(Query("q", Sum("x", (0, 10)), grouping, (), 100.0), protection)]
    (totals,) = exact_totals(in_memory(given), "e", work, memory_limit="34MB")
    assert int(totals.sum()) == 14 * 2**20


@pytest.mark.parametrize("part", [8, 16, 32])
def test_arrays_of_many_cells_keep_to_their_memory(part):
    """Of as many cells as are held: sums, what is made of them, and columns of all."""
    memory, limit = 2**26, 1
    arrays = RowArrays.within(memory, 2**53)
    last = memory // part - 2**12
    if not arrays.add(with_one_more(last)):
        return  # not held: the engine has them
    above = arrays.rank(limit)
    sums = (above + 1) * arrays.cells
    tracemalloc.start()
    try:
        if arrays.fits(sums):
            arrays.scaled(above, limit)
        else:
            names = ["entity", "cell", "units"]
            for _ in arrays.apart(above, names):
                pass
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak + arrays.nbytes <= memory * 1.1


# Memory that runs out: whether the engine has it or arrays, the same sentence.


PEOPLE = 2000
PROTECTION = Protection(Adjacency.ADD_REMOVE, None, 8.0)
GROUPS = tuple(range(20))
WORK = [
    (Query("q", Sum("x", (0, 10)), Grouping(("g",), (GROUPS,)), (), 8.0), PROTECTION),
]


def people():
    """Each has two rows; about a third pass the limit."""
    draw = np.random.default_rng(1)
    owners = np.repeat(np.arange(PEOPLE), 2)
    groups = draw.integers(0, len(GROUPS), len(owners))
    return pa.table({"e": owners, "g": groups, "x": draw.uniform(0, 10, len(owners))})


def said_when_memory_ends(monkeypatch, place):
    def without_memory(*_):
        raise MemoryError("Unable to allocate 532. KiB for an array with shape (68066,)")

    monkeypatch.setattr(RowArrays, place, without_memory)
    with pytest.raises((DataError, MemoryError)) as caught:
        exact_totals(in_memory(people()), "e", WORK, memory_limit="40MB")
    return caught.value


@pytest.mark.parametrize("place", ["within", "add", "rank", "scaled"])
def test_arrays_without_memory_are_the_sentence_about_memory(monkeypatch, place):
    """NumPy says how large the array was: the exact number of people above the limit."""
    error = said_when_memory_ends(monkeypatch, place)
    assert "68066" not in "".join(traceback.format_exception(error))
    assert isinstance(error, SpaceError)


def test_rows_set_apart_without_memory_are_no_damaged_file(monkeypatch):
    def without_memory(*_):
        raise MemoryError("Unable to allocate 532. KiB for an array with shape (68066,)")
        yield

    monkeypatch.setattr(RowArrays, "_apart", without_memory)
    monkeypatch.setattr(RowArrays, "fits", lambda arrays, sums: sums != 2 * arrays.cells)
    with engine("x", "40MB") as running:
        given = running.keep("given", pa.table(FEW))
        with pytest.raises(DataError) as caught:
            scale_contributions(running, given, "entity", "cell", "units", 6)
    assert isinstance(caught.value, SpaceError)


PROGRAM = """
import resource, sys
import pyarrow as pa
import ibis, duckdb
from tests.attacks.test_scaling_in_arrays import WORK, people
from deniable.publish.totals import exact_totals
from tests.cases.frames import in_memory

exact_totals(in_memory(people()), "e", WORK, memory_limit="40MB")
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 450 * 2**20,) * 2)
exact_totals(in_memory(people()), "e", WORK, memory_limit="1GB")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits memory as Linux does")
def test_a_small_table_is_added_up_in_a_process_with_little_memory():
    """A limit that is larger than what there is asks for no memory before a row is read."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr[-300:]


def test_arrays_show_no_number_of_a_person():
    """Of an error on the way programs print what functions hold."""
    arrays = RowArrays.within(2**25, 2**53)
    arrays.add(pa.table({"entity": [80155512], "cell": [0], "units": [77007]}))
    assert "80155512" not in repr(arrays)
    assert "77007" not in repr(arrays)
