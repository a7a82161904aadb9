"""A pandas data frame as Arrow, a column at a time.

A column of dtype object says nothing of its values, so that a plan declares it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from deniable.errors.late import late
from deniable.publish.sources.arrow_columns import exact, scanned_type
from deniable.publish.sources.foreign_code import call_redacting_errors
from deniable.publish.sources.kinds import Kind
from deniable.publish.sources.python_objects import convert_values, count_filled, declared_type
from deniable.publish.sources.unread import Unread

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
else:
    pa = late("pyarrow", extra="publish")


@attrs.frozen(eq=False)
class PandasFrame:
    """A pandas data frame: a column at a time, as the type that its dtype says."""

    frame: Any
    declared: Mapping[str, str] = attrs.field(factory=dict)

    @property
    def names(self) -> Sequence[object]:
        """The columns' names, as the frame has them."""
        return list(self.frame.columns)

    @property
    def index(self) -> Sequence[object]:
        """Names of what stands beside the columns, which is not read."""
        return [name for name in self.frame.index.names if name is not None]

    def types(self) -> Mapping[str, pa.DataType | None]:
        """Columns and their Arrow types; None for Python objects that nothing is declared of."""
        return {
            name: scanned_type(arrow_type)
            if (arrow_type := _of_dtype(of, self.declared.get(name)))
            else None
            for name, of in zip(self.frame.columns, self.frame.dtypes, strict=True)
        }

    def rows(self, columns: Sequence[str], folder: Path) -> pa.Table:
        """Columns to scan as often as needed; all of it is in memory."""
        arrays = [self._array(name) for name in columns]
        # Another thread of the caller's may have changed the frame meanwhile.
        return call_redacting_errors(lambda: exact(pa.table(arrays, names=list(columns))))

    def unread(self, columns: Sequence[str]) -> Sequence[Unread]:
        """Python objects that are no values of the type that the plan declares."""
        unread = []
        for name in columns:
            if name in self.declared and _is_of_objects(self.frame[name].dtype):
                filled = call_redacting_errors(partial(self._filled, name), name)
                array = self._array(name)
                unread.append(Unread(name, filled, filled - len(array) + array.null_count))
        return unread

    def _filled(self, name: str) -> int:
        return count_filled(self.frame[name])

    def _array(self, name: str) -> pa.Array | pa.ChunkedArray:
        return call_redacting_errors(
            lambda: _of_column(self.frame[name], self.declared.get(name)), name
        )


def _of_dtype(of: Any, declared: str | None) -> pa.DataType | None:
    """The Arrow type of a pandas dtype, from a column without rows; None for Python objects."""
    pandas = sys.modules["pandas"]
    if isinstance(of, pandas.CategoricalDtype):
        return _of_dtype(of.categories.dtype, declared)
    if _is_of_objects(of):
        return None if declared is None else declared_type(Kind(declared))
    if of == "float16":
        return pa.float32()  # the engine knows none so short
    try:
        return pa.array(pandas.Series([], dtype=of)).type
    except Exception:  # an extension's own code, perhaps of a column that nobody asks for
        return pa.null()


def _of_column(column: Any, declared: str | None) -> pa.Array | pa.ChunkedArray:
    pandas = sys.modules["pandas"]
    if isinstance(column.dtype, pandas.CategoricalDtype):
        codes = column.cat.codes.to_numpy()
        values = _of_column(column.dtype.categories, declared)
        return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), values)
    if _is_of_objects(column.dtype) and declared is not None:
        return convert_values(column, Kind(declared))
    of = _of_dtype(column.dtype, declared)
    if (
        getattr(column.dtype, "storage", None) == "python"
    ):  # Python's texts, any of which may be none
        return convert_values(column, Kind.TEXT).cast(of)
    return pa.array(column.astype("float32") if column.dtype == "float16" else column, type=of)


def _is_of_objects(of: Any) -> bool:
    return of.kind == "O" and not hasattr(of, "na_value")
