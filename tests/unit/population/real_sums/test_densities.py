"""From characteristic functions to densities and hockey sticks."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import binom

from deniable.numerics.effort import OutOfTime
from deniable.population.real_sums import subset_sums
from deniable.population.real_sums.problem import Kernel, TiltedKernel, standardise_population
from deniable.population.real_sums.smallest_epsilon import (
    Law,
    divergence_upper,
    fourth_derivative,
    grid_points,
    hockey_stick,
    law,
)
from deniable.population.real_sums.subset_sums import (
    chunks,
    circle_points,
    nodes,
    transforms,
    transforms_by_number,
)
from deniable.population.real_sums.tilt import exponential_tilt, piece
from tests.oracles import real_sums as brute


def test_normal_and_laplace_transforms():
    density = Kernel(0.0001, 2.0)
    for theta in (0.0, 0.3, 2.0):
        exactly = 2 * quad(lambda u, t=theta: math.cos(t * u) * math.exp(-u / 2) / 4, 0, 80)[0]
        assert math.exp(density.log_characteristic(np.array(theta))) == pytest.approx(exactly)
    assert Kernel(2.0).log_characteristic(np.array(0.5)) == pytest.approx(-0.5)


def test_moments_end_where_the_tail_is_too_heavy():
    assert Kernel(1.0, 0.5).log_moment(1.0) == pytest.approx(0.5 - math.log(0.75))
    assert Kernel(1.0, 0.5).log_moment(2.0) == math.inf
    assert Kernel(1.0, 0.5).limit(1) == 2.0
    assert Kernel(1.0).limit(-1) == math.inf


def test_what_lies_beyond_the_cutoff():
    kernel, step = Kernel(1.0), 0.1
    theta = kernel.cutoff(8.0)
    rest = np.exp(2 * kernel.log_characteristic(np.arange(math.ceil(theta / step), 900) * step))
    assert kernel.log_characteristic(np.array(theta)) == pytest.approx(-8.0)
    assert rest.sum() - rest[0] <= kernel.beyond(theta, step) <= 3 * rest.sum()


def test_small_sets_use_every_root_of_unity(small):
    assert circle_points(small, min(small.chances())) == (small.records, 0.0)


def test_large_sets_use_few_points():
    many = standardise_population(np.array([0.0, 1.0]), np.array([10**6, 10**6]), 10**6, 1.0)
    points, alias = circle_points(many, min(many.chances()))
    assert points < 16_000
    assert 0 < alias <= 1e-18 * many.records


def test_lattice_data_come_back_at_every_period():
    many = standardise_population(np.array([0.0, 1.0]), np.array([500, 500]), 500, 0.1)
    where = nodes(many, Kernel(1.0), 2000.0, min(many.chances()))
    around = where.theta / (2 * math.pi / 10)
    assert around.max() > 10
    assert np.all(np.abs(around - np.round(around)) < 0.2)


@pytest.mark.parametrize("law", ["normal", "standard_cauchy", "integers"])
def test_no_frequency_that_counts_is_left_out_of_many_values(law):
    draw = np.random.default_rng(1)
    values = {"normal": draw.normal, "standard_cauchy": draw.standard_cauchy}.get(
        law, lambda size: draw.integers(9000, size=size) + 0.0
    )(size=9000).round(9)
    distinct, counts = np.unique(values, return_counts=True)
    many = standardise_population(distinct, counts, 4500, float(np.ptp(distinct)) / 30)
    kernel, length = Kernel(1.0), 40.0
    where = nodes(many, kernel, length, many.typical_chance())
    theta = 2 * np.pi / length * np.arange(int(9 * length / 6.28))
    waves = np.exp(1j * np.multiply.outer(theta, many.values)) @ counts / 4
    exponent = np.abs(waves) - 9000 / 4 - theta**2 / 2
    counted = np.flatnonzero(exponent > math.log(many.tiny * many.typical_chance()))
    assert set(counted.tolist()) <= set(where.index.tolist())


def test_frequencies_that_are_too_many_are_not_begun():
    few = standardise_population(np.array([0.0, 1.0]), np.array([2, 2]), 2, 1e-7)
    with pytest.raises(OutOfTime):
        nodes(few, Kernel(1.0), 1e8, min(few.chances()))


def test_turns_are_exact_for_large_numbers(small):
    where = nodes(small, Kernel(1.0), 40.0, min(small.chances()))
    angles = 2 * np.pi / 7 * ((10**6 + 3) * where.places % 7)
    expected = np.exp(-1j * angles) / 7
    assert where.phase_factors(10**6 + 3) == pytest.approx(expected)
    assert 0 < where.errors < 1e-11


@pytest.mark.parametrize("tilt", [-0.9, 0.0, 0.6])
def test_kernels_bracket_the_laplace_density(tilt):
    kernel = TiltedKernel(tilt, 0.3)
    theta = np.linspace(-60, 60, 120_001)
    step = theta[1] - theta[0]
    for u in (-1.0, -0.1, 0.0, 0.2, 2.0):
        waves = np.exp(-1j * theta * u) * step / (2 * np.pi)
        low = float((kernel.lower(theta) * waves).sum().real)
        high = low + float((kernel.bump(theta) * waves).sum().real)
        assert low - 1e-9 <= np.exp(tilt * u - abs(u)) / 2 <= high + 1e-9
    envelope = np.exp(kernel.log_characteristic(np.abs(theta)))
    assert np.all(np.abs(kernel.lower(theta)) + np.abs(kernel.bump(theta)) <= envelope * (1 + 1e-9))


def test_moments_of_the_tilted_kernel():
    kernel = TiltedKernel(0.5, 0.1)
    both = 0.7
    exactly = quad(lambda u: np.exp(both * u - abs(u)) / 2, -60, 60, points=[0])[0]
    assert kernel.log_moment(0.2) >= np.log(exactly)
    assert kernel.log_moment(0.5) == np.inf
    assert (kernel.limit(1), kernel.limit(-1)) == (0.5, 1.5)


def test_odds_are_tilted_and_n_expected(small):
    tilted, log_odds = exponential_tilt(small, 0.8)
    odds = np.log(tilted.rates / (1 - tilted.rates))
    assert odds == pytest.approx(log_odds + 0.8 * small.values)
    assert tilted.total(tilted.rates) == pytest.approx(3)


@pytest.mark.parametrize("tilt", [-0.7, 0.0, 0.5])
def test_a_piece_encloses_the_densities(small, tilt):
    numbers = np.repeat(small.values, small.counts).tolist()
    found = piece(small, np.array([0, 4]), TiltedKernel(tilt, 0.05), 0.25)
    for row, record in enumerate((0, 6)):
        inside, outside = brute.subset_sums(numbers, 3, record)
        columns = np.linspace(0, found.inside[0].shape[1] - 1, 7).astype(int)
        constants = []
        for column in columns:
            t = 0.25 * (found.first + column)
            for ends, sums in ((found.inside, inside), (found.outside, outside)):
                exactly = brute.log_density(sums, t, 1.0, "laplace")
                constants.append((ends[0][row, column] - exactly, ends[1][row, column] - exactly))
        low, high = np.array(constants).T
        assert low.max() <= high.min()  # one constant fits them all
        assert np.median(high - low) < 0.1


@pytest.mark.parametrize("rows", [1, 2, 256])
@pytest.mark.parametrize("targets", [[0, 1, 2, 3, 4], [4], [1, 3]])
def test_transforms_against_listed_subsets(small, subset_transform, monkeypatch, rows, targets):
    monkeypatch.setattr(subset_sums, "ROWS", rows)
    where = nodes(small, Kernel(1.0), 40.0, min(small.chances()))
    noise = np.exp(-(where.theta**2) / 2)  # what it makes tiny is left out on purpose
    parts = chunks(small, where, np.array(targets))
    assert [list(part.targets) for part in parts] == [
        targets[i : i + rows] for i in range(0, len(targets), rows)
    ]
    for part in parts:
        inside, outside = transforms(small, where, part, small.chances())
        for row, place in enumerate(part.targets):
            for column in (0, 3, len(where.index) - 1):
                theta = where.theta[column]
                out = subset_transform(theta, place, 3)
                turned = np.exp(1j * theta * small.values[place])
                assert abs(outside[row, column] - out) * noise[column] < 1e-13
                within = subset_transform(theta, place, 2) * turned
                assert abs(inside[row, column] - within) * noise[column] < 1e-13


def test_transforms_of_every_number_against_listed_subsets(small, subset_transform):
    where = nodes(small, Kernel(1.0), 40.0, 1.0)
    noise = np.exp(-(where.theta**2) / 2)
    (part,) = chunks(small, where, np.array([0, 3]))
    numbers = np.arange(small.records)
    every = transforms_by_number(small, where, part, numbers)
    for row, place in enumerate(part.targets):
        for number in numbers.tolist():
            chance = binom.pmf(number, small.records - 1, small.rate)
            for column in (0, 3, len(where.index) - 1):
                exactly = chance * subset_transform(where.theta[column], place, number)
                assert abs(every[row, number, column] - exactly) * noise[column] < 1e-13


def test_a_factor_of_zero_does_no_harm():
    factors = np.array([[0.0], [2.0], [3.0]], np.complex128)
    found = subset_sums._all_but_one(factors, np.array([5.0 + 0j]))
    assert found.ravel().tolist() == [30.0, 0.0, 0.0]


@pytest.fixture
def where(small):
    return nodes(small, Kernel(1.0), 40.0, min(small.chances()))


@pytest.fixture
def normal(where):
    """The standard normal law's own transform."""
    return np.exp(-(where.theta**2) / 2)[np.newaxis].astype(np.complex128)


def test_the_density_and_its_slope(where, normal):
    found = law(where, normal, 800)
    t = found.spacing * np.arange(200)
    bell = np.exp(-(t**2) / 2) / math.sqrt(2 * math.pi)
    assert found.length == pytest.approx(40.0)
    assert found.values[0, :200] == pytest.approx(bell, abs=1e-13)
    assert found.slopes[0, :200] == pytest.approx(-t * bell * found.spacing / 3, abs=1e-13)
    assert found.values[0, -1] == found.values[0, 0]
    assert found.rows(slice(0, 1)).error == found.error
    assert 0 < found.error[0] < 1e-10


def test_the_fourth_derivative_is_bounded(where, normal):
    assert fourth_derivative(where, normal)[0] == pytest.approx(3 / math.sqrt(2 * math.pi))


def test_finer_grids_for_smaller_tolerances(where):
    rough, fine = (grid_points(where, 1.2, tolerance, 10**6) for tolerance in (1e-6, 1e-10))
    assert 9 <= fine / rough <= 11
    assert grid_points(where, 1e30, 1e-10, 5000) <= 6000


@pytest.fixture
def pair(small):
    """Two unit normal laws one apart, in two rows the wrong way round."""
    where = nodes(small, Kernel(1.0), 60.0, min(small.chances()))
    here = np.exp(-(where.theta**2) / 2)
    there = here * np.exp(1j * where.theta)
    return law(where, np.array([here, there]), 3000), law(where, np.array([there, here]), 3000)


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 3.0, 8.0])
def test_the_curve_of_two_normal_laws(pair, epsilon):
    exactly = ndtr(0.5 - epsilon) - math.exp(epsilon) * ndtr(-0.5 - epsilon)
    found = hockey_stick(*pair, np.full(2, math.exp(epsilon)))
    assert np.all(found.lower <= exactly)
    assert np.all(exactly <= found.upper)
    assert np.all(found.upper - found.lower < 1e-7 * math.exp(epsilon))
    mass = ndtr(-0.5 - epsilon)
    assert np.all(found.mass_lower <= mass)
    assert np.all(mass <= found.mass_upper)
    together = divergence_upper(*pair, math.exp(epsilon))
    assert 2 * exactly <= together
    assert together == pytest.approx(float(found.upper.sum()), rel=1e-9, abs=1e-12)


def test_equal_laws_diverge_by_nothing(pair):
    found = hockey_stick(pair[0], pair[0], np.ones(2))
    assert np.all(found.lower <= 0)
    assert np.all(np.abs(found.upper) < 1e-7)


@pytest.mark.parametrize("height", [0.1, 0.3, 1 / 3, 0.7])
def test_many_equal_cells_are_added_within_the_bound(height):
    """A plain running sum of 2^18 of them is off by more than is allowed for summing."""
    cells, spacing = 1 << 18, 3.0 / (1 << 18)
    flat, nothing = np.zeros((1, cells + 1)), np.zeros(1)
    p = Law(spacing, flat + height, flat, nothing, nothing)
    q = Law(spacing, flat, flat, nothing, nothing)
    found = hockey_stick(p, q, np.ones(1))
    exactly = Fraction(height) * Fraction(spacing) * cells
    assert Fraction(found.lower[0]) <= exactly <= Fraction(found.upper[0])
    assert exactly <= Fraction(divergence_upper(p, q, 1.0))
