"""Cells of a statistics package as columns of Arrow, each by itself."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from deniable.errors.late import late
from deniable.publish.sources import Unread
from deniable.statistics_files.columns import (
    LABELS,
    Code,
    FileColumn,
    Numbers,
    named_missing,
)

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
else:
    pa = late("pyarrow", extra="publish")

EXACT = {"FLOAT": 2.0**24}
"""The first whole number that floats of 32 bits do not tell from the next."""
_DOUBLE = 2.0**53
"""The same of 64 bits."""
_BEYOND = 2.0**63
"""The first whole number that 64 bits do not hold."""
_DAY = 86_400_000_000
"""Microseconds of a day."""
_MILLISECONDS = 1000.0
"""Milliseconds of a second."""
_ARROW = {
    "TINYINT": "int64", "SMALLINT": "int64", "INTEGER": "int64", "BIGINT": "int64",
    "FLOAT": "float32", "DOUBLE": "float64",
}  # fmt: skip


@attrs.define
class Cells:
    """Makes a column's cells, as `type` says, and counts those that cannot be read as declared.

    `kept` are codes that stand for no value but are keys of the plan, and their texts. Where the
    column `is_entity`, a number that it may have rounded names nobody.
    """

    column: FileColumn
    type: str
    declared: str | None
    named: Collection[object] = ()
    is_entity: bool = False
    filled: int = 0
    unread: int = 0
    kept: Mapping[Code, str] = attrs.field(init=False)

    @kept.default
    def _kept(self) -> Mapping[Code, str]:
        return named_missing(self.column, self.declared, self.named)

    @property
    def field(self) -> pa.DataType:
        """The type of `array`."""
        if self.column.stored == "VARCHAR" or self.type == "VARCHAR":
            return pa.string()
        types = {"DATE": pa.date32(), "TIMESTAMP": pa.timestamp("us"), "BOOLEAN": pa.bool_()}
        return types.get(self.type) or pa.type_for_alias(_ARROW[self.type])

    @property
    def counted(self) -> Unread:
        """How many of the cells that hold anything could not be read."""
        return Unread(self.column.name, self.filled, self.unread)

    def array(self, cells: Sequence[Any]) -> pa.Array:
        """The cells of a block, in the column's type; parsed texts stay texts."""
        if self.column.stored == "VARCHAR" or self.type == "VARCHAR":
            texts = _Texts(self)
            if self.column.stored == "VARCHAR" and not texts.change:
                return pa.array(cells, pa.string())
            return pa.array([texts[each] for each in cells], pa.string())
        return self._of_numbers(self._numbers(cells))

    def _numbers(self, cells: Sequence[Any]) -> Numbers:
        """The cells as floats; NaN for no value."""
        try:
            array = pa.array(cells, pa.float64())
        except (pa.ArrowException, TypeError):  # letters, which are asked for with the codes
            array = pa.array([None if isinstance(each, str) else each for each in cells])
        numbers: Numbers = array.cast(pa.float64()).to_numpy(zero_copy_only=False)
        ranges: Sequence[tuple[Any, Any]] = self.column.missing
        for low, high in ranges:
            is_missing = (numbers >= low) & (numbers <= high)
            if is_missing.any():
                is_kept = np.isin(numbers, [*self.kept])
                numbers = np.where(is_missing & ~is_kept, np.nan, numbers)
        return numbers / _MILLISECONDS if self.column.duration else numbers

    def _of_numbers(self, numbers: Numbers) -> pa.Array:
        is_filled = ~np.isnan(numbers)
        is_read = is_filled.copy()
        if self.is_entity:
            is_read &= np.abs(numbers) < EXACT.get(self.column.stored, _DOUBLE)
        values: Any = numbers
        of = _ARROW.get(self.type)
        if self.type in ("DATE", "TIMESTAMP") and self.column.calendar is not None:
            values, known = self.column.calendar.microseconds(numbers)
            is_read &= known
            if self.type == "DATE":
                is_read &= values % _DAY == 0
                values = (values // _DAY).astype(np.int32)
        elif self.type == "BOOLEAN":
            is_read &= np.isin(numbers, (0, 1))
            values = numbers == 1
        elif of == "int64":
            is_read &= (np.floor(numbers) == numbers) & (np.abs(numbers) < _BEYOND)
            values = np.where(is_read, numbers, 0).astype(np.int64)
        elif of == "float32":
            values = numbers.astype(np.float32)
        self.filled += int(np.count_nonzero(is_filled))
        self.unread += int(np.count_nonzero(is_filled & ~is_read))
        array = pa.array(values, mask=~is_read)
        if self.type == "DATE":
            return array.view(pa.date32())
        return array.view(pa.timestamp("us")) if self.type == "TIMESTAMP" else array


class _Texts(dict[Any, str | None]):
    """The text of each code of a block, made once."""

    def __init__(self, cells: Cells) -> None:
        super().__init__()
        self.of = cells
        column = cells.column
        self.change = bool(column.missing) or (cells.declared == LABELS)

    def __missing__(self, code: Code | None) -> str | None:
        self[code] = text = self._text(code)
        return text

    def _text(self, code: Code | None) -> str | None:
        column, cells = self.of.column, self.of
        if code is None or code != code:
            return None
        if column.missing_code(code):
            return cells.kept.get(code)
        limit = EXACT.get(column.stored, _DOUBLE)
        if cells.is_entity and not isinstance(code, str) and abs(code) >= limit:
            return None
        return column.text(code, cells.declared)
