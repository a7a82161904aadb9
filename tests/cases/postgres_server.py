"""A PostgreSQL server of the tests' own; ask for it with a fixture's name::

    def test_something(postgres):
        source = postgres.load(pa.table({"x": [1, 2]}), "numbers")
        postgres.execute("ALTER TABLE numbers ADD y int")

It listens on a socket in a private folder only, runs as a user without privileges, and has
defaults that nobody may rely on: another time zone, another order of day and month, floats that
print without their last digits.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import attrs
import psycopg
import pyarrow as pa
from psycopg import sql

from deniable.publish.sources.table import Source
from tests.cases.programs import need

OWNER = "owner of everything"
"""The server's superuser, whose name no message may hold."""
_SERVICE = "postgres"
"""The user that Debian's package makes; a server refuses to run as root."""
_PREFIX, _STARTER = "deniable-pg-", "started-by"
_SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "32MB",
    "max_connections": "40",
    "timezone": "America/St_Johns",
    "datestyle": "SQL, DMY",
    "intervalstyle": "sql_standard",
    "bytea_output": "escape",
    "extra_float_digits": "-3",
}
_TYPES = [
    (pa.types.is_int16, "int2"),
    (pa.types.is_int32, "int4"),
    (pa.types.is_int64, "int8"),
    (pa.types.is_float32, "float4"),
    (pa.types.is_float64, "float8"),
    (pa.types.is_string, "text"),
    (pa.types.is_boolean, "bool"),
    (pa.types.is_date32, "date"),
    (pa.types.is_decimal, "numeric"),
    (lambda of: pa.types.is_timestamp(of) and of.tz is None, "timestamp"),
    (lambda of: pa.types.is_timestamp(of) and of.tz is not None, "timestamptz"),
]


@attrs.frozen
class Server:
    """A running server, and ways to fill it."""

    folder: Path

    def url(self, database: str = "postgres") -> str:
        """What libpq and plans call a database; PostgreSQL's own is there from the start."""
        return f"postgresql://{quote(OWNER)}@{quote(str(self.folder), safe='')}/{database}"

    def database(self, name: str) -> str:
        """The URL of a new, empty database."""
        self.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        self.execute(f'CREATE DATABASE "{name}"')
        return self.url(quote(name, safe=""))

    def connect(self, database: str = "postgres") -> psycopg.Connection:
        """A session whose statements are committed one by one."""
        options = "-c datestyle=ISO -c extra_float_digits=1"
        return psycopg.connect(self.url(database), autocommit=True, options=options)

    def execute(self, statement: str, *values: object) -> None:
        """Run one statement, or several without values."""
        with self.connect() as session:
            session.execute(statement, values or None)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        with self.connect() as session:
            return session.execute(query).fetchall()

    def source(self, table: str, database: str = "postgres") -> Source:
        """A source that names a table: NAME or SCHEMA.NAME as a plan writes it."""
        return Source(self.location(table, database), Path(), nulls=())

    def location(self, table: str, database: str = "postgres") -> str:
        """What a plan calls a table."""
        return f"{self.url(database)}?table={quote(table)}"

    def load(self, table: pa.Table, name: str) -> Source:
        """The rows as a table of that name in schema public, replacing one of that name."""
        columns = sql.SQL(", ").join(
            sql.SQL("{} {}").format(sql.Identifier(field.name), sql.SQL(_type(field.type)))
            for field in table.schema
        )
        named = sql.Identifier("public", name)
        with self.connect() as session, session.cursor() as cursor:
            cursor.execute(sql.SQL("DROP TABLE IF EXISTS {} CASCADE").format(named))
            cursor.execute(sql.SQL("CREATE TABLE {} ({})").format(named, columns))
            with cursor.copy(sql.SQL("COPY {} FROM STDIN").format(named)) as copy:
                for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
                    copy.write_row(row)
        return self.source(f"public.{name}")


def _type(of: pa.DataType) -> str:
    return next(name for matches, name in _TYPES if matches(of))


def _run(found: Path, folder: Path, program: str, *words: str, check: bool = True) -> None:
    """Run one of the server's programs on the rows of a folder, as somebody who is not root."""
    user = {"user": _SERVICE, "group": _SERVICE, "extra_groups": []} if os.getuid() == 0 else {}
    subprocess.run(
        [str(found / program), "-D", str(folder / "rows"), *words],
        check=check,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
        **user,
    )


def _sweep(found: Path) -> None:
    """Stop servers whose tests were killed outright."""
    for folder in Path("/tmp").glob(f"{_PREFIX}*"):
        with suppress(OSError, ValueError):
            if not Path(f"/proc/{int((folder / _STARTER).read_text())}").exists():
                _run(found, folder, "pg_ctl", "-w", "-s", "-m", "immediate", "stop", check=False)
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def server() -> Iterator[Server]:
    """A server that is gone, with all it held, at the end of the block."""
    found = Path(need("initdb")).resolve().parent
    _sweep(found)
    # A socket's path is short, and pytest's folders belong to whoever runs the tests.
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir="/tmp"))
    rows, run = folder / "rows", partial(_run, found, folder)
    (folder / _STARTER).write_text(str(os.getpid()))
    if os.getuid() == 0:
        shutil.chown(folder, _SERVICE, _SERVICE)
    try:
        run("initdb", "--no-sync", "-A", "trust", "-U", OWNER, "-E", "UTF8", "--locale=C.UTF-8")
        with (rows / "postgresql.conf").open("a", encoding="utf-8") as file:
            settings = {**_SETTINGS, "unix_socket_directories": str(folder)}
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        run("pg_ctl", "-w", "-s", "-l", str(folder / "log"), "start")
        try:
            yield Server(folder)
        finally:
            run("pg_ctl", "-w", "-s", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
