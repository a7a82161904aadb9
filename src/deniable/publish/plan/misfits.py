"""What a plan takes a column for, and what the column is: the words of what does not fit."""

import re
from typing import NoReturn

from deniable.publish.plan.schema import Use
from deniable.publish.plan.spelling import format_toml_value, quote_text
from deniable.publish.sources import Kind


def refuse_two_kinds(before: Use, use: Use, known: str) -> NoReturn:
    """Refuse a column that is taken for two kinds, at the place that takes it for the wrong one."""
    column = quote_text(use.column)
    measured, keyed = sorted((before, use), key=lambda each: bool(each.values))
    texts = [each for each in keyed.values if isinstance(each, str)]
    numbers = [number for number in map(_number, texts) if number is not None]
    if measured.kind is Kind.NUMBER and not measured.values and texts and not numbers:
        # A statistic takes the column for numbers, and the plan itself says that it holds texts.
        statistic = measured.table.entries.get("statistic", "this")
        raise measured.table.error(
            measured.key,
            f"a column of numbers for {statistic}",
            f"{column}, whose values are texts in {keyed.key}",
            f"Choose a column of numbers. If {column} holds numbers, write them without quotation "
            f"marks in {keyed.key}.",
        )
    remedy = "Declare it in [data], types."
    if numbers and measured.kind is Kind.NUMBER:
        use, known, remedy = keyed, Kind.NUMBER, f"Write {numbers[0]} without quotation marks."
    raise use.table.error(
        use.key,
        f"one kind for the column {column}",
        f"{known} elsewhere and {use.kind} here",
        remedy,
    )


def refuse_number_as_text(use: Use) -> None:
    """Refuse a number in quotation marks that texts would be ordered by: "10" comes before "9"."""
    for value in use.values:
        if isinstance(value, str) and (number := _number(value)) is not None:
            raise use.table.error(
                use.key,
                f"a number after {use.operator}",
                f"the text {quote_text(value)}",
                f"Write {number} without quotation marks. If {quote_text(use.column)} holds texts, "
                "say so in [data], types.",
            )


def refuse_values(use: Use, kind: Kind) -> NoReturn:
    """Refuse keys, or values of a condition, that are not of the kind of their column."""
    value, column = use.values[0], quote_text(use.column)
    remedy = f"Write values of the kind {kind}{_EXAMPLES[kind]}."
    if kind in (Kind.INTEGER, Kind.NUMBER) and isinstance(value, str) and _number(value):
        remedy = f"Write {_number(value)} without quotation marks."
    expected = f"values of the kind {kind} for {column}"
    raise use.table.error(use.key, expected, format_toml_value(value), remedy)


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
