"""What one entity can move of the sums behind a variance or a regression, by brute force.

The numbers of every row come from the oracle, which shares no code with the package; all tables
of at most r rows of one entity are compared with each other, or with nothing.
"""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from deniable.more_statistics.regression import Regression
from deniable.more_statistics.variance import Variance
from deniable.notions import Adjacency
from deniable.publish.query import Protection
from tests.cases.regression_case import row_numbers

AWKWARD = [(0, 8), (-0.1, 0.3), (0, 1 - 2.0**-24), (1e6, 1e6 + 1), (1.0, 1.0 + 2.0**-22)]
"""Of as many steps as fit, of odd numbers of steps, and of very few."""


def corners_and_more(bounds, places):
    """Both bounds and points between; half of the span is where a square adds least."""
    low, high = bounds
    return [low + (high - low) * place for place in places]


def row_vectors(all_bounds, places):
    grids = [corners_and_more(bounds, places) for bounds in all_bounds]
    vectors = {row_numbers(all_bounds, row) for row in itertools.product(*grids)}
    return np.array(sorted(vectors), dtype=np.int64)


def tables(vectors, most):
    """Sums of at most so many rows; none at all comes first."""
    width = vectors.shape[1]
    sums = {(0,) * width}
    for size in range(1, most + 1):
        for chosen in itertools.combinations_with_replacement(range(len(vectors)), size):
            sums.add(tuple(vectors[list(chosen)].sum(axis=0).tolist()))
    return np.array(sorted(sums), dtype=np.int64)


def largest(moves):
    """L1 exactly, and the square of L2 as a fraction, of the farthest of some moves."""
    l1 = int(np.abs(moves).sum(axis=1).max())
    sizes = (moves.astype(np.float64) ** 2).sum(axis=1)
    near = moves[sizes >= sizes.max() * (1 - 1e-9)]
    return l1, max(sum(int(each) ** 2 for each in move) for move in near)


def attained(sums, adjacency, cells):
    """The farthest that one entity moves, with its rows in one cell, or in another afterwards."""
    if adjacency is Adjacency.ADD_REMOVE:
        return largest(sums)
    within = [largest(one - sums) for one in sums]
    farthest = max(l1 for l1, _ in within), max(l2 for _, l2 in within)
    if cells == 1:
        return farthest
    l1, squared = largest(sums)  # from one cell to another: each side by itself
    return max(farthest[0], 2 * l1), max(farthest[1], 2 * squared)


def check(statistic, all_bounds, places, rows):
    sums = tables(row_vectors(all_bounds, places), rows)
    for adjacency, cells in itertools.product(Adjacency, (1, 2)):
        (part,) = statistic.parts(Protection(adjacency, rows), cells)
        l1, squared = attained(sums, adjacency, cells)
        assert l1 <= part.l1
        assert squared <= Fraction(part.l2) ** 2
        if adjacency is Adjacency.ADD_REMOVE or (cells == 2 and len(all_bounds) == 1):
            assert part.l1 == l1
            assert float(squared) ** 0.5 == pytest.approx(part.l2, rel=1e-12)
        else:
            assert part.l1 <= 1.5 * l1
            assert part.l2 <= 1.15 * float(squared) ** 0.5


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("bounds", AWKWARD)
def test_no_rows_move_the_sums_of_a_variance_farther(bounds, rows):
    places = np.linspace(0, 1, 13 if rows < 3 else 7)
    check(Variance("x", bounds), [bounds], places, rows)


@pytest.mark.parametrize(("rows", "places"), [
    (1, (0, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 1)), (2, (0, 0.25, 0.5, 1)), (3, (0, 0.5, 1)),
])  # fmt: skip
@pytest.mark.parametrize("all_bounds", list(itertools.combinations(AWKWARD, 2)))
def test_no_rows_move_the_sums_of_a_regression_farther(all_bounds, rows, places):
    of_x, of_y = all_bounds
    check(Regression("y", of_y, {"x": of_x}), [of_x, of_y], places, rows)


@pytest.mark.parametrize(("predictors", "places"), [(2, (0, 0.25, 0.5, 0.8, 1)), (4, (0, 0.5, 1))])
def test_neither_with_more_predictors(predictors, places):
    names = {f"x{i}": AWKWARD[i] for i in range(predictors)}
    check(Regression("y", (0, 3), names), [*names.values(), (0, 3)], places, 1)


@pytest.mark.parametrize("predictors", range(1, 11))
def test_rows_at_random_move_ten_predictors_no_farther(predictors):
    """Corners, and rows next to them; far fewer than there are, so only that nothing passes."""
    generator = np.random.default_rng(predictors)
    names = {f"x{i}": AWKWARD[i % len(AWKWARD)] for i in range(predictors)}
    all_bounds = [*names.values(), (0, 3)]
    shares = generator.choice([0, 0, 1, 1, 0.5, 0.03], size=(60, len(all_bounds)))
    rows = [
        [low + (high - low) * share for share, (low, high) in zip(row, all_bounds, strict=True)]
        for row in shares
    ]
    vectors = np.array([row_numbers(all_bounds, row) for row in rows])
    (part,) = Regression("y", (0, 3), names).parts(Protection(Adjacency.REPLACE_ONE, 1), 1)
    for one in vectors:
        l1, squared = largest(np.vstack([one - vectors, one]))
        assert l1 <= part.l1
        assert squared <= Fraction(part.l2) ** 2
