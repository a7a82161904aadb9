"""Places for a ledger, in every store; and what is done to them by hand."""

import sqlite3

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
