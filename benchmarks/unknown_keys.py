"""How many of Zipf-distributed keys are published at ε = 1, δ = 1e-6, and how long that takes.

Run ``python -m benchmarks.unknown_keys``. Each person has r rows with keys drawn from 1/k, k up
to a million. What is published on average is computed from the exact law of the noise, given the
counts; beside it stand how many keys occur, and how many a release without counts could name at
best (desfontaines-2022, r = 1). Then a whole release is timed.
"""

import math
import tempfile
import time
from pathlib import Path

import attrs
import numpy as np
import polars as pl
from numpy.typing import NDArray

import deniable
from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from deniable.notions import Adjacency
from deniable.pipeline.noise.thresholds import KeyNoise, KeyThreshold

EPSILON, DELTA = 1.0, 1e-6
KEYS = 10**6
PEOPLE = sized((1_000, 10_000, 100_000, 1_000_000), (100,))


@attrs.frozen
class Line:
    """What is published of one table.

    Parameters
    ----------
    occurring : int
        Different keys.
    threshold : int
        In people.
    published : float
        Keys that are published, on average over the noise.
    people : float
        Share of all pairs of a person and a key that are of published keys, on average.
    """

    occurring: int
    threshold: int
    published: float
    people: float


def zipf_counts(people: int, rows: int, keys: int = KEYS) -> NDArray[np.int64]:
    """People by key, of keys that occur; each person's keys once."""
    rng = np.random.default_rng(1)
    weights = np.cumsum(1 / np.arange(1, keys + 1))
    drawn = np.searchsorted(weights, rng.random((people, rows)) * weights[-1])
    drawn.sort(axis=1)
    again = np.zeros(drawn.shape, bool)
    again[:, 1:] = drawn[:, 1:] == drawn[:, :-1]
    _, counts = np.unique(drawn[~again], return_counts=True)
    return counts


def noise_of(rows: int, adjacency: Adjacency, *, laplace: bool) -> tuple[KeyNoise, KeyThreshold]:
    """The noise and the threshold that a plan of one query gets."""
    target = (
        f'epsilon = {EPSILON}\ndelta = {DELTA}\nnoise = "{"laplace" if laplace else "gaussian"}"'
    )
    plan = _plan(target, rows, adjacency)
    (query,) = deniable.plan(plan, data=pl.DataFrame({"person": [1], "key": [1]})).queries
    (noise,), threshold = query.mechanisms, query.threshold
    if threshold is None or not isinstance(noise, KeyNoise):
        raise AssertionError("keys that nobody knows have a threshold")
    return noise, threshold


def _plan(target: str, rows: int, adjacency: Adjacency) -> str:
    return f"""
[data]
entity = "person"
adjacency = "{adjacency}"

[target]
{target}

[limits]
rows_per_entity = {rows}

[[query]]
name = "people by key"
statistic = "entities"
group_by = ["key"]
keys = {{ key = "unknown" }}
"""


def published(counts: NDArray[np.int64], noise: KeyNoise, threshold: int) -> Line:
    """What passes on average, from the noise's law."""
    reach = math.ceil(60 * noise.scale) + 1
    law = noise.pmf(np.arange(-reach, reach + 1))
    above = np.append(np.cumsum(law[::-1])[::-1], 0.0)  # Pr[X >= k − reach]
    passes = above[np.clip(threshold - counts + reach, 0, 2 * reach + 1)]
    share = float((passes * counts).sum() / counts.sum())
    return Line(len(counts), threshold, float(passes.sum()), share)


def best_without_counts(counts: NDArray[np.int64]) -> float:
    """The most that any (ε, δ)-private choice of keys publishes, add-remove, one key a person."""
    grown, chances = math.exp(EPSILON), [0.0]
    while chances[-1] < 1:
        last = chances[-1]
        chances.append(min(grown * last + DELTA, 1 - (1 - last - DELTA) / grown, 1.0))
    return float(np.array(chances)[np.clip(counts, 0, len(chances) - 1)].sum())


def compare(
    sizes: tuple[int, ...] = PEOPLE, keys: int = KEYS
) -> dict[tuple[int, int, str, str], Line]:
    """A line for each number of people and of rows, adjacency and noise; printed as well."""
    lines = {}
    print(f"{'people':>9} {'rows':>4} {'occur':>8}  {'neighbours':<12} {'noise':<9}"
          f"{'from':>5} {'published':>10} {'of pairs':>9}")  # fmt: skip
    for people in sizes:
        for rows in (1, 3):
            counts = zipf_counts(people, rows, keys)
            for adjacency in (Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE):
                for laplace in (True, False):
                    noise, threshold = noise_of(rows, adjacency, laplace=laplace)
                    line = published(counts, noise, threshold.value)
                    name = "laplace" if laplace else "gaussian"
                    lines[people, rows, str(adjacency), name] = line
                    print(
                        f"{people:>9,} {rows:>4} {line.occurring:>8,}  {adjacency:<12} {name:<9}"
                        f"{line.threshold:>5} {line.published:>10,.0f} {line.people:>9.0%}"
                    )
            if rows == 1:
                print(
                    f"{'best without counts, add-remove':>44} {best_without_counts(counts):>21,.0f}"
                )
    return lines


def time_release(people: int) -> None:
    """A release of so many people with three rows each, whole."""
    rng = np.random.default_rng(2)
    weights = np.cumsum(1 / np.arange(1, KEYS + 1))
    drawn = np.searchsorted(weights, rng.random(3 * people) * weights[-1])
    data = pl.DataFrame({"person": np.repeat(np.arange(people), 3), "key": drawn})
    plan = _plan(f"epsilon = {EPSILON}\ndelta = {DELTA}", 3, Adjacency.REPLACE_ONE)
    with tempfile.TemporaryDirectory() as folder:
        start, used = time.perf_counter(), time.process_time()
        answer = deniable.release(plan, Path(folder) / "out", data=data)
        wall, cpu = time.perf_counter() - start, time.process_time() - used
        print(f"a release of {people:,} people, {len(np.unique(drawn)):,} keys, of which "
              f"{len(answer.rows):,} are published: {wall:.1f} s, {cpu:.1f} s CPU")  # fmt: skip


def main() -> None:
    """The table, then the times."""
    compare()
    for people in sized((10_000, 100_000), (50,)):
        time_release(people)


if __name__ == "__main__":
    end_for_help(__doc__)
    main()
