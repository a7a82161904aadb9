"""A plan against the source's schema: columns that exist, values of their kind, and refusals.

A column may have codes with labels, or codes that stand for no value, as in statistics packages.
"""

import datetime
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NoReturn

import attrs

from deniable.errors import PlanError
from deniable.errors.public_names import nearest
from deniable.publish.plan.spelling import format_key, format_toml_value, quote_text, suggestion
from deniable.publish.plan.table import PlanTable
from deniable.publish.query import Query, Scalar
from deniable.publish.sources import DELIMITERS, Kind, Source, looks_like_row, reader_of


@attrs.frozen
class Use:
    """One place of a plan that names a column, and the kind that it takes the column for.

    `exact` marks keys, which must be values that the column can hold; `also` is another kind of
    column that serves. `unknown` marks a column whose values become keys as they are found, and
    `declared` one whose type is not taken from its use: a 1 may mean no as well as yes.
    """

    table: PlanTable
    key: str
    column: str
    kind: Kind | None
    values: tuple[Scalar, ...] = ()
    operator: str | None = None
    exact: bool = False
    also: Kind | None = None
    unknown: bool = False
    declared: bool = False

    @property
    def is_compared(self) -> bool:
        """Whether cells are held against its values, each of which some cell has to have."""
        return self.exact or self.operator in ("==", "!=", "in", "not in")

    def error(self, expected: str, got: object, remedy: str = "") -> PlanError:
        """Return the error about this place."""
        return self.table.error(self.key, expected, got, remedy)


def uses(table: PlanTable, query: Query) -> Iterator[Use]:
    """Every column that a query names."""
    statistic = query.statistic
    kind = Kind.NUMBER if statistic.NUMERIC else None
    truth = Kind.BOOLEAN if statistic.TRUTH_VALUES else None
    for column, key in statistic.columns_read.items():
        if (value := statistic.tested.get(column)) is None:
            yield Use(table, key, column, kind, also=truth)
        else:
            is_truth, own = isinstance(value, bool), kind_of(value)
            yield Use(table, key, column, own, (value,), "==", declared=is_truth)
    if statistic.column is not None and statistic.categories:
        yield _keys(table, statistic.column, statistic.categories)
    for place, column in enumerate(query.grouping.columns):
        if place in query.grouping.unknown:
            yield Use(table, f"keys.{format_key(column)}", column, None, unknown=True)
        else:
            yield _keys(table, column, query.grouping.keys[place], statistic.column_key(column))
    for condition in query.where:
        values = condition.value if isinstance(condition.value, tuple) else (condition.value,)
        kind = kind_of(values[0])
        yield Use(table, "where", condition.column, kind, values, condition.operator)


def _keys(table: PlanTable, column: str, keys: tuple[Scalar, ...], named: str | None = None) -> Use:
    key = f"keys.{format_key(column)}" if named is None else named
    return Use(table, key, column, kind_of(keys[0]), keys, exact=True)


def kind_of(value: Scalar) -> Kind:
    """The kind of column that a public value belongs to."""
    match value:
        case bool():
            return Kind.BOOLEAN
        case str():
            return Kind.TEXT
        case datetime.datetime():
            return Kind.TIMESTAMP
        case datetime.date():
            return Kind.DATE
        case _:
            return Kind.NUMBER


def infer_types(
    used: Iterable[Use], declared: Mapping[str, str], formats: Sequence[str | None] = ()
) -> dict[str, str]:
    """Types of a CSV: what the plan declares, and else what its own use of a column says."""
    types = dict(declared)
    first: dict[str, Use] = {}
    for use in used:
        if use.unknown:
            types.setdefault(use.column, str(Kind.TEXT))
        if use.kind is None or use.column in declared:
            continue
        if use.declared:
            remedy = (
                f'Write types = {{ {format_key(use.column)} = "{use.kind}" }} if it holds 0 and 1, '
                "or true and false. Else say which value means yes."
            )
            raise use.error(
                f"the type of {quote_text(use.column)} in [data], types", "none", remedy
            )
        if use.kind is Kind.TEXT and use.operator in ORDERED:
            refuse_day_as_text(use, formats, is_text=False)
            _refuse_number_as_text(use)
        before = first.setdefault(use.column, use)
        if types.setdefault(use.column, str(use.kind)) != use.kind:
            _refuse_two_kinds(before, use, types[use.column])
    return types


def types_of_empty(
    empty: Collection[str], declared: Mapping[str, str], used: Iterable[Use]
) -> dict[str, str]:
    """What is declared, and of columns in which nobody has a value what the plan takes them for."""
    uses = [use for use in used if use.column in empty]
    types = infer_types(uses, declared)
    for use in uses:  # of a part of the calendar, or of days, any moment will do
        types.setdefault(use.column, str(Kind.DATE))
    return types


def _other_delimiter(column: str, schema: Mapping[str, Kind]) -> str | None:
    """What to write where the only column's name is a whole header with this column in it."""
    header = next(iter(schema)) if len(schema) == 1 else ""
    for mark in DELIMITERS:
        names = [name.strip().strip('"') for name in header.split(mark)]
        if len(names) > 1 and column in names:
            by = quote_text(mark)
            return f"The file seems to be separated by {by}: write delimiter = {by} in [data.csv]."
    return None


NO_HEADER = (
    "The first line seems to be a row or a title. Remove lines above the header; of a CSV file "
    "without one, write header = false and the columns in [data.csv]."
)


def check_header(data: PlanTable, schema: Mapping[str, Kind], named: Collection[str]) -> None:
    """Refuse a first line with nothing like what a plan names, without quoting it: it may be a row.

    `named` are columns beside the entity's.
    """
    named = {*named, *(data.text(key) for key in ("entity", "household") if key in data)}
    if named and not any(_other_delimiter(each, schema) or nearest(each, schema) for each in named):
        raise data.error("source", "a header with the plan's columns", "none of them", NO_HEADER)


def check_column(table: PlanTable, key: str, column: str, schema: Mapping[str, Kind]) -> Kind:
    """The kind of a column that must be there and readable."""
    if column not in schema:
        remedy = _other_delimiter(column, schema) or suggestion(column, schema)
        if looks_like_row(schema) and not remedy.startswith(("The file", "Did you mean")):
            remedy = NO_HEADER
        raise table.error(key, "a column of the source", quote_text(column), remedy)
    if schema[column] is Kind.OTHER:
        expected = "a column of numbers, text, truth values, dates or timestamps"
        got = f"{quote_text(column)} of another type"
        raise table.error(key, expected, got, "Cast it in the source.")
    return schema[column]


def check(use: Use, schema: Mapping[str, Kind], objects: Collection[str] = ()) -> None:
    """Refuse a use that the column's kind does not allow; `objects` are text for want of a word."""
    kind = check_column(use.table, use.key, use.column, schema)
    numeric = kind in (Kind.INTEGER, Kind.NUMBER)
    if use.unknown and kind not in _KEY_KINDS:
        expected = "text, whole numbers, truth values or dates where keys are unknown"
        remedy = "List its keys, or make a derived column of it in [columns]: bands, a part of it."
        raise use.error(expected, str(kind), remedy)
    column = quote_text(use.column)
    if kind is Kind.NUMBER and use.operator not in ORDERED:
        for value in use.values:
            if isinstance(value, int) and (near := int(float(value))) != value:
                expected = f"numbers that 64-bit floats hold, as {column} is read"
                remedy = f"The next one is {near}; integers are read to the last digit."
                raise use.error(expected, str(value), remedy)
    if use.kind is None or (numeric and use.kind is Kind.NUMBER) or kind in (use.kind, use.also):
        if use.exact and kind is Kind.INTEGER and any(isinstance(key, float) for key in use.values):
            raise use.error(f"whole numbers for {column}", "a number with a point")
        if kind is Kind.BOOLEAN and use.operator in ORDERED:
            raise use.error(f"== or != for the truth values of {column}", str(use.operator))
        return
    if use.values and not use.declared and use.column not in objects:
        value, remedy = use.values[0], f"Write values of the kind {kind}{_EXAMPLES[kind]}."
        if kind in (Kind.INTEGER, Kind.NUMBER) and isinstance(value, str) and _number(value):
            remedy = f"Write {_number(value)} without quotation marks."
        raise use.error(f"values of the kind {kind} for {column}", format_toml_value(value), remedy)
    remedy = f"Choose a column of numbers; for CSV, look at what [data], types says of {column}."
    yes = "1" if numeric else '"dead"'
    which = f"Say which value means yes: {{ column = {column}, is = {yes} }}."
    if use.column in objects:
        declared = f'types = {{ {format_key(use.column)} = "{use.kind}" }}'
        remedy = f"It holds Python objects: write {declared} in [data]."
        if use.declared:
            remedy = f"{which} If it holds truth values, write {declared} in [data]."
    elif use.declared:
        remedy = which
    elif kind is Kind.BOOLEAN:
        remedy = f'Count the rows with where = [[{column}, "==", true]] instead.'
    raise use.error(f"{column} to be of the kind {use.kind}", str(kind), remedy)


def _refuse_two_kinds(before: Use, use: Use, known: str) -> NoReturn:
    """Refuse a column that is taken for two kinds, at the place that takes it for the wrong one."""
    column = quote_text(use.column)
    measured, keyed = sorted((before, use), key=lambda each: bool(each.values))
    texts = [each for each in keyed.values if isinstance(each, str)]
    numbers = [number for number in map(_number, texts) if number is not None]
    if measured.kind is Kind.NUMBER and not measured.values and texts and not numbers:
        # A statistic takes the column for numbers, and the plan itself says that it holds texts.
        expected = f"a column of numbers for {measured.table.entries.get('statistic', 'this')}"
        remedy = (
            f"Choose a column of numbers. If {column} holds numbers, write them without quotation "
            f"marks in {keyed.key}."
        )
        got = f"{column}, whose values are texts in {keyed.key}"
        raise measured.error(expected, got, remedy)
    remedy = "Declare it in [data], types."
    if numbers and measured.kind is Kind.NUMBER:
        use, known, remedy = keyed, Kind.NUMBER, f"Write {numbers[0]} without quotation marks."
    got = f"{known} elsewhere and {use.kind} here"
    raise use.error(f"one kind for the column {column}", got, remedy)


def _refuse_number_as_text(use: Use) -> None:
    """Refuse a number in quotation marks that texts would be ordered by: "10" comes before "9"."""
    for value in use.values:
        if isinstance(value, str) and (number := _number(value)) is not None:
            remedy = (
                f"Write {number} without quotation marks. If {quote_text(use.column)} holds texts, "
                "say so in [data], types."
            )
            got = f"the text {quote_text(value)}"
            raise use.error(f"a number after {use.operator}", got, remedy)


_DAY = re.compile(r"(\d{4}([-./])\d\d?\2\d\d?|\d\d?([-./])\d\d?\3(\d\d){1,2})([ T].*)?")
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d([ T].*)?")


def refuse_day_as_text(use: Use, formats: Iterable[str | None] = (), *, is_text: bool) -> None:
    """Refuse a day in quotation marks that texts would be ordered by: "10.1." comes before "9.1.".

    Where the column `is_text`, days as ISO 8601 writes them are in their order.
    """
    for value in use.values if use.operator in ORDERED else ():
        if not isinstance(value, str):
            continue
        text = value.strip()
        is_iso, day = _ISO_DAY.fullmatch(text) is not None, ""
        for written in filter(None, formats):
            with suppress(ValueError):
                day = datetime.datetime.strptime(text, written).date().isoformat()
        if not (day or _DAY.fullmatch(text)) or (is_iso and is_text):
            continue
        remedy = (
            f"Write {day or (text[:10] if is_iso else '2024-01-31')} without quotation marks: "
            f"{quote_text(use.column)} is then a column of dates, of which date_format in "
            "[data.csv] says how they are written."
        )
        raise use.error(f"a day after {use.operator}", f"the text {quote_text(value)}", remedy)


def _number(text: str) -> str | None:
    """A text that is a number, as a plan writes it."""
    match = re.fullmatch(r"\s*([+-]?\d+(?:[.]\d+)?)\s*", text)
    return None if match is None else match[1]


_EXAMPLES = {
    Kind.INTEGER: ", such as 18",
    Kind.NUMBER: ", such as 1.5",
    Kind.TEXT: ', such as "free"',
    Kind.BOOLEAN: ": true or false",
    Kind.DATE: ", such as 2024-01-31",
    Kind.TIMESTAMP: ", such as 2024-01-31T00:00:00",
}
ORDERED = ("<", "<=", ">", ">=")

_KEY_KINDS = (Kind.TEXT, Kind.INTEGER, Kind.BOOLEAN, Kind.DATE)
"""Kinds of columns whose values are few enough to be met again, and have one spelling."""


def keys_without_value(source: Source, used: Sequence[Use]) -> dict[str, frozenset[object]]:
    """Keys that stand for no value in the source, such as 98 for "refused", by their column.

    Where a plan asks for one, it is a value of the column: so nothing else may take it for one.
    """
    reader = reader_of(source)
    named: dict[str, set[object]] = {}
    asks = [use for use in used if use.exact or use.operator in ("==", "in")]
    for use in asks:
        for value in use.values:
            if reader.missing(use.column, [value]):
                named.setdefault(use.column, set()).add(value)
    for use in used:
        if use.column in named and use not in asks:
            keys = format_toml_value(sorted(named[use.column], key=str))
            remedy = f"Elsewhere the keys {keys} stand for no value in the file. Make two plans."
            expected = f"{quote_text(use.column)} to be used by its keys alone"
            raise use.error(expected, "another use of it", remedy)
    return {column: frozenset(values) for column, values in named.items()}


def check_label(use: Use, labels: Collection[str]) -> None:
    """Refuse a key that is no label; the text of a number may be a code without one."""
    for value in use.values:
        if isinstance(value, str) and value not in labels and not _CODE.fullmatch(value):
            expected = f"labels of {quote_text(use.column)}"
            raise use.error(expected, quote_text(value), suggestion(value, labels))


_CODE = re.compile("[-+0-9.eE]+|[.][A-Za-z_]")  # the text of a code without a label
