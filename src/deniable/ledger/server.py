"""Which server keeps a ledger, as a URL says it; never with a password."""

import re
from typing import NoReturn
from urllib.parse import quote, unquote_to_bytes

import attrs

from deniable.errors import InvalidArgument

_SCHEME = re.compile(r"(?:[a-z0-9+.-]*:)?postgres(?:ql)?:", re.IGNORECASE)
"""Also what only looks like one, such as jdbc:postgresql:, whose password no message repeats."""
OURS = re.compile(r"postgres(?:ql)?://", re.IGNORECASE)
_HOST = r"(?:\[[0-9a-fA-F:.]+\]|[^:,\[\]@/?]*)(?::\d{1,5})?"
HOSTS = re.compile(rf"{_HOST}(?:,{_HOST})*")
_FORM = "postgresql://USER@HOST:PORT/DATABASE"
PASSWORD = re.compile("pass(?:word|file)", re.IGNORECASE)
PASSWORD_REMEDY = (
    "Remove it, and give it to libpq, which finds it in the file that PGPASSFILE names "
    "(~/.pgpass), in a service file (PGSERVICE), or in the environment (PGPASSWORD)."
)


@attrs.frozen
class Server:
    """A database of a server.

    What the `uri` for libpq does not say comes from its environment. `label` is for messages: host
    and database, no user.
    """

    uri: str = attrs.field(repr=False)
    label: str


def is_url(place: str) -> bool:
    """Whether a ledger's place is a PostgreSQL server, or was meant to be."""
    return _SCHEME.match(place) is not None


def server_of(url: str) -> Server:
    """The server of a URL; no message repeats any of it, because it may hold a password."""
    begun = OURS.match(url)
    if begun is None:
        _refuse("something else")
    address, _, said = url[begun.end() :].partition("?")
    authority, _, database = address.partition("/")
    user, at, hosts = authority.rpartition("@")
    if ":" in user or PASSWORD.search(said):
        raise InvalidArgument(f"Expected no password in a ledger's URL, got one. {PASSWORD_REMEDY}")
    if said:
        remedy = "Say anything else with libpq's environment or a service file, as PGSSLMODE."
        _refuse("more after a question mark", remedy)
    if not database or not HOSTS.fullmatch(hosts) or re.search("[@/]", database):
        _refuse("something else", "Write other signs in a name as %40, %2F and so on.")
    uri = f"postgresql://{_normalise(user)}{at}{hosts}/{_normalise(database)}"
    return Server(uri, f"postgresql://{_decode(hosts)}/{_decode(database)}")


def _normalise(part: str) -> str:
    return quote(_decode(part), safe="")


def _decode(part: str) -> str:
    try:
        decoded = unquote_to_bytes(part).decode("utf-8")
    except UnicodeError:
        decoded = "\0"
    if not decoded.isprintable():
        _refuse("signs that cannot be shown")
    return decoded


def _refuse(got: str, remedy: str = "") -> NoReturn:
    raise InvalidArgument(f"Expected {_FORM}, got {got}. {remedy}".rstrip())
