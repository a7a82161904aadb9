"""What runs expressions: DuckDB in this process, or a Spark cluster. Nobody above knows which."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

import attrs

from deniable.errors.late import pa
from deniable.errors.late_ibis import dt, ibis, ir
from deniable.publish.sources.kinds import Kind


class Engine(Protocol):
    """Runs expressions on tables of canonical values, whose equality is that of their bytes.

    The same expressions give the same whole numbers on every engine, to the last digit. Whatever
    an engine says on failure may quote a record, and stays in it: its errors are fixed sentences.
    """

    @property
    def memory(self) -> int | None:
        """Bytes that may be used before disk is; None where the engine sees to that itself."""

    def rows(self, expression: ir.Table) -> pa.Table:
        """Run an expression; its rows, which have to be few."""

    def take_all(self, expression: ir.Table, take: Callable[[pa.Table], bool]) -> bool:
        """Run an expression; its rows, however many, are taken a few at a time, in any order.

        It ends where `take` says no, and says whether all were taken: where they are far away none
        are, nor where the engine fails on the way, which says why only of a whole statement.
        Whatever `take` raises is an error of the engine's.
        """

    def fetch_integer(self, expression: ir.IntegerScalar) -> int:
        """Run an expression for one whole number; 0 for NULL."""

    def keep(self, name: str, rows: ir.Table | pa.Table) -> ir.Table:
        """Keep rows until the engine ends, replacing those of that name."""

    def name_rows(self, name: str, rows: ir.Table) -> ir.Table:
        """The rows, computed when they are read, as a table of a name of its own.

        It replaces one of that name. What reads it does not write out its expressions again.
        """

    def positions(self, name: str, texts: Sequence[str]) -> Places:
        """The places of different texts, for `with_places`; they replace those of that name."""

    def with_places(self, table: ir.Table, places: Mapping[str, tuple[str, Places]]) -> ir.Table:
        """The table with a column for each name: the place of another column's value in a list.

        It is a function of the value's bytes, and NULL where the value's text is not listed.
        """

    def with_total(self, rows: ir.Table, by: str, total: ir.Value, name: str) -> ir.Table:
        """The rows with a total beside each, over all that share `by`, from one reading of them.

        `total` is a sum of a column of the rows. Were they read twice, a table that is not the
        same each time could give a total of other rows. It is some number, or NULL, where `by` is.
        """

    def with_key_above(
        self, rows: ir.Table, by: str, total: ir.Value, limit: int, name: str
    ) -> ir.Table:
        """The rows, each with what it has in `by` where a total over all that share it is large.

        Where the total is not above the limit, the column is NULL. As before, `total` is a sum of a
        column of the rows, from one reading of them.
        """

    def add_hash(self, table: ir.Table, columns: Sequence[str], name: str, salt: str) -> ir.Table:
        """The table with a salted digest of each row's values, the same in every engine.

        It is the MD5 sum of an encoding in which two rows meet only if those values are equal: salt
        and kinds, then each value. A value is the byte 0 for NULL; 1 and 64 bits for a whole number
        in their range, stored as an integer or as a float, and for days and microseconds since
        1970; 2 and the 64 bits of any other float; 1, the length and the bytes of its text for
        anything else. No encoding begins with another one of the same kinds, so that a sequence of
        them is read in one way only. The order is that of the sum's bytes from the last to the
        first.
        """

    def add_order(self, table: ir.Table, columns: Sequence[str], name: str, salt: str) -> ir.Table:
        """The table with a number or text for each row: a function of salt, kinds and values.

        What engines hash with is theirs. Rows of equal values share it, and others may, too: who
        orders by it has to order by the values next. Under an unknown salt nobody can say which
        rows come first.
        """


Places = Any
"""The place of a listed text in an engine."""


def as_text(value: ir.Value) -> ir.StringValue:
    """A canonical value as text; equal ones have one text, and others another."""
    return value if value.type().is_string() else value.cast("string")


_KNOWN = 512  # functions that are remembered, so that a statement with one is known again


@functools.lru_cache(maxsize=_KNOWN)
def function(name: str, gives: str, *takes: str | None) -> Any:
    """An engine's own function, or one that Deniable defines there, by its types' names.

    An argument of the type None is of any.
    """
    made = (lambda x: x) if len(takes) == 1 else (lambda x, y: x)  # noqa: ARG005
    types = tuple(None if each is None else ibis.dtype(each) for each in takes)
    return ibis.udf.scalar.builtin(made, name=name, signature=(types, ibis.dtype(gives)))


toward_zero = partial(function, "toward_zero", "float64", "float64")
"""Rounding to the whole number next to it on the side of 0, of float64 up to 2^63."""
hash_of = partial(function, "hash", "uint64", None)
"""A hash that goes by a value alone, where an engine has to be asked several times."""


def kind_for_hash(of: dt.DataType) -> str:
    """A canonical value's kind: equal numbers are one, whether integers or floats hold them."""
    return "number" if of.is_numeric() else str(of.copy(nullable=True))


class Derived(Protocol):
    """A public function of one row, whose answer is no value where it cannot be computed."""

    @property
    def name(self) -> str:
        """What the plan calls it."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Columns that it reads, of the source or derived ones; at least one."""

    def kind(self, kinds: Mapping[str, Kind]) -> Kind:
        """What it holds, from what the columns hold that it reads."""

    def value(self, table: ir.Table) -> ir.Value:
        """It, of each row of a table of canonical values; canonical itself."""


D = TypeVar("D", bound=Derived)


def with_derived(kinds: Mapping[str, Kind], derived: Iterable[Derived]) -> dict[str, Kind]:
    """Kinds of a source's columns and of those derived from them, each after what it reads."""
    result = dict(kinds)
    for each in derived:
        result[each.name] = each.kind(result)
    return result


def source_columns(names: Iterable[str], derived: Iterable[Derived]) -> list[str]:
    """The source's own columns that these are, or are computed from, once each."""
    inputs = {each.name: each.inputs for each in derived}
    columns: dict[str, None] = {}
    waiting = list(names)[::-1]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += inputs.get(name, ())[::-1]
            if name not in inputs:
                columns[name] = None
    return list(columns)


def needed(names: Iterable[str], derived: Sequence[D]) -> list[D]:
    """Those that these names are, or are computed from, each after what it reads."""
    wanted = set(names)
    result: list[D] = []
    for each in reversed(derived):
        if each.name in wanted:
            wanted.update(each.inputs)
            result.append(each)
    return result[::-1]


def add_columns(engine: Engine, table: ir.Table, derived: Sequence[Derived]) -> ir.Table:
    """The table with the columns beside it, from the values in each row alone.

    What is computed gets a name before anything reads it: else its expression would be written
    out at each place, and that of a sum of sums of sums doubles with every step.
    """
    waiting = list(derived)
    while waiting:
        table = engine.name_rows(f"derived {len(waiting)}", table)
        there = frozenset(table.columns)
        ready = [each for each in waiting if there.issuperset(each.inputs)]
        table = table.mutate([each.value(table).name(each.name) for each in ready])
        waiting = [each for each in waiting if each not in ready]
    return engine.name_rows("derived", table) if derived else table


def fresh(name: str, used: list[str]) -> str:
    """A column name that is not taken; the engine does not tell upper from lower case."""
    lowered = {each.lower() for each in used}
    while name.lower() in lowered:
        name += "_"
    return name


@attrs.frozen
class EntityColumn:
    """The column that names entities, and what its identity and its value are called.

    Two rows have one entity where their identities are equal. The value of two entities may be the
    same (a decimal of 30 digits is a float to all queries), and is what rows are ordered by: it is
    the same from every source. No column asked for has these names; where the column `is_used` by a
    query, too, it has its value already.
    """

    column: str
    key: str
    value: str
    is_used: bool

    @classmethod
    def of(cls, column: str, used: Sequence[str], beside: Sequence[str] = ()) -> EntityColumn:
        """The column beside those that queries use, and others whose names are taken."""
        names = [*used, *beside, column]
        key = fresh("entity", names)
        return cls(column, key, fresh("value of entity", [*names, key]), column in used)

    def columns(self, identity: ir.Value, value: ir.Value) -> list[ir.Value]:
        """Identity by its name, and the value by its own where nothing else holds it."""
        columns = [identity.name(self.key)]
        if not self.is_used and not identity.equals(value):
            columns.append(value.name(self.value))
        return columns

    def order_by(self, used: Sequence[str], table: ir.Table) -> tuple[str, ...]:
        """Columns of a table whose values order an entity's rows; the same from every source."""
        own = self.value if self.value in table.columns else self.key
        return (*used, *([] if self.is_used else [own]))
