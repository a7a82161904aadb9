"""Where a table of a PostgreSQL server lies, as a plan's `source` says it, without a password."""

from __future__ import annotations

import re
from typing import NoReturn
from urllib.parse import quote, unquote_to_bytes

import attrs

from deniable.errors import PlanError

_OURS = re.compile(r"postgres(?:ql)?://", re.IGNORECASE)
_HOST = r"(?:\[[0-9a-fA-F:.]+\]|[^:,\[\]@/?]*)(?::\d{1,5})?"
_HOSTS = re.compile(rf"{_HOST}(?:,{_HOST})*")
_NAME = r'"(?:[^"]|"")+"|[^".]+'
_TABLE = re.compile(rf"(?:({_NAME})\.)?({_NAME})")
_OURS_TO_SAY = "client_encoding=utf8"
_PASSWORD = re.compile("pass(?:word|file)", re.IGNORECASE)

_FORM = "postgresql://HOST:PORT/DATABASE?table=SCHEMA.TABLE"
_PASSWORD_REMEDY = (
    "Remove it, and give it to libpq, which finds it in the file that PGPASSFILE names "
    "(~/.pgpass), in a service file (PGSERVICE), or in the environment (PGPASSWORD)."
)


@attrs.frozen
class Place:
    """A table of a server.

    Parameters
    ----------
    uri : str
        What libpq connects to; what it does not say comes from libpq's environment.
    server : str
        Host and database, for messages; no user.
    schema : str or None
        As the catalogue writes it; None where the server's search path finds the table.
    table : str
        As the catalogue writes it.
    """

    uri: str = attrs.field(repr=False)
    server: str
    schema: str | None
    table: str

    @property
    def named(self) -> str:
        """The table, for messages."""
        return ".".join(f'"{name}"' for name in (self.schema, self.table) if name is not None)


def place_of(location: str) -> Place:
    """What a plan's source says; no message repeats any of it, because it may hold a password.

    Raises
    ------
    PlanError
        If it is of another form, or holds a password.

    Examples
    --------
    >>> place_of("postgresql://reader@db:5432/clinic?table=public.visits").server
    'postgresql://db:5432/clinic'
    """
    begun = _OURS.match(location)
    if begun is None:
        _refuse("something else")
    address, _, query = location[begun.end() :].partition("?")
    authority, _, database = address.partition("/")
    user, at, hosts = authority.rpartition("@")
    if ":" in user or any(_PASSWORD.search(each.partition("=")[0]) for each in query.split("&")):
        raise PlanError(f"Expected no password in a plan, got one. {_PASSWORD_REMEDY}")
    if not _HOSTS.fullmatch(hosts) or re.search("[@/?]", database):
        _refuse("something else", "Write other signs in a name as %40, %2F and so on.")
    schema, table = _table(query)
    begin = f"postgresql://{_quote(user)}{at}{hosts}/{_quote(database)}"
    server = f"postgresql://{_decode(hosts)}/{_decode(database)}"
    return Place(f"{begin}?{_OURS_TO_SAY}", server, schema, table)


def _table(query: str) -> tuple[str | None, str]:
    """Schema and table of the part behind the question mark."""
    key, separator, value = query.partition("=")
    if key != "table" or not separator or "&" in value:
        remedy = "Say anything else with libpq's environment or a service file, as PGSSLMODE."
        _refuse("something else than one table behind the question mark", remedy)
    names = _TABLE.fullmatch(_decode(value))
    if names is None:
        remedy = 'Put a name with a point or a quotation mark in it in quotation marks: "a.b".'
        _refuse("no name of a table", remedy)
    schema, table = names.groups()
    return None if schema is None else _bare(schema), _bare(table)


def _bare(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name


def _quote(part: str) -> str:
    return quote(_decode(part), safe="")


def _decode(part: str) -> str:
    try:
        text = unquote_to_bytes(part).decode("utf-8")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        _refuse("bytes that are no text")
    return text


def _refuse(got: str, remedy: str = "") -> NoReturn:
    raise PlanError(f"Expected {_FORM}, got {got}. {remedy}".rstrip())
