"""Release: the one place where exact numbers and release noise meet."""

import datetime
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable._notebook import notebook_bar
from deniable.certificate import ResultRow, table
from deniable.certificate.files import (
    CERTIFICATE,
    CSV,
    PARQUET,
    PLAN,
    REPORT,
    check_size,
    release_files,
)
from deniable.pipeline.folder import check_free, whole
from deniable.pipeline.noise import sampler
from deniable.publish import prepare
from deniable.publish.certify import certified
from deniable.publish.plan.published_plan import as_toml
from deniable.publish.prepare import Prepared, PreparedQuery
from deniable.publish.statistics.protocol import PublicPart
from deniable.publish.totals.aggregate import Truncation, exact_totals
from deniable.report.document import document

MEMORY_LIMIT = "1GB"
"""What the engine may use before it spills; the process needs some more."""

FILES = (PARQUET, CSV, CERTIFICATE, PLAN, REPORT)
"""What a release's folder holds."""

Progress = Callable[[float], None]


@attrs.frozen
class Released:
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
    """

    prepared: Prepared
    rows: tuple[ResultRow, ...]
    out: Path
    truncation: Truncation | None = attrs.field(default=None, repr=False, eq=False)

    def as_json(self) -> dict[str, Any]:
        """The object that `deniable release` prints."""
        answer = self.prepared.as_json()
        kept = ("epsilon", "delta", "exceedance", "gamma", "gamma_outside", "adjacency")
        found = {key: answer[key] for key in kept if key in answer}
        return (
            found | {key: answer[key] for key in ("queries", "cautions")} | {"out": str(self.out)}
        )


def release(
    plan: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    memory_limit: str = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> Released:
    """Publish what a plan asks for: results, certificate, plan and report, or nothing at all.

    Parameters
    ----------
    plan : path
        A plan in TOML.
    out : path
        A new or empty folder; gets results.parquet, results.csv, certificate.json, plan.toml (the
        place of the data withheld) and report.html.
    memory_limit : str
        What the engine may use before it spills to disk, such as "1GB".
    progress : callable, optional
        Called with the fraction done, 0 to 1.

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
    """
    destination = Path(out)
    check_free(destination)
    prepared = prepare.plan(plan)
    _confirm(prepared)
    certificate = certified(prepared, datetime.datetime.now(datetime.UTC).date())
    check_size(certificate)
    # Whoever else wants the folder is refused here, before the data is read.
    with whole(destination) as folder:
        told: list[Truncation] = []
        rows = _noisy_rows(prepared, memory_limit, progress, told.append)
        page, plan_text = document(certificate, rows), as_toml(prepared.plan.published)
        files = release_files(certificate, table(rows), page, plan_text)
        for name, content in files.items():
            (folder / name).write_bytes(content)
    return Released(prepared, tuple(rows), destination, next(iter(told), None))


def _confirm(prepared: Prepared) -> None:
    """Let the sampler's own map confirm every part before the data is read."""
    for query in prepared.queries:
        for part, mechanism in zip(query.parts, query.mechanisms, strict=True):
            if not isinstance(part, PublicPart) and mechanism is not None:
                sampler.confirm(mechanism, part)


def _noisy_rows(
    prepared: Prepared,
    memory_limit: str,
    progress: Progress | None,
    owner: Callable[[Truncation], None],
) -> list[ResultRow]:
    plan = prepared.plan
    totals = exact_totals(
        plan.source,
        plan.entity,
        [(query.query, query.protection) for query in prepared.queries],
        memory_limit=memory_limit,
        progress=notebook_bar(progress),
        owner=owner,
    )
    rows: list[ResultRow] = []
    for query, exact in zip(prepared.queries, totals, strict=True):
        rows += query.rows(_noisy(query, exact), plan.rows_per_entity)
    return rows


def _noisy(query: PreparedQuery, totals: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    exact = query.query.statistic.exact(totals, query.protection)
    noisy = []
    for part, mechanism, numbers in zip(query.parts, query.mechanisms, exact, strict=True):
        if isinstance(part, PublicPart):
            noisy.append(numbers)
        elif mechanism is None:
            raise AssertionError("a part that is not public has no mechanism")
        else:
            noisy.append(sampler.release(mechanism, part, numbers))
    return noisy
