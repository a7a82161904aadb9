"""Spark behind Ibis: the cluster computes, and what comes back are totals, never rows.

Expressions run in a session of their own beside the caller's, so that neither changes what the
other's settings mean: in UTC, with arithmetic that raises nothing. Rows are handed over as a global
temporary view of a random name, dropped at the end like all else.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import re
import sys
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from deniable.errors import DataError, InvalidArgument, PlanError
from deniable.errors.late import late, pa
from deniable.errors.late_ibis import ibis, ir
from deniable.numerics.operating_system import run_interruptibly
from deniable.publish.sources import frames
from deniable.publish.sources.engine import OWNER_ONLY
from deniable.publish.sources.kinds import Kind, check_names, kind_of, nothing
from deniable.publish.sources.protocol import Places, as_text, fresh, kind_for_hash
from deniable.publish.sources.reader import EngineTable, Frame, Reader
from deniable.publish.sources.typed import clean_values
from deniable.servers import spark_columns
from deniable.servers.spark_columns import compile_query, identifier

if TYPE_CHECKING:
    from pyspark import logger as spark_logger
    from pyspark import sql as spark_sql

    from deniable.publish.sources.table import EntityColumn
else:
    spark_logger = late("pyspark.logger", extra="spark")
    spark_sql = late("pyspark.sql", extra="spark")

_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    # Arithmetic goes round, and a cast that fails is NULL: no value of a person ends a query.
    "spark.sql.ansi.enabled": "false",
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.parser.quotedRegexColumnNames": "false",
    # A key that holds ${…} is text.
    "spark.sql.variable.substitute": "false",
}
"""What expressions are written for; all else is as the caller has it."""

_READ_EVERY_ROW = "spark_partition_id() >= 0"
"""True of every row, and no condition passes it on the way to the files: by what a file says of a
block of rows, which one row can change, Spark would leave out rows before it looks at a cell."""
_TABLES = ("MANAGED", "EXTERNAL")
"""Types of a catalog's tables that are read; all others are views of one kind or another."""
_BEGINNING = "spark:"

_NO_RIGHT = "42501"  # what SQL calls insufficient privilege
_REFUSED = re.compile(
    r"AccessControlException|AccessDenied|PERMISSION_DENIED|INSUFFICIENT_PERMISSIONS"
    r"|[Pp]ermission denied|\b403\b|[Nn]ot authorized"
)
"""How stores of tables say it, which know no such state."""
_LOGGERS = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")
_JAVA = (
    "Expected a Spark session that can be started, got none. Install Java 17 or a later version, "
    "and set JAVA_HOME if it is not found."
)
_Result = TypeVar("_Result")


@attrs.frozen(eq=False)
class SparkFrame(Frame):
    """A table that a Spark session can make: its rows are made on the cluster, each time anew."""

    RETURNS = True
    READER = f"{__name__}:SparkReader"

    def __attrs_post_init__(self) -> None:
        if self.frame.isStreaming:
            raise InvalidArgument(
                "Expected a Spark data frame whose rows are all there, got a stream. Write it to a "
                "table first."
            )

    @property
    def names(self) -> Sequence[object]:
        """The columns' names."""
        return [field.name for field in self.frame.schema.fields]

    def types(self) -> Mapping[str, pa.DataType | None]:
        """Columns and their Arrow types; null for what no plan can use."""
        return {name: spark_columns.arrow_type(of) for name, of in self.describe_types().items()}

    @classmethod
    def of(cls, rows: pa.Table) -> Any:
        """A small table as a data frame of the default session."""
        return _default_session().createDataFrame(rows)

    def describe_types(self) -> Mapping[str, str]:
        """Columns and Spark's names of their types."""
        return {each.name: each.dataType.simpleString() for each in self.frame.schema.fields}


@attrs.frozen(eq=False)
class SparkReader(Reader):
    """Reads a Spark data frame, or the table of a catalogue that ``spark:…`` names."""

    IS_FILE = False

    @property
    def table(self) -> SparkFrame:
        """The frame that was handed over, or that the session makes of a table."""
        frame = self.source.frame
        return frame if isinstance(frame, SparkFrame) else spark_table(self.source.location)

    def kinds(self) -> Mapping[str, Kind]:
        """Columns and what they hold, by the frame's schema alone."""
        return {name: kind_of(described) for name, described in self.types().items()}

    def types(self) -> Mapping[str, str]:
        """DuckDB's names of the types."""
        return frames.type_names(self.table)

    @contextlib.contextmanager
    def open(
        self,
        kinds: Mapping[str, Kind],  # noqa: ARG002
        used: Sequence[str],
        entity: EntityColumn | None,
        memory_limit: str,  # noqa: ARG002
    ) -> Iterator[EngineTable]:
        """Open columns in a session beside the one of the frame, and leave nothing behind."""
        frame = self.table
        running = Spark(_session_beside(frame.frame.sparkSession, self.place), frame, self.place)
        try:
            columns = list(dict.fromkeys(used if entity is None else [*used, entity.column]))
            raw = running.select_columns(columns, entity)
            values = {column: raw[column] for column in columns}
            identity = None
            if entity is not None:
                identity = raw[entity.key if entity.key in raw.columns else entity.column]
            yield running, clean_values(raw, self.source, used, entity, values, identity), nothing
        finally:
            running.close()


@attrs.frozen(eq=False)
class Spark:
    """A session of its own that runs expressions on the caller's table.

    It has the caller's settings, but for those that expressions are written for.
    """

    session: Any
    source: SparkFrame
    location: str
    tag: str = attrs.field(factory=lambda: f"deniable-{uuid.uuid4().hex}")
    shared: list[str] = attrs.field(factory=list)
    kept: dict[str, Any] = attrs.field(factory=dict)
    numbers: Iterator[int] = attrs.field(factory=itertools.count)

    @property
    def lender(self) -> Any:
        """The caller's session, which hands tables over and is otherwise left alone."""
        return self.source.frame.sparkSession

    @property
    def memory(self) -> None:
        """Spark sees to that itself."""
        return

    def rows(self, expression: ir.Table) -> pa.Table:
        """Run an expression; its rows, which have to be few."""
        query = compile_query(expression)
        return self.run(lambda: self.session.sql(query).toArrow())

    def take_all(self, expression: ir.Table, take: Callable[[pa.Table], bool]) -> bool:  # noqa: ARG002
        """No rows leave the cluster that are not few."""
        return False

    def fetch_integer(self, expression: ir.IntegerScalar) -> int:
        """Run an expression for one whole number; 0 for NULL."""
        (value,) = self.rows(expression.as_table()).column(0).to_pylist()
        return int(value or 0)

    def keep(self, name: str, rows: ir.Table | pa.Table) -> ir.Table:
        """Keep rows on the cluster until the engine ends, replacing those of that name."""
        if isinstance(rows, pa.Table):
            return self._send_table(name, rows, joined=False)
        query = compile_query(rows)
        frame = self.run(lambda: self.session.sql(query).persist())
        if name in self.kept:
            self.run(self.kept[name].unpersist)
        self.kept[name] = frame
        return self._view(name, frame, {each: str(of) for each, of in rows.schema().items()})

    def name_rows(self, name: str, rows: ir.Table) -> ir.Table:
        """The rows as a temporary view of this session."""
        query, types = compile_query(rows), _type_names(rows.schema())
        return self._view(name, self.run(lambda: self.session.sql(query)), types)

    def positions(self, name: str, texts: Sequence[str]) -> Places:
        """A table that every machine gets; no text is in it twice."""
        places = pa.array(range(len(texts)), pa.int64())
        known = pa.table({"text": pa.array(texts, pa.string()), "place": places})
        return self._send_table(f"{name} as texts", known)

    def with_places(self, table: ir.Table, places: Mapping[str, tuple[str, Places]]) -> ir.Table:
        """The table joined with one of places after the other."""
        for name, (column, known) in places.items():
            key = fresh("text of it", [*table.columns, name])
            keyed = table.mutate(as_text(table[column]).name(key))
            keys = known.select(known["text"].name(f"{key} "), known["place"].name(name))
            joined = keyed.left_join(keys, keyed[key] == keys[f"{key} "])
            table = joined.select(*table.columns, name)
        return table

    def with_total(self, rows: ir.Table, by: str, total: ir.Value, name: str) -> ir.Table:
        """The rows with a total beside each, over all that share `by`, from one reading of them."""
        return rows.mutate(total.over(group_by=rows[by]).name(name))

    def with_key_above(
        self, rows: ir.Table, by: str, total: ir.Value, limit: int, name: str
    ) -> ir.Table:
        """The rows, each with what it has in `by` where a total over all that share it is large."""
        own = fresh("total of it", [*rows.columns, name])
        both = self.with_total(rows, by, total, own)
        is_above = both[own] > ibis.literal(limit, "int64")
        return both.mutate(ibis.ifelse(is_above, both[by], ibis.null(both[by].type())).name(name))

    def add_hash(self, table: ir.Table, columns: Sequence[str], name: str, salt: str) -> ir.Table:
        """The table with a salted hash of each row's values, by which rows can be ordered.

        The salt comes from a table of one row, so that no plan or log shows it.
        """
        types = table.schema()
        names: list[str] = [*table.columns, name]

        def unused(word: str) -> str:
            names.append(fresh(word, names))
            return names[-1]

        kinds = ",".join(kind_for_hash(types[column]) for column in columns)
        head, digest = unused("head"), unused("digest")
        salted = self._send_table(head, spark_columns.head(head, f"{salt};{kinds}"))
        floats = [column for column in columns if types[column].is_floating()]
        places = range(spark_columns.STEPS)
        steps = {column: [unused(f"step {place}") for place in places] for column in floats}
        undone = [each for column in steps for each in spark_columns.bits(column, steps[column])]
        bits_in = {column: names[-1] for column, names in steps.items()}
        fields = [spark_columns.field(each, types[each], bits_in.get(each, "")) for each in columns]
        octets = f"concat({', '.join([identifier(head), *fields])})"
        query = (
            f"SELECT {', '.join(map(identifier, table.columns))}, "
            f"{spark_columns.last_byte_first(digest)} AS {identifier(name)} "
            f"FROM (SELECT *, md5({octets}) AS {identifier(digest)} "
            f"FROM (SELECT {', '.join(['*', *undone])} FROM ({compile_query(table)})) "
            f"CROSS JOIN {identifier(salted.get_name())})"
        )
        frame = self.run(lambda: self.session.sql(query))
        return self._view("hashed", frame, _type_names(types) | {name: "string"})

    def add_order(self, table: ir.Table, columns: Sequence[str], name: str, salt: str) -> ir.Table:
        """The table with the digest of each row."""
        return self.add_hash(table, columns, name, salt)

    def select_columns(self, columns: Sequence[str], entity: EntityColumn | None) -> ir.Table:
        """Columns as canonical values, and the entity's identity where that is another."""
        described, frame = self.source.describe_types(), self.source.frame
        selected = [frame[identifier(each)] for each in columns]
        shared = frame.select(selected) if selected else frame.selectExpr("true AS present")
        view = self._share(shared)
        made = {each: spark_columns.value(each, described[each]) for each in columns}
        if entity is not None:
            identity = spark_columns.identity(entity.column, described[entity.column])
            made |= {} if identity == made[entity.column] else {entity.key: identity}
        if not made:
            made["present"] = "present", "boolean"
        values = ", ".join(f"{value} AS {identifier(each)}" for each, (value, _) in made.items())
        query = f"SELECT {values} FROM {view} WHERE {_READ_EVERY_ROW}"
        rows = self.run(lambda: self.session.sql(query))
        return self._view("given", rows, {each: of for each, (_, of) in made.items()})

    def run(self, call: Callable[[], _Result]) -> _Result:
        """Call into Spark; whatever it says on failure stays here, and Ctrl-C ends its jobs."""
        context = _quietly(lambda: self.session.sparkContext)  # none on Spark Connect

        def tagged() -> _Result:
            with _unlogged():
                if context is None:
                    self.session.addTag(self.tag)
                else:
                    context.addJobTag(self.tag)
                return call()

        def stop() -> None:
            if context is None:
                self.session.interruptTag(self.tag)
            else:  # a session's own tags are of one thread, and this is another
                context.cancelJobsWithTag(self.tag)

        future = run_interruptibly(tagged, stop)
        if future.exception() is None:
            return future.result()
        raise failed(self.location)

    def close(self) -> None:
        """Leave nothing behind; what fails here has failed before."""
        for frame in self.kept.values():
            with contextlib.suppress(Exception):
                frame.unpersist(blocking=True)
        for view in self.shared:
            with contextlib.suppress(Exception):
                self.lender.catalog.dropGlobalTempView(view)

    def _send_table(self, name: str, rows: pa.Table, *, joined: bool = True) -> ir.Table:
        """A table in memory; every machine gets it whole where it is joined."""
        numbers = spark_columns.as_numbers(rows)
        view = self._share(self.run(lambda: self.lender.createDataFrame(numbers)))
        types = ibis.memtable(rows).schema()
        columns = (
            (spark_columns.of_canonical(*each), identifier(each[0])) for each in types.items()
        )
        values = ", ".join(f"{value} AS {own}" for value, own in columns)
        frame = self.run(lambda: self.session.sql(f"SELECT {values} FROM {view}"))
        frame = self.run(lambda: frame.hint("broadcast")) if joined else frame
        return self._view(name, frame, _type_names(types))

    def _share(self, frame: Any) -> str:
        """The lender's frame, by a name that this session can read."""
        name = f"deniable_{uuid.uuid4().hex}"
        self.shared.append(name)
        self.run(lambda: frame.createGlobalTempView(name))
        database: str = self.run(lambda: self.session.conf.get("spark.sql.globalTempDatabase"))
        return f"{identifier(database)}.{identifier(name)}"

    def _view(self, name: str, frame: Any, types: Mapping[str, str]) -> ir.Table:
        own = f"{name} {next(self.numbers)}"
        self.run(lambda: frame.createTempView(identifier(own)))
        return ibis.table(dict(types), name=own)


def _type_names(types: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(of.copy(nullable=True)) for name, of in types.items()}


def failed(location: str) -> DataError:
    """The one sentence about a query that Spark did not finish; why, its own log says."""
    return DataError(
        f"Expected Spark to finish, got a failure at {location}. See Spark's own log, which may "
        f"quote values. {OWNER_ONLY}"
    )


def _session_beside(lender: Any, location: str) -> Any:
    def made() -> Any:
        session = lender.newSession()
        for name, value in {**lender.conf.getAll, **_SETTINGS}.items():
            if session.conf.isModifiable(name) and session.conf.get(name, None) != value:
                session.conf.set(name, value)
        return session

    session = _quietly(made)
    if session is None:
        raise failed(location)
    return session


def spark_table(location: str) -> SparkFrame:
    """A table of the default session's catalogs, such as spark:catalog.schema.table."""
    name = location.removeprefix(_BEGINNING)
    session = _default_session()
    table = _quietly(lambda: session.catalog.getTable(name))
    if table is None and _is_refused(lambda: session.table(name).schema):
        raise PlanError(
            f'Expected a table that may be read, got a refusal of Spark at "{location}". See that '
            "the default session has the rights to it, and that its catalog is there."
        )
    if table is not None and table.tableType not in _TABLES:
        raise PlanError(
            f'Expected a table, got the view "{name}", whose rows may depend on other people\'s. '
            "Where they do not, write them to a table, or hand the data frame over in Python."
        )
    frame = None if table is None else _quietly(lambda: session.table(name))
    if frame is None:
        raise PlanError(
            f'Expected spark:catalog.schema.table, got no such table at "{location}". Name one '
            "that the default session can read."
        )
    table = SparkFrame(frame)
    check_names(map(str, table.names), f'at "{location}"')
    return table


def _default_session() -> Any:
    builder = spark_sql.SparkSession.builder  # says which extra is missing
    folder = Path("spark-warehouse")
    is_new = not folder.exists()
    session = _quietly(builder.getOrCreate)
    if session is None:
        raise InvalidArgument(_JAVA)
    _quietly(lambda: session.catalog.databaseExists("default"))  # which makes that folder
    if is_new:
        with contextlib.suppress(OSError):  # it may hold something
            folder.rmdir()
    return session


def _is_refused(call: Callable[[], object]) -> bool:
    """Whether a call fails for want of a right."""
    try:
        with _unlogged():
            call()
    except Exception as failure:
        return says_refused(failure)
    return False


def says_refused(failure: Exception) -> bool:
    """Whether an error of Spark, or of what stores its tables, is about a right that is missing."""
    state = _quietly(getattr(failure, "getSqlState", str))
    return state == _NO_RIGHT or _REFUSED.search(str(failure)) is not None


def _quietly(call: Callable[[], _Result]) -> _Result | None:
    """What a call gives; None where it fails, whatever it says."""
    try:
        with _unlogged():
            return call()
    except Exception:
        return None


@contextlib.contextmanager
def _unlogged() -> Iterator[None]:
    """PySpark logs the text of its errors, which may quote a value: not of this thread's."""
    thread = threading.get_ident()

    def is_of_others(record: logging.LogRecord) -> bool:
        return record.thread != thread

    names = _LOGGERS if "pyspark" in sys.modules else ()  # or nothing logs
    loggers = [spark_logger.PySparkLogger.getLogger(name) for name in names]
    for logger in loggers:
        logger.addFilter(is_of_others)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(is_of_others)
