"""An audit of a plan: what the best attack makes of its release, beside what it claims."""

from __future__ import annotations

import hashlib
import json
import math
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.auditing.attacked import AuditRequest, Watch, attacked
from deniable.auditing.attacks import Classifier, LikelihoodRatio
from deniable.auditing.audit import Audit, Finding, claim
from deniable.auditing.page import up
from deniable.auditing.plans.pairs import Numbers, Pair, choose_pair, prepare_plan, write_plan
from deniable.auditing.plans.tables import (
    PRODUCTION,
    AuditedPlan,
    Noise,
    Steps,
    read_audited_plan,
    table,
)
from deniable.auditing.runs import Bits, Signals
from deniable.certificate.files import (
    CERTIFICATE,
    CSV,
    PARQUET,
    PLAN,
    REPORT,
    ROWS_CSV,
    ROWS_PARQUET,
)
from deniable.certificate.json_documents import sha256
from deniable.certificate.results import ResultRow
from deniable.errors import DeniableError, validate
from deniable.errors.late import late
from deniable.mechanisms import DiscreteGaussian, NoisyTopK
from deniable.notions import Adjacency
from deniable.numerics.effort import Effort, Generator
from deniable.pipeline.check import check
from deniable.pipeline.noise import PublicPart, SelectionPart, VectorPart
from deniable.pipeline.release import SimulatedNumbers
from deniable.publish.plan import PlanInput, PublicPlan
from deniable.publish.prepare import Prepared
from deniable.publish.prepared_query import PreparedQuery
from deniable.publish.query import CellRows, Grouping
from deniable.publish.statistics import Count
from deniable.report.charts import in_words

if TYPE_CHECKING:
    import pyarrow.parquet as pq  # type: ignore[import-untyped]
else:
    pq = late("pyarrow.parquet", extra="publish")


PartNumbers: TypeAlias = Sequence[NDArray[np.int64]]
"""An array for each part of a query."""

_BLOCK = 2**14
"""Runs that are published at once: some 10 MB of rows a cell."""


@attrs.frozen
class AttackedCells:
    """A query in the cells that an attack looks at: all that move, and a few of the others.

    `kept` are their places among all `cells`; sensitivities and scales of the query are those of
    all.
    """

    query: PreparedQuery
    kept: tuple[int, ...]
    cells: int

    @classmethod
    def of(cls, query: PreparedQuery, one: PartNumbers, other: PartNumbers) -> AttackedCells:
        """Return the cells of a query that an attack sees, from the exact numbers of two tables."""
        # A statistic that publishes the numbers that got its noise is looked at as these: what else
        # it publishes is a function of them and, of a crosstab, of a public number of rows.
        if query.query.statistic.MEASURED:
            # A noisy vector as counts in cells that are its coordinates.
            part = query.parts[-1]
            if not isinstance(part, VectorPart):
                raise AssertionError("what is measured is a vector")
            part = attrs.evolve(part, step=1.0)
            grouping = Grouping(("coordinate",), (tuple(range(part.coordinates)),))
            query = attrs.evolve(
                query,
                query=attrs.evolve(query.query, statistic=Count(), grouping=grouping),
                parts=(part,),
                shares=query.shares[-1:],
                mechanisms=query.mechanisms[-1:],
            )
            one, other = one[-1:], other[-1:]
        cells = query.query.grouping.cells
        moved = np.zeros(cells, dtype=bool)
        for a, b in zip(one, other, strict=True):
            moved |= (a != b).reshape(cells, -1).any(axis=1)
        # Eight cells of a query are looked at although nothing moves in them: noise may be shared.
        number = max(int(moved.sum()), min(cells, 8))
        if any(isinstance(part, VectorPart) and part.partition for part in query.parts):
            number = cells  # the noise of a cell that is not published follows from all others
        kept = np.sort(np.argsort(~moved, kind="stable")[:number])
        parts = tuple(_narrow(part, cells, number) for part in query.parts)
        return cls(attrs.evolve(query, parts=parts), tuple(kept.tolist()), cells)

    def numbers(self, exact: PartNumbers) -> list[NDArray[np.int64]]:
        """The exact numbers in these cells."""
        numbers = []
        for part, each in zip(self.query.parts, exact[-len(self.query.parts) :], strict=True):
            inside = each.reshape(self.cells, -1)[list(self.kept)]
            numbers.append(inside if isinstance(part, SelectionPart) else inside.reshape(-1))
        return numbers

    def noisy(self, exact: PartNumbers, noise: Noise, times: int) -> list[NDArray[np.int64]]:
        """Each part with noise, so many times; what is public as it is."""
        result = []
        for part, mechanism, numbers in zip(
            self.query.parts, self.query.mechanisms, self.numbers(exact), strict=True
        ):
            if isinstance(part, PublicPart) or mechanism is None:
                result.append(np.tile(numbers, (times, 1)))
            else:
                result.append(noise(SimulatedNumbers(mechanism, part, numbers), times))
        return result

    def rows(self, noisy: Sequence[NDArray[np.int64]]) -> Iterator[Sequence[ResultRow]]:
        """The published rows of some runs after the other, by the statistic's own function."""
        times, most = len(noisy[0]), _BLOCK
        if self.query.query.statistic.WHOLE_TABLE:  # it has one cell and no other
            yield from (
                self.query.rows([each[run] for each in noisy], None) for run in range(times)
            )
            return
        for start in range(0, times, most):
            some = [each[start : start + most] for each in noisy]
            grouping = Grouping(("run", "cell"), (tuple(range(len(some[0]))), self.kept))
            flat = [
                each.reshape(-1, each.shape[-1]) if each.ndim == 3 else each.reshape(-1)
                for each in some
            ]
            query = self.query.query  # limits are public, and the same in each row
            yield query.statistic.rows(query.name, grouping, flat, self.query.mechanisms)

    def signals(self, noisy: Sequence[NDArray[np.int64]]) -> NDArray[np.float64]:
        """Value and half-width of each row of each run; shape (runs, 2 x rows)."""
        # A number for each category, none of which is a number by itself.
        categories = self.query.query.statistic.categories
        places: dict[str | None, float] = {
            str(category): float(place) for place, category in enumerate(categories)
        }
        signals = [_read(rows, places) for rows in self.rows(noisy)]
        every = np.concatenate(signals) if signals else np.empty((0, 1))
        return every.reshape(len(noisy[0]), -1)

    def left(self, published: NDArray[np.float64]) -> NDArray[np.float64]:
        """How far published sums are from whole steps, together; 0 is published only."""
        part = self.query.parts[0]
        if not isinstance(part, VectorPart) or self.query.query.statistic.NOISY_WIDTHS:
            return np.zeros(len(published))
        steps = published[:, : 2 * part.coordinates : 2] / part.step
        off: NDArray[np.float64] = np.abs(steps - np.round(steps)).sum(axis=1)
        return off


def _narrow(part: Any, cells: int, number: int) -> Any:
    match part:
        case VectorPart():
            return attrs.evolve(part, coordinates=part.coordinates // cells * number)
        case SelectionPart():
            return attrs.evolve(part, cells=number)
        case _:
            return part


def _read(rows: Sequence[ResultRow], places: dict[str | None, float]) -> NDArray[np.float64]:
    """The number that each row publishes, and its half-width where that depends on noise too."""
    if isinstance(rows, CellRows):
        return rows.values_and_half_widths()
    read = (
        (
            row.value if row.value is not None else places.get(row.category, -1.0),
            row.half_width_95 or 0.0,
        )
        for row in rows
    )
    return np.array([*read], dtype=np.float64)


# Noise is independent between parts, cells and bins, so the log ratios of their laws add up:
#
#     ln Pr[y | D'] - ln Pr[y | D] = sum_j ln p(y_j - f_j(D')) - ln p(y_j - f_j(D)).
#
# So they do where it adds up to zero, over all cells: the constant is the same for both.


_CERTAIN = 1e3
"""The log ratio, natural, that stands for an outcome that only one table can have in float64."""


def log_ratio(
    cells: AttackedCells, published: NDArray[np.float64], out: PartNumbers, within: PartNumbers
) -> NDArray[np.float64]:
    """ln Pr[published | with the record] - ln Pr[published | without it], a number a run."""
    # `published`, (runs, 2 x rows), is what `AttackedCells.signals` read.
    result, values = np.zeros(len(published)), published[:, ::2]
    # What the noise gave; NaN where clipping took it away.
    recovered = cells.query.query.statistic.recover(values, out, len(cells.kept))
    if recovered is None:
        vectors = (part for part in cells.query.parts if isinstance(part, VectorPart))
        recovered = [np.round(values[:, : part.coordinates] / part.step) for part in vectors]
    parts = zip(
        recovered, cells.query.parts, cells.query.mechanisms, cells.numbers(out),
        cells.numbers(within), strict=True,
    )  # fmt: skip
    for noisy, part, mechanism, a, b in parts:
        if isinstance(part, VectorPart) and mechanism is not None:
            moved = np.nonzero(a != b)[0]
            without, having = noisy[:, moved] - a[moved], noisy[:, moved] - b[moved]
            if part.partition > part.coordinates:
                rest = [(noisy - each).sum(axis=1, keepdims=True) for each in (a, b)]
                without, having = np.hstack([without, rest[0]]), np.hstack([having, rest[1]])
            if isinstance(mechanism, DiscreteGaussian):
                ratios = (without**2 - having**2) / (2 * mechanism.scale**2)
            else:
                ratios = (np.abs(without) - np.abs(having)) / mechanism.scale
            result += np.nansum(ratios, axis=1)
        elif isinstance(part, SelectionPart) and isinstance(mechanism, NoisyTopK):
            for cell in range(part.cells):
                result += _of_choice(mechanism, noisy[:, cell], a[cell], b[cell])
    return result


def _of_choice(
    mechanism: NoisyTopK, positions: NDArray[np.float64], a: NDArray[np.int64], b: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the losses from both laws; of many outcomes those of the first choice alone."""
    ranks = positions.astype(np.int64)
    # The law of up to 128 ordered selections is written out: a second for exponential noise.
    if math.perm(len(a), mechanism.number) > 128:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.log(mechanism.round_law(b)) - np.log(mechanism.round_law(a))
        first: NDArray[np.float64] = np.nan_to_num(ratios, posinf=_CERTAIN, neginf=-_CERTAIN)
        return first[ranks[:, 0]]
    one, other = mechanism.law(a), mechanism.law(b)
    table = {each: float(np.log(other[each]) - np.log(one[each])) for each in one}
    return np.array([table.get(tuple(key), 0.0) for key in ranks.tolist()])


@attrs.frozen
class ReleaseTarget:
    """Releases of one of two neighbouring tables: exact numbers once, all else in each run."""

    queries: tuple[AttackedCells, ...]
    sides: tuple[Numbers, Numbers] = attrs.field(repr=False)
    noise: Noise

    @classmethod
    def of(
        cls, prepared: Prepared[PublicPlan], sides: tuple[Numbers, Numbers], noise: Noise
    ) -> ReleaseTarget:
        """Return the audit of a plan that is settled."""
        queries = zip(prepared.queries, *sides, strict=True)
        return cls(tuple(AttackedCells.of(*each) for each in queries), sides, noise)

    records = 1
    """The entity that is added, removed or replaced."""

    @property
    def key(self) -> str:
        """A digest of all that a draw depends on."""
        digest = hashlib.sha256()
        for cells in self.queries:
            digest.update(repr(cells).encode())
        for numbers in (*self.sides[0], *self.sides[1]):
            for each in numbers:
                digest.update(each.tobytes())
        return digest.hexdigest()

    def draw(self, members: Bits, generator: Generator) -> Signals:
        """What each run publishes; first, how much likelier all of it is with the record.

        The noise comes from the sampler of releases, which takes no generator.
        """
        del generator
        bits = members[:, 0]
        places = [np.flatnonzero(bits == bool(bit)) for bit in range(len(self.sides))]
        parts = []
        for runs, side in zip(places, self.sides, strict=True):
            if not len(runs):  # a few runs may all see one side
                continue
            ratio = np.zeros(len(runs))
            columns = []
            for cells, exact, out, within in zip(self.queries, side, *self.sides, strict=True):
                published = cells.signals(cells.noisy(exact, self.noise, len(runs)))
                ratio += log_ratio(cells, published, out, within)
                columns.append(published[:, ::2])
                if cells.query.query.statistic.NOISY_WIDTHS:  # else half-widths are public
                    columns.append(published[:, 1::2])
                columns.append(cells.left(published))
            parts.append((runs, np.column_stack([ratio, *columns])))
        result = np.empty((len(bits), 1, parts[0][1].shape[1]))
        for runs, part in parts:
            result[runs, 0] = part
        return result


Views: TypeAlias = dict[str, str]
"""What somebody may look at beside noisy values, and what it holds."""

_DATED = ("created", "files", "statement_sha256")
"""What a certificate owes to the day and to the noisy values: digests of files that hold them."""
_OURS = (CERTIFICATE, CSV, PARQUET, PLAN, REPORT, ROWS_CSV, ROWS_PARQUET)
"""Files that are compared by what they say."""
_NOISY = (
    "value", "half_width_95", "category", "measured", "whole_number", "approximate_low",
    "approximate_high", "band_low", "band_high",
)  # fmt: skip
"""Columns of the results that noise decides, in some rows."""


def compare_releases(
    audited: AuditedPlan, pair: Pair, steps: Steps, times: int, folder: Path
) -> list[Finding]:
    """Release both tables whole, several times each, and compare all that is no noisy value.

    One finding for each thing that differs, or does not follow from the published values. The
    folder is private, and left empty.
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
    findings = list(_differences(*seen))
    for failed_check in dict.fromkeys(wrong):
        findings.append(
            Finding(
                "not-from-published-values",
                "The folder of a release holds something that does not follow from its plan and "
                f"its noisy values: {failed_check}. `deniable check` does not verify it.",
                breaks=True,
            )
        )
    return findings


def _release_once(
    audited: AuditedPlan, steps: Steps, place: Path, data: Any
) -> tuple[Views, list[str]]:
    """What one release shows, and which checks of its folder fail."""
    plan, out = write_plan(place, audited), place / "out"
    with in_words():  # a chart is drawn from nothing else
        try:
            done = steps.released(plan, out, data=data)
        except DeniableError as error:
            return {"whether it is released": type(error).__name__}, []
        checked = check(out, charts=True)
    answer = {key: value for key, value in done.as_json().items() if key != "out"}
    certificate = json.loads((out / CERTIFICATE).read_bytes())
    kept = {key: value for key, value in certificate.items() if key not in _DATED}
    views = {"files and their rights": repr(_listing(out)), CERTIFICATE: json.dumps(kept)}
    if (out / PLAN).exists():
        views[PLAN] = (out / PLAN).read_text(encoding="utf-8")
    file = pq.ParquetFile(out / PARQUET)
    views[f"metadata of {PARQUET}"] = repr(_about(file))
    rows = file.read()
    public = rows.drop_columns([name for name in _NOISY if name in rows.column_names])
    views[f"rows of {PARQUET} and their order"] = repr(public.to_pylist())
    views[f"columns of {CSV}"] = (out / CSV).read_bytes().partition(b"\r\n")[0].decode("utf-8")
    views["the answer of the command"] = json.dumps(answer, sort_keys=True)
    views["what else it leaves behind"] = repr(_listing(place, but=out))
    failed = [each.name for each in checked.checks if not each.holds]
    foreign = (f"bytes of {PARQUET}", f"charts of {REPORT}", REPORT)
    failed += [each.what for each in checked.on_trust if each.what in foreign]
    return views, failed


def _about(file: Any) -> Mapping[str, Any]:
    """What a Parquet file says of itself, but for sizes, which go with the values."""
    about = file.metadata
    metadata = dict(about.metadata or {})
    stated = json.loads(metadata.pop(b"deniable", b"null"))
    if isinstance(stated, dict):
        stated = {key: value for key, value in stated.items() if key not in _DATED}
    return {
        "by": about.created_by,
        "format": about.format_version,
        "rows": [about.row_group(index).num_rows for index in range(about.num_row_groups)],
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


RUNS = 20_000
"""Runs where nobody says: seconds for a few numbers, and noise of half the scale is found."""
RELEASES = 2
"""Complete releases of each table where nobody says: half a second each."""
NO_LIMIT = 1e8
"""Seconds, three years: an audit ends when its runs are made."""


def audit_plan(
    plan: PlanInput,
    *,
    claimed: str | None = None,
    delta: float | None = None,
    runs: int = RUNS,
    releases: int = RELEASES,
    confidence: float = 0.95,
    effort: Effort | None = None,
    watch: Watch | None = None,
    steps: Steps = PRODUCTION,
) -> Audit:
    """Attack the release of a plan on simulated tables; nobody's rows are looked at.

    Two neighbouring tables are simulated from the plan: one entity writes what moves the queries
    most. Exact numbers, noise and what is published of them come from the functions of a release,
    and whole releases of both tables are compared in all but noisy values.

    Arguments as for `audit`, of a plan or the plan.toml of a release; of its source only header or
    catalogue is read. It claims what its certificate states, and is refused where a release would
    be. Each of the two tables is released whole `releases` times, by production's steps or others
    in their place; what else differs between neighbours is among the findings.
    """
    number = validate.integer(releases, "releases", least=0)
    work = attrs.evolve(effort or Effort(time_limit=NO_LIMIT), confidence=confidence)
    audited = read_audited_plan(plan)
    adjacency = str(audited.plan.adjacency)
    private = tempfile.TemporaryDirectory(prefix="deniable-audit-", ignore_cleanup_errors=True)
    with private as name:
        folder = Path(name)
        prepared = prepare_plan(write_plan(folder, audited), audited, steps)
        if not claimed:  # what the plan's certificate says of its neighbours
            budget, place = prepared.calibration, "@add-remove" * (adjacency == "add-remove")
            claimed = f"pure-dp:{budget.epsilon!r}{place}"
            if budget.delta:
                claimed = f"approx-dp:{budget.epsilon!r},{budget.delta!r}{place}"
        parsed_claim = claim(claimed, adjacency, delta)
        worst = choose_pair(audited, prepared, steps)
        (folder / "plan.toml").unlink()
        how = "with one entity " + ("more" if adjacency == Adjacency.ADD_REMOVE else "replaced")
        neighbours = Finding(
            "neighbours",
            f"Attacked were two simulated tables: beside {worst.called}, {how}. Of the pairs "
            "that were tried their exact numbers differ most beside the noise.",
            breaks=False,
        )
        findings = [_bets(prepared), neighbours, *_public_numbers(prepared, worst)]
        findings += compare_releases(audited, worst, steps, number, folder)
    question = AuditRequest(
        target=ReleaseTarget.of(prepared, worst.numbers, steps.noise),
        # the log ratio is what `ReleaseTarget` puts first
        attacks=(LikelihoodRatio(lambda outputs: outputs[:, 0]), Classifier()),
        adjacency=adjacency,
        claim=parsed_claim,
        delta=parsed_claim.delta,
        runs=runs,
        effort=work,
    )
    answer = attacked(question, watch)
    every = (*answer.findings, *findings)
    answer = attrs.evolve(answer, findings=every)
    if not any(each.breaks for each in every):
        return answer
    return attrs.evolve(answer, verdict="violated", decides=None)


def _bets(prepared: Prepared[PublicPlan]) -> Finding:
    """Which bets are counted, and how they differ from the beliefs of the report."""
    before = prepared.plan.adversary.high
    sentence = "A bet is at even odds on which of two tables was released."
    if before not in (0.5, 1.0):
        (after,) = (each.upper for each in prepared.posterior if each.prior == before)
        sentence += (
            f" The report speaks of an attacker who is at most {up(100 * before)} % sure before: "
            f"at most {up(100 * after)} % afterwards."
        )
    return Finding("bets", sentence, breaks=False)


def _public_numbers(prepared: Prepared[PublicPlan], worst: Pair) -> Iterator[Finding]:
    """Numbers that are published without noise and are not the same for neighbours."""
    for query, one, other in zip(prepared.queries, *worst.numbers, strict=True):
        parts = zip(query.mechanisms, one, other, strict=True)
        if any(mechanism is None and (a != b).any() for mechanism, a, b in parts):
            yield Finding(
                "public-number-differs",
                f"The query {query.query.name!r} publishes a number without noise that differs "
                "between neighbours.",
                breaks=True,
            )
