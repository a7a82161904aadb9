"""Records of few types: every interval holds the truth, by enumeration and by other engines."""

import math

import numpy as np
import pytest

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from deniable.population import integer_sums, real_sums, type_sums
from deniable.population.question import Ones, Question, Summands, Types
from deniable.population.type_sums.noise import ColumnNoise
from deniable.population.type_sums.search import NoisySum, upper_bounds
from tests.cases.effort import one_in
from tests.oracles import population as oracle
from tests.oracles import types as listing

CELLS = np.eye(3)
SAMPLES = [([2, 3, 4], 4), ([3, 3, 3], 6)]
QUICK = Effort(gap=0.2, time_limit=60.0, confidence=0.999)
CERTAIN = Effort(gap=1e9)
CUT = 1e-6  # what the listed laws leave out


def found(rows, counts, size, noise, delta, effort=QUICK, records="all"):
    return type_sums.bracket(Question(Types(rows, counts), size, delta, records), noise, effort)


def holds(bounds, truths, width):
    assert np.all(bounds.lower <= np.array(truths) + CUT)
    assert np.all(np.array(truths) <= bounds.upper + CUT)
    assert np.all(bounds.upper - bounds.lower <= width * np.maximum(truths, 0.05))


@pytest.mark.parametrize(("counts", "size"), SAMPLES)
@pytest.mark.parametrize("noise", [DiscreteLaplace(0.8), DiscreteGaussian(0.9)])
def test_whole_noise_on_a_histogram_by_enumeration(counts, size, noise):
    truths = [
        listing.whole_epsilon(CELLS, counts, size, noise.log_pmf, 0.05, kind, 20)
        for kind in range(3)
    ]
    bounds = found(CELLS, counts, size, noise, 0.05, Effort(gap=1e-3))
    assert bounds.evidence is Evidence.ENCLOSURE
    holds(bounds, truths, 0.003)
    # The same by draws, from the other side.
    tables = NoisySum(np.array(counts), CELLS, size, ColumnNoise.of(noise, 3), 0.05)
    drawn = upper_bounds(tables, np.arange(3), bounds.lower, bounds.upper, QUICK)
    assert np.all(drawn.upper >= bounds.lower)
    assert np.all(drawn.upper <= bounds.upper * 1.25)


def test_whole_noise_on_two_tables_of_the_same_people():
    rows, counts = [[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0]], [3, 2, 2, 1]
    noise = DiscreteGaussian(0.9)
    truths = [
        listing.whole_epsilon(rows, counts, 4, noise.log_pmf, 0.05, kind, 9) for kind in range(4)
    ]
    holds(found(rows, counts, 4, noise, 0.05), truths, 0.01)


@pytest.mark.parametrize(("counts", "size"), [*SAMPLES, ([1, 2, 5], 2)])
def test_normal_noise_in_two_columns_by_integration(counts, size):
    rows, sigma, delta = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 2.0]]), 0.8, 0.02
    records = listing.listed(rows, counts)
    first = np.cumsum([0, *counts[:-1]])
    truths = [
        oracle.gaussian_epsilon(records, size, sigma, delta, record, step=sigma / 12)
        for record in first
    ]
    # One record alone, far from two others: the best attack is not linear.
    holds(found(rows, counts, size, Gaussian(sigma), delta), truths, 0.6 if 1 in counts else 0.3)


@pytest.mark.parametrize(("counts", "size"), SAMPLES)
def test_pure_laplace_on_a_histogram_is_exact(counts, size):
    noise = DiscreteLaplace(1.25)
    truths = [
        listing.whole_epsilon(CELLS, counts, size, noise.log_pmf, 0.0, kind, 14)
        for kind in range(3)
    ]
    bounds = found(CELLS, counts, size, noise, 0.0)
    np.testing.assert_allclose(bounds.lower, truths, rtol=1e-9)
    np.testing.assert_allclose(bounds.upper, truths, rtol=1e-9)
    assert np.all(bounds.lower <= np.array(truths) * (1 + 1e-14))


def test_one_column_agrees_with_the_exact_engines():
    rows, counts, size, delta = [[0.0], [1.0], [3.0]], [40, 30, 10], 30, 1e-4
    column = Summands(np.repeat(np.ravel(rows), counts))
    first = Question(column, size, delta, [0, 40, 70])
    exact = real_sums.bracket(first, Gaussian(4.0), Effort())
    bounds = found(rows, counts, size, Gaussian(4.0), delta)
    holds(bounds, (exact.lower + exact.upper) / 2, 0.2)
    whole = integer_sums.bracket(first, DiscreteGaussian(4.0), Effort())
    bounds = found(rows, counts, size, DiscreteGaussian(4.0), delta)
    holds(bounds, (whole.lower + whole.upper) / 2, 0.2)


def test_a_count_of_ones_at_any_size():
    many, ones, size, noise = 10**7, 2_500_000, 4_000_000, DiscreteLaplace(3.0)
    exact = integer_sums.bracket(Question(Ones(ones, many), size, 1e-6, "all"), noise, Effort())
    bounds = found([[1], [0]], [ones, many - ones], size, noise, 1e-6)
    assert bounds.evidence is Evidence.ENCLOSURE
    assert np.all(bounds.lower <= exact.upper)
    assert np.all(exact.lower <= bounds.upper)
    assert np.all(bounds.upper <= bounds.lower * 1.02)


@pytest.mark.parametrize("kinds", one_in(3, range(2, 9)))
def test_ten_million_records_are_enclosed_without_draws(kinds):
    counts = np.full(kinds, 10**7 // kinds)
    size = int(counts.sum()) // 2
    bounds = found(np.eye(kinds), counts, size, Gaussian(5.0), 1e-5, records="worst")
    assert bounds.evidence is Evidence.ENCLOSURE
    assert bounds.maximum().upper <= bounds.maximum().lower * 1.02
    # Close to a normal law: the estimate is within a percent.
    assert bounds.estimate == pytest.approx(bounds.maximum().lower, rel=0.02)


def test_the_same_release_written_otherwise():
    rows, counts, size = np.eye(4), np.array([20, 30, 40, 10]), 50
    plain = found(rows, counts, size, Gaussian(3.0), 1e-3, CERTAIN)
    # In another order, halved into equal rows, moved, on another scale, and one record a row.
    order = [2, 0, 3, 1]
    others = [
        found(rows[order], counts[order], size, Gaussian(3.0), 1e-3, CERTAIN).lower[[1, 3, 0, 2]],
        found(rows + 7.0, counts, size, Gaussian(3.0), 1e-3, CERTAIN).lower,
        found(rows * 0.25, counts, size, Gaussian(0.75), 1e-3, CERTAIN).lower,
        found(rows, counts, 100 - size, Gaussian(3.0), 1e-3, CERTAIN).lower,
        found(np.repeat(rows, 2, axis=0), np.repeat(counts // 2, 2), size, Gaussian(3.0), 1e-3,
              CERTAIN).lower[::2],
    ]  # fmt: skip
    for other in others:
        np.testing.assert_allclose(other, plain.lower, rtol=1e-6)
    listed = Question(Summands(listing.listed(rows, counts)), size, 1e-3, [0, 20, 50, 90])
    np.testing.assert_allclose(
        type_sums.bracket(listed, Gaussian(3.0), CERTAIN).lower, plain.lower, rtol=1e-6
    )


def test_upper_limits_fail_no_oftener_than_they_may():
    """At confidence 1/2 a limit may lie below the truth for one seed in two; 20 seeds."""
    rows, counts, size, delta = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 2.0]]), [2, 3, 4], 4, 0.05
    truth = oracle.gaussian_epsilon(listing.listed(rows, counts), size, 0.8, delta, 5, 0.1)
    below = 0
    for seed in range(20):
        effort = Effort(gap=0.2, confidence=0.5, seed=seed)
        below += bool(found(rows, counts, size, Gaussian(0.8), delta, effort, [2]).upper < truth)
    # Pr[Bin(20, 1/2) = 20] < 1e-6.
    assert below <= 19


def test_a_late_answer_is_wide_and_true():
    late = Effort(gap=1e-6, time_limit=1e-9)
    bounds = found(CELLS, [2, 3, 4], 4, Gaussian(1.7), 0.02, late)
    assert np.all(bounds.lower >= 0)
    assert np.all(bounds.upper == math.inf)


def test_every_column_has_noise_of_its_own():
    rows, counts = [[1, 0, 1], [1, 0, 0], [0, 1, 1]], [3, 3, 2]
    scales = [0.8, 1.2, 0.9]
    noise = ColumnNoise(DiscreteGaussian, scales)

    def log_pmf(columns):
        return [DiscreteGaussian(scale).log_pmf for scale in columns]

    truths = [
        listing.whole_epsilon(rows, counts, 4, log_pmf(scales), 0.05, kind, 11) for kind in range(3)
    ]
    holds(found(rows, counts, 4, noise, 0.05), truths, 0.01)
    # Normal noise: the same as columns in units of their noise.
    units = np.array(rows) / scales
    own = found(rows, counts, 4, ColumnNoise(Gaussian, scales), 0.05, CERTAIN)
    same = found(units, counts, 4, Gaussian(1.0), 0.05, CERTAIN)
    np.testing.assert_allclose(own.lower, same.lower, rtol=1e-9)
