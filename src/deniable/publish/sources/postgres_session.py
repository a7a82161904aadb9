"""The only connection to PostgreSQL: a read-only ADBC session, whose errors stay behind it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from deniable.errors import DataError, DeniableError, PlanError
from deniable.errors.late import late
from deniable.publish.sources.engine import OWNER_ONLY, no_space
from deniable.publish.sources.interruptible import AGAIN
from deniable.publish.sources.postgres_place import Place

if TYPE_CHECKING:
    import adbc_driver_postgresql.dbapi as adbc
    import pyarrow as pa  # type: ignore[import-untyped]
else:
    adbc = late("adbc_driver_postgresql.dbapi", extra="postgres")

_NO_RIGHT = "42501"
"""What SQL calls insufficient privilege."""
_ANY_BYTES = """
SELECT pg_catalog.set_config('client_encoding', 'SQL_ASCII', true)
WHERE pg_catalog.current_setting('server_encoding') = 'SQL_ASCII'
"""
"""A database without an encoding holds any bytes, and sends UTF-8 only where all of them are."""
_Result = TypeVar("_Result")


@attrs.frozen
class Session:
    """A transaction that only reads. Each statement sees one snapshot of its own."""

    connection: Any

    def rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run a query about the catalogue; its rows, which have to be few."""
        with self.connection.cursor() as cursor:
            cursor.execute(query, list(values) or None)
            rows: list[tuple[Any, ...]] = cursor.fetchall()
            return rows

    def stream(self, query: str, take: Callable[[pa.RecordBatchReader], _Result]) -> _Result:
        """Run a query and hand its batches on, as they come."""
        with self.connection.cursor() as cursor:
            cursor.execute(query)
            return take(cursor.fetch_record_batch())


@attrs.define
class _Open:
    """What the thread at work has opened, for whoever stops it."""

    connection: Any = None
    connected: bool = False
    stopped: bool = False
    lock: threading.Lock = attrs.field(factory=threading.Lock)

    def cancel(self) -> None:
        """Ask the server to stop; nothing once the connection is closed."""
        with self.lock:
            if self.connection is not None:
                self.connection.adbc_cancel()

    def close(self) -> None:
        """End transaction and session."""
        with self.lock:
            closing, self.connection = self.connection, None
            if closing is not None:
                closing.close()


def read(place: Place, call: Callable[[Session], _Result]) -> _Result:
    """Call with a session; whatever the server says on failure stays here: it may quote a record.

    It runs in a thread of its own, because Python sees Ctrl-C and signals only while its main
    thread is not inside the driver. The query is then cancelled in the server. A connection that
    is only being made cannot be; its thread ends with the process. The error is raised outside of
    any handler, so that not even a hidden context carries the server's text.

    Raises
    ------
    InvalidArgument
        If the driver is not installed.
    PlanError
        If there is no connection.
    DataError
        If the server does not answer to the end; for the owner only.
    """
    connect = adbc.connect
    state, future = _Open(), Future[_Result]()
    work = threading.Thread(target=_work, args=(place, connect, call, state, future), daemon=True)
    work.start()
    try:
        while not future.done():  # a wait without an end may not be woken by a signal
            wait([future], timeout=AGAIN)
    except BaseException:
        state.stopped = True
        while state.connected and not future.done():
            state.cancel()
            wait([future], timeout=AGAIN)
        raise
    failure = future.exception()
    if failure is None:
        return future.result()
    raise (
        failure if isinstance(failure, DeniableError) else _describe_failure(place, state, failure)
    )


def _work(
    place: Place,
    connect: Callable[..., Any],
    call: Callable[[Session], _Result],
    state: _Open,
    future: Future[_Result],
) -> None:
    try:
        state.connection = connect(place.uri, autocommit=True)
        state.connected = True
        if state.stopped:
            raise KeyboardInterrupt
        with state.connection.cursor() as cursor:
            cursor.execute("BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED READ ONLY")
            cursor.execute(_ANY_BYTES)
            cursor.fetchall()
        result = call(Session(state.connection))
        state.close()
    except BaseException as failure:
        with contextlib.suppress(Exception):
            state.close()
        future.set_exception(failure)
    else:
        future.set_result(result)


def _describe_failure(place: Place, state: _Open, failure: BaseException) -> DeniableError:
    """The one sentence about a failure, whose own text is not told."""
    if not state.connected:
        return PlanError(
            f"Expected a PostgreSQL server that lets us in, got none at {place.server}. Start it, "
            "or tell libpq who reads: PGUSER with PGPASSFILE, PGPASSWORD, or PGSERVICE."
        )
    if isinstance(failure, MemoryError) or "No space left" in str(failure):
        return no_space(place.server)
    if getattr(failure, "sqlstate", None) == _NO_RIGHT:
        return DataError(
            f"Expected the right to read every column that the plan uses, got less for "
            f"{place.named} at {place.server}. GRANT SELECT on it. {OWNER_ONLY}"
        )
    return DataError(
        f"Expected a table that can be read to its end, got an error on the way from "
        f"{place.named} at {place.server}. Look at the server and run it again. {OWNER_ONLY}"
    )
