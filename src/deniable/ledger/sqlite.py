"""A book in one file, as a ledger is one; the only place that imports SQLite."""

import contextlib
import errno
import os
import sqlite3
import stat
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import attrs

from deniable.errors import LedgerError
from deniable.ledger.tables import COUNT_STRAYS, READ_VERSION, VERSIONS, Row, read_statements

_LEAST_SQLITE = (3, 37)
"""The first version with STRICT tables, where a column holds values of its type only."""
_MAKING = threading.Lock()
"""The lock of files in this process: closing one that SQLite has open would end its locks."""

BOOK = "CREATE TABLE book (version INTEGER NOT NULL) STRICT"
"""The table of a file's version, the same in files of every kind."""
TABLES = {each: read_statements(__file__, f"tables_{each}.sql") for each in VERSIONS}
"""All that a file of each version holds, in the words in which SQLite keeps it."""


@attrs.frozen
class FileKind:
    """What a file of one kind holds, and what messages call it.

    `tables` has the statements of each version that is read; the largest is that of a new file.
    `made_by` is the command that makes one.
    """

    word: str
    made_by: str
    tables: Mapping[int, tuple[str, ...]]
    count_strays: str | None = None

    def no_book(self, path: Path, got: str) -> LedgerError:
        """Return the error that a file is none of this kind."""
        return LedgerError(
            f"Expected a {self.word} at {path}, got {got}. Name a file that {self.made_by} made."
        )


LEDGER_FILE = FileKind("ledger", "deniable ledger new", TABLES, COUNT_STRAYS)
"""A ledger: what was spent on the same people."""

_SETTINGS = (
    "PRAGMA synchronous = EXTRA",  # the end of a transaction is on the disk before it is told
    "PRAGMA fullfsync = ON",  # also where a system calls a write done that is not
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
    "PRAGMA temp_store = MEMORY",
)


@attrs.frozen
class SqliteFile:
    """An open file."""

    path: Path
    patience: float
    connection: sqlite3.Connection
    kind: FileKind = LEDGER_FILE

    @property
    def place(self) -> str:
        """The file's name."""
        return str(self.path)

    def version(self) -> int:
        """Return the version of the tables, made exactly as ours; 0 where there are none."""
        statements = {
            row[0] for row in self.rows("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
        }
        if not statements:
            return 0
        [(pages,)], [(size,)] = self.rows("PRAGMA page_count"), self.rows("PRAGMA page_size")
        if pages * size != self.path.stat().st_size:  # SQLite reads what is missing as zeros
            raise self.kind.no_book(self.path, "a truncated or damaged file")
        known = self.kind.tables
        versions = self.rows(READ_VERSION) if BOOK in statements else []
        version = next((each for each in known if versions == [(each,)]), max(known))
        if BOOK in statements and versions != [(version,)]:
            got = ", ".join(str(row[0]) for row in versions) or "none"
            raise LedgerError(
                f"Expected version {' or '.join(map(str, known))} of the {self.kind.word} "
                f"{self.path}, got {got}. Use the version of Deniable that wrote it, or a later "
                "one."
            )
        if statements != set(known[version]):
            raise self.kind.no_book(self.path, "tables that Deniable did not make, or changed ones")
        return version

    def install(self) -> None:
        """Make the tables."""
        version = max(self.kind.tables)
        for statement in self.kind.tables[version]:
            self.rows(statement)
        self.rows("INSERT INTO book VALUES (?)", [version])

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """A block that sees one state of the file."""
        yield from self._transaction("BEGIN")

    @contextlib.contextmanager
    def writing(self, dataset: str | None = None) -> Iterator[None]:  # noqa: ARG002  # one lock
        """A block in which nobody else writes the file."""
        yield from self._transaction("BEGIN IMMEDIATE")

    def _transaction(self, begin: str) -> Iterator[None]:
        self.rows(begin)
        try:
            yield
            self.rows("COMMIT")
        except BaseException:
            if self.connection.in_transaction:
                self.connection.rollback()
            raise

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """What a statement answers."""
        try:
            return self.connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise _refusal(self.kind, self.path, self.patience, error) from None
        except UnicodeDecodeError:
            raise self.kind.no_book(self.path, "another or a damaged file") from None

    def damage(self) -> Iterator[str]:
        """What SQLite finds wrong with the file's pages."""
        if self.rows("PRAGMA integrity_check(1)") != [("ok",)]:
            yield f"The file {self.path} is damaged: its pages do not fit together."
        if self.kind.count_strays is None:
            return
        [(strays,)] = self.rows(self.kind.count_strays)
        if strays:  # a server refuses them by a foreign key
            yield f"The file {self.path} was changed: entries are of no dataset of it."

    def close(self) -> None:
        """Let go of the file."""
        self.connection.close()


def open_file(
    path: str | os.PathLike[str], *, make: bool, patience: float, kind: FileKind = LEDGER_FILE
) -> SqliteFile:
    """The file of a ledger, open; a new one is readable for its owner only."""
    if sqlite3.sqlite_version_info < _LEAST_SQLITE:
        raise LedgerError(
            f"Expected SQLite {'.'.join(map(str, _LEAST_SQLITE))} or later, got "
            f"{sqlite3.sqlite_version}. Use a newer Python."
        )
    place = Path(path)
    try:
        if make:
            # An empty file, unless there is one; never through a link that leads nowhere.
            flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_CLOEXEC", 0)
            with _MAKING, contextlib.suppress(FileExistsError):
                os.close(os.open(place, flags, stat.S_IRUSR | stat.S_IWUSR))
        # What is no plain file is not opened, which would end SQLite's locks on it.
        seen = place.stat()
        if not stat.S_ISREG(seen.st_mode):
            raise kind.no_book(place, "a folder" if stat.S_ISDIR(seen.st_mode) else "no plain file")
        if seen.st_nlink > 1:  # a journal lies beside one of the names only
            raise LedgerError(
                f"Expected one name for the {kind.word} {place}, got a file with "
                f"{seen.st_nlink} (hard links): after a crash it could be read without what undoes "
                "a half-written entry. Remove the other names."
            )
        uri = f"file:{quote(os.fsencode(place.absolute()))}?mode=rw"
        connection = sqlite3.connect(uri, uri=True, timeout=patience, isolation_level=None)
    except sqlite3.Error as error:
        raise _refusal(kind, place, patience, error) from None
    except OSError as error:
        raise _system(kind, place, error) from None
    except ValueError:  # a NUL in the name
        raise LedgerError(f"Expected the name of a file, got {str(place)!a}.") from None
    file = SqliteFile(place, patience, connection, kind)
    try:
        for statement in _SETTINGS:
            file.rows(statement)
        if file.rows("PRAGMA journal_mode") != [("delete",)]:
            raise kind.no_book(place, "one that another program set to another journal")
    except BaseException:
        connection.close()
        raise
    return file


def _system(kind: FileKind, path: Path, error: OSError) -> LedgerError:
    if error.errno == errno.ENOENT and not path.absolute().parent.is_dir():
        return LedgerError(
            f"Expected a {kind.word} in an existing folder, got {path}. Make the folder first."
        )
    if error.errno == errno.ENOENT:
        return LedgerError(
            f"Expected a {kind.word} at {path}, got no such file. Make one: {kind.made_by}."
        )
    reason = os.strerror(error.errno) if error.errno else "input or output failed"
    return LedgerError(
        f"Expected a {kind.word} at {path}, got a refusal of the system: {reason}. Look "
        "at the disk and at the access to the folder, and try again."
    )


def _refusal(kind: FileKind, path: Path, patience: float, error: sqlite3.Error) -> LedgerError:
    """One sentence for what SQLite refused, by its number; never in SQLite's own words."""
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            message = (
                f"Expected the {kind.word} {path} to be free within {patience:g} seconds, got it "
                "in use by another process. Try again."
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            message = (
                f"Expected the {kind.word} {path} to be writable, got one that may only be read. "
                "Ask its owner for access to the file and its folder."
            )
        case sqlite3.SQLITE_FULL:
            message = (
                f"Expected room to write the {kind.word} {path}, got a full disk. Free some space."
            )
        case sqlite3.SQLITE_CANTOPEN:
            message = (
                f"Expected to open the {kind.word} {path} and its journal beside it, got a refusal "
                "of the system. Look at the access to the file and its folder."
            )
        case (
            # The last two: sums beyond 64 bits, bytes that are no text.
            sqlite3.SQLITE_NOTADB
            | sqlite3.SQLITE_CORRUPT
            | sqlite3.SQLITE_FORMAT
            | sqlite3.SQLITE_ERROR
            | 0
        ):
            return kind.no_book(path, "another or a damaged file")
        case sqlite3.SQLITE_CONSTRAINT:
            message = f"The new entry does not follow the last one of {path}. Try again."
        case _:
            message = (
                f"Expected to read and write the {kind.word} {path}, got a failing disk or system. "
                "Look at the disk, and try again: no entry is half there."
            )
    return LedgerError(message)
