"""A book in a PostgreSQL server, for a team; the only place that imports psycopg."""

from __future__ import annotations

import atexit
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from deniable.errors import LedgerError
from deniable.errors.late import late
from deniable.ledger.server import Server
from deniable.ledger.tables import READ_VERSION, VERSIONS, MaybeKept, Row, read_statements

if TYPE_CHECKING:
    import psycopg
else:
    psycopg = late("psycopg", extra="postgres")

_MAKING = 0x64656E69
"""The advisory lock of who makes tables or a dataset: "deni" in ASCII, which nobody else takes."""

_LONGEST = 2**31 - 1
"""Milliseconds, 25 days: a server's largest limit."""

_REFUSE = "BEGIN RAISE EXCEPTION 'nothing is changed or removed'; END"
*_TABLES, _FOLLOW_1, _FOLLOW = read_statements(__file__, "ledger.sql")


@attrs.frozen
class ServerKind:
    """What a schema of one kind holds, and what messages call it; a database has one of each kind.

    `tables` are the statements that make the tables `names`, besides that of the version. `follows`
    has what admits a new row of the last of them, for each version that is read; the largest is
    that of a new one. `show` is the command that shows one.
    """

    word: str
    schema: str
    show: str
    tables: tuple[str, ...]
    names: tuple[str, ...]
    follows: Mapping[int, str]
    more_access: str = ""

    @property
    def path(self) -> str:
        """The search path: the server's own names first, and temporary ones after ours."""
        return f"{self.schema}, pg_temp"

    def statements(self) -> Iterator[str]:
        """Yield what makes the tables, and the triggers that keep their rows."""
        version, last = max(self.follows), self.names[-1]
        yield from (f"CREATE SCHEMA {self.schema}", "CREATE TABLE book (version integer NOT NULL)")
        yield from self.tables
        for name, body in (("refuse", _REFUSE), ("follow", self.follows[version])):
            language = f"RETURNS trigger LANGUAGE plpgsql SET search_path = {self.path}"
            yield f"CREATE FUNCTION {name}() {language} AS $${body}$$"
        stays = "BEFORE UPDATE OR DELETE OR TRUNCATE ON {} FOR EACH STATEMENT", "refuse"
        triggers = [(name, f"{name}_stays", *stays) for name in ("book", *self.names)]
        triggers.append((last, f"{last}_follows", "BEFORE INSERT ON {} FOR EACH ROW", "follow"))
        for table, name, when, function in triggers:
            yield f"CREATE TRIGGER {name} {when.format(table)} EXECUTE FUNCTION {function}()"
            yield f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name}"
        yield f"INSERT INTO book VALUES ({version})"


LEDGER = ServerKind(
    "ledger", "deniable_ledger", "deniable ledger show", tuple(_TABLES), ("dataset", "entry"),
    {each: _FOLLOW if each > 1 else _FOLLOW_1 for each in VERSIONS},
    " and UPDATE on its table dataset",
)  # fmt: skip
"""A ledger: what was spent on the same people."""

_READ_GUARDS = """SELECT c.relname, t.tgname, t.tgenabled::text, p.prosrc
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
    WHERE c.relnamespace = to_regnamespace(?) AND NOT t.tgisinternal"""
_SETTINGS = """SELECT set_config('search_path', ?, true), set_config('lock_timeout', ?, true),
    set_config('synchronous_commit', 'on', true)"""


_Session: TypeAlias = tuple[int, str, bytes]

_KEPT: dict[_Session, psycopg.Connection[Row]] = {}
"""A session of each server that this process has opened and nobody uses now, until it exits.

A forked process never uses its parent's. One that another thread has taken out is not in here, so
that two threads never share one; `dict.pop` and `dict.setdefault` are one step each.
"""


@attrs.frozen
class PostgresServer:
    """A session of a server that keeps a book."""

    server: Server
    patience: float
    connection: psycopg.Connection[Row]
    kind: ServerKind = LEDGER

    @property
    def place(self) -> str:
        """Host and database; no user."""
        return self.server.label

    def version(self) -> int:
        """Return the version of the tables and of what keeps them from changes; 0 for none."""
        kind = self.kind
        if self.rows("SELECT to_regclass(?)", [f"{kind.schema}.book"]) == [(None,)]:
            return 0
        versions = self.rows(READ_VERSION)
        version = next((each for each in kind.follows if versions == [(each,)]), None)
        if version is None:
            got = ", ".join(str(row[0]) for row in versions) or "none"
            known = " or ".join(map(str, kind.follows))
            raise LedgerError(
                f"Expected version {known} of the {kind.word} at {self.place}, got {got}. "
                "Use the version of Deniable that wrote it, or a later one."
            )
        last = kind.names[-1]
        guards = {(name, f"{name}_stays", "A", _REFUSE) for name in ("book", *kind.names)}
        guards.add((last, f"{last}_follows", "A", kind.follows[version]))
        if set(self.rows(_READ_GUARDS, [kind.schema])) != guards:
            raise LedgerError(
                f"Expected a {kind.word} at {self.place} as Deniable makes it, got one without the "
                "triggers that keep its rows. Go on from a copy that holds."
            )
        if version > 1:  # what a book began with was read in the server's digits before
            self.rows("SELECT set_config('extra_float_digits', '3', true)")
        return version

    def install(self) -> None:
        """Make the tables."""
        for statement in self.kind.statements():
            self.rows(statement)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A block that sees one state of all books."""
        yield from self._transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    @contextmanager
    def writing(self, dataset: str | None = None) -> Iterator[None]:
        """A block in which nobody else writes this book: each statement sees what was kept."""
        yield from self._transaction("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", dataset)

    def _transaction(self, begin: str, dataset: str | None = None) -> Iterator[None]:
        self.rows(begin)
        try:
            # A limit of 0 would be none; libpq counts in 32 bits.
            milliseconds = f"{min(max(1, round(1000 * self.patience)), _LONGEST)}ms"
            self.rows(_SETTINGS, [self.kind.path, milliseconds])
            if dataset is not None:
                if self.version():
                    self.rows("SELECT 1 FROM dataset WHERE name = ? FOR UPDATE", [dataset])
            elif "WRITE" in begin:
                self.rows("SELECT pg_advisory_xact_lock(?)", [_MAKING])
            yield
            self._commit(begin)
        except BaseException:
            if not self.connection.closed:
                with suppress(LedgerError):  # what ended the block is what is told
                    self.rows("ROLLBACK")
            raise

    def _commit(self, begin: str) -> None:
        try:
            self.rows("COMMIT")
        except LedgerError:
            if "WRITE" in begin and self.connection.closed:
                raise MaybeKept(
                    f"Expected the server of {self.place} to say what it kept, got the end of the "
                    f"connection. Look before you try again: {self.kind.show}."
                ) from None
            raise

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """What a statement answers."""
        try:
            cursor = self.connection.execute(statement.replace("?", "%s").encode(), values or None)
            return cursor.fetchall() if cursor.description else []
        except psycopg.Error as error:
            raise self._refusal(error) from None

    def damage(self) -> Iterator[str]:
        """Nothing: a server looks after its own pages."""
        yield from ()

    def close(self) -> None:
        """Keep the session for the next question, unless there is one, or it is in no state to."""
        idle = self.connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        if not idle or _KEPT.setdefault(_session(self.server), self.connection) is not (
            self.connection
        ):
            self.connection.close()

    def _refusal(self, error: psycopg.Error) -> LedgerError:
        """One sentence for what the server refused, by its number; never in its own words."""
        kind, book = self.kind, f"the {self.kind.word} at {self.place}"
        match error.sqlstate:
            case "55P03" | "57014" | "40001" | "40P01":
                message = (
                    f"Expected {book} to be free within {self.patience:g} seconds, got it in use "
                    "by another session. Try again."
                )
            case "42501":
                message = (
                    f"Expected access to {book}, got none. Ask its owner for USAGE on schema "
                    f"{kind.schema}, SELECT and INSERT on its tables{kind.more_access}."
                )
            case "25006":
                message = (
                    f"Expected a server that can be written, got {self.place}, which may only be "
                    "read."
                )
            case "53100":
                message = f"Expected room to write {book}, got a full disk."
            case "23505" | "P0001":
                message = f"The new entry does not follow the last one at {self.place}. Try again."
            case None | "57P01" | "57P02" | "57P03":
                message = (
                    f"Expected the server of {self.place} to answer, got the end of the "
                    "connection. Nothing was entered; try again."
                )
            case _:
                message = f"Expected to read and write {book}, got a refusal."
        return LedgerError(message)


def connect(server: Server, *, patience: float, kind: ServerKind = LEDGER) -> PostgresServer:
    """A session of the server, one that this process has if it still answers.

    A password comes from libpq's files or environment.
    """
    _ = psycopg.connect  # missing? say so here
    if (kept := _KEPT.pop(_session(server), None)) is not None:
        if _answers(kept):
            return PostgresServer(server, patience, kept, kind)
        kept.close()
    try:
        connection = psycopg.connect(
            server.uri,
            autocommit=True,  # blocks begin and end in `_transaction`
            prepare_threshold=None,  # so that sessions may be shared by a pool in between
            connect_timeout=max(2, round(min(1000 * patience, _LONGEST) / 1000)),
            # A session that is kept may have died without a word: a network that was changed.
            tcp_user_timeout=max(2000, round(min(1000 * patience, _LONGEST))),
            application_name="deniable",
        )
    except psycopg.Error:
        raise LedgerError(
            f"Expected a connection to {server.label}, got none. See whether the server runs, "
            "and whether libpq finds user and password (~/.pgpass, PGPASSWORD, PGSERVICE)."
        ) from None
    return PostgresServer(server, patience, connection, kind)


def _session(server: Server) -> _Session:
    """Process, server, and a digest of what libpq takes from the environment: a password, too."""
    variables = sorted(
        (name, value) for name, value in os.environb.items() if name.startswith(b"PG")
    )
    return os.getpid(), server.uri, hashlib.sha256(repr(variables).encode()).digest()


def _answers(connection: psycopg.Connection[Row]) -> bool:
    """Whether the server still knows a session; asked before anything is entered."""
    try:
        connection.execute("SELECT 1")
    except psycopg.Error:
        return False
    return True


@atexit.register
def _end() -> None:
    """Let go of what is kept, when the process exits."""
    for session in [each for each in _KEPT if each[0] == os.getpid()]:
        _KEPT.pop(session).close()
