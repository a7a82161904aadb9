"""DuckDB behind Ibis: bounded memory, a private spill folder, and errors that quote no record."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import re
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from deniable.certificate.results import as_array
from deniable.errors import DataError, validate
from deniable.errors.late import late, pa
from deniable.errors.late_ibis import ibis, ir, load_compilers_late, ops
from deniable.numerics import operating_system
from deniable.numerics.operating_system import FOLDERS_LOCK, run_interruptibly
from deniable.publish.sources.canonical import FUNCTIONS, encoding, order
from deniable.publish.sources.protocol import Places, as_text, fresh, function

if TYPE_CHECKING:
    import duckdb
else:
    duckdb = late("duckdb", extra="publish")


PREFIX = "deniable-spill-"
_UNLOCKED = "deniable-new-"
_LOCK = "lock"
_ENDING = tuple(
    getattr(signal, name)
    for name in ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGXCPU", "SIGALRM", "SIGUSR1", "SIGUSR2")
    if hasattr(signal, name)
)
"""Ctrl-\\, limits on time and what batch systems warn with end a process at once, too."""


@contextmanager
def spill_folder() -> Iterator[Path]:
    """A fresh folder that only this user may enter, under the system's temporary folder.

    It is removed at the end, also after an exception, Ctrl-C or a signal that asks to end. What a
    process left that was killed outright is removed when the next one starts here.
    """
    with _ending() as ending:
        _check_temporary()
        for left in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
            # Another user's, or another process is sweeping too: not ours to remove.
            with contextlib.suppress(OSError):
                _remove_if_left(left)
        folder, lock = _lock_folder()
        try:
            ending.now()
            yield folder
        finally:
            ending.later()
            _remove(folder, lock)


def _lock_folder() -> tuple[Path, int]:
    """The folder and a lock on it, which ends with the process however that ends."""
    fresh = Path(tempfile.mkdtemp(prefix=_UNLOCKED if FOLDERS_LOCK else PREFIX))
    lock = None
    try:
        lock = _open_lock(fresh)
        operating_system.lock(lock, wait=True)
        if not FOLDERS_LOCK:  # others leave it alone while there is no file in it to be locked
            return fresh, lock
        # Under the name that others sweep only once it is locked.
        return fresh.rename(fresh.with_name(PREFIX + fresh.name.removeprefix(_UNLOCKED))), lock
    except BaseException:
        if lock is not None:
            os.close(lock)
        shutil.rmtree(fresh, ignore_errors=True)
        raise


def _open_lock(folder: Path, *, make: bool = True) -> int:
    """What is locked for a folder: itself, or a file in it where folders cannot be locked."""
    if FOLDERS_LOCK:
        return os.open(folder, os.O_RDONLY)
    if not make and not (folder / _LOCK).exists():
        raise FileNotFoundError(folder / _LOCK)
    return operating_system.open_lock(folder / _LOCK)


def _remove(folder: Path, lock: int) -> None:
    """Remove a folder that this process has locked."""
    try:
        if FOLDERS_LOCK:
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)
    if not FOLDERS_LOCK:  # an open file cannot be removed there
        shutil.rmtree(folder, ignore_errors=True)


def _check_temporary() -> None:
    """Refuse where no place for temporary files takes any, which Python calls a missing one."""
    try:
        tempfile.gettempdir()
    except FileNotFoundError:
        failure = DataError(
            "Expected a folder for temporary files that can be written, got none with space. Set "
            f"TMPDIR to a larger disk. {OWNER_ONLY}"
        )
    else:
        return
    raise failure


def _remove_if_left(folder: Path) -> None:
    if folder.is_symlink() or not operating_system.is_own(folder):
        return
    lock = _open_lock(folder, make=False)
    try:
        operating_system.lock(lock)
    except BlockingIOError:
        os.close(lock)
        return
    _remove(folder, lock)


@attrs.define
class _Ending:
    """What a signal that asks to end does: it waits while the folder is made or removed."""

    waits: bool = True
    signal_number: int | None = None

    def now(self) -> None:
        """End at once from here on, also for what was asked before."""
        self.waits = False
        if self.signal_number is not None:
            raise SystemExit(128 + self.signal_number)

    def later(self) -> None:
        """Let what is asked from here on wait."""
        self.waits = True

    def hear(self, number: int, _: FrameType | None) -> None:
        """Take a signal; one that ends the block at once is not heard again at its end."""
        if not self.waits:
            raise SystemExit(128 + number)
        self.signal_number = number


@contextmanager
def _ending() -> Iterator[_Ending]:
    """Signals that would end the process at once raise SystemExit instead, so that blocks end.

    Only the main thread may say so, and only where nobody else has said what they do.
    """
    ending, changed = _Ending(), []
    with contextlib.suppress(ValueError):  # not the main thread
        for number in _ENDING:
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, ending.hear)
                changed.append(number)
    try:
        yield ending
        ending.now()
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)


OWNER_ONLY = "For the owner; do not publish that it happened."
"""Ends every message about the data: that there is one depends on somebody's record."""

_OUT_OF_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""A full disk, a share of it that is used up, and a file that may not grow."""
_PIECE = 122_880
"""Rows in a piece of a frame: a group of rows of DuckDB's, the unit of work of one thread."""
_SMALL = 2**20  # bytes of rows that are copied into the engine: for others it loads pandas, 0.3 s
NO_EXTENSIONS = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
_STATISTICS = (
    "filter_pushdown", "join_filter_pushdown", "row_group_pruner", "statistics_propagation",
    # Not by statistics: it needs the first, and takes twice as long as the window without it.
    "top_n_window_elimination",
)  # fmt: skip
"""Optimizers that skip blocks of rows by what a file says of them, which one row can change."""

_SETTINGS = (
    # In a notebook without ipywidgets SET is an error, whatever it is set to; the pragma is none.
    "PRAGMA disable_progress_bar",
    f"SET disabled_optimizers = '{','.join(_STATISTICS)}'",
    # Timestamps with a time zone are read in UTC, wherever the machine is.
    "SET TimeZone = 'UTC'",
)
_NAMED = re.compile(rf"\b({'|'.join(FUNCTIONS)})\b", re.IGNORECASE)
"""A function of ours in a statement: one that is named is defined before it."""
_Result = TypeVar("_Result")


_INTEGER = re.compile(r"0|-?[1-9][0-9]*")  # the text of a whole number
_FAR = 2**62  # whole numbers are of 64 bits; this far from 0 there is one next to each
_FEW = 16
"""Texts that a list finds as soon as a type does. DuckDB looks up a file's dictionary in a list,
and casts every row: 12 and 47 ns a row with four texts."""
_SPAN = 1000  # numbers from the first key to the last: a longer list is slower than texts


class SpaceError(DataError):
    """Memory or disk ran out, which smaller steps may avoid."""


@attrs.frozen
class DuckDB:
    """The engine of this process: one machine's cores, memory and disk.

    The folder is private, and removed at the end. `memory` is in bytes, before it spills, and
    `location` for messages. `defined` are functions of ours that a statement named so far; `salts`
    are secrets of this run, of which nothing is remembered after it.
    """

    backend: Any
    folder: Path
    memory: int
    location: str
    defined: set[str] = attrs.field(factory=set, eq=False)
    salts: set[str] = attrs.field(factory=set, eq=False, repr=False)

    def rows(self, expression: ir.Table) -> pa.Table:
        """Run an expression; its rows, which have to be few."""
        query = compile_sql(expression, self.salts)
        self._define_functions(query)
        return self.run(lambda: self.backend.con.execute(query).to_arrow_table())

    def take_all(self, expression: ir.Table, take: Callable[[pa.Table], bool]) -> bool:
        """Run an expression; its rows are taken a few at a time, in a thread of its own."""
        query = compile_sql(expression, self.salts)
        self._define_functions(query)

        def take_pieces() -> bool:
            reader = self.backend.con.execute(query).to_arrow_reader(_PIECE)
            with (
                contextlib.closing(reader) as pieces,
                ThreadPoolExecutor(1) as beside,
                # The engine's error, by way of Arrow: where memory ran out in one thread, it may be
                # another's, which says that it was interrupted.
                contextlib.suppress(OSError),
            ):
                # While one is taken the engine makes the next.
                before = None
                for piece in pieces:
                    if before is not None and not before.result():
                        return False
                    before = beside.submit(take, pa.Table.from_batches([piece]))
                return before is None or before.result()
            return False

        return self.run(take_pieces)

    def fetch_integer(self, expression: ir.IntegerScalar) -> int:
        """Run an expression for one whole number; 0 for NULL."""
        (value,) = self.rows(expression.as_table()).column(0).to_pylist()
        return int(value or 0)

    def table(self, name: str) -> ir.Table:
        """A table or view of that name."""
        # Bound to no engine, so that the same expression of the next run need not be compiled.
        return ibis.table(self.run(lambda: self.backend.get_schema(name)), name=name)

    def execute(self, statement: str) -> None:
        """Run a statement of the engine's own language."""
        self._define_functions(statement)
        self.run(lambda: self.backend.con.execute(statement))

    def copy_rows(self, copy: str) -> int:
        """Run a statement that copies rows to a file; how many it copied."""
        self._define_functions(copy)
        ((rows,),) = self.run(lambda: self.backend.con.execute(copy).fetchall())
        return int(rows)

    def register_rows(self, name: str, rows: pa.Table) -> str:
        """A name for rows in memory, which all threads read where they are; few are copied."""
        if rows.num_columns and rows.nbytes <= _SMALL and _is_valid(rows):
            copied = identifier(f"{name} copied")
            with self._rows_once(f"{name} as given", rows) as given:
                self.execute(f"CREATE OR REPLACE TEMP TABLE {copied} AS FROM {given}")
            return copied
        if rows.num_rows > _PIECE and rows.num_columns:
            rows = pa.Table.from_batches(rows.to_batches(max_chunksize=_PIECE), rows.schema)
        self.run(lambda: self.backend.con.register(name, rows))
        return identifier(name)

    def keep(self, name: str, rows: ir.Table | pa.Table) -> ir.Table:
        """Keep rows as a temporary table, replacing one of that name."""
        table = f"CREATE OR REPLACE TEMP TABLE {identifier(name)} AS"
        if isinstance(rows, pa.Table):
            with self._rows_once(f"{name} as given", rows) as given:
                self.execute(f"{table} FROM {given}")
        else:
            self.execute(f"{table} {compile_sql(rows, self.salts)}")
        return self.table(name)

    @contextmanager
    def _rows_once(self, name: str, rows: pa.Table) -> Iterator[str]:
        """A name for rows that one statement reads once: for a table DuckDB would load pandas."""
        self.run(lambda: self.backend.con.register(name, rows.__arrow_c_stream__()))
        yield identifier(name)
        self.run(lambda: self.backend.con.unregister(name))

    def name_rows(self, name: str, rows: ir.Table) -> ir.Table:
        """The rows as a temporary view, replacing one of that name."""
        query = compile_sql(rows, self.salts)
        self.execute(f"CREATE OR REPLACE TEMP VIEW {identifier(name)} AS {query}")
        return self.table(name)

    def positions(self, name: str, texts: Sequence[str]) -> Places:
        """A function of a value, its place among different texts.

        Writing a whole number as a text takes longer than all else that is done with it: where
        those among the texts are close together, a list has the places.
        """
        if len(texts) <= _FEW and "\0" not in "".join(texts):  # which no statement may hold
            words = ", ".join(map(text, texts))
            code = f"(list_position([{words}]::VARCHAR[], x) - 1)::BIGINT"
        else:
            places = as_array(range(len(texts)), "int64")
            rows = pa.table({"text": as_array(texts, "string"), "place": places})
            self.execute(f"DROP TYPE IF EXISTS {identifier(name)}")
            with self._rows_once(f"{name} as texts", rows) as given:
                ordered = f"SELECT text FROM {given} ORDER BY place"
                self.execute(f"CREATE TYPE {identifier(name)} AS ENUM ({ordered})")
            code = f"enum_code(TRY_CAST(x AS {identifier(name)}))::BIGINT"
        of_text = self._define_place(f"place in {name}", "string", code)
        listed = _listed(texts)
        number = f"place by number in {name}"
        of_number = self._define_place(number, "int64", listed) if listed else None

        def place(value: ir.Value) -> ir.Value:
            if of_number is not None and value.type().is_integer():
                return of_number(value)
            return of_text(as_text(value))

        return place

    def with_places(self, table: ir.Table, places: Mapping[str, tuple[str, Places]]) -> ir.Table:
        """The table with all places in one step: a hundred inside one another are not compiled."""
        return table.mutate(
            [place(table[column]).name(name) for name, (column, place) in places.items()]
        )

    def _define_place(self, name: str, of: str, code: str) -> Any:
        self.execute(f"CREATE OR REPLACE MACRO {identifier(name)}(x) AS {code}")
        return function(name, "int64", of)

    def with_total(self, rows: ir.Table, by: str, total: ir.Value, name: str) -> ir.Table:
        """The rows with a total beside each, over all that share `by`.

        Joined, which spills where a window does not; what is here is the same each time.
        """
        return self._left_join(rows, rows.group_by(by).agg(total.name(name)), by, name)

    def with_key_above(
        self, rows: ir.Table, by: str, total: ir.Value, limit: int, name: str
    ) -> ir.Table:
        """The rows, each with what it has in `by` where a total over all that share it is large.

        Joined with those keys alone, which are mostly few.
        """
        own = fresh("total of it", [by, name])
        totals = rows.group_by(by).agg(total.name(own))
        above = totals.filter(totals[own] > ibis.literal(limit, "int64"))
        return self._left_join(rows, above.select(above[by], above[by].name(name)), by, name)

    def _left_join(self, rows: ir.Table, keys: ir.Table, by: str, name: str) -> ir.Table:
        joined = rows.left_join(keys, rows[by] == keys[by])
        return joined.select(*(rows[each] for each in rows.columns), keys[name])

    def add_hash(self, table: ir.Table, columns: Sequence[str], name: str, salt: str) -> ir.Table:
        """The table with a salted digest of each row's values."""
        self.salts.add(salt)
        return table.mutate(_md5()(encoding(table, columns, salt)).name(name))

    def add_order(self, table: ir.Table, columns: Sequence[str], name: str, salt: str) -> ir.Table:
        """The table with the engine's own hash of each row, a fifth of the time of a digest."""
        self.salts.add(salt)
        return table.mutate(order(table, columns, salt).name(name))

    def _define_functions(self, statement: str) -> None:
        """Define those of ours that a statement names, and theirs: all take a third of a start."""
        for name in {each.lower() for each in _NAMED.findall(statement)} - self.defined:
            self._define_functions(FUNCTIONS[name])
            definition = f"CREATE OR REPLACE TEMP MACRO {name}{FUNCTIONS[name]}"
            self.run(partial(self.backend.con.execute, definition))
            self.defined.add(name)

    def run(self, call: Callable[[], _Result]) -> _Result:
        """Call into the engine; whatever it says on failure stays here.

        Ctrl-C and signals interrupt it. The error is raised outside of any handler, so that not
        even a hidden context carries the engine's text: it may quote a record.
        """
        future = run_interruptibly(call, self.backend.con.interrupt)
        failure = future.exception()
        if failure is None:
            return future.result()
        is_full = any(os.strerror(number) in str(failure) for number in _OUT_OF_SPACE)
        if is_full or isinstance(failure, duckdb.OutOfMemoryException | MemoryError):
            raise no_space(self.location)
        raise damaged(self.location)


_COMPILED = 512  # statements that are remembered: those of some dozens of plans
_LITERALS = 256  # the most literals of a statement that is cached: each takes a kilobyte


def compile_sql(rows: ir.Table, secrets: Set[str] = frozenset()) -> str:
    """The statement of an expression, which takes as long as to run it on a small table.

    It is remembered, for an audit makes hundreds of tables for the same queries; but not where a
    text in it begins with one of the secrets, nor where it lists a great many values. 0.0 and -0.0
    are the same to Ibis, and to DuckDB, which reads both as a decimal number.
    """
    operation = rows.op()
    literals = operation.find(ops.Literal)
    texts = [each.value for each in literals if isinstance(each.value, str)]
    is_secret = any(text.startswith(secret) for text in texts for secret in secrets)
    if is_secret or len(literals) > _LITERALS:
        return _compile.__wrapped__(operation)
    return _compile(operation)


@functools.lru_cache(maxsize=_COMPILED)
def _compile(operation: ops.Node) -> str:
    query: str = ibis.duckdb.compile(operation.to_expr())
    return query


_md5 = partial(function, "md5_number", "decimal(38, 0)", "binary")
"""128 bits, the sum's last byte first."""
digest_text = partial(function, "digest_text", "string", "decimal(38, 0)")
"""Return the 32 digits that Spark gives for `md5_number`.

To write it as a decimal takes a thousand times as long.
"""


def _listed(texts: Sequence[str]) -> str:
    """The place of x among texts of whole numbers, from a list of all between the first and last.

    Nothing where the list were long. It has NULL at both ends, where all x beyond them are looked
    up, and NULL itself. Of numbers that follow one another the place is a difference.
    """
    numbers = {int(each): place for place, each in enumerate(texts) if _INTEGER.fullmatch(each)}
    first, last = min(numbers, default=_FAR) - 1, max(numbers, default=_FAR) + 1
    if max(-first, last) > _FAR:
        return ""
    apart = {each - place for each, place in numbers.items()}
    if len(apart) == 1 and len(numbers) == last - first - 1:
        return f"CASE WHEN x > {first} AND x < {last} THEN x - ({apart.pop()}) END"
    if last - first > _SPAN:
        return ""
    places = ", ".join(str(numbers.get(each, "NULL")) for each in range(first, last + 1))
    index = f"greatest(least(x, {last}), {first}) - ({first - 1})"
    return f"list_extract([{places}]::BIGINT[], {index})"


def _is_valid(rows: pa.Table) -> bool:
    """Whether values are what their types say: text in other bytes than UTF-8 cannot be copied."""
    try:
        rows.validate(full=True)
    except pa.ArrowException:
        return False
    return True


def no_space(location: str) -> SpaceError:
    """The one sentence about memory and disk."""
    return SpaceError(
        "Expected enough memory and space for temporary files, got too little at "
        f"{location}. Raise the memory limit, or set TMPDIR to a larger disk. {OWNER_ONLY}"
    )


def damaged(location: str) -> DataError:
    """The one sentence about a file that the engine cannot read to its end."""
    return DataError(
        f"Expected readable data, got something damaged or of another format at {location}. "
        "Repair or replace the file. Lines of CSV must all end in the same way; deniable preview "
        f"PLAN.toml --rows finds those that are no rows. {OWNER_ONLY}"
    )


def create_raw_view(running: DuckDB, columns: Sequence[str], rows: str) -> ir.Table:
    """Columns of rows that are named in the engine's language; a constant if none."""
    names = ", ".join(map(identifier, dict.fromkeys(columns))) or "true AS present"
    running.execute(f"CREATE OR REPLACE TEMP VIEW given AS SELECT {names} FROM {rows}")
    return running.table("given")


@contextlib.contextmanager
def engine(location: str, memory_limit: str) -> Iterator[DuckDB]:
    """Run an engine that loads no extension and leaves nothing behind."""
    memory = validate.memory_bytes(memory_limit)
    load_compilers_late()
    with spill_folder() as folder:
        backend = ibis.duckdb.connect(
            memory_limit=f"{memory}B",
            temp_directory=str(folder),
            max_temp_directory_size=f"{shutil.disk_usage(folder).free // 2}B",
            preserve_insertion_order=False,
            **NO_EXTENSIONS,
        )
        try:
            for statement in _SETTINGS:
                backend.con.execute(statement)
            yield DuckDB(backend, folder, memory, location)
        finally:
            # A signal can leave a query running, and disconnecting would wait for its end.
            backend.con.interrupt()
            backend.disconnect()


@contextlib.contextmanager
def catalogue(*, apart: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection for headers and footers only, to an engine that a process starts once.

    Or `apart`, to one that ends with it.
    """
    started = None if apart else _start_catalogue(os.getpid())
    with duckdb.connect(config={**NO_EXTENSIONS}) if started is None else started.cursor() as it:
        yield it


def answer(call: Callable[[], _Result]) -> _Result | None:
    """What a call of a catalogue gives; None where it fails, whatever the engine says."""
    try:
        return call()
    except duckdb.Error:
        return None


@functools.cache
def _start_catalogue(_process: int) -> duckdb.DuckDBPyConnection:
    """An engine for this process; its threads do not survive a fork, nor would ending it there.

    It remembers nothing of a file, which may be another one the next time.
    """
    return duckdb.connect(config={**NO_EXTENSIONS, "enable_external_file_cache": False})


def identifier(name: str) -> str:
    """A name in the engine's language."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A text literal in the engine's language."""
    return "'" + value.replace("'", "''") + "'"


MEMORY = "memory"
"""What a plan calls a table that is handed over as data."""


def call_redacting_errors(
    call: Callable[[], _Result], column: str | None = None, *, at: str = MEMORY
) -> _Result:
    """Call into somebody's library; whatever it says on failure stays here: it may quote a value.

    The error is raised outside of any handler, so that no hidden context carries it. A library may
    tell Ctrl-C as an error of its own, and its own errors as what only ends a program. `at` is the
    source.
    """
    failure: BaseException | None = None
    try:
        return call()
    except BaseException as caught:
        failure = caught
    for ending in (failure, failure.__cause__, failure.__context__):
        if isinstance(ending, KeyboardInterrupt | SystemExit):
            raise ending from None
    if isinstance(failure, MemoryError) or "No space left" in str(failure):
        raise no_space(at)
    if column is None:
        raise damaged(at)
    raise DataError(
        f'The column "{column}" at {at} has a value that is not of the declared or stated type. '
        f"Change [data], types, or the column. {OWNER_ONLY}"
    )
