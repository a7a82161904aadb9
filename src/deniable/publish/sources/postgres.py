"""Tables of a PostgreSQL server: pulled with one query into the private spill folder, then scanned.

Nothing is computed in the server but what a value is written as, so that every source has one
engine's arithmetic (docs/decisions/0024-pull-from-postgresql.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError
from deniable.errors.late import late
from deniable.publish.sources.engine import OWNER_ONLY
from deniable.publish.sources.kinds import Kind
from deniable.publish.sources.postgres_catalogue import Column, table
from deniable.publish.sources.postgres_place import Place, place_of
from deniable.publish.sources.postgres_session import Session, read

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
else:
    pa = late("pyarrow", extra="publish")

_EPOCH_DAYS = 10_957
"""Days from 1970, from which Arrow counts, to 2000, from which the server does."""
_EPOCH_MICROSECONDS = _EPOCH_DAYS * 86_400 * 10**6
"""The same in microseconds."""


def kinds(location: str) -> dict[str, Kind]:
    """Columns and their kinds, from the catalogue; no value is looked at.

    Raises
    ------
    PlanError
        If the location is none, there is no connection, or the table is not there or not readable.
    """
    place = place_of(location)
    columns = read(place, lambda session: table(session, place)).columns
    return {name: column.kind for name, column in columns.items()}


def rows(location: str, expected: Mapping[str, Kind], folder: Path) -> pa.Table:
    """Columns of one snapshot, in a file of the folder that is scanned as often as needed.

    Parameters
    ----------
    location : str
        The table.
    expected : mapping
        The columns that are wanted and their kinds, as they were when the plan was checked.
    folder : Path
        Private; the rows are written there batch by batch.

    Raises
    ------
    DataError
        If the table has changed since, or cannot be read to its end; for the owner only.
    """
    place, path = place_of(location), folder / "pulled.arrow"
    read(place, lambda session: _pull(session, place, expected, path))
    return pa.ipc.open_file(pa.memory_map(str(path))).read_all()


def _pull(session: Session, place: Place, expected: Mapping[str, Kind], path: Path) -> None:
    before = table(session, place)
    kinds = {name: column.kind for name, column in before.columns.items() if name in expected}
    if kinds != dict(expected):
        raise _changed(place)
    columns = [before.columns[name] for name in expected]
    expressions = ", ".join(column.query for column in columns) or "true"
    query = f"SELECT {expressions} FROM {before.query}"
    # From here on nobody can change the table: the lock stays until the transaction ends.
    session.rows(f"{query} LIMIT 0")
    if table(session, place) != before:
        raise _changed(place)
    present = Column("present", Kind.BOOLEAN, arrow_type=pa.bool_())
    session.stream(query, lambda reader: _write(reader, columns or [present], path))


def _changed(place: Place) -> DataError:
    return DataError(
        f"Expected the table as it was when the plan was checked, got another {place.named} at "
        f"{place.server}. Run it again. {OWNER_ONLY}"
    )


def _write(reader: pa.RecordBatchReader, columns: Sequence[Column], path: Path) -> None:
    schema = pa.schema([(column.name, column.arrow_type) for column in columns])
    with pa.ipc.new_file(str(path), schema) as file:
        for batch in reader:
            arrays = map(_read_as, batch.columns, schema.types)
            file.write_batch(pa.record_batch(list(arrays), schema=schema))


def _read_as(column: pa.Array, of: pa.DataType) -> pa.Array:
    """A column as it is written down; a text of other bytes than UTF-8 is no value later."""
    if pa.types.is_date32(of):
        return _days(column)
    if pa.types.is_timestamp(of):
        return _moments(column)
    column.validate()
    return column.cast(of)


def _days(column: pa.Array) -> pa.Array:
    """Days since 2000 as the engine's dates, whose infinities are the ends of their integers."""
    sent = _integers(column, np.dtype(">i4"))
    limits = np.iinfo(np.int32)
    days = np.where(np.isin(sent, (limits.min, limits.max)), sent, sent + _EPOCH_DAYS)
    days = np.maximum(days, -limits.max).astype(np.int32)
    return pa.array(days, mask=_absent(column)).view(pa.date32())


def _moments(column: pa.Array) -> pa.Array:
    """Microseconds since 2000 as the engine's, NULL after its last moment, in the year 294247."""
    sent = _integers(column, np.dtype(">i8"))
    limits = np.iinfo(np.int64)
    late_ones = (sent >= limits.max - _EPOCH_MICROSECONDS) & (sent < limits.max)
    infinite = np.isin(sent, (limits.min, limits.max)) | late_ones
    moments = np.maximum(np.where(infinite, sent, sent + _EPOCH_MICROSECONDS), -limits.max)
    return pa.array(moments, mask=_absent(column) | late_ones).view(pa.timestamp("us"))


def _integers(column: pa.Array, of: np.dtype[np.signedinteger]) -> NDArray[np.int64]:
    """Numbers that the server sent as bytes, the first of them the highest; 0 for NULL."""
    filled = column.fill_null(bytes(of.itemsize))
    _, offsets, sent = filled.buffers()
    starts = np.frombuffer(offsets, np.int32)[filled.offset : filled.offset + len(filled) + 1]
    return np.frombuffer(sent, np.uint8)[starts[0] : starts[-1]].view(of).astype(np.int64)


def _absent(column: pa.Array) -> NDArray[np.bool_]:
    is_null: NDArray[np.bool_] = column.is_null().to_numpy(zero_copy_only=False)
    return is_null
