"""The tables of a ledger and the statements on them, for every database alike.

A value's place is a question mark. Versions only grow: a program that knows an older one refuses,
and a ledger stays in the version in which it was made. Since version 2 a dataset may have a budget
of exposure, and each of its entries an exposure; since version 3 it may say who belongs together.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import attrs

from deniable.errors import LedgerError
from deniable.ledger.charge import Amount, Charge
from deniable.ledger.dataset import Dataset
from deniable.ledger.units import Spending
from deniable.theorems.analysis import BoundedPriors, Households, target_of

VERSION = 3
"""The version of the tables, and of what an entry's digest covers, in a new ledger."""
VERSIONS = (1, 2, VERSION)
"""Those that are read and gone on with."""

Row: TypeAlias = tuple[Any, ...]

DATASET_COLUMNS = (
    "name", "entity", "unit", "adjacency", "low", "high", "target", "value", "worlds",
    "exceedance", "measure", "budget", "exposure", "household_size", "tie", "tie_value",
)  # fmt: skip
ENTRY_COLUMNS = (
    "id", "dataset", "units", "what", "plan_sha256", "by", "at", "state", "because",
    "statement_sha256", "previous", "sha256", "exposure",
)  # fmt: skip

_SINCE = {"exposure": 2, "household_size": 3, "tie": 3, "tie_value": 3}
"""The version that brought a column, of those that were not there from the beginning."""
_DATASET = ", ".join(DATASET_COLUMNS)
_ENTRY = ", ".join(f'"{name}"' for name in ENTRY_COLUMNS)


def read_statements(module: str, name: str) -> tuple[str, ...]:
    """Return the statements of a file of SQL beside a module's, between blank lines."""
    _, *statements = Path(module).with_name(name).read_text("utf-8").rstrip().split("\n\n")
    return tuple(statements)


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
# What entries behind a number add to each payer: a void gives back to whom it had been charged.
SUM_PAYERS = """SELECT (SELECT "by" FROM entry AS first
        WHERE first.id = entry.id AND first.state = 'charged') AS payer,
        SUM(units), SUM(exposure), MAX(number)
    FROM entry WHERE dataset = ? AND number > ? GROUP BY payer"""
LAST_NUMBER = "SELECT COALESCE(MAX(number), 0) FROM entry WHERE dataset = ?"
READ_DIGEST = "SELECT sha256 FROM entry WHERE dataset = ? AND number = ?"
READ_OPEN = """SELECT id FROM entry WHERE dataset = ? AND what = ?
    GROUP BY id HAVING count(*) = 1 ORDER BY MIN(number)"""
COUNT_STRAYS = "SELECT count(*) FROM entry WHERE dataset NOT IN (SELECT name FROM dataset)"
ADD_DATASET = f"INSERT INTO dataset (number, {_DATASET}) VALUES (?{', ?' * len(DATASET_COLUMNS)})"
ADD_ENTRY = f"INSERT INTO entry (number, {_ENTRY}) VALUES (?{', ?' * len(ENTRY_COLUMNS)})"


def in_version(statement: str, version: int) -> str:
    """A statement on the tables of a version; a column that came later is NULL."""
    later = "|".join(name for name, since in _SINCE.items() if since > version)
    if not later:
        return statement
    if statement.startswith("INSERT"):
        columns, _, values = statement.partition(" VALUES ")
        columns, left_out = re.subn(rf", \"?\b({later})\b\"?", "", columns)
        return f"{columns} VALUES {values.replace(', ?', '', left_out)}"
    return re.sub(rf"\"?\b({later})\b\"?", "CAST(NULL AS bigint)", statement)


def in_columns(row: Row, names: Sequence[str], version: int) -> Row:
    """The values of a new row for the tables of a version, without columns that came later."""
    pairs = zip(names, row, strict=True)
    return tuple(value for name, value in pairs if _SINCE.get(name, 1) <= version)


def dataset_row(dataset: Dataset) -> Row:
    """The values of a dataset's columns."""
    target, households = dataset.target.as_json(), dataset.households
    size, tie, value = None, None, None  # where a dataset does not say who belongs together
    if households is not None:
        size = households.size
        tie, value = households.model or (_ENTITY if dataset.by_household else _ANY, None)
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
        size,
        tie,
        value,
    )


_ENTITY = "entity"
"""The tie of a dataset whose entity is the household."""
_ANY = "any"
"""The tie of people whose memberships are tied in any way."""


def _households_of(size: int | None, tie: str | None, value: float | None) -> dict[str, Any]:
    """The fields of a dataset that such columns hold."""
    if size is None and tie is None and value is None:
        return {}
    ties = {} if value is None else {str(tie): value}
    if value is None and tie not in (_ENTITY, _ANY):
        raise ValueError(tie)
    return {"households": Households(size, **ties), "by_household": tie == _ENTITY}


def dataset_of(row: Row) -> Dataset:
    """The dataset of a row; `InvalidArgument` if we would never have written it."""
    name, entity, unit, adjacency, low, high, kind, value, worlds = row[:9]
    exceedance, measure, budget, exposure = row[9:13]
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
        **_households_of(*row[13:]),
    )


def check_place(dataset: Dataset, version: int, place: str) -> None:
    """Refuse a dataset that tables of an older version have no column for."""
    for wanted, what, since in (
        (dataset.exposure, "a budget of exposure", 2),
        (dataset.households, "people who belong together", 3),
    ):
        if wanted is not None and version < since:
            raise LedgerError(
                f"Expected a ledger of version {since} for {what}, got version {version} at "
                f"{place}, which has no place for it and is not changed. Make the dataset in a new "
                "ledger."
            )


def entry_row(entry: Charge) -> Row:
    """The values of an entry's columns."""
    values = entry.as_json()
    return tuple(values.get(name) for name in ENTRY_COLUMNS)


def entry_of(row: Row) -> Charge:
    """The entry of a row; `InvalidArgument` if we would never have written it."""
    return Charge(**dict(zip(ENTRY_COLUMNS, row, strict=True)))


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
class Sums:
    """What was spent in the first `number` entries of a book, of which `head` ends the last.

    `of` has what each payer spent, by `Charge.by`: charges without those that are void.
    """

    number: int = 0
    head: str = ""
    of: Mapping[str, Spending] = attrs.field(factory=dict)

    @property
    def total(self) -> Spending:
        """What all spent together."""
        return sum(self.of.values(), Spending(0))


@attrs.frozen
class Overview:
    """A book at one moment; reading it takes a tenth of the time that all its texts would.

    All amounts are there, first to last, and all entries of the newest charges; `head` is the
    digest of the newest entry, or of the dataset where there is none.
    """

    amounts: tuple[Amount, ...]
    newest: tuple[Charge, ...]
    head: str
