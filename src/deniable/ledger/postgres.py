"""A ledger in a PostgreSQL server, for a team; the only place that imports psycopg."""

from __future__ import annotations

import atexit
import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from deniable.errors import LedgerError
from deniable.errors.late import late
from deniable.ledger.server import Server
from deniable.ledger.tables import READ_VERSION, VERSION, VERSIONS, MaybeKept, Row

if TYPE_CHECKING:
    import psycopg
else:
    psycopg = late("psycopg", extra="postgres")

SCHEMA = "deniable_ledger"
"""The schema of the tables; a database has one ledger."""
_MAKING = 0x64656E69
"""The advisory lock of who makes tables or a dataset: "deni" in ASCII, which nobody else takes."""

_LONGEST = 2**31 - 1
"""Milliseconds, 25 days: a server's largest limit."""

_REFUSE = "BEGIN RAISE EXCEPTION 'nothing is changed or removed'; END"
_FOLLOWS = """BEGIN
    IF NEW.number <> 1 + (SELECT COALESCE(MAX(number), 0) FROM entry WHERE dataset = NEW.dataset)
    OR NEW.units > (SELECT budget FROM dataset WHERE name = NEW.dataset)
        - (SELECT COALESCE(SUM(units), 0) FROM entry WHERE dataset = NEW.dataset){}
    THEN RAISE EXCEPTION 'an entry follows the last one, and fits what is left'; END IF;
    RETURN NEW;
END"""
_EXPOSURE_FITS = """
    OR NEW.exposure > (SELECT exposure FROM dataset WHERE name = NEW.dataset)
        - (SELECT COALESCE(SUM(exposure), 0) FROM entry WHERE dataset = NEW.dataset)
    OR (NEW.exposure IS NULL) <> (SELECT exposure IS NULL FROM dataset WHERE name = NEW.dataset)"""
_FOLLOW = {each: _FOLLOWS.format(_EXPOSURE_FITS if each > 1 else "") for each in VERSIONS}
_PATH = f"{SCHEMA}, pg_temp"
"""The search path: the server's own names first, and temporary ones after ours."""
_IN_SCHEMA = f"SET search_path = {_PATH}"
_TABLES = (
    f"CREATE SCHEMA {SCHEMA}",
    "CREATE TABLE book (version integer NOT NULL)",
    """CREATE TABLE dataset (
        number bigint NOT NULL PRIMARY KEY, name text NOT NULL UNIQUE, entity text, unit text,
        adjacency text NOT NULL, low double precision NOT NULL, high double precision NOT NULL,
        target text NOT NULL, value double precision NOT NULL, worlds bigint,
        exceedance double precision NOT NULL, measure text NOT NULL,
        budget bigint NOT NULL CHECK (budget > 0), exposure bigint CHECK (exposure > 0),
        household_size bigint, tie text, tie_value double precision
    )""",
    """CREATE TABLE entry (
        number bigint NOT NULL, id text NOT NULL, dataset text NOT NULL REFERENCES dataset (name),
        units bigint NOT NULL, what text NOT NULL, plan_sha256 text, "by" text NOT NULL,
        at text NOT NULL, state text NOT NULL, because text, statement_sha256 text,
        previous text NOT NULL, sha256 text NOT NULL, exposure bigint, PRIMARY KEY (dataset, number)
    )""",
    "CREATE UNIQUE INDEX ends ON entry (id, (state = 'charged'))",
    f"CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql {_IN_SCHEMA} AS $${_REFUSE}$$",
    f"CREATE FUNCTION follow() RETURNS trigger LANGUAGE plpgsql {_IN_SCHEMA} AS "
    f"$${_FOLLOW[VERSION]}$$",
    "CREATE TRIGGER entry_follows BEFORE INSERT ON entry FOR EACH ROW EXECUTE FUNCTION follow()",
    "ALTER TABLE entry ENABLE ALWAYS TRIGGER entry_follows",
    *(
        statement
        for table in ("book", "dataset", "entry")
        for statement in (
            f"CREATE TRIGGER {table}_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse()",
            f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_stays",
        )
    ),
)
_GUARDS = {
    ("book", "book_stays", "A", _REFUSE),
    ("dataset", "dataset_stays", "A", _REFUSE),
    ("entry", "entry_stays", "A", _REFUSE),
}
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
    """A session of a server that keeps a ledger."""

    server: Server
    patience: float
    connection: psycopg.Connection[Row]

    @property
    def place(self) -> str:
        """Host and database; no user."""
        return self.server.label

    def version(self) -> int:
        """Return the version of the tables and of what keeps them from changes; 0 for none."""
        if self.rows("SELECT to_regclass(?)", [f"{SCHEMA}.book"]) == [(None,)]:
            return 0
        versions = self.rows(READ_VERSION)
        version = next((each for each in VERSIONS if versions == [(each,)]), None)
        if version is None:
            got = ", ".join(str(row[0]) for row in versions) or "none"
            known = " or ".join(map(str, VERSIONS))
            raise LedgerError(
                f"Expected version {known} of the ledger at {self.place}, got {got}. "
                "Use the version of Deniable that wrote it, or a later one."
            )
        follows = ("entry", "entry_follows", "A", _FOLLOW[version])
        if set(self.rows(_READ_GUARDS, [SCHEMA])) != {*_GUARDS, follows}:
            raise LedgerError(
                f"Expected a ledger at {self.place} as Deniable makes it, got one without the "
                "triggers that keep its rows. Go on from a copy that holds."
            )
        if version > 1:  # what a book began with was read in the server's digits before
            self.rows("SELECT set_config('extra_float_digits', '3', true)")
        return version

    def install(self) -> None:
        """Make the tables."""
        for statement in _TABLES:
            self.rows(statement)
        self.rows("INSERT INTO book VALUES (?)", [VERSION])

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
            self.rows(_SETTINGS, [_PATH, milliseconds])
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
                    "connection. Look before you try again: deniable ledger show."
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
        match error.sqlstate:
            case "55P03" | "57014" | "40001" | "40P01":
                message = (
                    f"Expected the ledger at {self.place} to be free within {self.patience:g} "
                    "seconds, got it in use by another session. Try again."
                )
            case "42501":
                message = (
                    f"Expected access to the ledger at {self.place}, got none. Ask its owner for "
                    f"USAGE on schema {SCHEMA}, SELECT and INSERT on its tables and UPDATE on its "
                    "table dataset."
                )
            case "25006":
                message = (
                    f"Expected a server that can be written, got {self.place}, which may only be "
                    "read."
                )
            case "53100":
                message = f"Expected room to write the ledger at {self.place}, got a full disk."
            case "23505" | "P0001":
                message = (
                    f"Expected an entry that follows the last one at {self.place}, got another. "
                    "Try again."
                )
            case None | "57P01" | "57P02" | "57P03":
                message = (
                    f"Expected the server of {self.place} to answer, got the end of the "
                    "connection. Nothing was entered; try again."
                )
            case _:
                message = f"Expected to read and write the ledger at {self.place}, got a refusal."
        return LedgerError(message)


def connect(server: Server, *, patience: float) -> PostgresServer:
    """A session of the server, one that this process has if it still answers.

    A password comes from libpq's files or environment.
    """
    _ = psycopg.connect  # missing? say so here
    if (kept := _KEPT.pop(_session(server), None)) is not None:
        if _answers(kept):
            return PostgresServer(server, patience, kept)
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
    return PostgresServer(server, patience, connection)


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


def _end() -> None:
    """Let go of what is kept, when the process exits."""
    for session in [each for each in _KEPT if each[0] == os.getpid()]:
        _KEPT.pop(session).close()


atexit.register(_end)
