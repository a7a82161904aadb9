"""A cell means what it means alone: read([v, w])[0] = read([v])[0], by every way that there is.

Each cell of a route's lists is read alone in a table of one row, beside one other, among all odd
ones forwards and backwards, and among two thousand ordinary ones; so are the ordinary ones beside
them. Whatever is seen of it must be the same each time: its value to the last bit, the entity that
it names, the order that it gives, the filters that it passes, the key that it meets. That no
reading ends with an error is part of it.

By default a part of the cells is read alone and in pairs, another one for each route, and all of
them in tables of many rows. ``DENIABLE_THOROUGH=1`` reads all alone, and prints how many were
compared.
"""

import datetime
import itertools
import math
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import ibis
import pyarrow as pa
import pytest

from deniable.publish.query import Condition, Grouping
from deniable.publish.sources import reader_of, readers
from deniable.publish.sources.kinds import Kind
from deniable.publish.sources.table import Source, open_table, schema
from deniable.publish.totals.aggregate import conditions, group_keys, locate_cells
from tests.cases.cell_routes import ROUTES, ROW, Column, Columns, Route
from tests.cases.effort import THOROUGH, one_in
from tests.cases.odd_values import KINDS

ALL = THOROUGH
ALONE = 10_000 if ALL else 5
"""Cells of a route that are read alone in a column of values, and as many pairs."""
AT_ONCE = 200
"""Columns of one table."""
AMONG = 2_000
"""Ordinary cells that stand around the odd ones."""
TYPES = 1_000 if ALL else 3
"""Types of a route that are read among ordinary cells."""
BESIDE = 2 if ALL else 1
"""Cells of each kind that are read alone as entities."""
SALT = "5a" * 16
LIMIT = "400MB"


@attrs.define
class Seen:
    """The first reading of each cell, by which all others are judged."""

    first: dict[tuple[str, int], Any] = attrs.field(factory=dict)
    wrong: dict[tuple[str, int], tuple[Any, Any]] = attrs.field(factory=dict)
    compared: int = 0

    def add(self, column: Column, readings: Sequence[Any]) -> None:
        """Compare readings of a column's cells with those that were seen before."""
        for place, reading in zip(column.places, readings, strict=True):
            before = self.first.setdefault((column.of, place), reading)
            self.compared += 1
            if before != reading:
                self.wrong[column.of, place] = before, reading


def bits(column: pa.ChunkedArray) -> list[Any]:
    """What tells two values apart; days and moments may lie beyond Python's."""
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_timestamp(whole.type):
        return whole.cast(pa.timestamp("us")).view(pa.int64()).to_pylist()
    if pa.types.is_floating(whole.type):
        return whole.view(pa.int64()).to_pylist()
    return (whole.view(pa.int32()) if pa.types.is_date(whole.type) else whole).to_pylist()


USABLE: dict[Route, list[str]] = {}
"""Types that a route's schema does not refuse, which both laws ask for."""


@attrs.define
class Reader:
    """Reads columns of cells by one route, each time in a folder of its own."""

    route: Route
    folder: Path
    fixture: Any
    number: int = 0

    def source(self, columns: Columns) -> Source:
        self.number += 1
        folder = self.folder / str(self.number)
        folder.mkdir()
        return self.route.made(columns, folder, self.fixture)

    def usable(self) -> list[str]:
        """Types that the schema does not refuse; it does so whatever the cells are."""
        if self.route not in USABLE:
            columns = {f"c{number}": Column(of, [0]) for number, of in enumerate(self.route.types)}
            kinds = schema(self.source(columns))
            USABLE[self.route] = [
                each.of for name, each in columns.items() if kinds[name] is not Kind.OTHER
            ]
        return [*USABLE[self.route]]

    def values(self, columns: Columns, seen: Seen) -> None:
        """Read the columns' values; rows come in any order."""
        with open_table(self.source(columns), [ROW, *columns], memory_limit=LIMIT) as data:
            found = data.engine.rows(data.table).sort_by(ROW)
        for name, column in columns.items():
            seen.add(column, bits(found[name]))

    def doors(self, column: Column, seen: Seen) -> None:
        """Read one column as all that looks at its cells does."""
        with open_table(
            self.source({"x": column}), [ROW, "x"], entity="x", memory_limit=LIMIT
        ) as data:
            keys = group_keys(data.engine, data.table, Grouping(("x",), (KEYS[_kind(data)],)), "k")
            hashed = data.engine.add_hash(data.table, ["x"], "hash", SALT)
            hashed = data.engine.add_order(hashed, ["x"], "order", SALT)
            placed, cell, is_in = locate_cells(data.engine, hashed, keys)
            flags = {
                f"passes {number}": conditions(placed, [each])
                for number, each in enumerate(_conditions(_kind(data)))
            }
            rows = placed.select(
                placed[ROW],
                entity=placed[data.entity].cast("string"),
                hash=placed["hash"].cast("string"),
                order=placed["order"].cast("string"),
                key=ibis.ifelse(is_in, cell, -1),
                **flags,
            )
            found = data.engine.rows(rows).sort_by(ROW).drop_columns(ROW)
        seen.add(column, [tuple(row.values()) for row in found.to_pylist()])


NOON = datetime.datetime(2024, 1, 31, 12)
KEYS = {
    "integer": (0, 5, 7, -1, 255, 2**53, 2**53 + 1, 2**63 - 1, -(2**63)),
    "number": (0.0, 0.1, 1.5, 5, 2.0**63, math.inf, -math.inf, 5e-324),
    "text": ("a", "", "A", "a ", "á", "a\u0301", "x" * 12, "\ufffd", "person 7", "NULL"),
    "boolean": (True, False),
    "date": (datetime.date(2024, 1, 31), datetime.date.min, datetime.date(1970, 1, 1)),
    "timestamp": (NOON, datetime.datetime(1970, 1, 1), datetime.datetime(2024, 1, 31)),
}  # fmt: skip
"""Public values: keys of groups, and the right sides of conditions."""


def _kind(data: Any) -> str:
    of = data.table["x"].type()
    if of.is_integer():
        return "integer"
    return {"float64": "number", "string": "text"}.get(str(of), str(of).split("(")[0])


def _conditions(kind: str) -> Iterator[Condition]:
    words = ("==", "!=") if kind in ("text", "boolean") else ("==", "<", ">=")
    for value in KEYS[kind][:2]:
        yield from (Condition("x", word, value) for word in words)
    yield Condition("x", "in", KEYS[kind])
    yield Condition("x", "not in", KEYS[kind])


def _sample(draw: random.Random, cells: list[tuple[str, int]]) -> list[tuple[str, int]]:
    return draw.sample(cells, min(ALONE, len(cells)))


def _packed(cells: Sequence[tuple[str, Sequence[int]]]) -> Iterator[Columns]:
    """Columns, so many at once."""
    for start in range(0, len(cells), AT_ONCE):
        some = cells[start : start + AT_ONCE]
        yield {f"c{number}": Column(of, places) for number, (of, places) in enumerate(some)}


def _many(route: Route, usable: Sequence[str], draw: random.Random) -> Iterator[Columns]:
    """Odd cells of each type forwards, backwards and among ordinary ones; those by themselves."""
    odd = {of: list(range(route.types[of].odd)) for of in usable}
    longest = max(map(len, odd.values()))
    filled = {of: [*places, *range(len(places), longest)] for of, places in odd.items()}
    for turned in (1, -1) if ALL else (-1,):
        yield {f"c{n}": Column(of, filled[of][::turned]) for n, of in enumerate(usable)}
    some = draw.sample(list(usable), min(TYPES, len(usable)))
    plain = {of: range(longest, AMONG) for of in some}
    yield {f"c{n}": Column(of, plain[of]) for n, of in enumerate(some)}
    places = [draw.randrange(AMONG - longest) for _ in range(longest)]
    mixed = {}
    for n, of in enumerate(some):
        rows = list(plain[of])
        for at, place in zip(places, filled[of], strict=True):
            rows.insert(at, place)
        mixed[f"c{n}"] = Column(of, rows)
    yield mixed


TWO_AT_ONCE = (
    "categories of", "category of", "runs of", "of categories", "polars, lazy", "csv, zst",
)  # fmt: skip
"""In names of routes that are two others at once, of which each is read by itself too.

Of the categories in frames of pandas is a test of its own below.
"""


@pytest.fixture(
    params=[name for name in ROUTES if ALL or not any(each in name for each in TWO_AT_ONCE)]
)
def reader(request, tmp_path):
    return of_route(request, tmp_path)


@pytest.fixture(params=one_in(8, [*ROUTES]))
def some_reader(request, tmp_path):
    return of_route(request, tmp_path)


def of_route(request, tmp_path):
    route = ROUTES[request.param]
    return request.param, Reader(route, tmp_path, request.getfixturevalue)


def test_a_value_is_what_it_is_alone(reader):
    name, reads = reader
    draw, seen, route = random.Random(name), Seen(), reads.route
    usable = reads.usable()
    cells = [(of, place) for of in usable for place in range(route.types[of].odd)]
    for columns in _packed([(of, [place]) for of, place in _sample(draw, cells)]):
        reads.values(columns, seen)
    pairs = [
        (of, [place, draw.randrange(route.types[of].odd)]) for of, place in _sample(draw, cells)
    ]
    place = [*ROUTES].index(name)
    # As a rule each third route takes pairs, another third all odd ones at once, the others
    # ordinary cells.
    first, last = (0, None) if ALL else ((0, 0), (0, 1), (1, None))[place % 3]
    if ALL or last == 0:
        for columns in _packed(pairs):
            reads.values(columns, seen)
    for columns in itertools.islice(_many(route, usable, draw), first, last):
        reads.values(columns, seen)
    print(f"{name}: {seen.compared} readings of {len(seen.first)} cells")
    assert seen.wrong == {}


def test_all_that_looks_at_a_cell_sees_the_same(some_reader):
    """Entities, orders, filters and keys; a type of each kind, others for each route."""
    name, reads = some_reader
    draw, route = random.Random(name), reads.route
    usable = reads.usable()
    draw.shuffle(usable)
    of_kind = {route.types[of].kind: of for of in usable}
    for of in draw.sample(sorted(of_kind.values()), len(of_kind) if ALL else 1):
        if not _can_name_entities(reads, of):
            continue
        seen, odd = Seen(), range(route.types[of].odd)
        mixed = [*range(len(odd), len(odd) + 50), *odd]
        draw.shuffle(mixed)
        reads.doors(Column(of, mixed), seen)
        for place in draw.sample(odd, min(BESIDE, len(odd))):
            reads.doors(Column(of, [place]), seen)
        if ALL:
            reads.doors(Column(of, [*odd[::-1]]), seen)
        assert seen.wrong == {}
        assert any(reading[0] is not None for reading in seen.first.values())


def _can_name_entities(reads: Reader, of: str) -> bool:
    """Whether the type is not refused for nanoseconds that would be dropped."""
    if reads.route.types[of].kind != "timestamp":
        return True
    source = reads.source({"x": Column(of, [0])})
    return schema(source)["x"] is not Kind.TIMESTAMP or not reader_of(source).drops_nanoseconds("x")


@pytest.mark.parametrize("dtype", ["numpy", "moments in zones", "masked", "string[pyarrow]"])
def test_a_category_is_read_as_its_own_dtype(dtype, tmp_path):
    """To the last bit, odd cells beside all others; so is what the schema says of the column."""
    plain, category = ROUTES[f"pandas, {dtype}"], ROUTES[f"pandas, category of {dtype}"]
    readers = [Reader(category, tmp_path / "category", None), Reader(plain, tmp_path, None)]
    readers[0].folder.mkdir()
    assert readers[0].usable() == [of for of in readers[1].usable() if of in category.types]
    seen, usable = Seen(), readers[0].usable()
    # Ordinary cells fill up the types that have fewer odd ones than another.
    longest = max(category.types[of].odd for of in usable)
    columns = {f"c{n}": Column(of, range(longest)) for n, of in enumerate(usable)}
    for reader in readers:
        reader.values(columns, seen)
    assert seen.compared == 2 * len(seen.first) > 0
    assert seen.wrong == {}


def test_every_source_has_its_routes():
    """Whatever has a reader, by its name or its class."""
    routes = {route.by for route in ROUTES.values()} | {*ROUTES}
    for name, place in readers().items():
        assert routes & {name, name.rpartition(".")[2], place.rpartition(":")[2]}, name
    assert {"csv", "duckdb", "postgres", "SparkFrame", "parquet"} <= routes
    assert {kind for route in ROUTES.values() for kind in _kinds_of(route)} == {*KINDS}


def _kinds_of(route: Route) -> set[str]:
    return {cells.kind for cells in route.types.values()}
