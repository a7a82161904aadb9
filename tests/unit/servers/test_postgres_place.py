"""What a plan's source says of a server's table, and what messages say of it."""

from pathlib import Path

import pytest

from deniable.errors import PlanError
from deniable.publish.sources import Source, reader_class
from deniable.servers.postgres import place_of
from tests.cases.refusals import refuses


def is_postgres(location):
    return reader_class(Source(location, Path())).__name__ == "PostgresReader"


@pytest.mark.parametrize(
    ("location", "server", "schema", "table"),
    [
        ("postgresql://db:5432/clinic?table=public.visits", "db:5432/clinic", "public", "visits"),
        ("postgresql://db/clinic?table=visits", "db/clinic", None, "visits"),
        ("postgres://reader@db/clinic?table=Visits", "db/clinic", None, "Visits"),
        ("POSTGRESQL://db/clinic?table=v", "db/clinic", None, "v"),
        ("postgresql:///clinic?table=v", "/clinic", None, "v"),
        ("postgresql:///?table=v", "/", None, "v"),
        ("postgresql://%2Ftmp%2Fa%20b/clinic?table=v", "/tmp/a b/clinic", None, "v"),
        ("postgresql://[::1]:5433,other:1/c%2Fd?table=v", "[::1]:5433,other:1/c/d", None, "v"),
        ('postgresql://db/c?table="a.b"."c""d"', "db/c", "a.b", 'c"d'),
        ("postgresql://db/c?table=%22a.b%22.%C3%A4%20%26", "db/c", "a.b", "ä &"),
        ("postgresql://db/c?table=a'b;--=", "db/c", None, "a'b;--="),
    ],
)
def test_read(location, server, schema, table):
    place = place_of(location)
    assert is_postgres(location)
    assert (place.server, place.schema, place.table) == (f"postgresql://{server}", schema, table)


def test_libpq_is_told_the_user_and_messages_are_not():
    place = place_of("postgresql://some%20one@db:5433/a%20b?table=t")
    assert place.uri == "postgresql://some%20one@db:5433/a%20b?client_encoding=utf8"
    assert "some" not in repr(place)


@pytest.mark.parametrize(
    "location",
    [
        "postgresql:db?table=v",
        "postgresql://db?tables=v",
        "postgresql://db/c",
        "postgresql://db/c?table",
        "postgresql://db/c?table=",
        "postgresql://db/c?table=a.b.c",
        'postgresql://db/c?table=a"b',
        'postgresql://db/c?table=""',
        "postgresql://db/c?table=v&sslmode=require",
        "postgresql://db/c?sslmode=require&table=v",
        "postgresql://db:port/c?table=v",
        "postgresql://db/c/d?table=v",
        "postgresql://db/c?table=%FF",
        "postgresql://db/c?table=a%00b",
        "jdbc:postgresql://db/c?table=v",
        "postgresql+psycopg://db/c?table=v",
    ],
)
def test_another_form_is_refused(location):
    assert is_postgres(location)
    expected = "postgresql-host-port-database-table"
    with refuses(PlanError, expected):
        place_of(location)


@pytest.mark.parametrize("location", ["x.parquet", "duckdb:postgres:?table=t", "my-postgres.csv"])
def test_other_sources_are_others(location):
    assert not is_postgres(location)
