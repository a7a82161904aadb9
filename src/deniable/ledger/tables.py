"""The tables of a ledger and the statements on them, for every database alike.

A value's place is a question mark. Versions only grow: a program that knows an older one refuses.
"""

from typing import Any, TypeAlias

from deniable.ledger.charge import Amount, Charge
from deniable.ledger.dataset import Dataset
from deniable.priors import BoundedPriors
from deniable.theorems.analysis.target import target_of

VERSION = 1
"""Of the tables and of what an entry's digest covers."""

Row: TypeAlias = tuple[Any, ...]

DATASET_COLUMNS = (
    "name", "entity", "unit", "adjacency", "low", "high", "target", "value", "worlds",
    "exceedance", "measure", "budget",
)  # fmt: skip
ENTRY_COLUMNS = (
    "id", "dataset", "units", "what", "plan_sha256", "by", "at", "state", "because",
    "statement_sha256", "previous", "sha256",
)  # fmt: skip

_DATASET = ", ".join(DATASET_COLUMNS)
_ENTRY = ", ".join(f'"{name}"' for name in ENTRY_COLUMNS)

READ_VERSION = "SELECT version FROM book"
READ_DATASETS = f"SELECT {_DATASET} FROM dataset ORDER BY number"
READ_DATASET = f"SELECT {_DATASET} FROM dataset WHERE name = ?"
READ_ENTRIES = f"SELECT {_ENTRY} FROM entry WHERE dataset = ? ORDER BY number"
READ_AMOUNTS = "SELECT id, state, units FROM entry WHERE dataset = ? ORDER BY number"
READ_NEWEST = f"""SELECT {_ENTRY} FROM entry WHERE dataset = ? AND id IN (
    SELECT id FROM entry WHERE dataset = ? AND state = 'charged' ORDER BY number DESC LIMIT ?
) ORDER BY number"""
READ_LAST = f"SELECT {_ENTRY} FROM entry WHERE dataset = ? ORDER BY number DESC LIMIT 1"
READ_FIRST = f"SELECT {_ENTRY} FROM entry WHERE dataset = ? ORDER BY number LIMIT 1"
READ_ONE = f"SELECT {_ENTRY} FROM entry WHERE id = ? ORDER BY dataset, number"
SUM_ENTRIES = "SELECT count(*), COALESCE(SUM(units), 0) FROM entry WHERE dataset = ?"
COUNT_STRAYS = "SELECT count(*) FROM entry WHERE dataset NOT IN (SELECT name FROM dataset)"
ADD_DATASET = f"INSERT INTO dataset (number, {_DATASET}) VALUES (?{', ?' * len(DATASET_COLUMNS)})"
ADD_ENTRY = f"INSERT INTO entry (number, {_ENTRY}) VALUES (?{', ?' * len(ENTRY_COLUMNS)})"


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
    )


def dataset_of(row: Row) -> Dataset:
    """The dataset of a row; `InvalidArgument` if we would never have written it."""
    name, entity, unit, adjacency, low, high, kind, value, worlds, exceedance, measure, budget = row
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
    )


def entry_row(entry: Charge) -> Row:
    """The values of an entry's columns."""
    values = entry.as_json()
    return tuple(values[name] for name in ENTRY_COLUMNS)


def entry_of(row: Row) -> Charge:
    """The entry of a row; `InvalidArgument` if we would never have written it."""
    return Charge(**dict(zip(ENTRY_COLUMNS, row, strict=True)))


def amount_of(row: Row) -> Amount:
    """The amount of an entry; `InvalidArgument` if we would never have written it."""
    return Amount(*row)
