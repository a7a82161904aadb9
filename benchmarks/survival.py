"""Survival curves: error beside other noise, how often intervals cover, the log-rank test, cost.

Run ``python -m benchmarks.survival``, or with parts of it: ``error``, ``coverage``, ``test``,
``cost``. Noise is simulated by NumPy with a seed: independent discrete Laplace or discrete Gaussian
numbers, and discrete Laplace numbers given that they add up to zero, by rejection. What is
published follows from the noisy numbers as in a release, by the statistic itself. Neighbours
replace one person. The errors are of two real studies, lung and GBSG2, as R's package survival has
them: the numbers of people in each bin, and the exact Kaplan-Meier curve at its ends. All other
studies are made up: Weibull times of shapes 0.7, 1 and 1.3 in turn, and censoring spread evenly.
"""

import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from benchmarks.small_commands import seconds
from deniable.certificate import ResultRow
from deniable.mechanisms import DiscreteLaplace, Mechanism, ZeroSumNoise
from deniable.pipeline.noise import Share, calibrate_mechanism
from deniable.publish.plan import public_plan
from deniable.publish.prepare import calibrate_plan
from deniable.publish.query import Grouping
from deniable.survival.curve import survival
from deniable.survival.measuring import CELLS, Measuring
from deniable.survival.statistic import Survival
from deniable.survival.table import Layout, groups_of

SEED = 20261129
DRAWS = sized(2_000, 3)
"""Releases of one study, for an error."""
RELEASES = sized(1_000, 3)
"""Releases of a new study each, for a coverage or a test."""
PAIRS = sized(7, 1)
"""Releases of a curve and of a histogram in turn."""
SHAPES = (0.7, 1.0, 1.3)
NOISES = {"ε = 1": Share(epsilon=1.0), "ρ = ½": Share(rho=0.5)}
OF_DELTA = {"ρ = 0.028, of ε = 1 and δ = 10⁻⁶": Share(rho=0.028)}


@attrs.frozen(eq=False)
class Study:
    """How long each person was observed, whether this ended with the event, and the groups."""

    times: NDArray[np.float64]
    died: NDArray[np.bool_]
    groups: NDArray[np.int64]

    def counts(self, layout: Layout, grid: tuple[float, ...]) -> NDArray[np.int64]:
        """People in each cell."""
        places = np.searchsorted(grid, self.times, side="left")
        inside = np.where(self.died, places, 2 * layout.bins - places)
        within = np.where(places == layout.bins, layout.bins, inside)
        cells = 1 + self.groups * layout.width + within
        return np.bincount(cells, minlength=layout.cells)


def weibull(
    rng: np.random.Generator, people: int, shape: float, left: float, horizon: float,
    ratio: float = 1.0,
) -> Study:  # fmt: skip
    """Make up people of whom a share `left` is without the event at the horizon.

    With a ratio of hazards other than 1, or NaN for 1, a random half is in a second group with it.
    """
    groups = np.zeros(people, np.int64)
    if ratio != 1:
        groups = rng.integers(0, 2, people)
    factors = np.where(groups == 1, 1.0 if np.isnan(ratio) else ratio, 1.0)
    times = horizon * (rng.exponential(size=people) / factors / -np.log(left)) ** (1 / shape)
    ends = rng.uniform(0, 2.2 * horizon, people)
    return Study(np.minimum(times, ends), times <= ends, groups)


def statistic_of(
    grid: tuple[float, ...], share: Share, groups: int = 1, censored: str = "half"
) -> tuple[Survival, Grouping, tuple[Mechanism | None, ...]]:
    """A query of a plan for such a share, with what calibrates its noise."""
    plan = {
        "data": {"source": "withheld"},
        "target": {"epsilon": 1.0},
        "query": [
            {
                "name": "curve", "statistic": "survival", "time": "days", "event": "died",
                "grid": list(grid), "censored": censored,
            } | (
                {"group_by": ["arm"], "keys": {"arm": [*range(groups)]}, "logrank": True}
                if groups > 1 else {}
            )
        ],
    }  # fmt: skip
    if share.rho is not None:
        plan["target"]["delta"] = 1e-6
    query = calibrate_plan(public_plan(plan)).queries[0].query
    statistic = query.statistic
    parts = statistic.parts(None, 1)
    noise = calibrate_mechanism(parts[-1], share)
    return statistic, query.grouping, (*[None] * (len(parts) - 1), noise)


def draw(rng: np.random.Generator, noise: Mechanism, cells: int) -> NDArray[np.int64]:
    """Simulate the noise of one release."""
    if not isinstance(noise, ZeroSumNoise):
        return noise.draws(rng, cells)
    plain = DiscreteLaplace(noise.scale)
    while True:
        tries = 64
        numbers = plain.draws(rng, tries * (cells - 1)).reshape(tries, -1)
        last = -numbers.sum(axis=1)
        accepted = rng.random(tries) < np.exp(-np.abs(last) / noise.scale)
        if accepted.any():
            first = int(accepted.argmax())
            return np.append(numbers[first], last[first])


def noisy(
    rng: np.random.Generator, measuring: Measuring, noise: Mechanism, counts: NDArray[np.int64]
) -> list[NDArray[np.int64]]:
    """What a release measures of people in cells."""
    exact = measuring.exact(counts)
    return [*exact[:-1], exact[-1] + draw(rng, noise, measuring.layout.cells)]


# Error of the curve.


@attrs.frozen
class Known:
    """Facts of a real study: people in each bin of equal width, and what `survfit` says of it.

    `exact` is the Kaplan-Meier curve of the exact times at the ends of the bins, and `deviation`
    the root mean square of its standard errors there. tests/unit/survival/test_r.py compares them.
    """

    name: str
    horizon: float
    events: tuple[int, ...]
    censored: tuple[int, ...]
    beyond: int
    exact: tuple[float, ...]
    deviation: float

    @property
    def grid(self) -> tuple[float, ...]:
        """The ends of the bins."""
        bins = len(self.events)
        return tuple(self.horizon * (place + 1) / bins for place in range(bins))

    @property
    def counts(self) -> NDArray[np.int64]:
        """People in each cell."""
        return np.array([0, *self.events, self.beyond, *self.censored[::-1]], np.int64)


KNOWN = (
    Known(
        "lung, 228 people to day 720, 6 bins", 720.0, (37, 50, 30, 21, 10, 10),
        (2, 21, 18, 8, 7, 0), 14,
        (0.837407330, 0.607046036, 0.434044147, 0.293269194, 0.213587258, 0.124592567), 0.0321,
    ),
    Known(
        "lung, 228 people to day 540, 6 bins", 540.0, (27, 36, 30, 24, 16, 10),
        (0, 6, 22, 13, 7, 4), 33,
        (0.881578947, 0.721670653, 0.575310239, 0.434044147, 0.328715823, 0.255449411), 0.0322,
    ),
    Known(
        "GBSG2, 686 people to day 2190, 12 bins", 2190.0,
        (13, 43, 61, 48, 40, 19, 21, 18, 11, 11, 5, 6),
        (18, 10, 11, 24, 35, 33, 33, 31, 34, 49, 44, 32), 36,
        (0.980589812, 0.915558104, 0.821973073, 0.746230626, 0.677832489, 0.642620382,
         0.600079738, 0.558848263, 0.529874021, 0.491644870, 0.462431190, 0.418750727), 0.0197,
    ),
)  # fmt: skip


def errors() -> Iterator[str]:
    """Yield lines for each study: the error of S with each noise, and of sampling."""
    rng = np.random.default_rng(SEED)
    for study in KNOWN:
        yield f"{study.name} ({DRAWS:,} releases; independent cells in brackets)"
        for label, share in (NOISES | OF_DELTA).items():
            statistic, _, mechanisms = statistic_of(study.grid, share)
            best = statistic.measuring
            cells = attrs.evolve(best, design=CELLS)
            beside = mechanisms[-1]
            if isinstance(beside, ZeroSumNoise):
                beside = DiscreteLaplace(beside.scale)
            else:
                beside = calibrate_mechanism(cells.parts()[-1], share)
            ours = error(rng, best, mechanisms[-1], study)
            yield f"  {label}  {ours:.4f} ({error(rng, cells, beside, study):.4f})"
        without = curve_of(statistic.layout, study.counts.tolist()) - study.exact
        plain = np.sqrt(np.mean(without**2))
        yield f"  without noise {plain:.4f}, sampling {study.deviation:.4f}"


def curve_of(layout: Layout, people: list[int]) -> NDArray[np.float64]:
    """S of a table of whole people, 0 where nobody is at risk."""
    values = survival(groups_of(layout, people)[0], "half")
    return np.array([0.0 if value is None else float(value) for value in values])


def error(rng: np.random.Generator, measuring: Measuring, noise: Mechanism, study: Known) -> float:
    """The root mean square over releases and times of the grid, from exact Kaplan-Meier."""
    counts, squares = study.counts, 0.0
    for _ in range(DRAWS):
        measured = noisy(rng, measuring, noise, counts)
        if len(measured) == 1 and not isinstance(noise, ZeroSumNoise):
            # As independent noise with a public total.
            measured = [counts.sum().reshape(1), measured[0]]
        table = measuring.whole_table(*measuring.estimates(measured))
        squares += float(np.mean((curve_of(measuring.layout, table) - study.exact) ** 2))
    return float(np.sqrt(squares / DRAWS))


# How often intervals cover.


def coverages() -> Iterator[str]:
    """Yield a line for each size and noise: half, where censoring is spread, and where it fails."""
    rng = np.random.default_rng(SEED)
    sizes = ((228, 6), (686, 12), (5_000, 24))
    yield f"Pointwise on average, least and greatest of a time, band ({RELEASES:,} releases)"
    for people, bins in sizes:
        grid = tuple(720.0 * (place + 1) / bins for place in range(bins))
        for label, share in NOISES.items():
            found = coverage(rng, people, grid, share)
            yield f"  {people:5,} people, {bins:2} bins, {label}  {found}"
    yield "censored = “end”, times rounded up to days"
    for people, bins in sizes:
        grid = tuple(720.0 * (place + 1) / bins for place in range(bins))
        found = coverage(rng, people, grid, NOISES["ε = 1"], censored="end")
        yield f"  {people:5,} people, {bins:2} bins, ε = 1  {found}"
    yield "nine of ten who are observed on day 740 are censored on it, half of all people"
    for people, bins in ((686, 6), (5_000, 12)):
        grid = tuple(960.0 * (place + 1) / bins for place in range(bins))
        own = tuple(sorted({*grid, 739.0, 740.0}))
        for what, times in (("plain grid", grid), ("day 740 in a bin of its own", own)):
            found = coverage(rng, people, times, NOISES["ε = 1"], last_day=740.0)
            yield f"  {people:5,} people, {len(times):2} bins, {what}, ε = 1  {found}"


def coverage(
    rng: np.random.Generator, people: int, grid: tuple[float, ...], share: Share,
    censored: str = "half", last_day: float | None = None,
) -> str:  # fmt: skip
    """How often the intervals hold the law that the people come from, in per cent."""
    statistic, grouping, mechanisms = statistic_of(grid, share, censored=censored)
    inside, bands, other = list[list[bool]](), list[bool](), defaultdict[str, list[bool]](list)
    for number in range(RELEASES):
        shape, left = SHAPES[number % len(SHAPES)], 0.35
        if last_day is None:
            study = weibull(rng, people, shape, left, 720.0)
        else:
            left = 0.55
            study = _ended(rng, people, shape, left, last_day)
        study = attrs.evolve(study, times=np.maximum(np.ceil(study.times), 1.0))
        truth = left ** ((np.array(grid) / 720.0) ** shape)
        counts = study.counts(statistic.layout, grid)
        measured = noisy(rng, statistic.measuring, mechanisms[-1], counts)
        published = list(statistic.rows("curve", grouping, measured, mechanisms))
        curve = [row for row in published if row.statistic == "survival"]
        pairs = list(zip(curve, truth, strict=True))
        inside.append([row.approximate_low <= s <= row.approximate_high for row, s in pairs])
        bands.append(all(row.band_low <= s <= row.band_high for row, s in pairs))
        if last_day is None:
            middle = 720.0 * (np.log(2) / -np.log(left)) ** (1 / shape)
            other["median"].append(_holds_time(published, middle))
            other["rmst"].append(_holds_mean(published, grid, truth))
    single = 100 * np.mean(inside, axis=0)
    words = (
        f"{single.mean():.1f} ({single.min():.1f} to {single.max():.1f}), "
        f"band {100 * np.mean(bands):.1f}"
    )
    return ", ".join(
        [words, *(f"{name} {100 * np.mean(all_):.1f}" for name, all_ in other.items())]
    )


def _ended(rng: np.random.Generator, people: int, shape: float, left: float, day: float) -> Study:
    """Make up a study that ends for nine of ten on one day, about half of all people."""
    times = 720.0 * (rng.exponential(size=people) / -np.log(left)) ** (1 / shape)
    leaves = (times > day) & (rng.random(people) < 0.9)
    ends = np.where(leaves, day, 2 * day)
    return Study(np.minimum(times, ends), times <= ends, np.zeros(people, np.int64))


def _holds_time(rows: list[ResultRow], time: float) -> bool:
    (row,) = (row for row in rows if row.statistic == "median")
    low = -np.inf if row.approximate_low is None else row.approximate_low
    high = np.inf if row.approximate_high is None else row.approximate_high
    return bool(low <= time <= high)


def _holds_mean(rows: list[ResultRow], grid: tuple[float, ...], truth: NDArray[np.float64]) -> bool:
    """Whether the interval holds the trapezoids of the law."""
    (row,) = (row for row in rows if row.statistic == "rmst")
    if row.value is None or row.approximate_low is None or row.approximate_high is None:
        return True  # the curve ends before the horizon, and nothing is claimed
    area = float(np.trapezoid(np.append(1.0, truth), np.append(0.0, grid)))
    return row.approximate_low <= area <= row.approximate_high


# The log-rank test.


def tests() -> Iterator[str]:
    """Yield how often the test rejects at 5 %, for equal groups and for a hazard ratio of 0.6."""
    rng = np.random.default_rng(SEED)
    yield f"Log-rank test at 5 %, in per cent of {RELEASES:,} pairs of groups: level, power at 0.6"
    for people, bins in ((228, 6), (686, 12)):
        grid = tuple(720.0 * (place + 1) / bins for place in range(bins))
        for label, share in NOISES.items():
            rejected = [rejections(rng, people, grid, share, ratio) for ratio in (np.nan, 0.6)]
            yield f"  {people:5,} people, {label}  {rejected[0]:.1f}, {rejected[1]:.1f}"


def rejections(
    rng: np.random.Generator, people: int, grid: tuple[float, ...], share: Share, ratio: float
) -> float:
    """How often a p-value is at most 5 %, in per cent."""
    statistic, grouping, mechanisms = statistic_of(grid, share, groups=2)
    count = 0
    for number in range(RELEASES):
        study = weibull(rng, people, SHAPES[number % len(SHAPES)], 0.35, 720.0, ratio)
        counts = study.counts(statistic.layout, grid)
        measured = noisy(rng, statistic.measuring, mechanisms[-1], counts)
        published = statistic.rows("curve", grouping, measured, mechanisms)
        (p_value,) = (row.value for row in published if row.category == "p-value")
        count += p_value is not None and p_value <= 0.05
    return 100 * count / RELEASES


# What a release costs.

PLAN = """
[data]
source = "study.parquet"
[target]
epsilon = 1.0
{target}
[[query]]
name = "curve"
{query}
"""
CURVE = 'statistic = "survival"\ntime = "days"\nevent = "died"\ngrid = {grid}\n'
HISTOGRAM = 'statistic = "histogram"\ncolumn = "days"\nedges = {edges}\n'
GROUPS = 'group_by = ["arm"]\nkeys = { arm = [0, 1, 2, 3] }\n'


def cost() -> Iterator[str]:
    """Yield CPU seconds of a release of a curve beside a histogram over as many cells."""
    rng = np.random.default_rng(SEED)
    rows = sized(100_000, 500)
    study = weibull(rng, rows, 1.0, 0.35, 720.0)
    with tempfile.TemporaryDirectory() as folder:
        table = {"days": study.times, "died": study.died, "arm": rng.integers(0, 4, rows)}
        pq.write_table(pa.table(table), Path(folder) / "study.parquet")
        yield f"CPU seconds of a release of {rows:,} rows: a curve, a histogram, median of pairs"
        for bins, groups in sized(((60, 1), (24, 4)), ((4, 1),)):
            more = GROUPS if groups > 1 else ""
            grid = f"{{ step = {720 // bins}, horizon = {720 // bins * bins} }}\n{more}"
            edges = [720 * edge / (2 * bins + 1) for edge in range(2 * bins + 2)]
            for label, target in (("ε", ""), ("ε and δ", "delta = 1e-6")):
                queries = (CURVE.format(grid=grid), HISTOGRAM.format(edges=f"{edges}\n{more}"))
                found = paired(folder, [PLAN.format(target=target, query=q) for q in queries])
                ratio = statistics.median(one / other for one, other in found)
                ours, theirs = (min(each) for each in zip(*found, strict=True))
                yield (
                    f"  {bins} bins, {groups} groups, {label}: {ours:.2f}, {theirs:.2f}, "
                    f"{ratio:.2f} times"
                )


def paired(folder: str, plans: list[str]) -> list[tuple[float, float]]:
    """Release two plans in turn, after once each to warm up."""
    for place, text in enumerate(plans):
        (Path(folder) / f"{place}.toml").write_text(text, encoding="utf-8")
    found = list[tuple[float, float]]()
    for number in range(PAIRS + 1):
        order = (0, 1) if number % 2 else (1, 0)
        out = tempfile.mkdtemp(dir=folder)
        taken = {
            place: seconds(["release", f"{place}.toml", "--out", f"{out}/{place}"], folder)
            for place in order
        }
        for place in order:
            if not (Path(out) / str(place) / "certificate.json").is_file():
                command = [sys.executable, "-m", "deniable", "release", f"{place}.toml"]
                subprocess.run([*command, "--out", f"{out}/again"], check=True, cwd=folder)
        found.append((taken[0], taken[1]))
    return found[1:] or found


PARTS = {"error": errors, "coverage": coverages, "test": tests, "cost": cost}


def main() -> None:
    """Print the parts that are named, or all."""
    for part in sys.argv[1:] or PARTS:
        for line in PARTS[part]():
            print(line, flush=True)


if __name__ == "__main__":
    end_for_help(__doc__)
    main()
