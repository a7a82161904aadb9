"""Neighbouring tables: what everybody else owns, and what one entity may own beside it."""

import datetime
import fractions
import random
from collections.abc import Sequence

import attrs
import pyarrow as pa

from tests.fuzz.cells import TICKS
from tests.fuzz.forms import Form, Row, Shape
from tests.fuzz.plans import COLUMNS

ENTITY = "p"
_KINDS_OF_ENTITIES = ("text", "text", "integer", "number", "timestamp", "date")
_FIRST = datetime.datetime(2020, 1, 1)


@attrs.frozen
class World:
    """Tables of which all in a row of `pairs` are neighbours.

    Parameters
    ----------
    shape : Shape
        The schema.
    tables : tuple of lists of rows
        Each a whole table.
    pairs : tuple of (int, int)
        Which of them are neighbours.
    """

    shape: Shape
    tables: tuple[list[Row], ...]
    pairs: tuple[tuple[int, int], ...]


def _plain_name(kind: str, number: int):
    match kind:
        case "text":
            return f"p{number}"
        case "integer":
            return 10 + number
        case "number":
            return 10.5 + number
        case "date":
            return (_FIRST + datetime.timedelta(days=number)).date()
    return _FIRST + datetime.timedelta(hours=number)


class Names:
    """Entities' names, of which no two are one person's."""

    def __init__(self, draw: random.Random, form: Form, shape: Shape):
        self.draw, self.form, self.shape, self.used = draw, form, shape, set()

    def fresh(self, number: int, odd: float, *, alike: bool = False):
        """A name that nobody else has; with probability `odd` an odd one."""
        for _ in range(10):
            found = (
                self.form.drawn(self.draw, ENTITY, self.shape, 1.0, alike=alike)
                if self.draw.random() < odd
                else None
            )
            key = self._key(found)
            if found is not None and key is not None and key not in self.used:
                self.used.add(key)
                return found
        kind, of = self.shape.kinds[ENTITY], self.shape.types[ENTITY]
        found = self.form.cell(_plain_name(kind, number), kind, of)
        self.used.add(self._key(found))
        return found

    def _key(self, name):
        """What tells a name from others; a whole number of a temporal type is a day or a tick."""
        of = self.shape.types[ENTITY]
        if type(name) is int and isinstance(of, pa.DataType) and pa.types.is_temporal(of):
            if pa.types.is_date64(of):  # as Parquet's writer has it, by the day
                return "day", name // 86_400_000
            size = (
                86_400 * 10**6
                if pa.types.is_date32(of)
                else fractions.Fraction(10**6, TICKS[of.unit])
            )
            return "moment", name * size
        person = self.form.person(name)
        if of == "category" and isinstance(person, tuple):
            # pandas takes texts for one category that are equal up to a U+0000.
            value = person[1]
            text = value.decode("latin-1") if isinstance(value, bytes) else str(value)
            return person[0], text.split("\0")[0]
        return person

    def beside(self, odd: float):
        """A name for an entity beside all these, or one that is none."""
        known = set(self.used)
        found = self.fresh(60, odd)
        self.used = known
        return found


def _row(draw: random.Random, form: Form, shape: Shape, odd: float) -> Row:
    return {
        name: None if draw.random() < 0.07 else form.drawn(draw, name, shape, odd)
        for name in shape.kinds
        if name != ENTITY
    }


def _owned(draw, form, shape, name, most: int, odd: float) -> list[Row]:
    return [_row(draw, form, shape, odd) | {ENTITY: name} for _ in range(draw.randint(1, most))]


def _others(draw, form, shape, names, most: int) -> list[Row]:
    """Everybody else, half of the time a crowd that shares one odd value of each column.

    What makes such a value another one then moves more people than one entity may. It is of the
    type of everybody's values, which a fast path may be taken for as long as nothing else is there.
    """
    crowd = draw.random() < 0.5
    same = {
        name: form.drawn(draw, name, shape, 1.0, alike=True)
        for name in shape.kinds
        if name != ENTITY
    }
    rows = []
    for number in range(draw.randint(4, 8) if crowd else draw.randint(2, 5)):
        name = names.fresh(number, 0.3, alike=crowd) if names else None
        for row in _owned(draw, form, shape, name, most, 0.0 if crowd else 0.35):
            chosen = same if crowd else {}
            rows.append(row | {name: each for name, each in chosen.items() if draw.random() < 0.6})
    draw.shuffle(rows)
    return rows


def _mixed(draw: random.Random, others: list[Row], own: Sequence[Row]) -> list[Row]:
    """The others' rows in their order, one's own at the front, at the back or anywhere."""
    match draw.choice(("front", "back", "anywhere")):
        case "front":
            return [*own, *others]
        case "back":
            return [*others, *own]
    rows = list(others)
    for each in own:
        rows.insert(draw.randint(0, len(rows)), each)
    return rows


def random_world(
    draw: random.Random, form: Form, adjacency: str, has_entity: bool, rows: int, size: int
) -> World:
    """Tables of one schema; with replace-one all are neighbours of all.

    Under add-remove `size` entities each are there or not: tables that differ in one of them are
    neighbours.
    """
    kinds = {ENTITY: draw.choice(_KINDS_OF_ENTITIES)} if has_entity else {}
    shape = form.shape(draw, kinds | COLUMNS)
    names = Names(draw, form, shape) if has_entity else None
    others = _others(draw, form, shape, names, rows + 2 if names else 1)
    if adjacency == "replace-one":
        tables = tuple(
            _mixed(draw, others, _one(draw, form, shape, names, rows)) for _ in range(size)
        )
        pairs = tuple((i, j) for j in range(size) for i in range(j))
        return World(shape, tables, pairs)
    more = []
    for number in range(size):
        name = names.fresh(60 + number, 0.5) if names else None
        more.append(_owned(draw, form, shape, name, rows + 3 if names else 1, 0.6))
    tables = []
    for members in range(2**size):
        there = others
        for number, own in enumerate(more):
            there = _mixed(draw, there, own) if members >> number & 1 else there
        tables.append(there)
    pairs = tuple((i, i | 1 << k) for i in range(2**size) for k in range(size) if not i >> k & 1)
    return World(shape, tuple(tables), pairs)


def _one(draw, form, shape, names, rows) -> list[Row]:
    """All that one entity owns."""
    name = names.beside(0.4) if names else None
    return _owned(draw, form, shape, name, rows + 3 if names else 1, 0.6)
