"""Complete releases of two neighbouring tables, written and read back as anybody would."""

from __future__ import annotations

import json
import shutil
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from deniable.auditing.audit import Finding
from deniable.auditing.plans.pairs import write_plan
from deniable.auditing.plans.schema import AuditedPlan
from deniable.auditing.plans.steps import Steps
from deniable.auditing.plans.tables import Pair, table
from deniable.certificate.files import CERTIFICATE, CSV, PARQUET, PLAN, REPORT
from deniable.certificate.seal import sha256
from deniable.errors import DeniableError
from deniable.errors.late import late
from deniable.pipeline.check import check

if TYPE_CHECKING:
    import pyarrow.parquet as pq  # type: ignore[import-untyped]
else:
    pq = late("pyarrow.parquet", extra="publish")

Views: TypeAlias = dict[str, str]
"""What somebody may look at beside noisy values, and what it holds."""

_DATED = ("created", "files", "statement_sha256")
"""What a certificate owes to the day and to the noisy values: digests of files that hold them."""
_OURS = (CERTIFICATE, CSV, PARQUET, PLAN, REPORT)
"""Files that are compared by what they say."""
_NOISY = ("value", "half_width_95", "category")
"""Columns of the results that noise decides, in some rows."""


def compare_releases(
    audited: AuditedPlan, pair: Pair, steps: Steps, times: int, folder: Path
) -> list[Finding]:
    """Release both tables whole, several times each, and compare all that is no noisy value.

    Parameters
    ----------
    audited : AuditedPlan
        The plan, released without its ledger.
    pair : Pair
        The neighbours.
    steps : Steps
        What releases.
    times : int
        Releases of each.
    folder : Path
        An empty and private folder; it is left empty.

    Returns
    -------
    list of Finding
        One for each thing that differs, or does not follow from the published values.
    """
    seen: tuple[dict[str, set[str]], dict[str, set[str]]] = ({}, {})
    wrong: list[str] = []
    for _ in range(times):
        for side, people in zip(seen, pair.sides, strict=True):
            place = folder / "release"
            place.mkdir(mode=0o700)
            try:
                views, failed = _release_once(audited, steps, place, table(audited, [people]))
            finally:
                shutil.rmtree(place)
            wrong += failed
            for name, view in views.items():
                side.setdefault(name, set()).add(view)
    return [*_differences(*seen), *_not_following(wrong)]


def _release_once(
    audited: AuditedPlan, steps: Steps, place: Path, data: Any
) -> tuple[Views, list[str]]:
    """What one release shows, and which checks of its folder fail."""
    plan, out = write_plan(place, audited), place / "out"
    try:
        done = steps.released(plan, out, data=data)
    except DeniableError as error:
        return {"whether it is released": type(error).__name__}, []
    answer = {key: value for key, value in done.as_json().items() if key != "out"}
    views = dict(_views(out))
    views["the answer of the command"] = json.dumps(answer, sort_keys=True)
    views["what else it leaves behind"] = repr(_listing(place, but=out))
    checked = check(out)
    failed = [each.name for each in checked.checks if not each.holds]
    foreign = (f"bytes of {PARQUET}", f"charts of {REPORT}", REPORT)
    failed += [each.what for each in checked.on_trust if each.what in foreign]
    return views, failed


def _views(out: Path) -> Iterator[tuple[str, str]]:
    yield "files and their rights", repr(_listing(out))
    certificate = json.loads((out / CERTIFICATE).read_bytes())
    kept = {key: value for key, value in certificate.items() if key not in _DATED}
    yield CERTIFICATE, json.dumps(kept)
    if (out / PLAN).exists():
        yield PLAN, (out / PLAN).read_text(encoding="utf-8")
    file = pq.ParquetFile(out / PARQUET)
    yield f"metadata of {PARQUET}", repr(_about(file))
    rows = file.read()
    public = rows.drop_columns([name for name in _NOISY if name in rows.column_names])
    yield f"rows of {PARQUET} and their order", repr(public.to_pylist())
    yield f"columns of {CSV}", (out / CSV).read_bytes().partition(b"\r\n")[0].decode("utf-8")


def _about(file: Any) -> Mapping[str, Any]:
    """What a Parquet file says of itself, but for sizes, which go with the values."""
    about = file.metadata
    metadata = dict(about.metadata or {})
    stated = json.loads(metadata.pop(b"deniable", b"null"))
    if isinstance(stated, dict):
        stated = {key: value for key, value in stated.items() if key not in _DATED}
    groups = [about.row_group(index).num_rows for index in range(about.num_row_groups)]
    return {
        "by": about.created_by,
        "format": about.format_version,
        "rows": groups,
        "schema": str(file.schema_arrow.remove_metadata()),
        "told": json.dumps(stated),
        "others": sorted(metadata.items()),
    }


def _listing(folder: Path, but: Path | None = None) -> list[tuple[str, str, str]]:
    """Names, kinds and rights of all that a folder holds, and digests of what is no release's."""
    return sorted(
        (path.relative_to(folder).as_posix(), stat.filemode(path.lstat().st_mode), _digest(path))
        for path in folder.rglob("*")
        if but is None or path == but or but not in path.parents
    )


def _digest(path: Path) -> str:
    if path.name in _OURS or path.is_symlink() or not path.is_file():
        return ""
    return sha256(path.read_bytes())


def _differences(out: Mapping[str, set[str]], within: Mapping[str, set[str]]) -> Iterator[Finding]:
    for name in sorted({*out, *within}):
        one, other = out.get(name, set()), within.get(name, set())
        if one == other and len(one) == 1:
            continue
        tells = one.isdisjoint(other)
        yield Finding(
            "neighbours-differ" if tells else "not-constant",
            f"Releases of neighbouring tables differ in more than noisy values: {name}. "
            + ("It tells who is in the table." if tells else "It changes from run to run."),
            breaks=tells,
        )


def _not_following(failed: list[str]) -> Iterator[Finding]:
    for name in dict.fromkeys(failed):
        yield Finding(
            "not-from-published-values",
            "The folder of a release holds something that does not follow from its plan and its "
            f"noisy values: {name}. `deniable check` does not verify it.",
            breaks=True,
        )
