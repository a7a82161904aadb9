"""What one entity can really move, over all small tables, against the claimed sensitivity.

Every table of at most three rows of one entity goes through the production path (bounding, engine,
`exact`), every pair of them is compared in whole numbers, and nothing is allowed to move farther
than claimed. The parameters are awkward: fractions that no float holds, bounds that fall between
grid points, limits that are no whole number of steps.
"""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from deniable.crosstabs.margins import Basis, TreeShape, tree_design
from deniable.crosstabs.tree import Tree
from deniable.more_statistics.variance import Variance
from deniable.notions import Adjacency
from deniable.pipeline.noise import VectorPart
from deniable.publish.query import Grouping, Protection, Query
from deniable.publish.statistics import Count, Entities, Histogram, Mean, Quantile, Sum, Top
from deniable.publish.totals.aggregate import exact_totals
from tests.cases import neighbours
from tests.cases.effort import one_in, some_pairs
from tests.oracles.bounded_tables import Row

MOST_ROWS = 3
QUANTILES = {
    1e-6: Fraction(1, 10**6),
    0.333333: Fraction(333333, 10**6),
    0.9: Fraction(9, 10),
    0.1: Fraction(1, 10),
    0.999999: Fraction(999999, 10**6),
    2.0**-20: Fraction(1, 2**20),
    1 - 2.0**-20: Fraction(2**20 - 1, 2**20),
    0.5: Fraction(1, 2),
    0.29: Fraction(29, 100),
}
BOUNDS = [(-0.1, 0.3), (0.1, 0.3), (-0.3, -0.1), (-1e-300, 1e300), (1 / 3, 2 / 3), (-1e-300, 0.0)]
LIMITS = [0.1, 1 / 3, 0.7, 1.0, 2.999999]
STATISTICS = [
    Count(),
    Entities(),
    *(Sum("x", bounds) for bounds in BOUNDS),
    *(Mean("x", bounds) for bounds in BOUNDS),
    Mean("x", (-0.1, 0.3), nulls=0.2),
    *(Variance("x", bounds) for bounds in (BOUNDS[0], BOUNDS[4])),
    Histogram("x", (0, 0.1, 0.1 + 2.0**-56, 0.3)),
    *(Quantile("x", (-0.1, 0.3), quantile=q, candidates=3) for q in one_in(3, [*QUANTILES])),
    Quantile("x", (-0.1, 0.3), quantile=0.333333, candidates=4),
    Top("c", ("m", "n", "o"), 2),
]
SCALED = [
    Count(scaled=True),
    Histogram("x", (0, 0.1, 0.3), scaled=True),
    *(Sum("x", bounds) for bounds in BOUNDS[:3]),
]


def entity_rows(statistic, groups):
    """Rows at the ends, between them and beyond them, or of every category."""
    if statistic.kind == "top":
        return [Row("e", None, None, True, category) for category in ("m", "n", "o", None)]
    ends = getattr(statistic, "bounds", None) or getattr(statistic, "edges", None) or (0.0, 1.0)
    middle = ends[0] / 2 + ends[-1] / 2
    quarter = ends[0] / 2 + middle / 2
    values = dict.fromkeys((*ends, middle, quarter, None))
    if statistic.kind in ("count", "entities"):
        values = (1.0,)
    return [Row("e", group, value) for group in groups for value in values]


def small_tables(rows):
    sizes = range(MOST_ROWS + 1)
    return [
        list(table)
        for size in sizes
        for table in itertools.combinations_with_replacement(rows, size)
    ]


def added(statistic, keys, protections, folder):
    """For each protection, every different thing that an entity adds, (n, cells, bins, values)."""
    rows = entity_rows(statistic, (None,) if keys is None else (*keys, "elsewhere"))
    tables = small_tables(rows)
    work = [(statistic, keys, protection) for protection in protections]
    found = neighbours.totals(neighbours.stored(folder, tables), len(tables), work)
    return [np.unique(totals, axis=0) for totals in found]


def moves(exact, adjacency):
    """All differences of two of the vectors, or of one and nothing; sums of them fit 64 bits."""
    one = np.unique(np.array(exact), axis=0)
    assert one.dtype == np.int64
    assert int(np.abs(one).max()) * 2 * one.shape[1] < 2**63
    if adjacency is Adjacency.ADD_REMOVE:
        return one
    return np.concatenate([one[i] - one[i:] for i in range(len(one))])


def largest(apart):
    """The largest sum, sum of squares and number of changes, exactly.

    Squares are of whole numbers of any size where floats cannot tell a sum from the largest one.
    """
    about = np.square(apart.astype(float)).sum(axis=1)
    near = apart[about >= about.max() * (1 - 1e-9)].astype(object)
    squared = (near * near).sum(axis=1).max()
    return int(apart.sum(axis=1).max()), squared, (apart > 0).sum(axis=1).max()


def others(statistic, shape):
    """What other entities may add: up to six rows in the first, the middle and the last bin."""
    cells, bins, values = shape
    if statistic.kind == "top":
        counts = [(0, 0, 0)]  # a score is a total: others cancel
    else:
        counts = itertools.product((0, 1, 3, 6), (0, 2), (0, 1, 3, 6))
    for ends in counts:
        table = np.zeros((cells, bins, values), dtype=np.int64)
        for place, count in zip((0, bins // 2, bins - 1), ends, strict=True):
            table[:, place] += count
        yield table


def largest_score_move(statistic, protection, contributions):
    """Sum over the cells of the largest change of a score, the most over all neighbours."""
    most = 0
    for base in others(statistic, contributions.shape[1:]):
        scores = np.array([statistic.exact(base + each, protection)[0] for each in contributions])
        starts = scores
        if protection.adjacency is Adjacency.ADD_REMOVE:
            starts = np.array(statistic.exact(base, protection)[0])[None]
        for start in starts:
            most = max(most, int(np.abs(scores - start).max(axis=2).sum(axis=1).max()))
    return most


def check_vector(part, exact, adjacency):
    l1, squared, moved = largest(np.abs(moves(exact, adjacency)))
    assert l1 <= part.l1
    assert squared <= Fraction(part.l2) ** 2
    assert moved <= part.moved
    return l1


def named(value):
    return str(value).replace(" ", "")


AB = ("a", "b")
LAID_OUT = [(None, MOST_ROWS), (AB, 1), (AB, MOST_ROWS), (None, 1)]
"""Keys and a limit of rows."""
TRUNCATED = [
    (statistic, keys, rows)
    for statistic, (keys, rows) in some_pairs(STATISTICS, LAID_OUT)
    if statistic.kind != "top" or keys is None
]


@pytest.mark.parametrize(("statistic", "keys", "rows"), TRUNCATED, ids=named)
def test_truncated_rows_move_nothing_farther_than_claimed(statistic, keys, rows, tmp_path):
    (contributions,) = added(statistic, keys, [Protection(Adjacency.ADD_REMOVE, rows)], tmp_path)
    for adjacency in Adjacency:
        protection = Protection(adjacency, rows)
        for index, part in enumerate(statistic.parts(protection, len(keys or "1"))):
            if isinstance(part, VectorPart):
                exact = [statistic.exact(each, protection)[index] for each in contributions]
                attained, claimed = check_vector(part, exact, adjacency), part.l1
            else:
                attained = largest_score_move(statistic, protection, contributions)
                claimed = part.sensitivity
            # The claim is also no larger than it needs to be.
            assert attained == claimed


@pytest.mark.parametrize(("statistic", "keys"), some_pairs(SCALED, [None, AB]), ids=named)
def test_scaled_contributions_move_nothing_farther_than_claimed(statistic, keys, tmp_path):
    cells = len(keys or "1")
    limits = one_in(3, [*itertools.product(Adjacency, LIMITS)], SCALED.index(statistic))
    protections = [Protection(a, None, limit) for a, limit in limits]
    for protection, contributions in zip(
        protections, added(statistic, keys, protections, tmp_path), strict=True
    ):
        (part,) = statistic.parts(protection, cells)
        exact = np.array([statistic.exact(each, protection)[0] for each in contributions])
        assert check_vector(part, exact, protection.adjacency) <= part.l1
        units = Fraction(protection.max_contribution) / Fraction(part.step)
        assert np.abs(exact.astype(object)).sum(axis=1).max() <= units


TREES = {
    "one branch": ((0, 0), (0, 0, 0)),
    "uneven": ((0, 0, 0), (0, 0, 1)),
    "one child each": ((0, 0, 0, 0), (0, 1, 2)),
}
LEAVES = ("a", "b", "c")


def tree_of(parents, basis):
    labels = tuple(tuple(map(str, range(len(level)))) for level in parents)
    shape = TreeShape(parents)
    return Tree(("part", "g"), labels, tree_design(shape, (4, 1, 2), basis))


@pytest.mark.parametrize(
    ("shape", "rows"), some_pairs([*itertools.product(TREES, Basis)], [1, 3, 3, 1])
)
def test_trees_move_nothing_farther_than_claimed_and_some_pair_moves_them_so_far(
    shape, rows, tmp_path
):
    """All tables of at most three rows of one entity, in leaves, in `other` and without a value."""
    name, basis = shape
    tree = tree_of(TREES[name], basis)
    tables = small_tables([Row("e", group, 1.0) for group in (*LEAVES, "elsewhere", None)])
    number = len(tables)
    query = Query("q", tree, Grouping(("t", "g"), (tuple(range(number)), LEAVES), ((0, 1),)))
    source = neighbours.stored(tmp_path, tables)
    (totals,) = exact_totals(source, "entity", [(query, Protection(Adjacency.ADD_REMOVE, rows))])
    each = totals.reshape(number + 1, len(LEAVES) + 1)[:number]  # the last are of no table
    assert each.sum(axis=1).tolist() == [min(len(table), rows) for table in tables]
    for adjacency in Adjacency:
        protection = Protection(adjacency, rows)
        (part,) = tree.parts(protection, len(LEAVES) + 1)
        exact = [tree.exact(counts, protection)[0] for counts in each]
        l1, farthest, moved = largest(np.abs(moves(exact, adjacency)))
        assert l1 == part.l1
        assert farthest <= Fraction(part.l2) ** 2 <= farthest * (1 + Fraction(1, 10**12))
        assert moved <= part.moved


@pytest.mark.parametrize("quantile", QUANTILES)
def test_three_rows_that_pass_every_candidate_move_a_score_by_three_rows(quantile):
    """All of an entity's rows from above to below: three times the denominator, not one more."""
    statistic = Quantile("x", (0, 4), quantile=quantile, candidates=3)
    fraction = QUANTILES[quantile]
    protection = Protection(Adjacency.REPLACE_ONE, 3)
    (part,) = statistic.parts(protection, 1)
    moved = []
    for others_below in range(12):
        scores = []
        for place in (0, 4):
            totals = np.zeros((1, 5, 1), dtype=np.int64)
            totals[0, 0] += others_below
            totals[0, place] += 3
            scores.append(int(statistic.exact(totals, protection)[0][0, 1]))
        below, above = (
            -abs((1 - fraction) * (others_below + b) - fraction * a) * fraction.denominator
            for b, a in ((3, 0), (0, 3))
        )
        assert scores == [below, above]
        moved.append(abs(below - above))
    assert max(moved) <= part.sensitivity == 3 * fraction.denominator
