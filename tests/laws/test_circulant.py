"""Laws of cells on a circle: what one entity moves, by every pair of small tables; errors, by
exact algebra of another kind."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from deniable.errors import InvalidArgument
from deniable.mechanisms import CirculantDesign, DiscreteGaussian
from deniable.mechanisms.circulant import MOST_CELLS, STEPS
from deniable.notions import Adjacency
from deniable.pipeline.noise import VectorPart, claimed_loss
from deniable.pipeline.noise.sampler import repeat_draws
from deniable.publish.query import ErrorTerm, Method, half_width
from tests.cases.refusals import refuses

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE


@st.composite
def rows(draw):
    """Any whole numbers with r_h = r_{K−h}."""
    cells = draw(st.integers(2, 9))
    half = draw(st.lists(st.integers(-9, 9), min_size=cells // 2 + 1, max_size=cells // 2 + 1))
    return [half[min(h, cells - h)] for h in range(cells)]


def matrix(row):
    return [[row[(p - q) % len(row)] for q in range(len(row))] for p in range(len(row))]


def times(left, right):
    columns = list(zip(*right, strict=True))
    return [
        [sum(a * b for a, b in zip(row, column, strict=True)) for column in columns] for row in left
    ]


def inverted(rows):
    """By Gauss and Jordan, in fractions; None where there is no inverse."""
    n = len(rows)
    work = [
        [*map(Fraction, row), *(Fraction(i == j) for j in range(n))] for i, row in enumerate(rows)
    ]
    for i in range(n):
        pivot = next((k for k in range(i, n) if work[k][i]), None)
        if pivot is None:
            return None
        work[i], work[pivot] = work[pivot], work[i]
        work[i] = [each / work[i][i] for each in work[i]]
        for k in range(n):
            if k != i and (factor := work[k][i]):
                work[k] = [a - factor * b for a, b in zip(work[k], work[i], strict=True)]
    return [row[n:] for row in work]


# The numbers.


def test_the_reference_s_numbers():
    assert CirculantDesign.of_cells(3).row == (2**20, 0, 0)
    six = CirculantDesign.of_cells(6)
    assert six.row == (1048576, 106940, -10578, -37603, -10578, 106940)
    assert six.squared_sensitivity(REPLACE) == 2414811561378
    assert six.squared_sensitivity(ADD) == 1124021728753
    survival = CirculantDesign.of_cells(14)
    scale = survival.scale(0.5, REPLACE)
    deviations = [scale * math.sqrt(each) for each in survival.arc_variances(public_total=True)]
    assert [round(deviations[0], 4), round(deviations[5], 4)] == [1.6710, 2.1942]


@pytest.mark.parametrize("cells", [2, 3, 4, 5, 14, 49, 98, 194])
def test_the_numbers_are_the_definition_s_in_floats(cells):
    k = np.arange(1, cells)
    eigenvalues = (2 * np.sin(np.pi * k / cells)) ** -0.5
    eigenvalues = np.concatenate([eigenvalues[:1], eigenvalues])
    ideal = np.fft.fft(eigenvalues).real
    row = np.array(CirculantDesign.of_cells(cells).row)
    assert np.abs(row - STEPS * ideal / ideal[0]).max() < 0.5 + 1e-6


@pytest.mark.parametrize("cells", [*range(2, 30), 98, 200, 485])
def test_every_design_has_an_exact_inverse(cells):
    """By whole numbers: R q = e_0, so that no design of these sizes is singular."""
    design = CirculantDesign.of_cells(cells)
    column = design.inverse
    for shift in {0, 1, cells // 2}:
        product = sum(
            a * b for a, b in zip(np.roll(design.row, -shift).tolist(), column, strict=True)
        )
        assert product == (shift == 0)


@given(rows())
def test_an_inverse_is_that_of_elimination(row):
    expected = inverted(matrix(row))
    if expected is None:
        with refuses(InvalidArgument, "has-inverse-others"):
            _ = CirculantDesign(row).inverse
    else:
        assert list(CirculantDesign(row).inverse) == [each[0] for each in expected]


# The guarantee.


def tables(cells, entities):
    return {
        tuple(row.count(cell) for cell in range(cells))
        for row in itertools.product(range(cells), repeat=entities)
    }


@pytest.mark.parametrize("cells", [2, 3, 4, 5, 6])
def test_no_neighbours_move_farther_than_claimed_and_some_as_far(cells):
    design = CirculantDesign.of_cells(cells)
    check_moves(design)


@given(rows())
def test_the_same_of_any_whole_numbers(row):
    check_moves(CirculantDesign(row))


def check_moves(design):
    """Over every pair of neighbouring tables of up to two entities, by matrices."""
    cells = design.cells
    made = {
        table: np.array(matrix(design.row), dtype=object) @ np.array(table, dtype=object)
        for entities in range(3)
        for table in tables(cells, entities)
    }
    for table, measured in made.items():
        assert design.measure(np.array(table)).tolist() == measured.tolist()
    norms = {REPLACE: [(0, 0)], ADD: [(0, 0)]}
    for (x, here), (y, there) in itertools.combinations(made.items(), 2):
        distance = sum(abs(a - b) for a, b in zip(x, y, strict=True))
        equal = sum(x) == sum(y)
        adjacency = REPLACE if equal and distance == 2 else ADD if distance == 1 else None
        if adjacency:
            moved = [abs(a - b) for a, b in zip(here, there, strict=True)]
            norms[adjacency].append((sum(each * each for each in moved), sum(moved)))
    for adjacency, reached in norms.items():
        assert max(square for square, _ in reached) == design.squared_sensitivity(adjacency)
        assert max(total for _, total in reached) == design.l1_sensitivity(adjacency)


@given(st.integers(2, 60), st.floats(1e-9, 1e6), st.sampled_from([REPLACE, ADD]))
def test_rho_and_scale_are_rounded_outwards(cells, rho, adjacency):
    design = CirculantDesign.of_cells(cells)
    scale, moved = design.scale(rho, adjacency), design.squared_sensitivity(adjacency)
    assert Fraction(moved) / (2 * Fraction(scale) ** 2) <= Fraction(rho)
    claimed = Fraction(design.rho(scale, adjacency))
    assert moved / (2 * Fraction(scale) ** 2) <= claimed <= Fraction(rho)
    assert Fraction(design.l2_sensitivity(adjacency)) ** 2 >= moved
    part = VectorPart("m", 1.0, cells, 1, design.l2_sensitivity(adjacency), cells)
    assert claimed_loss(DiscreteGaussian(scale), part) >= claimed * (1 - Fraction(1, 2**50))


def test_measured_numbers_stay_within_62_bits():
    design, far = CirculantDesign.of_cells(4), np.array([2**62, 0, 0, 0])
    assert design.measure(far)[0] == 2**62
    assert design.measure(-far)[0] == -(2**62)


# What is rebuilt.


@given(st.integers(2, 12).flatmap(lambda k: st.lists(st.integers(0, 50), min_size=k, max_size=k)))
def test_cells_without_noise_come_back(cells):
    design = CirculantDesign.of_cells(len(cells))
    measured = design.measure(np.array(cells)).tolist()
    assert design.rebuild(measured) == cells
    assert design.rebuild(measured, sum(cells)) == cells


@pytest.mark.parametrize("row", [[4, 1, -1, 1], [5, 2, 0, 0, 2], CirculantDesign.of_cells(6).row])
def test_rebuilt_cells_are_least_squares_and_errors_their_algebra(row):
    """Against the normal equations with a multiplier, and covariances as matrix products."""
    design, n = CirculantDesign(row), len(row)
    square = matrix(row)
    measured, total = [100 * p * p - 7 * p for p in range(n)], 23
    normal = times(square, square)
    bordered = [[*each, 1] for each in normal] + [[1] * n + [0]]
    moved = [sum(a * b for a, b in zip(each, measured, strict=True)) for each in square]
    solved = times(inverted(bordered), [[each] for each in [*moved, total]])
    assert design.rebuild(measured, total) == [each[0] for each in solved[:n]]
    free = inverted(square)
    assert design.rebuild(measured) == [
        sum(a * b for a, b in zip(each, measured, strict=True)) for each in free
    ]
    mean = [[Fraction(i == j) - Fraction(1, n) for j in range(n)] for i in range(n)]
    for public, weights in ((False, free), (True, times(mean, free))):
        covariance = times(weights, list(zip(*weights, strict=True)))
        assert list(design.covariance(public_total=public)) == covariance[0]
        arcs = design.arc_variances(public_total=public)
        for length in range(1, n + 1):
            arc = range(1, 1 + length)  # over the end of the list too
            exact = sum(covariance[i % n][j % n] for i in arc for j in arc)
            assert exact <= arcs[length - 1] <= exact + Fraction(1, 2**150)


@pytest.mark.parametrize("public", [True, False])
def test_half_widths_of_arcs_cover_and_are_hardly_wider_than_those_of_normal_noise(public):
    design = CirculantDesign.of_cells(14)
    scale = design.scale(0.5, REPLACE)
    widths = design.half_widths(scale, public_total=public)
    variances = design.arc_variances(public_total=public)
    for length, (width, variance) in enumerate(zip(widths, variances, strict=True), 1):
        assert width == design.half_width(scale, length, public_total=public)
        assert 1.95996 * scale * math.sqrt(variance) <= width
        assert width <= 1.9601 * scale * math.sqrt(variance)
    # The general proof, from each number's own weight, gives as much.
    column = design.inverse if not public else None
    if column is not None:
        terms = [ErrorTerm(abs(each), 1, DiscreteGaussian(scale)) for each in column]
        general = half_width(terms)
        assert general.method is Method.SMOOTHED
        assert general.value == pytest.approx(widths[0], rel=1e-5)
    assert (widths[-1] == 0) == public


def test_drawn_arcs_stay_within_their_half_widths():
    """95 % do, except for a false alarm of 1e-9; a width a quarter too small is found out."""
    design, cells, draws = CirculantDesign.of_cells(14), np.arange(14), 1_200
    scale = design.scale(0.5, REPLACE)
    width = design.half_width(scale, 5, public_total=True)
    part = VectorPart("m", 1.0, 14, 1, design.l2_sensitivity(REPLACE), 14)
    noisy = repeat_draws(DiscreteGaussian(scale), part, design.measure(cells), draws)
    total, arc = int(cells.sum()), int(cells[3:8].sum())
    errors = [abs(sum(design.rebuild(each, total)[3:8]) - arc) for each in noisy.tolist()]
    least, most = binom.ppf(5e-10, draws, 0.05), binom.isf(5e-10, draws, 0.05)
    narrower = math.erfc(0.75 * 1.95996 / math.sqrt(2))
    assert binom.cdf(most, draws, narrower) < 1e-3
    assert least <= sum(each > width for each in errors) <= most


# Refusals.


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([1, 2, 3], "with-r-h-r-k-h"),
        ([2**21, 0], "with-r-h-r-k-h"),
        ([1], "2-to-cells-take-fewer: 500"),
        ([1] * (MOST_CELLS + 1), "2-to-cells-take-fewer"),
    ],
)
def test_wrong_numbers_are_refused(row, message):
    with refuses(InvalidArgument, message):
        CirculantDesign(row)


def test_more_cells_than_can_be_inverted_are_refused():
    with refuses(InvalidArgument, "take-fewer-bins-or-groups"):
        CirculantDesign.of_cells(MOST_CELLS + 1)


def test_wrong_lengths_are_refused():
    design = CirculantDesign.of_cells(4)
    with refuses(InvalidArgument, "counts-in-mechanisms: 4"):
        design.measure(np.zeros(3, np.int64))
    with refuses(InvalidArgument, "numbers-in-mechanisms: 4"):
        design.rebuild([1, 2, 3])
    with refuses(InvalidArgument, "arc-of-1: 4"):
        design.half_width(1.0, 5, public_total=True)
