"""Places for a ledger, in every store; and what is done to them by hand."""

import sqlite3

from deniable.ledger import tables
from deniable.ledger.charge import Charge, link
from deniable.ledger.summary import show

_DATABASE = "a team"


def new_place(request, folder):
    """A file's name or a database's URL, where no ledger is, as a fixture's parameter says."""
    if request.param == "sqlite":
        return str(folder / "hospital.ledger")
    server = request.getfixturevalue("postgres")
    if not server.rows(f"SELECT 1 FROM pg_database WHERE datname = '{_DATABASE}'"):
        server.database(_DATABASE)
    url = server.url(_DATABASE.replace(" ", "%20"))
    statement_by_hand(request, url, "DROP SCHEMA IF EXISTS deniable_ledger CASCADE")
    return url


def statement_by_hand(request, place, statement):
    """Run a statement on the tables, without the house."""
    if place.startswith("postgresql"):
        database = place.rpartition("/")[2]
        with request.getfixturevalue("postgres").connect(database) as session:
            session.execute("SET search_path = deniable_ledger; SET client_min_messages = warning")
            session.execute(statement)
        return
    session = sqlite3.connect(place, isolation_level=None)
    try:
        session.execute(statement)
    finally:
        session.close()


def charge_by_hand(path, number):
    """A charge with an ID that is no surprise, in a file's only dataset."""
    book = show(path)
    fields = {
        "id": number,
        "dataset": book.dataset.name,
        "units": 2**38,
        "what": "Jünius",
        "plan_sha256": None,
        "by": "Ada",
        "at": "2026-06-01T10:00:00+00:00",
        "state": "charged",
        "because": None,
        "statement_sha256": None,
        "previous": book.head,
    }
    entry = Charge(**fields, sha256=link(fields))
    session = sqlite3.connect(path)
    with session:
        session.execute(tables.ADD_ENTRY, [len(book.amounts) + 1, *tables.entry_row(entry)])
    session.close()
