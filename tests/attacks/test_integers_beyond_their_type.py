"""Parquet stores integers of 8 and 16 bits in 32, and a file may hold more than its type says.

The format leaves open what such a cell is. It is its low bits, as DuckDB, Arrow and Spark all read
it, by itself: whatever stands beside it, however pages are encoded, and whatever the file's
statistics say, by which a reader could leave out a group of rows before it looks at a cell.
"""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.notions import Adjacency
from deniable.publish.query import Condition, Grouping, Protection, Query
from deniable.publish.sources.table import Source, open_table
from deniable.publish.statistics import Count, Entities
from deniable.publish.totals.aggregate import exact_totals
from tests.cases.effort import some_pairs
from tests.cases.odd_values import of_bytes
from tests.cases.spark_session import source_of

CODES = {"INT_8": 15, "INT_16": 16, "UINT_8": 11, "UINT_16": 12}
"""Of Parquet's converted types, by which a footer says what 32 bits stand for."""
BEYOND = (0, 1, 44, 127, 128, 255, 256, 300, -1, -128, -129, -212, 32_767, 32_768, 65_535, 65_536,
          65_580, 2**31 - 1, -(2**31), None)  # fmt: skip
WRITTEN = {
    "a dictionary": {},
    "plain pages": {"use_dictionary": False},
    "small groups and pages": {"row_group_size": 3, "data_page_size": 4, "write_batch_size": 1},
    "differences": {
        "use_dictionary": False,
        "column_encoding": dict.fromkeys(CODES, "DELTA_BINARY_PACKED"),
    },
    "second version": {"data_page_version": "2.0", "compression": "zstd"},
}


def low_bits(name, number):
    """What is left of a number: a residue, between the bounds of the type."""
    if number is None:
        return None
    size = 2 ** int(name.rpartition("_")[2])
    residue = number % size
    return residue - size if name.startswith("INT") and residue >= size // 2 else residue


def write(path, columns, *, statistics=None, **settings):
    """A file whose columns of that name have the type of that name, and maybe other statistics."""
    pq.write_table(pa.table(columns), path, store_schema=False, **settings)
    content = path.read_bytes()
    length = int.from_bytes(content[-8:-4], "little")
    footer = content[-8 - length : -8]
    for name in CODES.keys() & columns.keys():
        field = b"\x18" + bytes([len(name)]) + name.encode()
        at = footer.index(field) + len(field)
        # In the compact protocol: two fields further on, 32 bits of zigzag.
        footer = footer[:at] + bytes([0x25, 2 * CODES[name]]) + footer[at:]
    for old, new in (statistics or {}).items():
        old, new = (b"\x04" + each.to_bytes(4, "little", signed=True) for each in (old, new))
        assert old in footer
        footer = footer.replace(old, new)
    path.write_bytes(content[: -8 - length] + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    return Source(path.name, path.parent)


def narrow(numbers):
    """A column of each type, of these numbers."""
    return {name: pa.array(numbers, pa.int32()) for name in CODES}


@pytest.mark.parametrize(
    ("way", "octets"), some_pairs([*WRITTEN], [b"a", b"\xff"]), ids=lambda each: repr(each)
)
def test_what_is_beyond_its_type_is_its_low_bits_by_both_readers(tmp_path, way, octets):
    """A text that is none, in a column beside, has all be read by Arrow."""
    for number, numbers in enumerate(([300], BEYOND, BEYOND[::-1] * 40)):
        texts = of_bytes(pa.string(), [octets, *[b"b"] * (len(numbers) - 1)])
        beside = {"row": pa.array(range(len(numbers))), "text": texts}
        source = write(tmp_path / f"{number}.parquet", narrow(numbers) | beside, **WRITTEN[way])
        with open_table(source, [*CODES, "row", "text"]) as data:
            rows = data.engine.rows(data.table).sort_by("row")
        for name in CODES:
            assert rows[name].to_pylist() == [low_bits(name, each) for each in numbers]


ROWS = (1, 300, 513, 44, -212, 65_580, 7)
"""Four numbers with the last 8 bits of 44, and two with those of 1, one of them on either side."""
ONE = Protection(Adjacency.ADD_REMOVE, 1)
FILTERS = {
    Condition("INT_8", "==", 44): 4,
    Condition("INT_8", ">", 8): 4,
    Condition("INT_8", "in", (44,)): 4,
    Condition("UINT_8", "!=", 44): 3,
    Condition("UINT_8", "<=", 1): 2,
}
"""Each with how many of `ROWS` pass it."""


def passing(source, filters):
    found = exact_totals(
        source, None, [(Query("q", Count(), where=(each,)), ONE) for each in filters]
    )
    return [int(each.sum()) for each in found]


def in_groups(folder):
    """`ROWS` in one group, in groups of three and of one, with false statistics and with none."""
    columns = narrow(ROWS)
    false = {300: 8, 65_580: 9, -212: 5}
    yield write(folder / "one.parquet", columns)
    yield write(folder / "three.parquet", columns, row_group_size=3)
    yield write(folder / "seven.parquet", columns, row_group_size=1)
    yield write(folder / "false.parquet", columns, row_group_size=1, statistics=false)
    yield write(folder / "none.parquet", columns, row_group_size=1, write_statistics=False)


@pytest.mark.parametrize("reader", ["duckdb", "spark"])
def test_statistics_say_of_no_cell_whether_it_is_read(tmp_path, reader, request):
    """What a file says of its groups of rows is of 32 bits: Spark left 300 out for a 44.

    In one group with a 44 it was counted, so that it mattered whom three people stood beside.
    """
    spark = request.getfixturevalue("spark").session if reader == "spark" else None
    filters = [*FILTERS][: 2 if spark else None]
    for source in in_groups(tmp_path):
        if spark:
            source = source_of(spark.read.parquet(str(source.base / source.location)))
        assert passing(source, filters) == [FILTERS[each] for each in filters]


def test_who_is_whom_and_which_key_is_met_is_said_by_low_bits_alone(tmp_path):
    keys = Grouping(("INT_8",), ((7, 44),))
    for source in in_groups(tmp_path):
        (rows,) = exact_totals(source, None, [(Query("q", Count(), keys), ONE)])
        assert rows.ravel().tolist() == [1, 4]
        (people,) = exact_totals(source, "INT_8", [(Query("q", Entities()), ONE)])
        assert people.sum() == 3


@pytest.mark.parametrize(
    ("kind", "first", "last"),
    [
        ("int8", -(2**7), 2**7 - 1),
        ("uint8", 0, 2**8 - 1),
        ("int16", -(2**15), -(2**15) + 90),
        ("uint16", 2**16 - 90, 2**16 - 1),
        ("int32", -(2**31), -(2**31) + 90),
        ("uint32", 2**32 - 90, 2**32 - 1),
        ("int64", -(2**53), -(2**53) + 90),
    ],
)
def test_keys_from_end_to_end_of_a_type_are_met(tmp_path, kind, first, last):
    """Places of keys that follow one another are differences, which the type itself cannot hold."""
    values = [*range(first, last + 1), first, last, None]
    pq.write_table(pa.table({"key": pa.array(values, kind)}), tmp_path / "rows.parquet")
    every = tuple(range(first, last + 1))
    for keys in (every, every[5:-5], every[::-1], every[::3]):
        query = Query("q", Count(), Grouping(("key",), (keys,)))
        (rows,) = exact_totals(Source("rows.parquet", tmp_path), None, [(query, ONE)])
        assert rows.ravel().tolist() == [values.count(key) for key in keys]
