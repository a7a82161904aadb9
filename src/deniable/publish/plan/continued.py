"""`continue` of a plan: the release before, whose running counts go on."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate.files import CERTIFICATE, PARQUET
from deniable.certificate.json_documents import read_bytes, read_document, sha256
from deniable.certificate.results import read_parquet
from deniable.certificate.tables import FORMAT, TableCertificate
from deniable.errors import DeniableError, InvalidArgument
from deniable.pipeline.check import check
from deniable.publish.plan.known_keys import CONTINUE
from deniable.publish.plan.published_plan import public_content
from deniable.publish.plan.spelling import quote_text
from deniable.publish.plan.table import PlanTable
from deniable.publish.query import STATISTICS, Query

MOST_BYTES = 2**26
"""The largest size of the results of the release before."""

_DIGEST = 64  # hexadecimal digits of a SHA-256


@attrs.frozen
class Continued:
    """What a published plan says of the release before.

    `periods` says how many were measured until then, by the name of the query.
    """

    statement_sha256: str
    periods: Mapping[str, int]


@attrs.frozen
class Earlier:
    """The release before, checked: its certificate holds, as do the files beside it.

    `measured` has every number that was measured until then, by the name of the query.
    """

    certificate: TableCertificate
    measured: Mapping[str, NDArray[np.int64]] = attrs.field(repr=False)


def with_earlier(top: PlanTable, base: Path) -> tuple[PlanTable, Earlier]:
    """The plan as it is published, and the release that it continues."""
    with top.locate_errors(CONTINUE):
        earlier = _read(base / top.text(CONTINUE))
    periods = {
        query.name: query.parameters["periods"]
        for query in earlier.certificate.queries
        if STATISTICS[query.statistic].CONTINUES
    }
    said = {"statement_sha256": earlier.certificate.statement_sha256, "periods": periods}
    return top.having(CONTINUE, said), earlier


def read_continued(top: PlanTable) -> Continued:
    """The table of a published plan."""
    table = top.table(CONTINUE, 'Write continue = "folder of the last release".')
    table.only({"statement_sha256", "periods"})
    digest, periods = table.text("statement_sha256"), table.table("periods")
    if len(digest) != _DIGEST or not set(digest) <= set("0123456789abcdef"):
        raise table.error("statement_sha256", "64 hexadecimal digits", quote_text(digest[:_DIGEST]))
    return Continued(digest, {name: periods.integer(name) for name in periods.entries})


def continue_queries(
    tables: Sequence[PlanTable], queries: Sequence[Query], continued: Continued
) -> tuple[Query, ...]:
    """Queries that go on where the release before stopped."""
    result = []
    for table, query in zip(tables, queries, strict=True):
        statistic = query.statistic
        if not statistic.CONTINUES:
            remedy = "Release it by a plan of its own, which is charged."
            expected = f"{_named()} alone beside continue"
            raise table.error("statistic", expected, quote_text(statistic.kind), remedy)
        if query.name not in continued.periods:
            got = f"the new name {quote_text(query.name)}"
            raise table.error("name", "a query of the release before", got)
        statistic = statistic.continued(table, continued.periods[query.name])
        result.append(attrs.evolve(query, statistic=statistic))
    return tuple(result)


def _named() -> str:
    """What goes on, for messages."""
    return " or ".join(word for word, each in STATISTICS.items() if each.CONTINUES)


def check_same(
    top: PlanTable, published: Mapping[str, Any], before: Sequence[Query], now: Sequence[Query]
) -> None:
    """Refuse a plan that asks for anything else than the release before, but for new periods."""
    old, new = _compared(published), _compared(public_content(top.entries))
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name):
            remedy = "Leave the rest of the plan as it was, or begin anew without continue."
            what = f"[{name}] as in the release that is continued"
            raise top.error(name, what, "another", remedy)
    for first, second in zip(before, now, strict=False):
        keys = second.grouping.keys or ((),)
        periods = keys[0][: len(first.grouping.keys[0])]  # as many as the release before has
        grouping = attrs.evolve(second.grouping, keys=(periods, *keys[1:]))
        if attrs.evolve(second, grouping=grouping, statistic=first.statistic) != first:
            remedy = "Change nothing but periods that are added at the end."
            what = f"query {quote_text(first.name)} as in the release that is continued"
            raise top.error("[[query]]", what, "another", remedy)
    if len(before) != len(now):
        raise top.error("[[query]]", f"the {len(before)} queries of before", str(len(now)))


FREE: Mapping[str, str] = MappingProxyType({
    CONTINUE: "It names the release before.",
    "report": "Its words change no number.",
    "query": "Queries are compared as they are read, but for periods that are added.",
    "keys": "Each query holds its own.",
    "data.source": "That the table is the one of before is taken on trust, wherever it lies.",
    "ledger.file": "The release before has to be in the ledger, wherever that lies.",
    "ledger.url": "As a file.",
})  # fmt: skip
"""Tables, and keys of tables, that a continuation may change, with the reason. Every other one
decides noise, or what a row and a cell mean, and has to stay."""


def _compared(plan: Mapping[str, Any]) -> dict[str, Any]:
    """What has to stay, from a plan's public content."""
    tables = {
        name: {key: value for key, value in table.items() if f"{name}.{key}" not in FREE}
        for name, table in plan.items()
        if name not in FREE
    }
    if plan.get("ledger", {}).get("share") is not None:  # its target is what the share spends
        target = tables.get("target", {})
        tables["target"] = {key: value for key, value in target.items() if key == "delta"}
    return {name: table for name, table in tables.items() if table}


def _read(folder: Path) -> Earlier:
    try:
        checked = check(folder)
    except DeniableError as error:
        raise InvalidArgument(f"{str(error).rstrip('.')} in the release before.") from None
    if not checked.holds:
        failed = ", ".join(check.name for check in checked.checks if not check.holds)
        raise InvalidArgument(
            f"Expected continue to name a release that passes its check, got one that does not: "
            f"{failed}."
        )
    document = read_document(folder / CERTIFICATE)
    if document.get("format") not in (FORMAT, *TableCertificate.EARLIER[1:]):
        raise InvalidArgument("Expected continue to name a release of a plan, got another.")
    certificate = TableCertificate.from_json(document)
    raw = read_bytes(folder / PARQUET, MOST_BYTES, "results")
    if sha256(raw) != certificate.files[PARQUET]:
        raise InvalidArgument("Expected the results that were checked, got others.")
    if not all(STATISTICS[query.statistic].CONTINUES for query in certificate.queries):
        raise InvalidArgument(
            f"Expected continue to name a release of {_named()} alone, got another."
        )
    measured: dict[tuple[str, str], list[int]] = {}
    for row in read_parquet(raw, ["query", "statistic", "measured"]).to_pylist():
        measured.setdefault((row["query"], row["statistic"]), []).append(row["measured"])
    numbers = {each.name: measured.get((each.name, each.statistic), [])
               for each in certificate.queries}  # fmt: skip
    return Earlier(certificate, {name: np.array(own, np.int64) for name, own in numbers.items()})
