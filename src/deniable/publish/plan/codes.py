"""Keys of columns whose codes have labels or stand for no value, as in statistics packages."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NoReturn

from deniable.publish.plan.known_keys import LABELS
from deniable.publish.plan.schema import Use
from deniable.publish.plan.spelling import format_key, format_toml_value, quote_text, suggestion
from deniable.publish.plan.table import PlanTable
from deniable.publish.sources import Source, reader_of


def refuse_labels(data: PlanTable, declared: Mapping[str, str]) -> NoReturn:
    """Refuse labels of a source that has none."""
    column = next(each for each, word in declared.items() if word == LABELS)
    place, remedy = f"types.{format_key(column)}", "Labels stand in files of SPSS and Stata."
    raise data.error(place, "a type that this source has", quote_text(LABELS), remedy)


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
