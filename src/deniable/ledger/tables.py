"""The tables of a ledger and the statements on them, for every database alike.

A value's place is a question mark. Versions only grow: a program that knows an older one refuses,
and a ledger stays in the version in which it was made. Since version 2 a dataset may have a budget
of exposure, and each of its entries an exposure.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias

import attrs

from deniable.errors import LedgerError
from deniable.ledger.charge import Amount, Charge
from deniable.ledger.dataset import Dataset
from deniable.priors import BoundedPriors
from deniable.theorems.analysis import target_of

VERSION = 2
"""The version of the tables, and of what an entry's digest covers, in a new ledger."""
VERSIONS = (1, VERSION)
"""Those that are read and gone on with."""

Row: TypeAlias = tuple[Any, ...]

DATASET_COLUMNS = (
    "name", "entity", "unit", "adjacency", "low", "high", "target", "value", "worlds",
    "exceedance", "measure", "budget", "exposure",
)  # fmt: skip
ENTRY_COLUMNS = (
    "id", "dataset", "units", "what", "plan_sha256", "by", "at", "state", "because",
    "statement_sha256", "previous", "sha256", "exposure",
)  # fmt: skip

_EXPOSURE = re.compile(r"\"?\bexposure\b\"?")
_EXPOSURE_COLUMN = re.compile(r", \"?exposure\"?")
_DATASET = ", ".join(DATASET_COLUMNS)
_ENTRY = ", ".join(f'"{name}"' for name in ENTRY_COLUMNS)

READ_VERSION = "SELECT version FROM book"
READ_DATASETS = f"SELECT {_DATASET} FROM dataset ORDER BY number"
READ_DATASET = f"SELECT {_DATASET} FROM dataset WHERE name = ?"
READ_ENTRIES = f"SELECT {_ENTRY} FROM entry WHERE dataset = ? ORDER BY number"
READ_AMOUNTS = "SELECT id, state, units, exposure FROM entry WHERE dataset = ? ORDER BY number"
READ_NEWEST = f"""SELECT {_ENTRY} FROM entry WHERE dataset = ? AND id IN (
    SELECT id FROM entry WHERE dataset = ? AND state = 'charged' ORDER BY number DESC LIMIT ?
) ORDER BY number"""
READ_LAST = f"SELECT {_ENTRY} FROM entry WHERE dataset = ? ORDER BY number DESC LIMIT 1"
READ_FIRST = f"SELECT {_ENTRY} FROM entry WHERE dataset = ? ORDER BY number LIMIT 1"
READ_ONE = f"SELECT {_ENTRY} FROM entry WHERE id = ? ORDER BY dataset, number"
SUM_ENTRIES = """SELECT count(*), COALESCE(SUM(units), 0), COALESCE(SUM(exposure), 0)
    FROM entry WHERE dataset = ?"""
READ_OPEN = """SELECT id FROM entry WHERE dataset = ? AND what = ?
    GROUP BY id HAVING count(*) = 1 ORDER BY MIN(number)"""
COUNT_STRAYS = "SELECT count(*) FROM entry WHERE dataset NOT IN (SELECT name FROM dataset)"
ADD_DATASET = f"INSERT INTO dataset (number, {_DATASET}) VALUES (?{', ?' * len(DATASET_COLUMNS)})"
ADD_ENTRY = f"INSERT INTO entry (number, {_ENTRY}) VALUES (?{', ?' * len(ENTRY_COLUMNS)})"


def in_version(statement: str, version: int) -> str:
    """A statement on the tables of a version; those of the first have no exposure, which is NULL.

    >>> in_version("SELECT units, exposure FROM entry", 1)
    'SELECT units, CAST(NULL AS bigint) FROM entry'
    """
    if version > 1:
        return statement
    if statement.startswith("INSERT"):
        columns, _, values = _EXPOSURE_COLUMN.sub("", statement).partition(" VALUES ")
        return f"{columns} VALUES {values.replace(', ?', '', 1)}"
    return _EXPOSURE.sub("CAST(NULL AS bigint)", statement)


def in_columns(row: Row, version: int) -> Row:
    """The values of a new row for the tables of a version; exposure, which is last, is None in 1.

    >>> in_columns(("visits", None), 1)
    ('visits',)
    """
    return row if version > 1 else row[:-1]


def dataset_row(dataset: Dataset) -> Row:
    """The values of a dataset's columns."""
    target = dataset.target.as_json()
    return (
        dataset.name,
        dataset.entity,
        dataset.unit,
        str(dataset.adjacency),
        dataset.adversary.low,
        dataset.adversary.high,
        target["kind"],
        target["value"],
        target["worlds"],
        dataset.exceedance,
        str(dataset.measure),
        dataset.budget,
        dataset.exposure,
    )


def dataset_of(row: Row) -> Dataset:
    """The dataset of a row; `InvalidArgument` if we would never have written it."""
    name, entity, unit, adjacency, low, high, kind, value, worlds = row[:9]
    exceedance, measure, budget, exposure = row[9:]
    return Dataset(
        name=name,
        entity=entity,
        unit=unit,
        adjacency=adjacency,
        adversary=BoundedPriors(low, high),
        target=target_of(kind, value, worlds),
        exceedance=exceedance,
        measure=measure,
        budget=budget,
        exposure=exposure,
    )


def entry_row(entry: Charge) -> Row:
    """The values of an entry's columns."""
    values = entry.as_json()
    return tuple(values.get(name) for name in ENTRY_COLUMNS)


def entry_of(row: Row) -> Charge:
    """The entry of a row; `InvalidArgument` if we would never have written it."""
    return Charge(**dict(zip(ENTRY_COLUMNS, row, strict=True)))


def amount_of(row: Row) -> Amount:
    """The amount of an entry; `InvalidArgument` if we would never have written it."""
    return Amount(*row)


class MaybeKept(LedgerError):
    """The connection ended between the end of a transaction and the answer to it."""


class Database(Protocol):
    """An open file or a session of a server; what goes wrong there is a `LedgerError`."""

    @property
    def place(self) -> str:
        """The file or server, as messages call it."""

    def version(self) -> int:
        """Return the version of the tables, 0 for none; raise `LedgerError` if they changed."""

    def install(self) -> None:
        """Make the tables of the newest version, within `writing`."""

    def reading(self) -> AbstractContextManager[None]:
        """A block that sees one state of all books."""

    def writing(self, dataset: str | None = None) -> AbstractContextManager[None]:
        """A block that is kept as a whole or not at all, while nobody else writes that book.

        Without a dataset nobody else makes one.
        """

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """What a statement answers; a question mark stands for each value."""

    def damage(self) -> Iterator[str]:
        """Sentences on what is broken in the file itself."""

    def close(self) -> None:
        """Let go of it."""


# --- What of a whole book is read to add it up: all amounts, and the texts of the newest charges.


@attrs.frozen
class Overview:
    """A book at one moment; reading it takes a tenth of the time that all its texts would.

    All amounts are there, first to last, and all entries of the newest charges; `head` is the
    digest of the newest entry, or of the dataset where there is none.
    """

    amounts: tuple[Amount, ...]
    newest: tuple[Charge, ...]
    head: str
