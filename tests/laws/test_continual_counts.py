"""Laws of running totals: what one person moves, by enumeration; errors, by exact algebra."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian
from deniable.mechanisms.continual_counts import (
    MOST_L1,
    MOST_MOVED,
    MOST_PERIODS,
    STEPS,
    estimate,
    half_widths,
    l2_sensitivity,
    measure,
    measurement_weights,
    period_weights,
    squared_sensitivity,
    squared_weights,
    total_weights,
)
from deniable.notions import Adjacency
from deniable.publish.query import ErrorTerm, half_width
from tests.cases.effort import THOROUGH, usual
from tests.cases.refusals import refuses

POWER = Fraction(2, 5)


def coefficients(n):
    """Of (1 − z)^(−2/5), by the binomial series."""
    r = [Fraction(1)]
    for k in range(1, n):
        r.append(r[-1] * (POWER + k - 1) / k)
    return r


def test_every_weight_is_the_coefficient_rounded_down():
    for weight, exact in zip(measurement_weights(600), coefficients(600), strict=True):
        assert weight <= STEPS * exact < weight + 1 + Fraction(1, 2**50)


@pytest.mark.parametrize("apart", [0, 1, 2, 7])
def test_the_closed_form_of_an_inner_product_lies_between_partial_sums(apart):
    """A_d from one and two rows in consecutive periods, against sums and an integral."""
    n, p = 200_000, 0.4
    k = np.arange(1, n + apart)
    r = np.concatenate([[1.0], np.cumprod((k - 1 + p) / k)])
    partial = math.fsum(r[:n] * r[apart:])
    rest = (n - 1) ** (2 * p - 1) / (1 - 2 * p) / math.gamma(p) ** 2  # r_k <= k^(p−1)/Γ(p)
    bound = [
        float(squared_sensitivity(Adjacency.ADD_REMOVE, periods_per_entity=w).mid()) / STEPS**2
        for w in range(1, apart + 3)
    ]
    if apart == 0:
        inner = bound[0]
    else:  # the second difference of Σ (w − d) A_d is A_d
        before = bound[apart - 2] if apart > 1 else 0.0
        inner = (bound[apart] - 2 * bound[apart - 1] + before) / 2
    assert partial < inner < partial + rest


def test_what_one_row_adds_to_all_coordinates_together_is_bounded():
    """By the inequalities beside the two numbers, which are tried where they can be."""
    added = np.cumsum(measurement_weights(MOST_PERIODS)) / STEPS
    n = np.arange(1, MOST_PERIODS + 1)
    assert (added <= n**0.4 / math.gamma(1.4)).all()
    assert added[-1] > 0.99 * MOST_PERIODS**0.4 / math.gamma(1.4)
    assert STEPS * MOST_MOVED**0.4 / math.gamma(1.4) < MOST_L1
    assert STEPS * MOST_MOVED**-0.6 / math.gamma(0.4) < 1
    weights = np.array(measurement_weights(MOST_PERIODS)) / STEPS
    assert (weights[1:] <= n[:-1] ** -0.6 / math.gamma(0.4)).all()


def streams(periods, cells, rows, most):
    """Everything that one entity may own: `rows` or fewer in each of `most` periods or fewer."""
    of_period = [
        each for each in itertools.product(range(rows + 1), repeat=cells) if sum(each) <= rows
    ]
    for stream in itertools.product(of_period, repeat=periods):
        if sum(any(period) for period in stream) <= most:
            yield np.array(stream, dtype=np.int64)


def moved(first, second=None):
    difference = measure(first) - (0 if second is None else measure(second))
    return sum(int(each) ** 2 for each in difference.ravel())


@pytest.mark.parametrize(("rows", "most"), [(1, 1), (2, 1), (1, 2), (1, 4), (2, 3)])
def test_nobody_moves_more_than_the_bound_and_consecutive_periods_move_most(rows, most):
    bound = squared_sensitivity(Adjacency.ADD_REMOVE, rows_per_period=rows, periods_per_entity=most)
    worst = max(moved(stream) for stream in streams(5, 2, rows, most))
    consecutive = np.zeros((5, 2), dtype=np.int64)
    consecutive[:most, 0] = rows
    assert worst == moved(consecutive) < bound
    if THOROUGH or rows == 1:  # all numbers are in proportion to it
        long = np.zeros((MOST_PERIODS, 1), dtype=np.int64)
        long[:most] = rows
        attained = moved(long) / float(bound.mid())  # the rest comes in later centuries
        assert 0.85 < attained < 1


@pytest.mark.parametrize(("rows", "most"), [(1, 1), (1, 2), (2, 1)])
def test_nobody_in_the_place_of_another_moves_more_than_twice_that(rows, most):
    bound = squared_sensitivity(
        Adjacency.REPLACE_ONE, rows_per_period=rows, periods_per_entity=most
    )
    people = list(streams(4, 2, rows, most))
    worst = max(moved(one, other) for one, other in itertools.product(people, repeat=2))
    alone = max(moved(one) for one in people)
    assert worst == 2 * alone < bound  # in different cells from the first period on


def test_the_root_is_rounded_up():
    for adjacency in Adjacency:
        l2 = l2_sensitivity(adjacency, rows_per_period=3, periods_per_entity=5)
        moved_most = squared_sensitivity(adjacency, rows_per_period=3, periods_per_entity=5)
        assert Fraction(l2) ** 2 > Fraction(math.nextafter(l2, 0)) ** 2
        assert not moved_most > int(Fraction(l2) ** 2) + 1
        assert moved_most > int(Fraction(math.nextafter(l2, 0)) ** 2) - 1


# Errors.


def inverse(periods):
    """The exact inverse of the matrix that measures, row by row."""
    weights = measurement_weights(periods)
    rows = []
    for t in range(periods):
        row = [Fraction(int(s == t)) for s in range(periods)]
        for s in range(t):
            row = [x - weights[t - s] * y for x, y in zip(row, rows[s], strict=True)]
        rows.append([x / STEPS for x in row])
    return rows


def test_weights_of_estimates_and_their_squares_are_those_of_the_exact_inverse():
    n, tiny = 14, Fraction(1, 2**1700)
    exact = inverse(n)
    weights, totals = period_weights(n), total_weights(n)
    total_row = [Fraction(0)] * n
    for t in range(n):
        total_row = [x + y for x, y in zip(total_row, exact[t], strict=True)]
        for j in range(t + 1):
            assert abs(Fraction(weights[j], 2**2048 * STEPS) - exact[t][t - j]) < tiny
            assert abs(Fraction(totals[j], 2**2048 * STEPS) - total_row[t - j]) < tiny
        for bound, row in (
            (squared_weights(weights)[t], exact[t]),
            (squared_weights(totals)[t], total_row),
        ):
            variance = sum(x * x for x in row) * STEPS**2
            assert variance < bound < variance + Fraction(1, 2**90)


@given(st.lists(st.tuples(st.integers(0, 2**30), st.integers(0, 5)), min_size=1, max_size=40))
@settings(max_examples=usual(10, 30))
def test_without_noise_estimates_are_the_counts(counts):
    array = np.array(counts, dtype=np.int64)
    found = estimate(measure(array))
    assert (found[0] == array).all()
    assert (found[1] == array.cumsum(axis=0)).all()


def test_a_later_period_changes_nothing_that_was_published():
    counts = np.arange(24, dtype=np.int64).reshape(12, 2) % 7
    assert (measure(counts, 9) == measure(counts)[9:]).all()
    assert (measure(counts[:9]) == measure(counts)[:9]).all()
    noisy = measure(counts) + np.arange(24).reshape(12, 2) * 1001
    for before, after in zip(estimate(noisy[:9]), estimate(noisy), strict=True):
        assert (before == after[:9]).all()


@pytest.mark.parametrize("scale", [0.3, 1.0, 3.0, 40.0, 2.0**20])
def test_half_widths_cover_by_another_proof_and_are_hardly_wider(scale):
    """Against the half-widths of crosstabs, which sum the exact law where they can."""
    noise, weights = DiscreteGaussian(scale), total_weights(4)
    widths = half_widths(noise, weights, 0.95)
    for t in (1, 3, 4):
        terms = [
            ErrorTerm(Fraction(weight, 2**2048 * STEPS).limit_denominator(2**80), 1, noise)
            for weight in weights[:t]
        ]
        other = half_width(terms, 0.95).value
        assert widths[t - 1] >= other * (1 - 1e-9) if scale <= 3 else widths[t - 1] > 0
        if scale == 2.0**20:
            assert widths[t - 1] == pytest.approx(other, rel=1e-4)


def test_noise_that_is_added_has_the_variance_that_is_said():
    """Fixed seed; 4,000 streams: a variance 10 % too small is rejected, false alarm below 1e-9."""
    noise, n = DiscreteGaussian(2.0**20), 30
    drawn = noise.draws(np.random.default_rng(3), 4_000 * n).reshape(n, 4_000)
    errors = estimate(drawn)[1][-1]
    expected = float(squared_weights(total_weights(n))[-1])
    # χ² of 4,000 degrees leaves [.86, 1.15] with a probability below 1e-9
    assert 0.86 < (errors**2).mean() / expected < 1.15
    inside = (np.abs(errors) <= half_widths(noise, total_weights(n), 0.95)[-1]).mean()
    assert 0.92 < inside < 0.98


def test_errors_grow_slowly_where_sums_of_fresh_noise_grow_with_every_period():
    """Variances in units of 1/2ρ; a sum of weekly counts at the same ρ has t."""
    moved_most = float(squared_sensitivity(Adjacency.ADD_REMOVE).mid()) / STEPS**2
    variances = [float(each) * moved_most for each in squared_weights(total_weights(520))]
    assert variances[51] == pytest.approx(7.83, abs=0.01)
    assert variances[519] == pytest.approx(13.85, abs=0.01)
    weeks = [float(each) * moved_most for each in squared_weights(period_weights(520))]
    assert weeks[-1] == pytest.approx(2.45, abs=0.01)


# Refusals.


def test_what_cannot_be_measured_is_refused():
    with refuses(InvalidArgument, "62-bits-can-count"):
        measure(np.full((2, 1), 2**41, dtype=np.int64))
    with refuses(InvalidArgument, f"at-most-periods: {MOST_PERIODS}"):
        measurement_weights(MOST_PERIODS + 1)
    with refuses(InvalidArgument, "without-end"):
        squared_sensitivity(Adjacency.ADD_REMOVE, periods_per_entity=MOST_PERIODS + 1)
