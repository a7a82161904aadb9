"""Release a plan: exact totals of its queries, handed to the pipeline part by part."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.certificate import ResultRow
from deniable.certificate.model import Charged
from deniable.errors import InvalidArgument, ReleaseCancelled
from deniable.errors.late import late
from deniable.numerics.answer import Answer, WrittenAnswer
from deniable.pipeline.noise import PublicPart
from deniable.pipeline.release import Draws, Exact, publish
from deniable.publish import prepare
from deniable.publish.kind import KIND
from deniable.publish.plan import Plan, PlanInput, PublicPlan, quote_text
from deniable.publish.prepare import Prepared
from deniable.publish.prepared_query import PreparedQuery, with_populations
from deniable.publish.sources import Library, Unread, as_it_came, library_of
from deniable.publish.totals import ForOwner, OccurringKeys, Truncation, exact_totals

if TYPE_CHECKING:
    from deniable.ledger.ledger import Ledger
    from deniable.numerics import effort
    from deniable.pipeline import charging
    from deniable.pipeline.charging import Account
    from deniable.publish import typed_rows
    from deniable.report import charts
else:  # for notebooks, releases that are charged to a ledger, and what is done with one in Python
    charging = late("deniable.pipeline.charging")
    charts = late("deniable.report.charts")
    effort = late("deniable.numerics.effort")
    typed_rows = late("deniable.publish.typed_rows")

MEMORY_LIMIT = "1GB"
"""What the engine may use before it spills; the process needs some more."""

Progress = Callable[[float], None]

_UNREAD = (
    "For you only, not for publication: a tenth or more of the values of {} cannot be read as the "
    "plan declares them, and count as none. See its type in [data] and how its values are written."
)


@attrs.frozen(repr=False)
class Released(WrittenAnswer):
    """What was published, and where.

    Parameters
    ----------
    prepared : Prepared
        The calibrated plan.
    rows : tuple of ResultRow
        Every published number.
    out : Path
        The folder.
    truncation : Truncation or None
        What `rows_per_entity` removed, exactly: for the owner's eyes only, printed with nothing
        and written nowhere; None where rows are not truncated.
    came_as : "pandas", "polars", "spark" or None
        What the data came in; None for anything else.
    ledger : Charged or None
        What the release was charged to, as its certificate says it; None without a ledger.
    unread : tuple of Unread
        How many cells cannot be read as the plan declares their column, exactly: for the owner's
        eyes only, like `truncation`.
    """

    prepared: Prepared[PublicPlan]
    rows: tuple[ResultRow, ...]
    out: Path
    truncation: Truncation | None = attrs.field(default=None, repr=False, eq=False)
    came_as: Library | None = None
    ledger: Charged | None = None
    unread: tuple[Unread, ...] = attrs.field(default=(), repr=False, eq=False)

    def frame(self, query: str | None = None) -> Any:
        """The published rows as a data frame of the caller's library, or a pyarrow table.

        pandas, polars and Spark where the data came as such; a pyarrow table otherwise. Whole
        numbers, dates, times and truth values stay what they are, beside missing ones too.

        Parameters
        ----------
        query : str, optional
            The name of one query. Its groups are then columns of their own names, with the types
            of their keys; a mean's count stands beside it; what is empty is left out.

        Raises
        ------
        InvalidArgument
            If no query has that name.
        """
        rows, typed = self.rows, typed_rows
        table = typed.typed_table(rows) if query is None else typed.query_table(rows, query)
        return as_it_came(table, self.came_as)

    def as_json(self) -> dict[str, Any]:
        """The object that `deniable release` prints."""
        answer = self.prepared.figures()
        kept = ("epsilon", "delta", "exceedance", "gamma", "gamma_outside", "adjacency", "queries",
                "cautions", "population")  # fmt: skip
        result = {key: answer[key] for key in kept if key in answer} | {"out": str(self.out)}
        return result if self.ledger is None else result | {"ledger": self.ledger.as_json()}

    def displayed(self) -> dict[str, Any]:
        """Its `as_json`, and the published rows."""
        return self.as_json() | {"results": typed_rows.printed_rows(self.rows)}

    def plot(self, *others: Answer | str) -> Any:
        """The picture of the query of this name; or beliefs after against beliefs before.

        Parameters
        ----------
        others : str, or answers with a budget
            The name of a query whose statistic has a picture, such as a survival curve; or answers
            whose beliefs are drawn beside those of `prepared`.
        """
        if not (len(others) == 1 and isinstance(name := others[0], str)):
            return self.prepared.plot(*cast("tuple[Answer, ...]", others))  # which refuses texts
        for each in self.prepared.queries:
            own = [row for row in self.rows if row.query == name]
            if each.query.name == name and (chart := each.query.statistic.chart(own)) is not None:
                return charts.finish(chart)
        raise InvalidArgument(
            f"Expected the name of a query with a picture, got {quote_text(name)}. The report has "
            "the charts of all."
        )


def release(
    plan: PlanInput,
    out: str | os.PathLike[str],
    *,
    data: object | None = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    dataset: str | None = None,
    memory_limit: str = MEMORY_LIMIT,
    progress: Progress | None = None,
    confirm: Callable[[ForOwner], bool] | None = None,
) -> Released:
    """Publish what a plan requests: results, certificate, plan and report, or nothing at all.

    Parameters
    ----------
    plan : path, str or mapping
        A plan's TOML file, its text, or what TOML reads from it.
    out : path
        A new or empty folder; gets results.parquet, results.csv, certificate.json, plan.toml (the
        place of the data withheld) and report.html.
    data : data frame, optional
        The table itself, where it is in memory: a pandas or polars data frame (also lazy), a
        pyarrow table, record batch or reader, a DuckDB relation, or anything with
        ``__arrow_c_stream__``. The plan's source is then "memory" or left out. Types come from the
        frame's own types and never from values; a pandas column of dtype object is text,
        or what ``[data] types`` says. A stream can be read once.
    ledger : Ledger or path or URL, optional
        Where the release is charged before its noise is drawn, if the plan does not name it.
    dataset : str, optional
        Whose budget, if the plan does not name it.
    memory_limit : str
        What the engine may use before it spills to disk, such as "1GB".
    progress : callable, optional
        Called with the fraction done, 0 to 1.
    confirm : callable, optional
        Called once, when exact totals are there and before anything is charged, drawn or written,
        with what only the owner may know: `truncation` and `unread`, as in the answer, `noise`
        that is as large as all that the rows can make, and `advice` on the plan. Where it
        returns False there is no release. That there was none then depends on the data: it is not
        to be published. Left out, the release goes on, and columns of which a tenth cannot be read
        as declared are named on standard error before anything is charged, but only where
        that is a terminal: a log is read by others. `unread` has them everywhere.

    Returns
    -------
    Released
        What was published; nothing in it was computed from the data without noise.

    Raises
    ------
    PlanError
        If the plan is wrong.
    DataError
        If the source cannot be read as declared; for the owner only.
    InvalidArgument
        If `out` is not free, another release into it is running, or the certificate would be too
        long to be checked.
    InfeasibleTarget
        If no noise meets the target.
    BudgetExceeded
        If it does not fit what is left in the ledger; nothing is spent then.
    LedgerError
        If the ledger cannot be read or written.
    ReleaseCancelled
        If `confirm` said no.
    """
    figures: list[ForOwner] = []
    keys: dict[str, OccurringKeys] = {}

    def prepare_draws() -> tuple[Prepared[Plan], Draws[ResultRow]]:
        prepared = prepare.plan_release(
            plan, data=data, ledger=ledger, dataset=dataset, compare=True
        )
        totals = partial(
            exact_totals,
            prepared.plan.source,
            prepared.plan.entity,
            prepared.protected_queries,
            memory_limit=memory_limit,
            progress=progress or effort.notebook_bar(None),
            owner=figures.append,
            entities=None if (sample := prepared.plan.sample) is None else sample.size,
            keys=keys.__setitem__,
        )
        return prepared, draw_parts(prepared, totals, partial(check_agreed, prepared), keys)

    def check_agreed(prepared: Prepared[PublicPlan]) -> None:
        private = next(iter(figures), ForOwner())
        if confirm is None:
            # No warning of Python's, which a program may send to a log, or make an error of.
            on_terminal = sys.stderr is not None and sys.stderr.isatty()
            for column in private.columns_unread if on_terminal else ():
                print(_UNREAD.format(quote_text(column)), file=sys.stderr)
            return
        rows = 0 if private.truncation is None else private.truncation.kept
        said = (query.of_rows(rows) or query.of_cells(rows) for query in prepared.queries)
        noise = tuple(each for each in said if each is not None)
        advice = tuple(each.text for each in prepared.advice)
        if not confirm(attrs.evolve(private, noise=noise, advice=advice)):
            raise ReleaseCancelled(
                "Expected a yes, got a no. Nothing was charged, drawn or written."
            )

    done = publish(KIND, out, prepare_draws, _account)
    private, charged = next(iter(figures), ForOwner()), done.certificate.ledger
    cut, unread = private.truncation, private.unread
    came_as = None if data is None else library_of(data)
    return Released(done.prepared, tuple(done.rows), done.out, cut, came_as, charged, unread)


def _account(prepared: Prepared[PublicPlan]) -> Account | None:
    """What the plan says of a ledger; the label is the report's title, or the plan's name."""
    plan = prepared.plan
    if not isinstance(plan, Plan) or plan.ledger is None or plan.dataset is None:
        return None
    what = charging.label((plan.published or {}).get("report", {}).get("title"), plan.path.stem)
    if plan.continued is None:
        return charging.Account(plan.ledger, plan.dataset, what, plan.digest)
    before = plan.continued.statement_sha256
    if not any(entry.statement_sha256 == before for entry in plan.ledger.entries(plan.dataset)):
        raise InvalidArgument(
            f"Expected a release that the ledger has entered for {plan.dataset!r}, got another to "
            "continue. Name the ledger that it was charged to."
        )
    what = f"{charging.CONTINUES}{before}"
    return charging.Account(plan.ledger, plan.dataset, what, plan.digest, once=True)


def draw_parts(
    prepared: Prepared[PublicPlan],
    totals: Callable[[], list[NDArray[np.int64]]],
    check_agreed: Callable[[], None],
    keys: Mapping[str, OccurringKeys],
) -> Draws[ResultRow]:
    """Ask for the noise of each part of each query, and return the rows that follow."""
    rows: list[ResultRow] = []
    numbers = totals()
    check_agreed()
    earlier = prepared.plan.earlier if isinstance(prepared.plan, Plan) else None
    for query, exact in zip(prepared.queries, numbers, strict=True):
        noisy = yield from _noisy(query, exact)
        if earlier is not None:
            noisy = [np.concatenate([earlier.measured[query.query.name], noisy[0]])]
        own = keys.get(query.query.name, ())
        rows += query.rows(noisy, prepared.plan.rows_per_entity, own)
    return with_populations(prepared.queries, prepared.plan.sample, rows)


def _noisy(query: PreparedQuery, totals: NDArray[np.int64]) -> Draws[NDArray[np.int64]]:
    exact = query.query.statistic.exact(totals, query.protection)
    noisy = []
    for part, mechanism, numbers in zip(query.parts, query.mechanisms, exact, strict=True):
        if isinstance(part, PublicPart):
            noisy.append(numbers)
        elif mechanism is None:
            raise AssertionError("a part that is not public has no mechanism")
        else:
            noisy.append((yield Exact(mechanism, part, numbers)))
    return noisy
