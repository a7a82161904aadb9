import itertools
from fractions import Fraction

import numpy as np
import pytest

from deniable.crosstabs.margins import (
    Basis,
    TreeDesign,
    TreeShape,
    close_downwards,
    measure_tree,
    rebuild_tree,
    residual_design,
    tree_design,
    tree_error_terms,
    tree_half_widths,
    tree_sensitivity,
    weigh,
    whole_tree,
)
from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.notions import Adjacency
from deniable.publish.query import Method
from tests.cases.effort import usual
from tests.cases.refusals import refuses
from tests.oracles import margins as dense
from tests.oracles import trees as slow

SHAPES = {
    "one level": ((0, 0, 0),),
    "binary": ((0, 0), (0, 0, 1, 1)),
    "with other": ((0, 0, 0), (0, 0, 1)),
    "one branch": ((0, 0), (0,), (0, 0, 0)),
    "a chain first": ((0,), (0, 0), (0, 0, 1)),
    "deep": ((0, 0, 0), (0, 1, 1), (0, 0, 1, 2)),
}
CASES = list(itertools.product(SHAPES, Basis))


def awkward(name, basis, *, public=False):
    """A design with multipliers that nothing would choose."""
    shape = TreeShape(SHAPES[name])
    multipliers = [(3 + 7 * place % 11) * (k > 1) for place, (*_, k) in enumerate(shape.families())]
    return TreeDesign(shape, 0 if public else 5, tuple(multipliers), basis)


def matrix_of(design):
    residuals = design.basis is Basis.RESIDUALS
    return slow.measurement_matrix(
        design.shape.parents, design.root, design.multipliers, residuals=residuals
    )


@pytest.mark.parametrize(("name", "basis"), CASES)
def test_what_is_measured_is_what_the_definition_says(name, basis):
    design = awkward(name, basis)
    counts = np.random.default_rng(3).integers(0, 50, len(design.shape.leaves))
    expected = dense.apply(matrix_of(design), counts.tolist())
    assert measure_tree(design, counts).tolist() == expected
    assert len(expected) == design.coordinates


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize(("name", "basis"), CASES)
def test_no_pair_of_neighbours_moves_the_vector_farther_and_one_moves_it_so_far(name, basis, rows):
    """All pairs of small tables of one entity, of up to so many rows and of exactly so many."""
    for design in (awkward(name, basis), awkward(name, basis, public=True)):
        matrix, leaves = np.array(matrix_of(design)), len(design.shape.leaves)
        for adjacency, fixed in itertools.product(Adjacency, (False, True)):
            exchanged = adjacency is Adjacency.REPLACE_ONE
            if design.has_public_total and not (exchanged and fixed):
                continue
            has_none = not (exchanged and fixed)
            tables = list(slow.tables_of_one_entity(leaves, rows, fixed=not has_none))
            images = np.array(tables) @ matrix.T
            pairs = images[:, None] - images[None] if exchanged else images[None]
            moved = np.abs(pairs)
            claimed = tree_sensitivity(design, adjacency, rows=rows, has_fixed_rows=fixed)
            assert (moved * moved).sum(axis=-1).max() == claimed.squared_l2
            assert moved.sum(axis=-1).max() == claimed.l1


@pytest.mark.parametrize("levels", [1, 2, 3, 4])
def test_counts_of_h_levels_move_as_the_formula_says(levels):
    """2hr² in place of another, (h + 1)r² added, with the root: reference anchors of trees."""
    parents = [[place // 2 for place in range(2**level)] for level in range(1, levels + 1)]
    shape = TreeShape(tuple(map(tuple, parents)))
    design = TreeDesign(shape, 1, (1,) * len(list(shape.families())), Basis.COUNTS)
    for rows in (1, 3):
        added = tree_sensitivity(design, Adjacency.ADD_REMOVE, rows=rows)
        replaced = tree_sensitivity(design, Adjacency.REPLACE_ONE, rows=rows)
        assert added.squared_l2 == (levels + 1) * rows**2
        assert replaced.squared_l2 == max(2 * levels, levels + 1) * rows**2


def test_a_public_total_that_neighbours_may_differ_in_is_refused():
    design = awkward("binary", Basis.RESIDUALS, public=True)
    with refuses(InvalidArgument, "measured-total"):
        tree_sensitivity(design, Adjacency.ADD_REMOVE)
    with refuses(InvalidArgument, "public-total-exactly"):
        rebuild_tree(design, np.zeros(design.coordinates, np.int64))
    with refuses(InvalidArgument, "whole-numbers: 6"):
        rebuild_tree(design, np.zeros(3, np.int64), public_total=3)


# --- What is rebuilt.


def fractions(levels):
    return [Fraction(node.numerator, node.denominator) for level in levels for node in level]


@pytest.mark.parametrize("name", SHAPES)
def test_nodes_are_least_squares_of_the_noisy_residuals(name):
    """In fractions, digit for digit; and their variances are those of least squares."""
    design = awkward(name, Basis.RESIDUALS)
    noisy = np.random.default_rng(5).integers(-1000, 1000, design.coordinates)
    least = dense.least_squares_map(matrix_of(design), slow.node_matrix(design.shape.parents))
    nodes = rebuild_tree(design, noisy)
    assert fractions(nodes) == dense.apply(least, noisy.tolist())
    terms = [each for level in tree_error_terms(design) for each in level]
    for row, own in zip(least, terms, strict=True):
        sizes = [abs(entry) for entry in row if entry]
        assert own == {size: sizes.count(size) for size in sizes}
    assert [node.value for level in nodes for node in level] == list(map(float, fractions(nodes)))


@pytest.mark.parametrize(("name", "basis"), CASES)
def test_every_node_is_the_sum_of_its_children_exactly(name, basis):
    for public in (False, True):
        design = awkward(name, basis, public=public)
        noisy = np.random.default_rng(7).integers(-(10**12), 10**12, design.coordinates)
        nodes = rebuild_tree(design, noisy, public_total=1234 if public else None)
        whole = whole_tree(design.shape, nodes)
        for level, place, start, number in design.shape.families():
            children = slice(start, start + number)
            parent = nodes[level][place]
            below = fractions([nodes[level + 1][children]])
            assert sum(below) == Fraction(parent.numerator, parent.denominator)
            assert sum(whole[level + 1][children]) == whole[level][place]
        assert min(min(level) for level in whole) >= 0
        if public:
            assert whole[0] == [1234]


@pytest.mark.parametrize(("name", "basis"), CASES)
def test_without_noise_the_counts_come_back(name, basis):
    design = awkward(name, basis)
    counts = np.random.default_rng(9).integers(0, 10**6, len(design.shape.leaves))
    expected = dense.apply(slow.node_matrix(design.shape.parents), counts.tolist())
    nodes = rebuild_tree(design, measure_tree(design, counts))
    assert fractions(nodes) == expected
    assert [number for level in whole_tree(design.shape, nodes) for number in level] == expected


@pytest.mark.parametrize("name", SHAPES)
def test_errors_of_counts_are_those_of_what_is_computed(name):
    """For Laplace noise: each node is linear in the vector, with these sizes."""
    design = awkward(name, Basis.COUNTS)
    unit = [
        np.eye(design.coordinates, dtype=np.int64)[place] for place in range(design.coordinates)
    ]
    columns = [fractions(rebuild_tree(design, each)) for each in unit]
    terms = [each for level in tree_error_terms(design) for each in level]
    for own, row in zip(terms, zip(*columns, strict=True), strict=True):
        sizes = [abs(entry) for entry in row if entry]
        assert own == {size: sizes.count(size) for size in sizes}


HAY = ((0, 0), (0, 0, 1, 1))


def test_counts_give_away_some_of_what_least_squares_would_use():
    """Hay's example: 10; 6, 3; 4, 1, 2, 2 of equal variance, by dense least squares."""
    matrix = slow.measurement_matrix(HAY, 1, (1, 1, 1), residuals=False)
    least = dense.least_squares_map(matrix, slow.node_matrix(HAY))
    numbers = [(67, 7), (125, 21), (76, 21), (94, 21), (31, 21), (38, 21), (38, 21)]
    assert dense.apply(least, [10, 6, 3, 4, 1, 2, 2]) == [Fraction(*each) for each in numbers]
    best = [sum(entry**2 for entry in row) for row in least]
    assert (best[0], best[-1]) == (Fraction(4, 7), Fraction(13, 21))
    terms = tree_error_terms(TreeDesign(TreeShape(HAY), 1, (1, 1, 1), Basis.COUNTS))
    own = [sum(c * c * n for c, n in each.items()) for level in terms for each in level]
    assert own == [1, *[Fraction(3, 4)] * 2, *[Fraction(11, 16)] * 4]
    assert all(a >= b for a, b in zip(own, best, strict=True))


def test_a_table_of_counts_beyond_62_bits_moves_no_farther():
    design = tree_design(TreeShape(HAY), (1, 1, 1))
    large = np.array([2**62, 2**62, 0, 0])
    vector = measure_tree(design, large)
    assert np.abs(vector).max() == 2**62
    moved = (vector.astype(object) - measure_tree(design, large - [1, 0, 0, 0])).tolist()
    claimed = tree_sensitivity(design, Adjacency.ADD_REMOVE).squared_l2
    assert sum(each * each for each in moved) <= claimed


# --- How noise is split.


def total(design, importance, norm):
    """Σ importance · variance at equal budget: noise grows with the sensitivity."""
    moves = tree_sensitivity(design, Adjacency.ADD_REMOVE)
    scale = moves.squared_l2 if norm == "l2" else moves.l1**2
    return float(scale) * sum(
        weight * float(sum(c * c * n for c, n in each.items()))
        for weight, level in zip(importance, tree_error_terms(design), strict=True)
        for each in level
    )


@pytest.mark.parametrize(("name", "basis"), CASES)
def test_no_other_multipliers_have_less_total_variance(name, basis):
    """Random ones for each shape, near and far: none gains more than rounding costs."""
    shape, rng = TreeShape(SHAPES[name]), np.random.default_rng(11)
    importance = [1.0, *rng.uniform(0.2, 5, len(shape.parents)).tolist()]
    norm = "l2" if basis is Basis.RESIDUALS else "l1"
    best = tree_design(shape, importance, basis)
    least = total(best, importance, norm)
    for spread in (0.03, 0.3, 1.0):
        for _ in range(usual(60, 330)):
            factors = np.exp(rng.normal(0, spread, 1 + len(best.multipliers)))
            root, *others = (
                max(int(4096 * factor * m), m > 0)
                for factor, m in zip(factors, (best.root, *best.multipliers), strict=True)
            )
            other = TreeDesign(shape, root, tuple(others), basis)
            assert total(other, importance, norm) >= 0.997 * least


def test_a_tree_of_one_level_is_a_crosstab_of_one_column():
    margins = close_downwards((3,), [(0,)])
    crosstab = residual_design(margins, weigh(margins))
    tree = tree_design(TreeShape(SHAPES["one level"]), (1, 1))
    ratio = tree.root / tree.multipliers[0]
    assert ratio == pytest.approx(crosstab.multipliers[0] / crosstab.multipliers[1], rel=0.01)


def test_leaves_cost_alike_whatever_is_above_them():
    """But for a leaf beside nodes with children: their family is measured for its sake, too."""
    design = tree_design(TreeShape(((0, 0, 0), (0,) * 9 + (1, 1), tuple(range(11)))), (1, 1, 1, 1))
    matrix = np.array(matrix_of(design))
    costs = (matrix * matrix).sum(axis=0)[:-1]
    assert costs.max() <= 1.01 * costs.min()


def test_multipliers_of_large_families_are_fine_enough_and_fit_62_bits():
    shape = TreeShape(((0,) * 5000, (0, 0) * 1 + tuple(range(1, 5000))))
    design = tree_design(shape, (1, 1, 1))
    families = [(k, m) for (*_, k), m in zip(shape.families(), design.multipliers, strict=True)]
    assert min(m for k, m in families if k > 1) >= 64
    assert max(k * m for k, m in families) * 2**32 <= 2**62


@pytest.mark.parametrize("public", [False, True])
@pytest.mark.parametrize(("name", "basis"), CASES)
def test_the_least_important_family_is_measured_still(name, basis, public):
    """At the ends of the range, of which more is refused: no family's numbers are missing."""
    shape = TreeShape(SHAPES[name])
    levels = len(shape.parents) + 1
    for place, (much, little) in itertools.product(
        range(levels), [(1e300, 1e283), (1e-300, 1e-290)]
    ):
        importance = [little] * levels
        importance[place] = much
        design = tree_design(shape, importance, basis, public_total=public)
        kinds = zip(shape.families(), design.multipliers, strict=True)
        assert all((m > 0) == (k > 1) for (*_, k), m in kinds)
        assert (design.root == 0) == public
        nodes = rebuild_tree(
            design, np.ones(design.coordinates, np.int64), public_total=5 if public else None
        )
        assert [len(level) for level in nodes] == [1, *map(len, shape.parents)]


@pytest.mark.parametrize(
    ("importance", "said"),
    [
        ((1, 1), "importance-for-each"),
        ((1, 0, 1), "not-above-0: importance"),
        ((1, 1e-20, 1), "within-factor"),
    ],
)
def test_a_wrong_importance_is_refused(importance, said):
    with refuses(InvalidArgument, said):
        tree_design(TreeShape(HAY), importance)


@pytest.mark.parametrize("parents", [(), ((),), ((0, 0), (1, 0)), ((0, 0), (0, 2)), ((1,),)])
def test_a_shape_that_is_no_tree_is_refused(parents):
    with refuses(InvalidArgument, "expects-something"):
        TreeShape(parents)


# --- Error bars.


@pytest.mark.parametrize("basis", Basis)
def test_half_widths_cover_95_of_100_releases(basis):
    """Each node in 4,000 releases; six deviations of slack: passed once in 10^9 runs a node."""
    shape, runs = TreeShape(SHAPES["deep"]), 4000
    design = tree_design(shape, (1,) * 4, basis)
    rng, scale = np.random.default_rng(13), 4000.0
    if basis is Basis.RESIDUALS:
        noise, draws = (
            DiscreteGaussian(scale),
            np.rint(rng.normal(0, scale, (runs, design.coordinates))),
        )
    else:
        noise, draws = (
            DiscreteLaplace(scale),
            np.rint(rng.laplace(0, scale, (runs, design.coordinates))),
        )
    widths = np.array([width.value for level in tree_half_widths(design, noise) for width in level])
    unit = np.eye(design.coordinates, dtype=np.int64) * 10**6
    linear = np.array(
        [[node.value for level in rebuild_tree(design, row) for node in level] for row in unit]
    )
    covered = (np.abs(draws @ linear / 10**6) <= widths).mean(axis=0)
    slack = 6 * (0.95 * 0.05 / runs) ** 0.5
    assert covered.min() >= 0.95 - slack
    assert covered.max() <= 0.955 + slack


def test_many_laws_of_laplace_noise_are_bounded_without_inversion(monkeypatch):
    design = tree_design(TreeShape(SHAPES["deep"]), (1,) * 4, Basis.COUNTS)
    exact = tree_half_widths(design, DiscreteLaplace(3000.0))
    monkeypatch.setattr("deniable.crosstabs.margins.tree.MOST_LAWS", 1)
    bounded = tree_half_widths(design, DiscreteLaplace(3000.0))
    for one, other in zip(exact, bounded, strict=True):
        assert all(a.value <= b.value for a, b in zip(one, other, strict=True))
        assert all(each.method is Method.CHERNOFF for each in other)
