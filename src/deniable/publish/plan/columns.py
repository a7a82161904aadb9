"""[columns] of a plan: what it derives from one row, read from the plan and held against a schema.

Everything here is decided by the plan and the kinds of the source's columns: no value is looked at.
"""

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Self

import attrs

from deniable.publish.derived import (
    OPERATIONS,
    PARTS,
    RATIO,
    Arithmetic,
    Bands,
    CalendarPart,
    Days,
    DerivedColumn,
    Operand,
    TruthValue,
    default_labels,
)
from deniable.publish.plan.known_keys import FORMS, MOST_BANDS, MOST_COLUMNS, refuse_unknown
from deniable.publish.plan.schema import Use, check, check_column, kind_of
from deniable.publish.plan.spelling import format_key, format_toml_value, quote_text
from deniable.publish.plan.table import PlanTable
from deniable.publish.plan.values import read_condition, read_literals, refuse_repeats
from deniable.publish.sources import Kind, needed, without_case

COLUMNS = "columns"
"""The table that derives columns."""
MOST_STEPS = 8
"""Columns computed one from the other. The time in which Spark understands a query doubles with
each: with 16 it takes seconds, with 20 half a minute."""

_CONDITION = 'Write condition = ["days", ">", 14].'
_MOMENTS = (Kind.DATE, Kind.TIMESTAMP)


@attrs.frozen
class Columns:
    """The columns that a plan derives, each after those that it is computed from."""

    table: PlanTable
    derived: tuple[DerivedColumn, ...]

    @property
    def names(self) -> Mapping[str, DerivedColumn]:
        """Each by its name."""
        return {each.name: each for each in self.derived}

    def of_source(self, used: Iterable[Use]) -> list[Use]:
        """Return where queries, and these columns, name columns of the source."""
        own = [use for each in self.derived for use in _uses(self.table, each)]
        return [use for use in (*used, *own) if use.column not in self.names]

    def needed(self, names: Iterable[str]) -> Self:
        """Those alone that these names are, or are computed from."""
        return attrs.evolve(self, derived=tuple(needed(names, self.derived)))

    def check(self, kinds: Mapping[str, Kind], objects: Collection[str] = ()) -> dict[str, Kind]:
        """The kinds of a source's columns and of these, once each can be computed."""
        known, names = dict(kinds), set(map(without_case, kinds))
        for each in self.derived:
            if without_case(each.name) in names:
                raise self.table.error(
                    each.name, "a name that no column of the source has", quote_text(each.name),
                    "Give it another name: upper and lower case are not told apart.",
                )  # fmt: skip
        for each in self.derived:
            for use in _uses(self.table, each):
                if isinstance(each, CalendarPart | Days):
                    _check_moments(use, known, objects)
                else:
                    check(use, known, objects)
                self.check_values(use)
            known[each.name] = each.kind(known)
        return known

    def check_values(self, use: Use) -> None:
        """Refuse a key or a value of a condition that no row can have in one of these columns."""
        column = self.names.get(use.column)
        if column is None or not use.is_compared:
            return
        remedy = f"They are {format_toml_value(list(column.keys))}."
        if isinstance(column, CalendarPart) and not column.keys:
            remedy = f"Write it as {quote_text(PARTS[column.part].example)}."
        for value in use.values:
            if not column.can_be(value):
                expected = f"values that {quote_text(use.column)} can have"
                raise use.table.value_error(use.key, expected, value, remedy)


def _uses(table: PlanTable, derived: DerivedColumn) -> Iterator[Use]:
    """Yield where a derived column names others, and the one kind that it takes them for."""
    own = table.table(derived.name)
    match derived:
        case CalendarPart():
            moments = Kind.TIMESTAMP if PARTS[derived.part].of_moments else None
            yield Use(own, "of", derived.column, moments)
        case Days():
            yield Use(own, "days", derived.first, None)
            yield Use(own, "days", derived.second, None)
        case Bands():
            yield Use(own, "of", derived.column, Kind.NUMBER)
        case Arithmetic():
            for column in derived.inputs:
                yield Use(own, derived.operation, column, Kind.NUMBER)
        case TruthValue(condition=given):
            values = given.value if isinstance(given.value, tuple) else (given.value,)
            kind = kind_of(values[0])
            yield Use(own, "condition", given.column, kind, values, given.operator)


def _check_moments(use: Use, kinds: Mapping[str, Kind], objects: Collection[str]) -> None:
    kind = check_column(use.table, use.key, use.column, kinds)
    wanted = _MOMENTS if use.kind is None else (use.kind,)
    if kind in wanted:
        return
    declared = f'types = {{ {format_key(use.column)} = "{wanted[0]}" }}'
    remedy = f"Choose another column; for CSV, write {declared} in [data]."
    if use.column in objects:
        remedy = f"It holds Python objects: write {declared} in [data]."
    expected = f"{quote_text(use.column)} to be a {' or '.join(wanted)}"
    raise use.error(expected, str(kind), remedy)


def read_columns(top: PlanTable) -> Columns:
    """What [columns] derives, each after what it is computed from."""
    table = top.section(COLUMNS)
    if len(table.entries) > MOST_COLUMNS:
        raise top.error(COLUMNS, f"at most {MOST_COLUMNS} columns", str(len(table.entries)))
    seen: set[str] = set()
    for name in table.entries:
        if not name.strip() or without_case(name) in seen:
            got = f"{quote_text(name)} twice" if name.strip() else "an empty name"
            expected = "names that differ in more than upper and lower case"
            raise table.error(name, expected, got, "Give it another name.")
        seen.add(without_case(name))
    definitions = {name: _read(table, name) for name in table.entries}
    data = top.section("data")
    key = "household" if "household" in data else "entity"
    if data.entries.get(key) in definitions:
        raise data.error(
            key, "a column of the source", f"{quote_text(data.text(key))} of [columns]",
            "Name the source's own column: two people whom a derived one takes for one would be "
            "protected as one.",
        )  # fmt: skip
    result: dict[str, DerivedColumn] = {}
    steps: dict[str, int] = {}

    def place(name: str, within: tuple[str, ...]) -> None:
        if name in within:
            path = " from ".join(map(quote_text, (*within[within.index(name) :], name)))
            remedy = "Compute it from other columns, by a name that the source does not have."
            raise table.error(name, "no column that is computed from itself", path, remedy)
        if name in definitions and name not in result:
            inputs = definitions[name].inputs
            for column in inputs:
                place(column, (*within, name))
            steps[name] = 1 + max(steps.get(column, 0) for column in inputs)
            if steps[name] > MOST_STEPS:
                expected = f"at most {MOST_STEPS} columns computed one from the other"
                raise table.error(name, expected, "more", "Compute it in fewer steps.")
            result[name] = definitions[name]

    for name in definitions:
        place(name, ())
    return Columns(table, tuple(result.values()))


def _read(table: PlanTable, name: str) -> DerivedColumn:
    example = f'Write {format_key(name)} = {{ of = "admitted", part = "month" }}, for example.'
    own = table.table(name, example)
    forms = [form for form in FORMS if form in own]
    if len(forms) != 1:
        got = " and ".join(forms) or "none"
        raise table.error(name, f"one of {', '.join(FORMS)}", got, example)
    refuse_unknown(own, FORMS[forms[0]])
    return _READERS[forms[0]](own, name)


def _days(own: PlanTable, name: str) -> DerivedColumn:
    columns = own.texts("days")
    if len(columns) != 2 or not all(columns):
        remedy = 'Write days = ["admitted", "discharged"].'
        raise own.value_error("days", "two columns", columns, remedy)
    return Days(name, *columns)


def _bands(own: PlanTable, name: str) -> DerivedColumn:
    column, bounds = own.text("of"), own.numbers("bands")
    if not 2 <= len(bounds) <= MOST_BANDS + 1:
        remedy = "Write where each band begins, and where the last one ends."
        raise own.error("bands", f"2 to {MOST_BANDS + 1} numbers", str(len(bounds)), remedy)
    for low, high in itertools.pairwise(bounds):
        if low >= high:
            got = f"{format_toml_value(low)} before {format_toml_value(high)}"
            raise own.error("bands", "numbers that increase", got, "Put them in order.")
    return Bands(name, column, tuple(each + 0.0 for each in bounds), _labels(own, bounds))


def _labels(own: PlanTable, bounds: tuple[float, ...]) -> tuple[str, ...]:
    number = len(bounds) - 1
    if "labels" not in own:
        labels = default_labels(bounds)
        if labels is None:
            remedy = f"Write labels = […], {number} of them: only whole numbers name their bands."
            raise own.error("labels", "a label for each band", "none", remedy)
        return labels
    labels = own.texts("labels")
    if len(labels) != number:
        remedy = f"Between {len(bounds)} numbers there are {number} bands."
        raise own.error("labels", f"{number} labels", str(len(labels)), remedy)
    if not all(labels):
        raise own.error("labels", "labels", "an empty text", "Fill it in.")
    refuse_repeats(own, "labels", labels)
    return labels


def _arithmetic(operation: str) -> Callable[[PlanTable, str], DerivedColumn]:
    def read(own: PlanTable, name: str) -> DerivedColumn:
        items = own.items(operation)
        example = f'Write {operation} = ["drug", "bed"], or ["drug", 2].'
        if len(items) != 2:
            expected = "two columns, or a column and a number"
            raise own.value_error(operation, expected, items, example)
        left, right = (_operand(own, operation, item, example) for item in items)
        if not (isinstance(left, str) or isinstance(right, str)):
            raise own.value_error(operation, "a column among the two", items, example)
        if operation == RATIO and right == 0:
            remedy = "Divide by a column, or by another number."
            raise own.value_error(operation, "a number to divide by", right, remedy)
        return Arithmetic(name, operation, left, right)

    return read


def _operand(own: PlanTable, key: str, item: object, example: str) -> Operand:
    if isinstance(item, str) and item:
        return item
    if isinstance(item, bool) or not isinstance(item, int | float):
        raise own.value_error(key, "a column or a number", item, example)
    read_literals(own, key, [item], example)  # a finite number of at most 64 bits
    return item


_READERS: Mapping[str, Callable[[PlanTable, str], DerivedColumn]] = MappingProxyType(
    {
        "part": lambda own, name: CalendarPart(
            name, own.text("of"), own.word("part", PARTS, "a part of the calendar")
        ),
        "days": _days,
        "bands": _bands,
        **{each: _arithmetic(each) for each in OPERATIONS},
        "condition": lambda own, name: TruthValue(
            name, read_condition(own, own.raw("condition"), "condition", _CONDITION)
        ),
    }
)
"""What reads each form."""
