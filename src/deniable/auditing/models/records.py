"""Records that a model may be trained on: features and a label each."""

from __future__ import annotations

import hashlib
import os
import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument, validate
from deniable.errors.late import late

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.csv as pa_csv  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]
else:
    pa = late("pyarrow", extra="publish")
    pa_csv = late("pyarrow.csv", extra="publish")
    pq = late("pyarrow.parquet", extra="publish")


@attrs.frozen(eq=False)
class Records:
    """Features and labels of all records, members or not.

    Parameters
    ----------
    features : array-like, first axis n_records
        A NumPy array, a sparse matrix, a tensor or a pandas data frame; handed on as it is.
    labels : ndarray, shape (n_records,) or with more axes
        What the model shall say of each.
    """

    features: Any
    labels: Any

    def __len__(self) -> int:
        """How many there are."""
        return int(self.features.shape[0])

    def taken(self, rows: NDArray[np.intp]) -> tuple[Any, Any]:
        """Features and labels of some rows, in the type in which they came."""
        return _rows(self.features, rows), _rows(self.labels, rows)

    def digest(self) -> str:
        """A name of the values; it stays on the owner's machine."""
        return hashlib.sha256(pickle.dumps((self.features, self.labels))).hexdigest()[:32]


def records_of(data: Any, label: str | None = None) -> Records:
    """Records from features and labels, or from a file of Parquet or CSV.

    Parameters
    ----------
    data : pair or path
        Features and labels; or a file whose columns are numbers, and one of them the label.
    label : str, optional
        The column of the label, for a file.

    Raises
    ------
    InvalidArgument
        If there are no two records, features and labels do not belong together, or the file
        cannot be read.

    Examples
    --------
    >>> len(records_of(([[0.0], [1.0], [2.0]], [0, 0, 1])))
    3
    """
    if isinstance(data, str | os.PathLike):
        if label is None:
            raise InvalidArgument(
                f"Expected a label column for {Path(data).name}, got none. "
                "Say which column the model predicts."
            )
        records = _read(Path(data), label)
    else:
        if label is not None:
            raise InvalidArgument(
                "Expected a label column for a file only, got one for features and labels."
            )
        if not isinstance(data, list | tuple) or len(data) != 2:
            raise InvalidArgument(
                f"Expected data as a pair of features and labels, or a file, got "
                f"{type(data).__qualname__}. Write data=(X, y)."
            )
        records = Records(*map(_array, data))
    of, n = records.labels.shape, len(records)
    if not of or int(of[0]) != n:
        raise InvalidArgument(f"Expected a label for each of {n} records, got shape {tuple(of)}.")
    if n < 2:
        raise InvalidArgument(f"Expected at least 2 records, got {n}.")
    return records


def _array(value: Any) -> Any:
    """The value itself where it has rows to take, else an array of it."""
    if not hasattr(value, "shape") or not hasattr(value, "__getitem__"):
        try:
            value = np.asarray(value)
        except ValueError:
            raise InvalidArgument("Expected rows of one length in data, got several.") from None
    if not value.shape:
        raise InvalidArgument("Expected data to be features and labels, got one value.")
    return value


def _rows(values: Any, rows: NDArray[np.intp]) -> Any:
    return values.iloc[rows] if hasattr(values, "iloc") else values[rows]


def _read(path: Path, label: str) -> Records:
    table = _table(path)
    if label not in table.column_names:
        known = ", ".join(table.column_names[:10])
        raise InvalidArgument(
            f"Expected a label column of {path.name} ({known}), got {validate.format_value(label)}."
        )
    if len(set(table.column_names)) < len(table.column_names):
        raise InvalidArgument(
            f"Expected names of columns that differ, got one twice in {path.name}."
        )
    names = [name for name in table.column_names if name != label]
    numeric = pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean
    other = [n for n in names if not any(test(table.schema.field(n).type) for test in numeric)]
    if other or not names:
        raise InvalidArgument(
            f"Expected columns of numbers beside the label in {path.name}, got "
            f"{', '.join(other[:10]) or 'none'}. Encode other columns, or hand over features and "
            "labels in Python, with a pipeline as the model."
        )
    if table.column(label).null_count:
        raise InvalidArgument(f"Expected a label in every row of {path.name}, got rows without.")
    columns = [table.column(n).cast(pa.float64(), safe=False).to_numpy() for n in names]
    return Records(np.column_stack(columns), np.asarray(table.column(label).to_pylist()))


def _table(path: Path) -> Any:
    """The file as an Arrow table; a failure does not show what is in it."""
    readers = {".parquet": pq.read_table, ".csv": pa_csv.read_csv}
    if path.suffix.lower() not in readers:
        raise InvalidArgument(
            f"Expected data in a file .parquet or .csv, got {validate.format_value(path.name)}."
        )
    if not path.is_file():
        raise InvalidArgument(f"Expected a file of records, got none at {path}.")
    try:
        return readers[path.suffix.lower()](path)
    except (pa.ArrowException, OSError):
        raise InvalidArgument(
            f"Expected a readable {path.suffix.lower()[1:]} file, got {path.name}, which is "
            "damaged or of another format."
        ) from None
