"""Tables of a PostgreSQL server: pulled with one query into the private spill folder, then scanned.

Nothing is computed in the server but what a value is written as, so that every source has one
engine's arithmetic (docs/decisions/0024-pull-from-postgresql.md).
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, DeniableError, PlanError
from deniable.errors.late import late, pa
from deniable.ledger import server
from deniable.ledger.tables import read_statements
from deniable.numerics.operating_system import AGAIN
from deniable.publish.sources.engine import OWNER_ONLY, DuckDB, identifier, no_space
from deniable.publish.sources.frames import type_name
from deniable.publish.sources.kinds import Kind, check_names
from deniable.publish.sources.typed import ScannedReader

if TYPE_CHECKING:
    import adbc_driver_postgresql.dbapi as adbc
else:
    adbc = late("adbc_driver_postgresql.dbapi", extra="postgres")


_NO_RIGHT = "42501"  # what SQL calls insufficient privilege
(_ANY_BYTES, _DEFINITION, _POLICIES, _KIND, _KNOWN_FUNCTIONS, _FUNCTIONS_OF, _TABLE, _COLUMNS) = (
    read_statements(__file__, "catalogue.sql")
)
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
    """What the thread at work has opened, for a thread that stops it."""

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
    """
    connect = adbc.connect
    state, future = _Open(), Future[_Result]()

    def work() -> None:
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

    threading.Thread(target=work, daemon=True).start()
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
    is_ours = isinstance(failure, DeniableError)
    raise failure if is_ours else _describe_failure(place, state, failure)


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


# A view may let one person's row change everybody's: by an average, a limit, a join. Admitted is,
# of a definition as PostgreSQL stored it, what a plan's own `where` could say, and what is computed
# within a row: then every row comes from one row of one table.
_NODE = re.compile(r"(?<!\\)\{(\w+)")
_WORD = re.compile(r"\w+")
_ROW_BY_ROW = {
    # The definition, its columns, its one table and its order (which says nothing).
    *_WORD.findall(
        "QUERY ALIAS RTE RANGETBLENTRY RTEPERMISSIONINFO FROMEXPR RANGETBLREF TARGETENTRY "
        "SORTGROUPCLAUSE"
    ),
    # What is computed within a row; names differ between versions of the server.
    *_WORD.findall(
        "VAR CONST FUNCEXPR OPEXPR DISTINCTEXPR NULLIFEXPR SCALARARRAYOPEXPR BOOLEXPR NULLTEST "
        "BOOLEANTEST RELABELTYPE COERCEVIAIO COLLATE COLLATEEXPR CASE CASEEXPR WHEN CASEWHEN "
        "CASETESTEXPR COALESCE COALESCEEXPR MINMAX MINMAXEXPR ARRAY ARRAYEXPR ROW ROWEXPR "
        "ROWCOMPARE ROWCOMPAREEXPR SUBSCRIPTINGREF SQLVALUEFUNCTION"
    ),
}
_ONCE = ("QUERY", "RANGETBLREF")  # one definition, no other inside it, from one table
_EMPTY = _WORD.findall(
    "cteList groupClause groupingSets havingQual windowClause distinctClause limitOffset "
    "limitCount rowMarks setOperations"
)
_RELATION = re.compile(r" :rtekind 0 :relid (\d+) ")
_FUNCTION = re.compile(r" :(?:funcid|opfuncid) (\d+) ")
_OPERATOR = re.compile(r" :(?:opno|eqop|sortop) (\d+) ")

_BUILT_IN = 16384
"""The first number of what is not there from the start, in every version of the server."""


def check_rows(
    session: Session, place: Place, relation: int, kind: str, *, anyone: bool = False
) -> None:
    """Refuse a relation, by its number in the catalogue, of which one row may change others.

    Row security has to choose each row by itself: of `anyone` who reads, below a view.
    """
    if kind != _VIEW:
        for (policy,) in session.rows(_POLICIES.format(relation, anyone)):
            if not set(_NODE.findall(policy)) <= _ROW_BY_ROW or not _is_known(session, policy):
                raise PlanError(
                    f"Expected row security that looks at each row by itself, got a policy behind "
                    f"{place.named} at {place.server} that may look at other people's rows. Read "
                    "it as a role that bypasses row security, or change the policy."
                )
        return
    ((definition,),) = session.rows(_DEFINITION.format(relation))
    tables = {int(number) for number in _RELATION.findall(definition)} - {relation}
    nodes = _NODE.findall(definition)
    is_row_by_row = (
        set(nodes) <= _ROW_BY_ROW
        and all(nodes.count(node) == 1 for node in _ONCE)
        and all(f" :{clause} <> " in definition for clause in _EMPTY)
        and ":tablesample {" not in definition
    )
    if not is_row_by_row or len(tables) != 1 or not _is_known(session, definition):
        raise PlanError(
            f"Expected a view that takes its rows from one table, each by itself, got "
            f"{place.named} at {place.server}, whose rows may depend on other people's. Where they "
            "do not, write them down: CREATE MATERIALIZED VIEW … AS SELECT …."
        )
    (below,) = tables
    ((kind,),) = session.rows(_KIND.format(below))
    check_rows(session, place, below, kind, anyone=True)


def _is_known(session: Session, definition: str) -> bool:
    """Whether all that is computed is the server's own, and looks at nothing but its arguments."""
    functions = {int(number) for number in _FUNCTION.findall(definition)} - {0}
    if operators := {int(number) for number in _OPERATOR.findall(definition)} - {0}:
        if max(operators) >= _BUILT_IN:
            return False
        functions |= {of for (of,) in session.rows(_FUNCTIONS_OF.format(_format_list(operators)))}
    if not functions:
        return True
    ((known,),) = session.rows(_KNOWN_FUNCTIONS.format(_format_list(functions)))
    return bool(known == len(functions))


def _format_list(numbers: Collection[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))


_NAME = r'"(?:[^"]|"")+"|[^".]+'
_NAMES = re.compile(rf"(?:({_NAME})\.)?({_NAME})")
_OURS_TO_SAY = "client_encoding=utf8"

_FORM = server.Form("postgresql://HOST:PORT/DATABASE?table=SCHEMA.TABLE", "a plan", PlanError)


@attrs.frozen
class Place:
    """A table of a server.

    What the `uri` for libpq does not say comes from its environment. `server` is for messages: host
    and database, no user. Names are as the catalogue writes them; without a schema the server's
    search path finds the table.
    """

    uri: str = attrs.field(repr=False)
    server: str
    schema: str | None
    table: str

    @property
    def named(self) -> str:
        """The table, for messages."""
        return ".".join(f'"{name}"' for name in (self.schema, self.table) if name is not None)


def place_of(location: str) -> Place:
    """What a plan's source says; no message repeats any of it, because it may hold a password.

    >>> place_of("postgresql://reader@db:5432/clinic?table=public.visits").server
    'postgresql://db:5432/clinic'
    """
    uri, label, query = _FORM.split(location)
    key, separator, value = query.partition("=")
    if key != "table" or not separator or "&" in value:
        remedy = "Say anything else with libpq's environment or a service file, as PGSSLMODE."
        _FORM.refuse("something other than one table after the question mark", remedy)
    names = _NAMES.fullmatch(_FORM.decode(value))
    if names is None:
        remedy = 'Put a name with a point or a quotation mark in it in quotation marks: "a.b".'
        _FORM.refuse("no name of a table", remedy)
    schema, table = names.groups()
    schema = None if schema is None else _bare(schema)
    return Place(f"{uri}?{_OURS_TO_SAY}", label, schema, _bare(table))


def _bare(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name


_VIEW = "v"
_READABLE = ("r", "p", "f", "m", _VIEW)
"""Tables, partitioned and foreign ones, materialized views, views."""


@attrs.frozen
class Column:
    """A column of a table: what is asked for in the server's language, and the type written down.

    Its kind is OTHER, and its type None, where a plan cannot use it.
    """

    name: str
    kind: Kind
    query: str = ""
    arrow_type: pa.DataType | None = None


@attrs.frozen
class PostgresTable:
    """A table that is there and can be read: its full name in the server's language."""

    query: str
    columns: Mapping[str, Column]


def table(session: Session, place: Place) -> PostgresTable:
    """The table as the catalogue describes it; no value is looked at."""
    rows = session.rows(_TABLE, [place.table, place.schema])
    if not rows or rows[0][1] not in _READABLE:
        raise PlanError(
            f"Expected a table {place.named}, got none at {place.server}. Write names as the "
            "catalogue has them: lower case where they were made without quotation marks."
        )
    ((number, kind, schema, readable),) = rows
    if not readable:
        raise PlanError(
            f"Expected a table that may be read, got {place.named} at {place.server}, which may "
            "not. GRANT USAGE on its schema and SELECT on it."
        )
    check_rows(session, place, number, kind)
    columns = [_column(*row) for row in session.rows(_COLUMNS.format(number))]
    where = f"in {place.named} at {place.server}"
    check_names((each.name for each in columns), where, "Name a view without one of them.")
    query = f"{identifier(schema)}.{identifier(place.table)}"
    return PostgresTable(query, {column.name: column for column in columns})


def _column(
    name: str, number: int, category: str, schema: str, type_name: str, deterministic: bool
) -> Column:
    known = _ENUM if category == "e" else _TYPES.get(number)
    if known is None or not deterministic:
        return Column(name, Kind.OTHER)
    kind, written, arrow_type = known
    of = f"{identifier(schema)}.{identifier(type_name)}"
    return Column(name, kind, written.format(f"{identifier(name)}::{of}"), arrow_type())


_ColumnType: TypeAlias = tuple[Kind, str, Callable[[], Any]]


def _text_of(function: str) -> str:
    """What a type prints, whatever casts somebody has made of it."""
    return f"pg_catalog.textin(pg_catalog.{function}({{}}))"


_ENUM: _ColumnType = (Kind.TEXT, _text_of("enum_out"), lambda: pa.string())
_DECIMAL = _text_of("numeric_out").format("pg_catalog.trim_scale({})")
_TYPES: Mapping[int, _ColumnType] = {
    16: (Kind.BOOLEAN, "{}", lambda: pa.bool_()),
    20: (Kind.INTEGER, "{}", lambda: pa.int64()),
    21: (Kind.INTEGER, "{}", lambda: pa.int16()),
    23: (Kind.INTEGER, "{}", lambda: pa.int32()),
    25: (Kind.TEXT, "{}", lambda: pa.string()),
    700: (Kind.NUMBER, "{}", lambda: pa.float32()),
    701: (Kind.NUMBER, "{}", lambda: pa.float64()),
    1042: (Kind.TEXT, "pg_catalog.text({})", lambda: pa.string()),  # char(n), without padding
    1043: (Kind.TEXT, "{}", lambda: pa.string()),  # varchar
    # As eight or four bytes: the driver's own dates and times have no infinities.
    1082: (Kind.DATE, "pg_catalog.date_send({})", lambda: pa.date32()),
    1114: (Kind.TIMESTAMP, "pg_catalog.timestamp_send({})", lambda: pa.timestamp("us")),
    1184: (Kind.TIMESTAMP, "pg_catalog.timestamptz_send({})", lambda: pa.timestamp("us")),
    # Exact, and one text for equal numbers: 1.50 is 1.5.
    1700: (Kind.NUMBER, _DECIMAL, lambda: pa.string()),
    2950: (Kind.TEXT, _text_of("uuid_out"), lambda: pa.string()),
}
"""Types by number in `pg_catalog`: what a column of it holds, how the server is asked for it,
and what is written down."""


_EPOCH_DAYS = 10_957  # days from 1970, from which Arrow counts, to 2000, from which the server does
_EPOCH_MICROSECONDS = _EPOCH_DAYS * 86_400 * 10**6  # the same in microseconds


@attrs.frozen(eq=False)
class PostgresReader(ScannedReader):
    """Reads ``postgresql://HOST:PORT/DATABASE?table=SCHEMA.TABLE``.

    What only looks like it, such as ``jdbc:postgresql:``, is refused here, so that no message
    repeats a password.
    """

    IS_FILE = False

    @property
    def place(self) -> str:
        """The server, without a user."""
        return place_of(self.source.location).server

    def kinds(self) -> Mapping[str, Kind]:
        """Columns and what they hold, from the catalogue."""
        return {name: column.kind for name, column in self._columns().items()}

    def types(self) -> Mapping[str, str]:
        """The engine's names of what is written down."""
        columns = self._columns().items()
        return {name: type_name(of.arrow_type) for name, of in columns if of.arrow_type}

    def scan(self, running: DuckDB, columns: Mapping[str, Kind]) -> str:
        """The rows, pulled into the spill folder."""
        return running.register_rows("pulled", rows(self.source.location, columns, running.folder))

    def _columns(self) -> Mapping[str, Column]:
        place = place_of(self.source.location)
        return read(place, lambda session: table(session, place)).columns


def rows(location: str, expected: Mapping[str, Kind], folder: Path) -> pa.Table:
    """Columns of one snapshot, in a file of the folder that is scanned as often as needed.

    `expected` are the wanted columns' kinds as they were when the plan was checked.
    """
    place, path = place_of(location), folder / "pulled.arrow"

    def pull(session: Session) -> None:
        before = table(session, place)
        kinds = {name: each.kind for name, each in before.columns.items() if name in expected}
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

    read(place, pull)
    return pa.ipc.open_file(pa.memory_map(str(path))).read_all()


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
        # Infinite days are the ends of their integers.
        sent = _integers(column, np.dtype(">i4"))
        limits = np.iinfo(np.int32)
        days = np.where(np.isin(sent, (limits.min, limits.max)), sent, sent + _EPOCH_DAYS)
        days = np.maximum(days, -limits.max).astype(np.int32)
        return pa.array(days, mask=_absent(column)).view(pa.date32())
    if pa.types.is_timestamp(of):
        return _moments(column)
    column.validate()
    return column.cast(of)


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
