"""Lower ends of a cell at δ far below what an inversion resolves."""

import math

import numpy as np
import pytest

from deniable import Effort, population
from deniable.mechanisms import Gaussian
from deniable.population.type_sums import ColumnNoise
from deniable.population.type_sums.counts import CountTables
from deniable.population.type_sums.projection import lower_bound, lower_bound_of_cell
from tests.cases.effort import some_pairs


def upper_tail(x):
    return math.erfc(x / math.sqrt(2)) / 2


def two_cells(counts, size, sigma, delta):
    """ε̃ of a record of the first of two cells, by its definition: the difference tells it all.

    y_1 − y_2 = 2 C − n + noise of σ√2, and the sum of both is noise alone. The ratio of both laws
    rises with the difference, so that tails are the best events.
    """
    own, other = counts
    laws = {True: {}, False: {}}
    for c in range(own + 1):
        for inside, free in ((True, own - 1), (False, own - 1)):
            left = c - inside
            rest = size - c
            if 0 <= left <= free and 0 <= rest <= other:
                laws[inside][c] = math.comb(free, left) * math.comb(other, rest)
    total = {side: sum(law.values()) for side, law in laws.items()}
    s, best = sigma / math.sqrt(2), 0.0
    for cut in np.linspace(-30 * sigma, 30 * sigma + own, 6001):
        tails = {}
        for side, law in laws.items():
            up = sum(w * upper_tail((cut - c) / s) for c, w in law.items()) / total[side]
            down = sum(w * upper_tail((c - cut) / s) for c, w in law.items()) / total[side]
            tails[side] = (up, down)
        for k in range(2):
            for p, q in ((tails[True][k], tails[False][k]), (tails[False][k], tails[True][k])):
                if p > delta and q > 0:
                    best = max(best, math.log((p - delta) / q))
    return best


@pytest.mark.parametrize("delta", [1e-3, 1e-9, 1e-14, 1e-30])
@pytest.mark.parametrize(("counts", "size"), [((3, 4), 3), ((2, 10), 7)])
def test_of_two_cells_it_is_the_truth(counts, size, delta):
    sigma = 2.0
    tables = CountTables.of(np.array(counts), size)
    found = lower_bound_of_cell(tables, ColumnNoise(Gaussian, [sigma, sigma]), 0, delta)
    exact = two_cells(counts, size, sigma, delta)
    assert found <= exact * (1 + 1e-4) + 1e-9
    assert found >= exact * (1 - 1e-3)


def test_at_a_delta_that_both_resolve_it_is_near_the_projection():
    tables = CountTables.of(np.array([100, 100, 100, 100]), 150)
    rows, noise = np.eye(4), ColumnNoise(Gaussian, [6.0] * 4)
    one, other = (
        lower_bound_of_cell(tables, noise, 0, 1e-5),
        lower_bound(tables, rows - rows.mean(axis=0), noise, 0, 1e-5),
    )
    assert one == pytest.approx(other, rel=2e-3)


@pytest.mark.parametrize(
    ("case", "noise"),
    some_pairs(
        [(1e-10, 10_000), (1e-10, 10_000_000), (1e-14, 10_000_000), (1e-14, 10_000)],
        ["gaussian", "discrete_gaussian"],
    ),
)
def test_at_any_delta_both_ends_are_of_use(case, noise):
    """A lower end of 0 would make draws go on for nothing; the upper end needs no draw."""
    delta, everyone = case
    rows = np.column_stack([np.eye(4), np.array([4, 3, 2, 1]) * everyone // 10])
    scale = {"sigma" if noise == "gaussian" else "scale": 6.4}
    found = getattr(population, noise)(
        rows, everyone // 2, delta=delta, query="sum", counts=True,
        effort=Effort(gap=5.0), **scale,
    )  # fmt: skip
    bound = found.population_epsilon
    assert 0 < bound.lower <= bound.upper <= found.epsilon_restricted_sensitivity < math.inf
