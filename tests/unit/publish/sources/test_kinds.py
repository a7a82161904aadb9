"""The kind of every type that the engine can name."""

import duckdb
import pytest

from deniable.publish.sources import Kind, kind_of

REFUSED = {"BLOB", "BIT", "TIME", "TIME_NS", "TIME WITH TIME ZONE", "INTERVAL", "BIGNUM", "NULL"}
REFUSED |= {"STRUCT", "LIST", "MAP", "ARRAY", "UNION", "JSON", "GEOMETRY", "VARIANT", "TYPE"}


def engine_types():
    """Every type that the engine knows, by the name that a schema gives it."""
    with duckdb.connect() as connection:
        names = connection.execute("SELECT DISTINCT logical_type FROM duckdb_types()").fetchall()
    return sorted(name for (name,) in names)


def test_every_type_of_the_engine_is_read_or_refused_by_name():
    read = {name for name in engine_types() if kind_of(name) is not Kind.OTHER}
    assert read.isdisjoint(REFUSED)
    assert {"BIGINT", "DOUBLE", "VARCHAR", "BOOLEAN", "DATE", "TIMESTAMP"} <= read


@pytest.mark.parametrize(
    ("described", "kind"),
    [
        ("DECIMAL(18,3)", Kind.NUMBER),
        ("ENUM('a]', 'b')", Kind.TEXT),
        ("ENUM('a')[]", Kind.OTHER),
        ("INTEGER[3]", Kind.OTHER),
        ("STRUCT(a INTEGER)", Kind.OTHER),
        ("MAP(INTEGER, VARCHAR)", Kind.OTHER),
        ("UNION(a INTEGER)", Kind.OTHER),
        ("TIMESTAMP WITH TIME ZONE", Kind.TIMESTAMP),
        ("a type of one's own", Kind.OTHER),
    ],
)
def test_types_with_something_behind(described, kind):
    assert kind_of(described) is kind
