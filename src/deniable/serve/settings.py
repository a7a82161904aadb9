"""Read the plan of a service: no queries, but columns to serve, an edition, and clients."""

from __future__ import annotations

import re
from fractions import Fraction

import attrs

from deniable.certificate.json_documents import sha256
from deniable.errors.public_names import nearest
from deniable.ledger.dataset import word
from deniable.publish.plan import (
    PlanTable,
    PlanText,
    refuse_unknown_keys,
    with_files_read,
)
from deniable.publish.plan.ledger import SHARE, share_of

_DIGEST = re.compile("[0-9a-f]{64}")
_OF_NOTHING = {sha256(text) for text in (b"", b"\n")}
"""What `sha256sum` prints where it is given nothing: anyone has that token."""
_BASE = ("data", "columns", "adversary", "target", "limits", "keys")
"""The tables of a plan that hold for all questions."""
_REMEDIES = {
    "query": "Remove it: clients ask the queries.",
    "ledger": "Remove it: name the ledger when you start the service.",
}
FORM = (
    'Expected "query" and perhaps "target" alone, both JSON objects, got others. Send {"query": '
    '{"statistic": "count"}, "target": {"epsilon": 0.1}}.'
)
"""What a question is, for who asks it in another form."""
PER_MINUTE = 120
"""Requests of one client in a minute, unless the plan says how many: two a second."""
_MOST_PER_MINUTE = 100_000
"""Requests in a minute that no machine answers: a limit that never holds is a mistake."""


@attrs.frozen
class Client:
    """A program that may ask, and its share of the dataset's budget."""

    name: str
    token_sha256: str = attrs.field(repr=False)
    share: Fraction
    per_minute: int = PER_MINUTE


@attrs.frozen
class Settings:
    """A plan's tables that hold for all questions, columns, an edition, and clients.

    Without `columns` all may be asked about but the entity's. An `edition` says which data these
    are: answers are remembered within it, from one start to the next.
    """

    top: PlanTable
    columns: tuple[str, ...] | None
    edition: str | None
    clients: tuple[Client, ...]


def read_settings(given: PlanText) -> Settings:
    """Read the plan of a service; files of keys that it names are read, here and never again."""
    top = given.top
    own = {name: table for name, table in top.entries.items() if name not in ("serve", "client")}
    base = PlanTable(top.file, "", own)
    for name in own:
        if name not in _BASE:
            near = nearest(name, (*_BASE, "serve", "client"))
            meant = "[[client]]" if near == "client" else f"[{near}]"
            remedy = _REMEDIES.get(name, f"Did you mean {meant}?" if near else "Remove it.")
            raise base.error(f"[{name}]", "a plan for all questions", "this table", remedy)
    refuse_unknown_keys(base)
    serve = top.section("serve")
    for key in (each for each in serve.entries if each not in ("columns", "edition")):
        near = nearest(key, ("columns", "edition"))
        remedy = f"Did you mean {near}?" if near else "Who may ask is a table [[client]] of its own"
        remedy = remedy if near else f"{remedy}; the rest is said to deniable serve."
        raise serve.error(key, "columns and edition alone", "another key", remedy)
    clients = tuple(_read_client(table) for table in top.tables("client"))
    for key in ("name", "token_sha256"):
        if len({getattr(each, key) for each in clients}) < len(clients):
            raise top.error("[[client]]", f"a {key} of its own for each client", "one twice")
    if sum(each.share for each in clients) > 1:
        raise top.error("[[client]]", "shares of at most 1 together", "more", "Lower them.")
    return Settings(
        with_files_read(base, given.path.parent),
        tuple(serve.texts("columns")) if "columns" in serve else None,
        serve.text("edition") if "edition" in serve else None,
        clients,
    )


def _read_client(table: PlanTable) -> Client:
    table.only(("name", "token_sha256", SHARE, "per_minute"))
    with table.locate_errors("name"):
        name = word(table.text("name"), "the client's name")
    if len(name) > 100:
        raise table.error("name", "at most 100 characters", str(len(name)))
    digest = table.text("token_sha256")
    if not _DIGEST.fullmatch(digest):
        expected = "the SHA-256 of a token, 64 hexadecimal digits in small letters"
        remedy = "Write what sha256sum prints of the token."
        raise table.error("token_sha256", expected, "something else", remedy)  # perhaps the token
    if digest in _OF_NOTHING:
        remedy = "Make a token first: the program that should have made it wrote none."
        raise table.error("token_sha256", "the SHA-256 of a token", "that of no text", remedy)
    rate = table.integer("per_minute") if "per_minute" in table else PER_MINUTE
    if not 1 <= rate <= _MOST_PER_MINUTE:
        raise table.value_error("per_minute", f"1 to {_MOST_PER_MINUTE}", rate)
    return Client(name, digest, share_of(table), rate)
