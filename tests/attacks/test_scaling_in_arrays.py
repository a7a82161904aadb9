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
import pyarrow.parquet as pq
import pytest

from deniable.errors import DataError
from deniable.notions import Adjacency
from deniable.publish.query import Condition, Grouping, Protection, Query
from deniable.publish.sources import Source, SpaceError, engine
from deniable.publish.statistics import Sum
from deniable.publish.totals import exact_totals, passes, scale_contributions
from deniable.publish.totals.row_arrays import RowArrays
from tests.cases.frames import in_memory
from tests.cases.refusals import refuses

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


LEAST, MOST = -(2**63), 2**63 - 1


@pytest.mark.parametrize("last", [LEAST, LEAST + 1, -1, MOST])
@pytest.mark.parametrize("order", ["up", "down", "from the middle"])
def test_entities_at_the_ends_of_their_type_are_added_up(last, order):
    """Places made beforehand for more entities than come begin below the least number there is."""
    numbers = last + np.arange(100) if last < 0 else last - np.arange(100)
    numbers = np.sort(numbers)
    if order == "down":
        numbers = numbers[::-1]
    elif order == "from the middle":
        numbers = numbers[np.argsort(np.abs(np.arange(100) - 50), kind="stable")]
    arrays = RowArrays(2**25, 2**53)
    for piece in np.split(numbers, 20):
        assert arrays.add(pa.table({"entity": piece, "cell": piece * 0, "units": piece * 0 + 2}))
    above = arrays.rank(1)
    assert [each.to_pylist() for each in arrays.scaled(above, 1)] == [[0], [0]]


def test_a_release_of_entities_near_the_least_number_is_no_damaged_table():
    number = 200_000
    of = {"g": np.arange(number) % 20, "x": np.full(number, 3.0)}
    entities = np.arange(number)[::-1] + np.int64(LEAST)
    (totals,) = exact_totals(
        in_memory(pa.table({"e": entities, **of})), "e", WORK, memory_limit="200MB"
    )
    assert int(totals.sum()) == 3 * number * 2**20


def test_places_made_beforehand_refuse_no_row():
    """What is held as one piece is held in many."""
    memory, people, piece = 2**25, 1_000_000, 122_880
    assert RowArrays(memory, 2**53).add(alone(0, people))
    arrays = RowArrays(memory, 2**53)
    for first in range(0, people, piece):
        assert arrays.add(alone(first, min(piece, people - first)))


def alone(first, number):
    """A row for each entity."""
    rows = np.arange(first, first + number)
    return pa.table({"entity": rows, "cell": rows * 0, "units": rows * 0 + 1})


@pytest.mark.parametrize("share", [0.6, 0.8, 1])
@pytest.mark.parametrize("order", ["at random", "from the middle", "from side to side"])
def test_entities_that_fit_are_held_in_any_order(share, order):
    """Places made at one end took those that the other end needed, and more than a quarter."""
    memory = 2**26
    people = int(share * (memory // 32))
    numbers = np.arange(people)
    if order == "at random":
        np.random.default_rng(1).shuffle(numbers)
    elif order == "from the middle":
        numbers = numbers[np.argsort(np.abs(numbers - people // 2), kind="stable")]
    pieces = np.array_split(numbers, 20)
    if order == "from side to side":
        pieces = [pieces[10 + place // 2 * (-1) ** place] for place in range(1, 20)]
    arrays = RowArrays(memory, 2**53)
    for piece in pieces:
        assert arrays.add(pa.table({"entity": piece, "cell": piece * 0, "units": piece * 0 + 1}))
        assert arrays.sizes.nbytes <= memory // 4


@pytest.mark.parametrize(("rows", "cells"), [(1_500_000, 14), (2_000_000, 12)])
def test_arrays_of_many_pieces_keep_to_their_memory(rows, cells):
    """Sums may take all that is left, and what is made on the way comes on top of it."""
    memory, limit, draw = 2**25, 1, np.random.default_rng(1)
    entity = np.sort(np.arange(rows) % 200_000)
    cell, units = draw.integers(0, cells, rows), draw.integers(1, 9, rows)
    whole = pa.table({"entity": entity, "cell": cell, "units": units})
    pieces = [whole.slice(first, 122_880) for first in range(0, rows, 122_880)]
    held, peak = held_and_peak(RowArrays(memory, 2**53), pieces, limit)
    assert held
    assert peak <= memory


def held_and_peak(arrays, pieces, limit):
    """Whether all pieces are held, and bytes at most while they are taken and scaled."""
    tracemalloc.start()
    try:
        held = all(map(arrays.add, pieces))
        above = arrays.rank(limit) if held else 0
        if held and arrays.holds(above):
            arrays.scaled(above, limit)
        return held, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("cells", [2, 1000, 2**16])
@pytest.mark.parametrize("people", [10, 200_000])
def test_arrays_keep_to_their_memory(cells, people):
    """Sums, what is made of them, and columns of all."""
    memory, limit, draw = 2**24, 1, np.random.default_rng(1)
    rows = {"entity": np.arange(people), "cell": draw.integers(0, cells, people)}
    piece = pa.table({**rows, "units": draw.integers(0, 9, people)})
    _, peak = held_and_peak(RowArrays(memory, 2**53), [piece], limit)
    assert peak <= memory


# Memory that runs out: whether the engine has it or arrays, the same sentence.


PEOPLE = 2000
PROTECTION = Protection(Adjacency.ADD_REMOVE, None, 8.0)
GROUPS = tuple(range(20))
SCHEMA = pa.schema({"e": "int64", "g": "int64", "x": "float64", "t": "string"})
WORK = [
    (Query("q", Sum("x", (0, 10)), Grouping(("g",), (GROUPS,)), (), 8.0), PROTECTION),
]


def people():
    """Each has two rows; about a third pass the limit."""
    draw = np.random.default_rng(1)
    owners = np.repeat(np.arange(PEOPLE), 2)
    groups = draw.integers(0, len(GROUPS), len(owners))
    return pa.table({"e": owners, "g": groups, "x": draw.uniform(0, 10, len(owners))})


def without_memory(*_):
    """As NumPy says it."""
    raise MemoryError("Unable to allocate 532. KiB for an array with shape (68066,)")


@pytest.mark.parametrize("place", ["add", "rank", "holds", "scaled"])
def test_arrays_without_memory_leave_it_to_the_engine_and_say_nothing(monkeypatch, place):
    """NumPy says how large the array was: the exact number of people above the limit."""
    (expected,) = exact_totals(in_memory(people()), "e", WORK, memory_limit="40MB")
    monkeypatch.setattr(RowArrays, place, without_memory)
    (totals,) = exact_totals(in_memory(people()), "e", WORK, memory_limit="40MB")
    assert np.array_equal(totals, expected)


def test_an_error_says_nothing_of_memory_that_arrays_lacked(monkeypatch):
    """As within the engine, whose errors ask for more passes, until there are no more."""
    monkeypatch.setattr(RowArrays, "add", without_memory)
    monkeypatch.setattr(passes, "MOST_PASSES", 1)
    with pytest.raises(SpaceError) as caught:
        exact_totals(in_memory(people()), "e", WORK, memory_limit="40MB")
    assert "68066" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("number", [1, 2, 8])
def test_arrays_are_tried_where_the_table_is_read_once(monkeypatch, number):
    """Each of several passes would be read in about one thread, and maybe in vain."""
    (expected,) = exact_totals(in_memory(people()), "e", WORK)
    tried, true = [], RowArrays.add
    monkeypatch.setattr(RowArrays, "add", lambda *given: tried.append(0) or true(*given))
    monkeypatch.setattr(passes, "passes_needed", lambda *_: number)
    (totals,) = exact_totals(in_memory(people()), "e", WORK)
    assert bool(tried) == (number == 1)
    assert np.array_equal(totals, expected)


def test_an_engine_that_fails_on_the_way_is_asked_for_a_whole_statement():
    """By way of Arrow its errors are others: memory that ran out was told as a damaged file."""
    with engine("x", "1GB") as running:
        running.execute(
            "CREATE TEMP VIEW given AS SELECT x AS entity, 0::BIGINT AS cell, "
            "CASE WHEN x = 299999 THEN error('Ada') ELSE 1 END::BIGINT AS units "
            "FROM range(300000) AS t(x)"
        )
        taken = []
        assert not running.take_all(running.table("given"), lambda piece: not taken.append(piece))
        assert taken
        with refuses(DataError, "readable-data") as caught:
            running.rows(
                scale_contributions(running, running.table("given"), "entity", "cell", "units", 1)
            )
    assert "Ada" not in "".join(traceback.format_exception(caught.value))


def test_memory_that_runs_out_within_the_last_rows_is_told_as_that(monkeypatch, tmp_path):
    """A long text in one row: by way of Arrow it was a damaged file, or an interruption."""
    monkeypatch.setattr(passes, "MOST_PASSES", 1)
    rows, name = 100_000, "a" * 60_000_000
    with pq.ParquetWriter(tmp_path / "x.parquet", SCHEMA, compression="none") as file:
        for group in range(4):
            owners, last = np.arange(rows) + group * rows, name if group == 3 else "a"
            of = {"g": owners % 20, "x": np.ones(rows), "t": ["a"] * (rows - 1) + [last]}
            file.write_table(pa.table({"e": owners, **of}, SCHEMA))
    (query, protection), *_ = WORK
    query = Query("q", query.statistic, query.grouping, (Condition("t", "!=", "b"),), 8.0)
    with pytest.raises(SpaceError):
        exact_totals(Source("x.parquet", tmp_path), "e", [(query, protection)], memory_limit="64MB")


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
    arrays = RowArrays(2**25, 2**53)
    arrays.add(pa.table({"entity": [80155512], "cell": [0], "units": [77007]}))
    assert "80155512" not in repr(arrays)
    assert "77007" not in repr(arrays)
