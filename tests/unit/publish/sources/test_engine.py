"""The engine's settings, and that its messages stay inside."""

import math
import os
import signal
import threading
import traceback

import ibis
import numpy as np
import pyarrow as pa
import pytest

from deniable.errors import DataError, InvalidArgument
from deniable.errors.validate import memory_bytes
from deniable.publish.sources import (
    OWNER_ONLY,
    SpaceError,
    engine,
    fresh,
    identifier,
    text,
)
from tests.cases.refusals import refuses

FOREVER = "SELECT count(*) FROM range(100000000000) AS t(x) WHERE hash(x) % 7 = 1"


@pytest.fixture(scope="module")
def running():
    with engine("visits.csv", "200MB") as started:
        yield started


def setting(running, name):
    return running.backend.con.execute(f"SELECT current_setting('{name}')").fetchone()[0]


def test_settings(running):
    assert setting(running, "memory_limit") == "190.7 MiB"
    assert setting(running, "temp_directory") == str(running.folder)
    assert setting(running, "max_temp_directory_size") not in ("", "0 bytes")
    for name in ("autoinstall_known_extensions", "autoload_known_extensions"):
        assert setting(running, name) in (False, "false")
    assert setting(running, "preserve_insertion_order") in (False, "false")
    assert setting(running, "enable_progress_bar") in (False, "false")
    assert setting(running, "TimeZone") == "UTC"
    assert {"filter_pushdown", "statistics_propagation"} <= set(
        setting(running, "disabled_optimizers").split(",")
    )


def test_what_one_engine_is_set_to_the_next_is_not():  # our tests lend engines again
    for _ in range(3):
        with engine("visits.csv", "200MB") as started:
            assert setting(started, "preserve_insertion_order") in (False, "false")
            started.execute("SET preserve_insertion_order = true")
            started.execute("SET threads = 1")


def test_positions_are_those_of_equal_bytes_and_can_be_replaced(running):
    words = ["e", "", "\u00e9", "E", "e\u0301", 'it\'s "e"', "key 0", "a\\n", "');--", "\u0416"]
    many = [f"{word}{number}" for number in range(200) for word in words]  # handed over by Arrow
    given = running.keep("words", pa.table({"word": [*many, *words, "e\0e", "x", None]}))
    for texts in (words, words[::-1], [*words, "e\0e"], many, ["x"]):
        place = running.positions("some words", texts)
        found = running.rows(running.with_places(given, {"place": ("word", place)})).to_pydict()
        places = dict(zip(found["word"], found["place"], strict=True))
        expected = dict.fromkeys([*many, *words, "e\0e", "x", None])
        assert places == {**expected, **{text: at for at, text in enumerate(texts)}}


@pytest.mark.parametrize("between", [[], ["key 1"]])
@pytest.mark.parametrize(
    "keys",
    [[3, 1, -2, 0], [2**62, 2**62 - 1], [-(2**63), 5], [2**63 - 1, 2**63 - 2], [0, 999], [0, 1000],
     [0, 2], [7], [-1, 0, 1], [1, 0], [*range(3000)], [2**62 - 1, 2**62], [-(2**62), 1 - 2**62]],
)  # fmt: skip
def test_the_place_of_a_number_is_that_of_its_text(running, keys, between):
    """By a list where the keys are close together: next to the keys, at the ends, and for NULL.

    Where they follow one another it is a difference, but not over a key that is no number.
    """
    near = {each + step for each in keys for step in (-2, -1, 0, 1, 2)} | {-(2**63), 0, 2**63 - 1}
    values = [None, *sorted(each for each in near if -(2**63) <= each < 2**63)]
    given = running.keep("numbers", pa.table({"x": pa.array(values, pa.int64())}))
    texts = [*map(str, keys[:1]), *between, *map(str, keys[1:])]
    place = running.positions("some numbers", texts)
    found = running.rows(running.with_places(given, {"place": ("x", place)})).to_pydict()
    places = dict(zip(found["x"], found["place"], strict=True))
    known = {key: texts.index(str(key)) for key in keys}
    assert places == {value: known.get(value) for value in values}


@pytest.mark.parametrize(("rows", "text"), [(0, b""), (3, b"a"), (3, b"\xff"), (2**18, b"a")])
def test_rows_in_memory_are_read_as_often_as_wanted(running, rows, text):
    """Few are copied, but not where a text is of other bytes than UTF-8; many are not."""
    offsets = pa.py_buffer(np.arange(rows + 1, dtype=np.int32).tobytes())
    texts = pa.StringArray.from_buffers(rows, offsets, pa.py_buffer(text * rows))
    given = pa.table({"rowid": pa.array(np.arange(rows)), "text": texts})
    for _ in range(2):
        name = running.register_rows("some rows", given)
        for _ in range(2):
            query = f"SELECT count(*), coalesce(sum(rowid), 0), count(valid_text(text)) FROM {name}"
            running.execute(f"CREATE OR REPLACE TEMP TABLE of_it AS {query}")
            (counted,) = running.backend.con.execute("FROM of_it").fetchall()
            assert counted == (rows, rows * (rows - 1) // 2, rows if text == b"a" else 0)


def test_nothing_is_loaded_and_nothing_left():
    with engine("visits.csv", "200MB") as running:
        folder = running.folder
        loaded = running.backend.con.execute(
            "SELECT extension_name FROM duckdb_extensions() WHERE loaded"
        ).fetchall()
        assert {name for (name,) in loaded} <= {"core_functions", "icu", "json", "parquet"}
    assert not folder.exists()


def test_an_error_holds_nothing_of_the_engine(running):
    with pytest.raises(DataError) as caught:
        running.execute("SELECT CAST(name AS INT) FROM (VALUES ('A' || 'da')) AS t(name)")
    error = caught.value
    assert str(error).endswith(OWNER_ONLY)
    assert "visits.csv" in str(error)
    assert error.__cause__ is None
    assert error.__context__ is None
    assert "Ada" not in "".join(traceback.format_exception(error))


def test_too_little_memory_says_so():
    with engine("visits.csv", "32MiB") as running:
        running.execute("SET max_temp_directory_size = '1MB'")
        with refuses(SpaceError, "enough-memory-and-space") as caught:
            running.execute("CREATE TEMP TABLE t AS SELECT random() FROM range(30000000)")
    assert caught.value.__context__ is None


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_a_full_disk_says_so(running):
    with refuses(SpaceError, "enough-memory-and-space"):
        running.execute("COPY (SELECT * FROM range(100000)) TO '/dev/full' (FORMAT parquet)")


@pytest.mark.parametrize(
    ("number", "error"), [(signal.SIGTERM, SystemExit), (signal.SIGINT, KeyboardInterrupt)]
)
def test_a_signal_ends_a_running_query_as_itself(number, error):
    # A job in a shell's background is started with Ctrl-C ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), number))
    with engine("visits.csv", "200MB") as running:
        timer.start()
        with pytest.raises(error) as caught:
            running.execute(FOREVER)
    signal.signal(signal.SIGINT, before)
    assert caught.value.__context__ is None
    assert not running.folder.exists()


def test_rows_and_whole(running):
    table = running.keep("kept", pa.table({'a "b" ü': [1, 2, None]}))
    assert running.fetch_integer(table.count()) == 3
    assert running.fetch_integer(table['a "b" ü'].sum()) == 3
    assert running.fetch_integer(table.filter(ibis.literal(False))['a "b" ü'].sum()) == 0
    again = running.keep("kept", pa.table({"c": [7]}))
    assert running.rows(again).to_pydict() == {"c": [7]}


def test_rows_are_taken_in_pieces_until_one_is_not_wanted(running):
    running.execute("CREATE OR REPLACE TEMP TABLE numbers AS SELECT x FROM range(300000) AS t(x)")
    numbers, taken = running.table("numbers"), []

    def take(piece, most=10):
        taken.append(piece)
        return len(taken) < most

    assert running.take_all(numbers.filter(numbers.x < 0), take)
    assert running.take_all(numbers, take)
    assert len(taken) > 1
    assert sorted(pa.concat_tables(taken)["x"].to_pylist()) == [*range(300000)]
    del taken[1:]
    assert not running.take_all(numbers, lambda piece: take(piece, 2))
    assert len(taken) == 2
    assert running.fetch_integer(numbers.count()) == 300000


def test_what_goes_wrong_while_rows_are_taken_is_an_error_of_the_engine(running):
    def take(piece):
        raise MemoryError(f"too little for {piece}")

    with pytest.raises(SpaceError) as caught:
        running.take_all(running.keep("few", pa.table({"name": ["A" + "da"]})), take)
    assert "Ada" not in "".join(traceback.format_exception(caught.value))
    assert running.fetch_integer(running.table("few").count()) == 1


@pytest.mark.parametrize(
    ("limit", "size"),
    [("1GB", 10**9), ("1 gib", 2**30), ("0.5TB", 5 * 10**11), ("64000KB", 64_000_000)],
)
def test_memory_bytes(limit, size):
    assert memory_bytes(limit) == size


@pytest.mark.parametrize("limit", ["", "much", "1", "-1GB", "1MB", "GB", "1e3GB", "0GB"])
def test_a_memory_limit_that_is_none(limit):
    with refuses(InvalidArgument, "memory-limit-of-at-least-32mib"):
        memory_bytes(limit)


def test_names_in_the_engines_language():
    assert identifier('a "b"') == '"a ""b"""'
    assert text("it's") == "'it''s'"
    assert fresh("entity", ["Entity", "entity_"]) == "entity__"


def test_a_function_of_ours_is_there_once_a_statement_names_it_in_any_case():
    with engine("x", "100MB") as running:
        count = "SELECT count(*) FROM duckdb_functions() WHERE database_name = 'temp'"
        assert running.backend.con.execute(count).fetchone() == (0,)
        running.execute("SELECT QUARTER_TEXT(DATE '2024-05-31')")  # it calls another one of ours
        assert running.backend.con.execute(count).fetchone() == (2,)
        running.execute(f"CREATE TABLE {'_'.join(running.defined)} (x INTEGER)")
        assert running.defined == {"quarter_text", "year_text"}


def test_a_remembered_statement_is_that_of_its_own_expression(running):
    """Of numbers that Python calls equal; but for the sign of zero, which no literal has."""
    table = running.keep("one row", pa.table({"x": [1.0]}))
    for zero in (-0.0, 0.0, -0.0):
        (value,) = running.rows(table.select(y=table.x * zero)).column("y").to_pylist()
        assert math.copysign(1.0, value) == 1.0
    for number, of in ((1, "int8"), (True, "boolean"), (1.0, "float64"), (1, "int64")):
        (value,) = running.rows(table.select(y=ibis.literal(number, of))).column("y").to_pylist()
        assert isinstance(value, bool) == (of == "boolean")


def test_a_table_of_one_name_and_other_columns_is_another_one(running):
    for columns in ({"a": [1]}, {"a": ["x"]}, {"a": [2], "b": [3]}):
        table = running.keep("again", pa.table(columns))
        assert running.rows(table).to_pydict() == columns


@pytest.fixture(name="compiled")
def what_is_compiled(monkeypatch):
    """Every expression that is compiled from here on."""
    compiled, again = [], ibis.duckdb.compile
    monkeypatch.setattr(
        ibis.duckdb, "compile", lambda given: compiled.append(given) or again(given)
    )
    return compiled


def test_a_statement_by_groups_is_the_next_run_s_too(running, compiled):
    """Else each run of an audit would leave its own behind, which no other could use."""
    with engine("visits.csv", "200MB") as other:
        for texts in (["1", "2"], ["20", "1"]):
            for started in (running, other):
                place = started.positions("groups of all runs", texts)
                table = started.keep("rows of all runs", pa.table({"x": [1, 20, 3]}))
                placed = started.with_places(table, {"at": ("x", place)})
                found = started.rows(placed)["at"].to_pylist()
                expected = [texts.index(each) if each in texts else None for each in ("1", "20")]
                assert found == [*expected, None]
    assert len(compiled) == 1


def test_a_statement_of_a_great_many_values_is_not_remembered(running, compiled):
    table = running.keep("listed", pa.table({"x": [1, 2]}))
    for times in (1, 2):
        assert running.rows(table.filter(table["x"].isin(list(range(2, 400))))).num_rows == 1
        assert len(compiled) == times


def test_a_statement_with_a_salt_is_not_remembered(running, compiled):
    table = running.keep("people", pa.table({"x": [1, 2]}))
    for add in (running.add_order, running.add_hash):
        for salt in ("5a5a", "a5a5"):
            salted = add(table, ["x"], "order", salt)
            for rows in (salted, salted.filter(salted["x"] > 1)):
                before = len(compiled)
                running.rows(rows)
                running.rows(rows)
                assert len(compiled) == before + 2
    before = len(compiled)
    running.rows(table.select(y=table.x + 12345))
    running.rows(table.select(y=table.x + 12345))
    assert len(compiled) == before + 1
