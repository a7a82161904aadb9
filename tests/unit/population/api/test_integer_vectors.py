"""Joint population ε of whole vectors, beside brute force over all samples."""

import itertools
import math

import attrs
import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort, counted
from deniable.population.api import IntegerVectors, bound_vectors, estimate_scale
from tests.cases.effort import usual
from tests.cases.refusals import refuses

QUICK = Effort(time_limit=5.0)
LONG = attrs.evolve(QUICK, time_limit=30.0)
SIX = [[0, 0], [1, 0], [0, 2], [1, 1], [3, 0], [0, 1]]
LOG_NOISE = {
    DiscreteLaplace: lambda k, s: -np.abs(k) / s,
    DiscreteGaussian: lambda k, s: -((k / s) ** 2) / 2,
}


def laws(values, size, record, noise, scales, reach):
    """Both laws of the noisy sum on the grid of whole outputs, by adding up all samples."""
    grid = np.arange(-reach, reach + 1)
    axes = [LOG_NOISE[noise](grid, scale) for scale in scales]
    norms = [np.exp(axis).sum() for axis in axes]
    shape = (len(grid),) * len(scales)
    both = {True: np.zeros(shape), False: np.zeros(shape)}
    many = {True: 0, False: 0}
    for chosen in itertools.combinations(range(len(values)), size):
        middle = np.asarray(values)[list(chosen)].sum(axis=0)
        density = np.ones(())
        for at, scale, norm in zip(middle, scales, norms, strict=True):
            factor = np.exp(LOG_NOISE[noise](grid - at, scale)) / norm
            density = np.multiply.outer(density, factor)
        both[record in chosen] += density
        many[record in chosen] += 1
    return both[True] / many[True], both[False] / many[False]


def one_of_each(values):
    """Places of records; of those that are alike, which have the same laws, of one."""
    return {tuple(value): place for place, value in enumerate(values)}.values()


def largest_ratio(values, size, scales, reach):
    found = [laws(values, size, x, DiscreteLaplace, scales, reach) for x in one_of_each(values)]
    return max(float(np.abs(np.log(p / q)).max()) for p, q in found)


def delta_at(values, size, noise, scales, reach, epsilon):
    found = [laws(values, size, x, noise, scales, reach) for x in one_of_each(values)]
    pairs = [pair for p, q in found for pair in ((p, q), (q, p))]
    return max(float(np.maximum(p - math.exp(epsilon) * q, 0).sum()) for p, q in pairs)


def alone(values, size):
    """Each vector as a type of its own."""
    return IntegerVectors(values, np.ones(len(values)), size)


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_two_columns_of_laplace_noise_are_bounded_and_better_than_exchanges(size):
    scales = np.array([2.0, 3.0])
    truth = largest_ratio(SIX, size, scales, 40)
    found = bound_vectors(alone(SIX, size), scales, DiscreteLaplace, 0.0, 1.0, QUICK)
    worst = max(
        abs(a - c) / 2 + abs(b - d) / 3 for (a, b), (c, d) in itertools.combinations(SIX, 2)
    )
    assert truth <= found.bound.upper <= worst * (1 + 1e-9)
    assert found.bound.evidence is Evidence.ENCLOSURE


@pytest.mark.parametrize("values", [[0, 0, 1, 1, 1, 0], [5, 5, 4, 4, 4, 4], [0, 2, 7, 3, 3, 1]])
def test_one_column_is_enclosed(values):
    column = [[value] for value in values]
    truth = largest_ratio(column, 3, [1.5], 60)
    found = bound_vectors(alone(column, 3), np.array([1.5]), DiscreteLaplace, 0.0, 9.0, QUICK)
    assert found.bound.lower <= truth * (1 + 1e-9)
    assert truth <= found.bound.upper * (1 + 1e-9) <= truth * (1 + 1e-6)


def test_columns_in_which_all_members_agree_tell_nothing():
    values = [[7, 1, 0], [7, 1, 1], [7, 1, 1]]
    scales = np.array([0.001, 0.001, 2.0])
    found = bound_vectors(alone(values, 1), scales, DiscreteLaplace, 0.0, 1.0, QUICK)
    alike = bound_vectors(
        alone([[0], [1], [1]], 1), np.array([2.0]), DiscreteLaplace, 0.0, 1.0, QUICK
    )
    assert found == alike
    same = bound_vectors(alone([[3, 4]] * 4, 2), scales[:2], DiscreteGaussian, 1e-9, 1.0, QUICK)
    assert (same.bound.upper, same.method) == (0.0, "constant")


FINE = [[v * 40_000 + k] for k, v in enumerate([0, 1, 5, 2, 3, 9, 4, 4])]


@pytest.mark.parametrize("noise", [DiscreteLaplace, DiscreteGaussian])
def test_a_fine_grid_is_looked_at_as_real_noise_and_the_bound_holds_for_whole_noise(noise):
    # 360,000 steps times four members: past the number of sums that are looked at one by one.
    values = [[40 * each for each in row] for row in FINE]
    data, scale, delta = alone(values, 4), 6e6, 1e-3
    found = bound_vectors(data, np.array([scale]), noise, delta, 9.0, QUICK)
    assert found.method == "fourier"
    # A hundred-thousandth of the grid has the same laws but for rounding.
    coarse = [[each / 1e5 for each in row] for row in values]
    exact = delta_at(coarse, 4, noise, [scale / 1e5], 1500, found.bound.upper)
    assert exact <= delta * (1 + 1e-3)
    assert delta_at(coarse, 4, noise, [scale / 1e5], 1500, found.bound.upper * 0.98) > delta * 0.9


def test_pure_noise_on_a_fine_grid_keeps_the_largest_ratio():
    values = [[40 * each + k for each in row] for k, row in enumerate(FINE)]
    found = bound_vectors(alone(values, 4), np.array([6e6]), DiscreteLaplace, 0.0, 9.0, QUICK)
    truth = largest_ratio([[each / 1e5 for each in row] for row in values], 4, [60.0], 1500)
    assert found.method == "fourier"
    assert truth * (1 - 1e-6) <= found.bound.upper <= truth * 1.15


@pytest.mark.parametrize("noise", [DiscreteLaplace, DiscreteGaussian])
@pytest.mark.parametrize("scale", [4.0, 6.5])
def test_what_is_lost_between_whole_and_real_noise_is_no_more_than_stated(noise, scale):
    values, epsilon = [[0], [1], [4], [9]], 0.3
    whole = delta_at(values, 2, noise, [scale], 400, epsilon)
    # Real noise: the same sums on a grid 64 times finer.
    finer = delta_at([[64 * v] for (v,) in values], 2, noise, [64 * scale], 64 * 400, epsilon)
    constant = 0.121 if noise is DiscreteGaussian else 0.25
    assert whole <= finer + (1 + math.exp(epsilon)) * constant / scale**2


def test_several_columns_of_gaussian_noise_are_certified_with_the_error_of_the_draws():
    rng = np.random.default_rng(5)
    values = np.rint(rng.normal(size=(40, 3)) * 2**20).astype(int)
    scales = np.full(3, 2.0**20 * 8)
    found = bound_vectors(alone(values, 20), scales, DiscreteGaussian, 1e-2, 3.0, QUICK)
    assert found.bound.evidence is Evidence.CONFIDENCE
    assert 1 - found.bound.confidence <= found.error <= 1e-2 / 16
    assert found.bound.upper <= 3.0


def test_too_coarse_noise_and_a_missed_demand_certify_nothing():
    values = np.eye(3, dtype=int).repeat(4, axis=0)
    coarse = bound_vectors(alone(values, 6), np.full(3, 2.0), DiscreteGaussian, 1e-6, 1.0, QUICK)
    assert coarse is None or coarse.method == "types"


def test_the_hoped_for_factor_is_one_where_noise_hides_everything():
    values = alone([[0, 1], [1, 0], [2, 5], [3, 3]], 2)
    assert estimate_scale(values, np.full(2, 1e6), 1e-3, 0.5) == 1.0
    assert estimate_scale(values, np.full(2, 1.0), 1e-3, 0.5) > 1.0


@pytest.mark.parametrize("size", [0, 4, 5])
def test_a_sample_leaves_somebody_out(size):
    with refuses(InvalidArgument, "1-at-most-size-number-of-members: 4"):
        alone([[0], [1], [2], [3]], size)


CELLS = np.eye(3, dtype=int)


def test_a_histogram_of_laplace_noise_is_exact():
    data = IntegerVectors(CELLS, [3, 2, 2], 3)
    values = CELLS.repeat([3, 2, 2], axis=0)
    truth = largest_ratio(values, 3, [1.5] * 3, 14)
    found = bound_vectors(data, np.full(3, 1.5), DiscreteLaplace, 0.0, 9.0, QUICK)
    assert found.method == "types"
    assert truth * (1 - 1e-9) <= found.bound.upper <= truth * 1.01


@pytest.mark.parametrize("noise", [DiscreteLaplace, DiscreteGaussian])
def test_few_types_are_certified_with_coarse_noise(noise):
    # So coarse that real noise could not stand for it.
    data, delta = IntegerVectors(CELLS, [4, 3, 3], 5), 0.05
    brief = Effort(time_limit=usual(1.0, 2.0))
    found = bound_vectors(data, np.full(3, 2.5), noise, delta, 9.0, brief)
    values = CELLS.repeat([4, 3, 3], axis=0)
    assert found.error <= delta / 16
    assert delta_at(values, 5, noise, [2.5] * 3, 16, found.bound.upper) <= delta


def test_many_members_of_few_types_need_no_row_each():
    data = IntegerVectors(CELLS, [5_000_000, 3_000_000, 2_000_000], 5_000_000)
    found = bound_vectors(data, np.full(3, 3.0), DiscreteGaussian, 1e-6, 0.5, QUICK)
    assert found.bound.upper < 0.1
    assert estimate_scale(data, np.full(3, 3.0), 1e-6, 0.5) == 1.0


def test_every_column_keeps_its_own_scale():
    """More noise on one column hides more than the least on all, and less than the most on all."""
    data = IntegerVectors(CELLS, [60, 40, 20], 60)

    def upper(scales):
        with counted():  # as much work on any machine
            found = bound_vectors(data, np.array(scales), DiscreteGaussian, 1e-4, 9.0, LONG)
        return found.bound.upper

    assert upper([9.0, 9.0, 9.0]) < upper([3.0, 3.0, 9.0]) < upper([3.0, 3.0, 3.0])


def large(number=20_000):
    """A list of bins of ages, and incomes."""
    rng = np.random.default_rng(3)
    age, income = rng.integers(0, 3, number), rng.integers(0, 60_000, number)
    values, counts = np.unique(np.column_stack([CELLS[age], income]), axis=0, return_counts=True)
    return IntegerVectors(values, counts, number // 2)


@pytest.mark.parametrize("noise", [DiscreteLaplace, DiscreteGaussian])
def test_a_large_list_is_bounded_with_any_scales_and_coarse_noise(noise):
    # Far below the noise at which real noise may stand for whole noise at this δ.
    scales, brief = np.array([5.0, 6.0, 7.0, 250_000.0]), Effort(time_limit=usual(0.5, 5.0))
    found = bound_vectors(large(), scales, noise, 1e-6, 1.0, brief)
    assert found.method == "swaps"
    assert found.bound.evidence is Evidence.ENCLOSURE
    income = IntegerVectors(large().values[:, 3:], large().counts, 10_000)
    least = bound_vectors(income, scales[3:], noise, 1e-6, 9.0, brief).bound.lower
    assert least <= found.bound.upper < 1


def test_exchanges_of_a_large_list_are_those_of_its_extreme_members():
    """Of 300 members each is looked at, of twenty thousand corners of cells."""
    scales = np.array([5.0, 6.0, 7.0, 50_000.0])
    found = bound_vectors(large(), scales, DiscreteLaplace, 0.0, 1.0, QUICK)
    few = bound_vectors(large(300), scales, DiscreteLaplace, 0.0, 1.0, QUICK)
    assert found.method == few.method == "exchanges"
    assert found.bound.upper == pytest.approx(few.bound.upper, rel=0.05)


@pytest.mark.parametrize("noise", [DiscreteLaplace, DiscreteGaussian])
@pytest.mark.parametrize("scales", [(4.0, 4.0), (4.5, 7.0)])
def test_two_columns_lose_no_more_to_real_noise_than_the_sum_of_both(noise, scales):
    values, epsilon, finer = [[0, 3], [1, 0], [4, 1], [2, 9]], 0.3, 6
    far = 14 if noise is DiscreteLaplace else 7
    reach = int(max(scales) * far) + 12
    whole = delta_at(values, 2, noise, scales, reach, epsilon)
    # Real noise: the same sums on a grid six times finer, which itself is off by a 36th of that.
    real = delta_at(
        [[finer * v for v in row] for row in values],
        2,
        noise,
        [finer * scale for scale in scales],
        finer * reach,
        epsilon,
    )
    constant = 0.121 if noise is DiscreteGaussian else 0.25
    kappa = constant * sum(1 / scale**2 for scale in scales)
    assert whole <= real + (1 + math.exp(epsilon)) * kappa * (1 + 1 / finer**2)


@pytest.mark.parametrize("seed", range(usual(1, 2)))
def test_draws_of_two_columns_with_noise_of_two_scales_hold_for_whole_noise(seed):
    """Certified by draws of real noise; every sample and every whole output listed beside it."""
    rng = np.random.default_rng(seed)
    values, scales, delta = rng.integers(0, 40, (9, 2)).tolist(), [20.0, 30.0], 0.05
    found = bound_vectors(alone(values, 2), np.array(scales), DiscreteGaussian, delta, 3.0, QUICK)
    assert found.method in ("crowd", "pairwise")
    reach = 2 * 40 + 6 * 30
    exact = delta_at(values, 2, DiscreteGaussian, scales, reach, found.bound.upper)
    assert exact <= delta
    assert delta_at(values, 2, DiscreteGaussian, scales, reach, found.bound.upper / 4) > delta
