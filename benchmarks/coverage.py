"""How often intervals cover, over 1,000 releases: noise alone, and samples of a population.

Run ``python -m benchmarks.coverage``, or with a number of releases. Each release draws a simple
random sample of 1,000 of a population of 20,000 that is made up once, and its noise; the
population's numbers and the sample's are known, so that both kinds of intervals can be judged.
Numbers of one kind are averaged. The Monte Carlo error is one standard error over releases.
"""

import sys
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from deniable.certificate import ResultRow
from deniable.mechanisms import NoisyTopK
from deniable.pipeline.noise import PublicPart
from deniable.publish.plan import public_plan
from deniable.publish.prepare import calibrate_plan
from deniable.publish.prepared_query import PreparedQuery, with_populations

RELEASES = 1000
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
    {"name": "quantile", "statistic": "quantile", **COLUMN},
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
        yield kind, row


def measure(noise: str, releases: int) -> None:
    """Print a table of coverages."""
    rng = np.random.default_rng(20261124)
    everybody = People(
        rng.choice(len(WARDS), POPULATION, p=SHARES),
        rng.integers(0, 2, POPULATION),
        np.minimum(np.floor(rng.exponential(200.0, POPULATION)), BOUNDS[1]),
    )
    prepared = calibrate_plan(public_plan(PLAN | {"target": TARGETS[noise]}))
    truths = {query.query.name: exact_rows(query, everybody) for query in prepared.queries
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
                    if not kind or not row.half_width_95:
                        continue
                    off = abs(row.value - here.value)
                    inside[kind, "noise"].append(off <= row.half_width_95 * (1 + 1e-12))
                    low, high = row.population_low, row.population_high
                    inside[kind, "population"].append(low <= there.value <= high)
            for key, values in inside.items():
                covered[key].append(float(np.mean(values)))
    print(f"{noise} noise, {releases:,} releases, in per cent ± standard error")
    for (kind, what), shares in covered.items():
        error = 100 * np.std(shares) / np.sqrt(len(shares))
        print(f"  {kind:24} {what:10} {100 * np.mean(shares):6.2f} ± {error:.2f}")


def main(releases: int) -> int:
    """Both kinds of noise."""
    for noise in TARGETS:
        measure(noise, releases)
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else RELEASES))
