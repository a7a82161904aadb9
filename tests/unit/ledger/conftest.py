"""One suite, two stores: a file, and a database of the tests' own server."""

import contextlib
import sqlite3

import psycopg
import pytest

from deniable.ledger.sqlite import TABLES
from deniable.ledger.tables import VERSION
from tests.cases.ledger_places import new_place, statement_by_hand


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path):
    """Where no ledger is yet."""
    return new_place(request, tmp_path)


@pytest.fixture
def by_hand(request, place):
    """What somebody does to the database without Deniable."""

    def run(statement, *, refused=False):
        expected = pytest.raises((sqlite3.Error, psycopg.Error)) if refused else None
        with expected or contextlib.nullcontext():
            statement_by_hand(request, place, statement)

    return run


@pytest.fixture
def without_guard(place, by_hand):
    """Take away what keeps a table from being changed; back in place after a block."""

    def run(table):
        after = contextlib.ExitStack()
        if place.startswith("postgresql"):
            alter = f"ALTER TABLE deniable_ledger.{table}"
            by_hand(f"{alter} DISABLE TRIGGER {table}_stays")
            after.callback(by_hand, f"{alter} ENABLE ALWAYS TRIGGER {table}_stays")
        else:
            for word in ("update", "delete"):
                name = f"{table}_{word}"
                [trigger] = [each for each in TABLES[VERSION] if each.split()[2] == name]
                by_hand(f"DROP TRIGGER {name}")
                after.callback(by_hand, trigger)
        return after

    return run
