"""How often intervals cover, over 1,000 releases: noise alone, and samples of a population.

Run ``python -m benchmarks.coverage``, or with a number of releases. Each release draws a simple
random sample of 1,000 of a population of 20,000 that is made up once, and its noise; the
population's numbers and the sample's are known, so that both kinds of intervals can be judged.
Numbers of one kind are averaged. The Monte Carlo error is one standard error over releases.
"about" is an approximate interval, which nothing proves; a second table has these for values that
are spread in several ways, where the noise is small and where it is not.
"""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator

import attrs
import numpy as np
from numpy.typing import NDArray

from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from deniable.certificate import ResultRow
from deniable.certificate.limits import quantile
from deniable.mechanisms import NoisyTopK
from deniable.pipeline.noise import PublicPart
from deniable.publish.plan import SimpleRandomSample, public_plan
from deniable.publish.prepare import calibrate_plan
from deniable.publish.prepared_query import PreparedQuery, with_populations
from deniable.publish.survey import Sampled, approximate_quantile

RELEASES = sized(300, 2)
POPULATION, SIZE = 20_000, 1_000
BOUNDS = (0.0, 1000.0)
WARDS, SEXES, SHARES = ("a", "b", "c", "d"), ("f", "m"), (0.5, 0.3, 0.15, 0.05)
COLUMN = {"column": "income", "bounds": list(BOUNDS)}
BY_WARD = {"group_by": ["ward"], "keys": {"ward": list(WARDS)}}
QUERIES = [
    {"name": "count by ward", "statistic": "count", **BY_WARD},
    {"name": "sum", "statistic": "sum", **COLUMN},
    {"name": "mean", "statistic": "mean", "nulls": 0, **COLUMN},
    {"name": "mean by ward", "statistic": "mean", **COLUMN, **BY_WARD},
    {"name": "variance", "statistic": "variance", **COLUMN},
    {"name": "variance by ward", "statistic": "variance", **COLUMN, **BY_WARD},
    {"name": "quantile", "statistic": "quantile", **COLUMN},
    {
        "name": "histogram",
        "statistic": "histogram",
        "column": "income",
        "edges": [*range(0, 400, 2), *range(400, 1001, 10)],
        "quantiles": [0.25, 0.5, 0.9],
    },
    {
        "name": "crosstab",
        "statistic": "crosstab",
        "columns": ["ward", "sex"],
        "keys": {"ward": list(WARDS), "sex": list(SEXES)},
    },
]
PLAN = {
    "data": {"source": "withheld"},
    "sample": {"design": "simple-random", "size": SIZE, "population": POPULATION},
    "query": QUERIES,
}
TARGETS = {"Laplace": {"epsilon": 4.0}, "Gaussian": {"epsilon": 4.0, "delta": 1e-6}}


class People:
    """Ward, sex and income of some people, and what each query says of them without noise."""

    def __init__(self, ward: NDArray, sex: NDArray, income: NDArray) -> None:
        self.ward, self.sex, self.income = ward, sex, income

    def drawn(self, places: NDArray) -> "People":
        """Those of them in some places."""
        return People(self.ward[places], self.sex[places], self.income[places])

    def totals(self, query: PreparedQuery) -> NDArray[np.int64]:
        """What the engine would add up."""
        statistic, grouping = query.query.statistic, query.query.grouping
        cells = self.ward if grouping.columns == ("ward",) else np.zeros(len(self.ward), int)
        ones = np.ones(len(self.ward), np.int64)
        if statistic.kind == "crosstab":
            cells = self.ward * (len(SEXES) + 1) + self.sex
            return _added(cells, (len(WARDS) + 1) * (len(SEXES) + 1), ones)
        if statistic.kind == "count":
            return _added(cells, grouping.cells, ones)
        if statistic.kind == "quantile":
            bins = 2 * (statistic.candidates - 1) + 1
            places = self.income / BOUNDS[1] * (statistic.candidates - 1)
            whole = np.floor(places).astype(np.int64)
            return _added(2 * whole + (places > whole), bins, ones).reshape(1, bins, 1)
        if statistic.kind == "histogram":
            places = np.searchsorted(statistic.edges, self.income, side="right") - 1
            return _added(np.minimum(places, statistic.bins - 1), statistic.bins, ones)
        if statistic.kind == "variance":
            (span,) = statistic.moments.spans
            steps = np.round(self.income / span.grid.step).astype(np.int64) - span.middle
            each = [m.scale(steps ** len(m.factors)) - m.offset for m in statistic.moments.all]
            return np.concatenate([_added(cells, grouping.cells, one) for one in each], axis=2)
        units = np.round(self.income / statistic.step).astype(np.int64)
        if statistic.kind == "sum":
            return _added(cells, 1, units)
        middle = round((BOUNDS[0] + BOUNDS[1]) / 2 / statistic.step)
        sums = _added(cells, grouping.cells, units - middle)
        return np.concatenate([sums, _added(cells, grouping.cells, ones)], axis=2)


def _added(cells: NDArray, number: int, values: NDArray) -> NDArray[np.int64]:
    result = np.zeros(number, np.int64)
    np.add.at(result, cells, values)
    return result.reshape(number, 1, 1)


def exact_rows(query: PreparedQuery, people: People) -> list[ResultRow]:
    """What would be published without noise."""
    totals = people.totals(query)
    return query.rows(list(query.query.statistic.exact(totals, query.protection)), None)


def truth(query: PreparedQuery, people: People) -> list[ResultRow]:
    """The same, with quantiles that no bin rounds."""
    return [
        attrs.evolve(row, value=true_quantile(people, query, row))
        if query.query.name == "histogram" and row.statistic != "histogram"
        else row
        for row in exact_rows(query, people)
    ]


def noisy_rows(
    query: PreparedQuery, people: People, rng: np.random.Generator
) -> tuple[list[ResultRow], float | None]:
    """What is published with simulated noise; of a choice, by how much its score misses."""
    exact = query.query.statistic.exact(people.totals(query), query.protection)
    noisy = []
    for part, noise, numbers in zip(query.parts, query.mechanisms, exact, strict=True):
        if isinstance(part, PublicPart):
            noisy.append(numbers)
        elif isinstance(noise, NoisyTopK):
            draw = rng.gumbel if noise.noise == "gumbel" else rng.exponential
            chosen = int((numbers[0] + draw(scale=noise.scale, size=numbers.shape[1])).argmax())
            missed = float(numbers[0].max() - numbers[0][chosen]) * part.step
            return query.rows([np.array([[chosen]])], None), missed
        else:
            noisy.append(numbers + noise.draws(rng, len(numbers)))
    return query.rows(noisy, None), None


def kinds(rows: list[ResultRow]) -> Iterator[tuple[str, ResultRow]]:
    """Each row with what it is averaged with."""
    for row in rows:
        kind = row.query if row.statistic != "count" or row.query.startswith("count") else ""
        if row.query == "crosstab":
            kind = f"crosstab, {' × '.join(row.groups) or 'total'}"
        if row.query == "histogram" and row.statistic != "histogram":
            kind = row.statistic
        if row.query.startswith("variance"):
            kind = row.query.replace("variance", f"{row.statistic} beside variance")
        yield kind, row


def true_quantile(people: People, query: PreparedQuery, row: ResultRow) -> float:
    """Of those in the table, the least value at or below which the share lies."""
    shares = {quantile(share): share for share in query.query.statistic.quantiles}
    place = int(np.ceil(shares[row.statistic] * len(people.income))) - 1
    return float(np.sort(people.income)[place])


def measure(noise: str, releases: int) -> None:
    """Print a table of coverages."""
    rng = np.random.default_rng(20261124)
    everybody = People(
        rng.choice(len(WARDS), POPULATION, p=SHARES),
        rng.integers(0, 2, POPULATION),
        np.minimum(np.floor(rng.exponential(200.0, POPULATION)), BOUNDS[1]),
    )
    prepared = calibrate_plan(public_plan(PLAN | {"target": TARGETS[noise]}))
    truths = {query.query.name: truth(query, everybody) for query in prepared.queries
              if query.query.name != "quantile"}  # fmt: skip
    covered: dict[tuple[str, str], list[float]] = defaultdict(list)
    for _ in range(releases):
        sample = everybody.drawn(rng.choice(POPULATION, SIZE, replace=False))
        for query in prepared.queries:
            rows, missed = noisy_rows(query, sample, rng)
            inside: dict[tuple[str, str], list[bool]] = defaultdict(list)
            if missed is not None:
                inside["quantile", "noise"].append(missed <= rows[0].half_width_95)
            else:
                published = with_populations([query], prepared.plan.sample, rows)
                known = zip(
                    kinds(published), exact_rows(query, sample), truths[query.query.name],
                    strict=True,
                )  # fmt: skip
                for (kind, row), here, there in known:
                    if not kind or row.half_width_95 == 0:
                        continue
                    if row.half_width_95 is not None:
                        off = abs(row.value - here.value)
                        inside[kind, "noise"].append(off <= row.half_width_95 * (1 + 1e-12))
                    for what, low, high in (
                        ("population", row.population_low, row.population_high),
                        ("about", row.approximate_low, row.approximate_high),
                    ):
                        if low is not None:
                            inside[kind, what].append(low <= there.value <= high)
            for key, values in inside.items():
                covered[key].append(float(np.mean(values)))
    print(f"{noise} noise, {releases:,} releases, in per cent ± standard error")
    for (kind, what), shares in covered.items():
        error = 100 * np.std(shares) / np.sqrt(len(shares))
        print(f"  {kind:24} {what:10} {100 * np.mean(shares):6.2f} ± {error:.2f}")


# --- Approximate intervals of values that are spread in several ways.


SPREADS: dict[str, Callable[[np.random.Generator, int], NDArray]] = {
    "uniform": lambda rng, n: rng.uniform(0, 1000, n),
    "exponential, mean 200": lambda rng, n: rng.exponential(200, n),
    "lognormal, σ = 1, median 50": lambda rng, n: rng.lognormal(np.log(50), 1, n),
    "lognormal, σ = 1.5, median 20": lambda rng, n: rng.lognormal(np.log(20), 1.5, n),
    "0 or 1000, half and half": lambda rng, n: 1000 * (rng.random(n) < 0.5),
    "1 % are 1000, others 0": lambda rng, n: 1000 * (rng.random(n) < 0.01),
    "1 % are 300, others 0": lambda rng, n: 300 * (rng.random(n) < 0.01),
    "1 % uniform, others 0": lambda rng, n: rng.uniform(0, 1000, n) * (rng.random(n) < 0.01),
    "uniform, 450 to 550": lambda rng, n: rng.uniform(450, 550, n),
}
"""Values before they are cut to the bounds."""
SETTINGS = sized(((1000, 20.0), (1000, 2.0), (200, 2.0)), ((200, 2.0),))
"""Units drawn, and ε of a variance and a histogram, each with half of it."""


def measure_spreads(size: int, epsilon: float, releases: int) -> None:
    """Print how often the intervals of means, sums and quantiles cover, a line for each spread."""
    rng = np.random.default_rng(20261126)
    wanted = [query for query in QUERIES if query["name"] in ("variance", "histogram")]
    plan = PLAN | {
        "sample": PLAN["sample"] | {"size": size},
        "query": wanted,
        "target": {"epsilon": epsilon},
    }
    prepared = calibrate_plan(public_plan(plan))
    print(f"{size:,} of {POPULATION:,}, ε = {epsilon:g}, Laplace noise, {releases:,} releases")
    for name, spread in SPREADS.items():
        values = np.minimum(np.floor(spread(rng, POPULATION)), BOUNDS[1])
        nobody = np.zeros(POPULATION, int)
        everybody = People(nobody, nobody, values)
        truths = {row.statistic: row.value for each in prepared.queries
                  for row in truth(each, everybody)}  # fmt: skip
        covered = defaultdict[str, list[float]](list)
        for _ in range(releases):
            drawn = everybody.drawn(rng.choice(POPULATION, size, replace=False))
            for query in prepared.queries:
                rows = noisy_rows(query, drawn, rng)[0]
                for what, low, high in about(query, prepared.plan.sample, rows):
                    covered[what].append(low <= truths[what] <= high)
        shares = (f"{what} {100 * np.mean(each):5.1f}" for what, each in covered.items())
        print(f"  {name:30} {', '.join(shares)}", flush=True)


def about(
    query: PreparedQuery, sample: SimpleRandomSample, rows: list[ResultRow]
) -> Iterator[tuple[str, float, float]]:
    """The approximate intervals, and of what each is; bins are left aside."""
    statistic = query.query.statistic
    if statistic.kind == "variance":
        numbers = statistic.measured(rows)[0].tolist()
        found = statistic.mean_and_sum(numbers, Sampled(sample, query.protection, query.mechanisms))
        for row, interval in zip(rows[2:4], found, strict=True):
            yield row.statistic, interval.low, interval.high
        return
    numbers = [row.value for row in rows[: statistic.bins]]
    deviation = query.mechanisms[0].scale * np.sqrt(2)
    for row, share in zip(rows[statistic.bins :], statistic.quantiles, strict=True):
        low, high = approximate_quantile(numbers, share, deviation, sample)
        yield row.statistic, statistic.edges[low], statistic.edges[high]


def main(releases: int) -> int:
    """Both kinds of noise, then several spreads."""
    for noise in TARGETS:
        measure(noise, releases)
    for size, epsilon in SETTINGS:
        measure_spreads(size, epsilon, releases)
    return 0


if __name__ == "__main__":
    end_for_help(__doc__)
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else RELEASES))
