"""Which server keeps a ledger, as a URL says it; never with a password."""

import re
from typing import NoReturn
from urllib.parse import quote, unquote_to_bytes

import attrs

from deniable.errors import DeniableError, InvalidArgument

_SCHEME = re.compile(r"(?:[a-z0-9+.-]*:)?postgres(?:ql)?:", re.IGNORECASE)
"""Also what only looks like one, such as jdbc:postgresql:, whose password no message repeats."""
_OURS = re.compile(r"postgres(?:ql)?://", re.IGNORECASE)
_HOST = r"(?:\[[0-9a-fA-F:.]+\]|[^:,\[\]@/?]*)(?::\d{1,5})?"
_HOSTS = re.compile(rf"{_HOST}(?:,{_HOST})*")
_PASSWORD = re.compile("pass(?:word|file)", re.IGNORECASE)
_PASSWORD_REMEDY = (
    "Remove it, and give it to libpq, which finds it in the file that PGPASSFILE names "
    "(~/.pgpass), in a service file (PGSERVICE), or in the environment (PGPASSWORD)."
)


@attrs.frozen
class Form:
    """What a URL looks like, where it stands, and what is raised where one looks otherwise.

    No message repeats any of a URL, because it may hold a password.
    """

    text: str
    where: str
    error: type[DeniableError]

    def split(self, url: str) -> tuple[str, str, str]:
        """Return the database for libpq and for messages, and what is behind a question mark."""
        begun = _OURS.match(url)
        if begun is None:
            self.refuse("something else")
        address, _, query = url[begun.end() :].partition("?")
        authority, _, database = address.partition("/")
        user, at, hosts = authority.rpartition("@")
        keys = [each.partition("=")[0] for each in query.split("&")]
        if ":" in user or any(map(_PASSWORD.search, keys)):
            raise self.error(f"Expected no password in {self.where}, got one. {_PASSWORD_REMEDY}")
        if not _HOSTS.fullmatch(hosts) or re.search("[@/]", database):
            self.refuse("something else", "Write other signs in a name as %40, %2F and so on.")
        user, host, name = map(self.decode, (user, hosts, database))
        if not f"{user}{host}{name}".isprintable():
            self.refuse("signs that cannot be shown")
        uri = f"postgresql://{quote(user, safe='')}{at}{hosts}/{quote(name, safe='')}"
        return uri, f"postgresql://{host}/{name}", query

    def decode(self, part: str) -> str:
        """Return a part with signs in place of %40, %2F and so on."""
        text = unquote_to_bytes(part).decode("utf-8", errors="replace")
        if not {"\0", "\ufffd"}.isdisjoint(text):
            self.refuse("bytes that are no text")
        return text

    def refuse(self, got: str, remedy: str = "") -> NoReturn:
        """Raise the error, of what was expected."""
        raise self.error(f"Expected {self.text}, got {got}. {remedy}".rstrip())


FORM = Form("postgresql://USER@HOST:PORT/DATABASE", "a ledger's URL", InvalidArgument)


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
    """The server of a URL."""
    uri, label, said = FORM.split(url)
    if said:
        remedy = "Say anything else with libpq's environment or a service file, as PGSSLMODE."
        FORM.refuse("more after a question mark", remedy)
    if uri.endswith("/"):
        FORM.refuse("something else", "Name the database.")
    return Server(uri, label)
