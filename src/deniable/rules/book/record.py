"""A durable record of exact tables about the same people, as they were published.

One SQLite file or PostgreSQL database, kept as a ledger is. An edition holds lists, tables with
their rules, and the published numbers: all that is needed to judge it again beside a later one.
"""

import contextlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from fractions import Fraction
from typing import Any, TypeAlias

import attrs

from deniable.certificate.json_documents import sha256
from deniable.errors import DeniableError, InvalidArgument, LedgerError
from deniable.ledger.dataset import line, word
from deniable.ledger.ledger import PATIENCE
from deniable.ledger.server import is_url, server_of
from deniable.ledger.sqlite import FileKind, SqliteFile, open_file
from deniable.ledger.tables import read_statements
from deniable.numerics.answer import Answer, fields_of
from deniable.numerics.operating_system import user_name, user_number
from deniable.rules.book.change import ListedPeople
from deniable.rules.book.merging import merge
from deniable.rules.files import RulesFile, read_rules
from deniable.rules.judgement import Rules, read_published
from deniable.rules.rule import Rule, Step
from deniable.rules.steps import Barnardise, CellKey, Noise
from deniable.rules.tables import PublishedCell, Source
from deniable.servers.postgres_book import PostgresServer, ServerKind, connect

_KIND = FileKind(
    "book of tables",
    "deniable rules book new",
    {1: read_statements(__file__, "file.sql")},
)
*_TABLES, _FOLLOWS = read_statements(__file__, "server.sql")
_SERVER = ServerKind(
    _KIND.word,
    "deniable_book",
    "deniable rules book show",
    tuple(_TABLES),
    ("edition",),
    {1: _FOLLOWS},
)
BookPlace: TypeAlias = str | os.PathLike[str]  # A file, or ``postgresql://USER@HOST:PORT/DATABASE``
_Store: TypeAlias = SqliteFile | PostgresServer
_START = "the first"  # What stands before the first edition, in the place of a digest
_READ = "SELECT name, document, previous, sha256 FROM edition ORDER BY number"
_ADD = "INSERT INTO edition (number, name, document, previous, sha256) VALUES (?, ?, ?, ?, ?)"


@attrs.frozen(repr=False)
class Edition(Answer):
    """One edition of tables, as it was published.

    Parameters
    ----------
    name : str
        What it is called, such as "2025": no other edition of the book has that name.
    published : str
        The day, ISO 8601.
    by, at : str
        Who entered it, and when: UTC, ISO 8601.
    rules : RulesFile
        Its lists and tables, each table with its rule.
    cells : tuple of PublishedCell
        The numbers and marks as published.
    sha256 : str
        The digest of all this and of the edition before.
    """

    OWNER_ONLY = True

    name: str
    published: str
    by: str
    at: str
    rules: RulesFile
    cells: tuple[PublishedCell, ...]
    sha256: str

    def as_json(self) -> dict[str, Any]:
        """What `show` prints of it: no names of people."""
        return {
            **fields_of(self, "name", "published", "by", "at"),
            "lists": [fields_of(each, "name", "size") for each in self.rules.lists],
            "tables": [
                {"name": each.name, "rule": each.rule or self.rules.rule}
                for each in self.rules.tables
            ],
            "cells": len(self.cells),
            "sha256": self.sha256,
        }


@attrs.frozen(repr=False)
class TablesBook(Answer):
    """All editions of a book, first to last.

    Parameters
    ----------
    place : str
        The file, or the server's host and database.
    editions : tuple of Edition
        In the order in which they were entered.
    findings : tuple of str
        What is wrong with the file, if it was checked.
    """

    OWNER_ONLY = True

    place: str
    editions: tuple[Edition, ...]
    findings: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether nothing was found wrong."""
        return not self.findings

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        return {"book": self.place, **fields_of(self, "holds", "findings", "editions")}


def new(book: BookPlace) -> TablesBook:
    """Make an empty book of tables about the same people, which only its owner can read.

    Parameters
    ----------
    book : str or path
        A file that is not there yet, or the URL of a database.

    Returns
    -------
    TablesBook
        The empty book.

    Raises
    ------
    InvalidArgument
        If there is a book at that place.
    LedgerError
        If the file cannot be written, or is no book.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from deniable.rules import book
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     len(book.new(Path(folder) / "wards.book").editions)
    0
    """
    with _open_book(book, make=True) as file:
        with file.writing():
            if file.version():
                raise InvalidArgument(
                    f"Expected no book at {file.place}, got one. Choose another name."
                )
            file.install()
        return TablesBook(file.place, ())


def add(
    book: BookPlace, rules: Rules, *tables: Source, name: str, published: str, by: str | None = None
) -> Edition:
    """Enter published tables; nobody can change or remove them later.

    Parameters
    ----------
    book : str or path
        The file, or the URL of a database.
    rules, tables
        As in `deniable.rules.judge`.
    name : str
        What this edition is called, such as "2025".
    published : str
        The day of publication, ISO 8601.
    by : str, optional
        Who enters it; the user of the process if left out.

    Returns
    -------
    Edition
        What was entered.

    Raises
    ------
    InvalidArgument
        If the name is taken, or the day is none.
    PlanError, DataError
        If the rules or a table cannot be read.
    LedgerError
        If the book cannot be read or written. Nothing is entered then.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from deniable.rules import book
    >>> rules = {
    ...     "list": [{"name": "north", "size": 40}],
    ...     "table": [{"lists": ["north"]}],
    ...     "rule": {"preset": "opensafely"},
    ... }
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "wards.book"
    ...     _ = book.new(file)
    ...     book.add(file, rules, {"north": 15}, name="2024", published="2024-03-01").name
    '2024'
    """
    try:
        published = date.fromisoformat(published).isoformat()
    except (TypeError, ValueError):
        raise InvalidArgument(
            "Expected the day of publication such as 2025-03-01, got something else."
        ) from None
    if by is None:
        by = line(user_name(), instead=user_number())
    name = word(name, "the edition's name")
    read = rules if isinstance(rules, RulesFile) else read_rules(rules)
    read, cells, *_ = read_published(read, tables)
    fields: dict[str, Any] = {
        "name": name,
        "published": published,
        "by": word(by, "the name of who enters it"),
        "at": datetime.now(UTC).isoformat(timespec="microseconds"),
        # What a file of rules would say of lists and tables, and the cells as published.
        "list": [_list(each) for each in read.lists],
        "table": [
            {"name": each.name, "lists": list(each.lists), "total": each.total,
             "secondary": each.secondary, "rule": _rule(each.rule or read.rule)}
            for each in read.tables
        ],
        "rule": _rule(read.rule),
        "cells": [[c.table, c.name, list(c.lists), c.published, c.is_total] for c in cells],
    }  # fmt: skip
    document = json.dumps(fields, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    with _open_book(book) as file, file.writing():
        rows = _rows(file)
        editions = [_edition(file, row) for row in rows]
        if name in [each.name for each in editions]:
            raise InvalidArgument(
                f"Expected a new edition in {file.place}, got {name!a}, which is there."
            )
        # A list that follows none that is known is refused here, and not when it is judged.
        merge([(e.name, e.rules, e.cells) for e in editions], (name, read, cells))
        previous = rows[-1][3] if rows else _START
        digest = _link(document, previous)
        file.rows(_ADD, [len(rows) + 1, name, document, previous, digest])
    return Edition(name, published, fields["by"], fields["at"], read, tuple(cells), digest)


def show(book: BookPlace) -> TablesBook:
    """Return all editions of a book.

    Parameters
    ----------
    book : str or path
        The file, or the URL of a database.

    Returns
    -------
    TablesBook
        For those who keep the book: lists may name people.

    Raises
    ------
    LedgerError
        If the book cannot be read, or an entry was changed.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from deniable.rules import book
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "wards.book"
    ...     _ = book.new(file)
    ...     book.show(file).as_json()["editions"]
    []
    """
    with _open_book(book) as file:
        with file.reading():
            rows = _rows(file)
        return TablesBook(file.place, tuple(_edition(file, row) for row in rows))


def check(book: BookPlace) -> TablesBook:
    """Recompute the digests of a book, and look at the pages of its file.

    Parameters
    ----------
    book : str or path
        The file, or the URL of a database.

    Returns
    -------
    TablesBook
        With what is wrong, if anything is; then without editions.

    Raises
    ------
    LedgerError
        If the file cannot be read, or is no book.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from deniable.rules import book
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "wards.book"
    ...     _ = book.new(file)
    ...     book.check(file).holds
    True
    """
    with _open_book(book) as file:
        findings = list(file.damage())
        editions: tuple[Edition, ...] = ()
        with file.reading():
            try:
                editions = tuple(_edition(file, row) for row in _rows(file))
            except LedgerError as error:
                findings.append(str(error))
        return TablesBook(file.place, () if findings else editions, tuple(findings))


@contextlib.contextmanager
def _open_book(book: BookPlace, *, make: bool = False) -> Iterator[_Store]:
    place = os.fspath(book)
    file: _Store
    if is_url(place):
        file = connect(server_of(place), patience=PATIENCE, kind=_SERVER)
    else:
        file = open_file(place, make=make, patience=PATIENCE, kind=_KIND)
    try:
        yield file
    finally:
        file.close()


def _rows(file: _Store) -> list[tuple[Any, ...]]:
    """All rows, each after the one before it."""
    if not file.version():
        raise LedgerError(
            f"Expected a {_KIND.word} at {file.place}, got none. Make one: {_KIND.made_by}."
        )
    rows = file.rows(_READ)
    previous = _START
    for number, (_, document, before, digest) in enumerate(rows, start=1):
        if before != previous or digest != _link(document, before):
            raise LedgerError(
                f"Expected edition {number} of {file.place} to fit its digest, got one that was "
                "changed. Go on from a copy that holds."
            )
        previous = digest
    return rows


def _edition(file: _Store, row: Sequence[Any]) -> Edition:
    """The edition of a row; what we would not have written is none of ours."""
    name, document, _, digest = row
    try:
        fields = json.loads(document)
        cells = [
            PublishedCell(table, cell, tuple(lists), published, is_total)
            for table, cell, lists, published, is_total in fields["cells"]
        ]
        known = {key: fields[key] for key in ("list", "table", "rule")}
        day, by, at = (str(fields[key]) for key in ("published", "by", "at"))
        if fields["name"] != name:
            raise ValueError(name)
        return Edition(name, day, by, at, read_rules(known), tuple(cells), digest)
    except (DeniableError, KeyError, TypeError, ValueError):
        raise LedgerError(
            f"Expected editions that Deniable wrote in {file.place}, got another. Go on from a "
            "copy that holds."
        ) from None


def _link(document: str, previous: str) -> str:
    """SHA-256 of an edition's text after the digest of the one before."""
    return sha256(f"{previous}\n{document}".encode())


def _list(people: ListedPeople) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": people.name}
    if people.parts:
        entry["parts"] = list(people.parts)
    elif people.members:
        entry["members"] = list(people.members)
    elif people.size:
        entry["size"] = people.size
    if people.change is not None:
        entry |= {"follows": people.follows, "change": people.change.as_json()}
    elif people.follows is not None:
        entry["follows"] = False
    return entry


def _rule(rule: Rule) -> dict[str, Any]:
    """A rule with its probabilities as fractions, which read back as they are."""
    return rule.as_json() | {"steps": [_step(each) for each in rule.steps]}


def _step(step: Step) -> dict[str, Any]:
    entry: dict[str, Any] = step.as_json()
    match step:
        case Barnardise():
            return {"barnard": str(step.probability)}
        case Noise():
            return entry | {"noise": _law(step.law_of_noise)}
        case CellKey():
            return entry | {"cell_key": {str(count): _law(row) for count, row in step.rows.items()}}
        case _:
            return entry


def _law(offsets: Mapping[int, Fraction]) -> dict[str, str]:
    return {str(offset): str(chance) for offset, chance in offsets.items()}
