"""What holds without listing a subset."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from deniable.numerics.rounding import directed, lower, upper
from deniable.population.bounds import (
    delta_upper,
    direction,
    epsilon_at,
    epsilon_of_exchanges,
    epsilon_upper,
    epsilons,
    estimates,
    gaussian_shifts,
    gaussian_tails,
    largest_change,
    pairwise_bounds,
    pairwise_of_record,
)
from tests.cases.effort import usual
from tests.oracles import population as brute
from tests.oracles import real_sums as oracle

COLUMN = np.array([[0.0], [1.0], [5.0]])


@pytest.mark.parametrize("noise", [Laplace(2.0), DiscreteLaplace(2.0)])
def test_the_largest_exchange(noise):
    assert epsilon_of_exchanges(noise, COLUMN, 0.0) == pytest.approx(2.5)


def test_gaussian_noise_needs_delta():
    assert epsilon_of_exchanges(Gaussian(2.0), COLUMN, 0.0) == math.inf
    upper = epsilon_of_exchanges(Gaussian(2.0), COLUMN, 0.01)
    assert Gaussian(2.0).satisfies(upper, 0.01, 5.0)
    assert not Gaussian(2.0).satisfies(upper * (1 - 1e-9), 0.01, 5.0)


@pytest.mark.parametrize(("n_records", "size", "columns"), [(8, 4, 2), (7, 2, 1), (7, 6, 3)])
def test_shifts_by_listing_all_samples(n_records, size, columns):
    rows = np.random.default_rng(n_records).normal(size=(n_records, columns)) + 5
    sigma = 0.7
    found = gaussian_shifts(rows, size, sigma)
    for record in range(n_records):
        inside, outside = brute.sums(rows, size, record)
        spread = sum(
            np.cov(each.T, bias=True).reshape(columns, columns) for each in (inside, outside)
        )
        moved = inside.mean(axis=0) - outside.mean(axis=0)
        matrix = spread / 2 + sigma**2 * np.eye(columns)
        assert found[record] == pytest.approx(math.sqrt(moved @ np.linalg.solve(matrix, moved)))
        along = direction(rows, size, sigma, record)
        best = np.linalg.solve(matrix, moved)
        assert along == pytest.approx(best / np.linalg.norm(best))


def test_two_records():
    assert gaussian_shifts(np.array([[0.0], [3.0]]), 1, 2.0) == pytest.approx([1.5, 1.5])


def test_records_that_are_all_the_same():
    same = np.full((5, 2), 3.0)
    assert gaussian_shifts(same, 2, 1.0).tolist() == [0.0] * 5
    assert direction(same, 2, 1.0, 0).tolist() == [1.0, 0.0]
    assert estimates(same, 2, 1.0, 0.01).tolist() == [0.0] * 5


def test_near_the_truth_for_a_large_sample_of_normal_records():
    rows = np.random.default_rng(5).normal(size=16)
    worst = int(np.abs(rows - rows.mean()).argmax())
    exact = brute.gaussian_epsilon(rows, 8, 2.0, 0.01, worst)
    found = estimates(rows[:, None], 8, 2.0, 0.01)
    assert found.argmax() == worst
    assert found.max() == pytest.approx(exact, rel=0.2)


magnitudes = st.floats(-3, 4).map(lambda x: 10.0**x)


def ball(epsilon, mu):
    with directed(2000) as r:
        e, m = r(epsilon), r(mu)
        return r.normal_cdf(m / 2 - e / m) - r.exp(e) * r.normal_cdf(-m / 2 - e / m)


@given(magnitudes, st.floats(-0.2, 1.2))
def test_never_below_the_curve_and_close_to_it(mu, share):
    epsilon = max(mu * mu / 2 + mu * 8 * (share - 0.5), 0.0)
    found = float(delta_upper(epsilon, mu))
    exact = ball(epsilon, mu)
    assert found >= min(upper(exact), 1.0) * (1 - 1e-15)
    assert found <= lower(exact) + 2e-15 * (6 + mu + epsilon / mu)


@pytest.mark.parametrize(("epsilon", "mu"), [(0.0, 1.0), (1.0, 1.0), (2.0, 0.5), (0.5, 3.0)])
def test_it_is_the_hockey_stick(epsilon, mu):
    assert float(delta_upper(epsilon, mu)) == pytest.approx(brute.gaussian_curve(epsilon, mu))


def test_ends():
    assert delta_upper(1.0, 0.0) == 0.0
    assert delta_upper(0.0, 0.0) == 0.0
    assert delta_upper(0.0, 1e12) == 1.0
    assert delta_upper(1.0, 1e15) == 1.0
    assert delta_upper(1e6, 1e-300) <= 1e-300
    assert delta_upper(np.zeros((3, 1)), np.ones(4)).shape == (3, 4)


@given(magnitudes, st.floats(-8, -0.1).map(lambda x: 10.0**x))
def test_the_least_epsilon_by_balls(mu, delta):
    found = epsilon_upper(mu, delta)
    assert upper(ball(found, mu)) <= delta
    if found > 0:
        assert lower(ball(found * (1 - 1e-9), mu)) > delta * (1 - 1e-6)
    assert float(epsilons(np.array([mu]), delta)[0]) == pytest.approx(found, rel=1e-4, abs=1e-6)


def test_least_epsilon_at_the_ends():
    assert epsilon_upper(0.0, 0.0) == 0.0
    assert epsilon_upper(1.0, 0.0) == math.inf
    assert epsilon_upper(math.inf, 0.1) == math.inf
    assert epsilon_upper(1e-3, 0.5) == 0.0
    assert epsilons(np.array([0.0, 1.0]), 0.0).tolist() == [0.0, math.inf]


def test_nothing_is_needed_where_the_distance_alone_keeps_to_delta():
    assert epsilons(np.array([0.0, 1e-9, 1.0]), 0.01)[:2].tolist() == [0.0, 0.0]


def bounds(values, sigma, delta, **settings):
    rows = np.asarray(values, float)
    rows = rows[:, None] if rows.ndim == 1 else rows
    return pairwise_bounds(rows, sigma, delta, **settings)


@pytest.mark.parametrize("tried", [1, 48])
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 10),
    d=st.integers(1, 4),
    delta=st.sampled_from([1e-4, 0.05]),
)
@settings(max_examples=usual(6, 12))
def test_every_record_is_above_proposition_12_by_a_few_per_cent(tried, seed, n, d, delta):
    rng = np.random.default_rng(seed)
    rows = np.round(rng.standard_t(2, size=(n, d)), rng.integers(0, 3))
    sigma = float(rng.uniform(0.3, 3))
    found = bounds(rows, sigma, delta, tried=tried)
    exact = np.array([brute.pairwise_epsilon(rows, sigma, delta, x) for x in range(n)])
    assert np.all(found >= exact - 1e-12 - 1e-11 * exact)
    assert np.all(found <= exact * 1.04 + 0.01)
    if tried > 1:
        assert found.max() <= exact.max() * (1 + 1e-9) + 1e-9
    each = [pairwise_of_record(rows, sigma, delta, x) for x in range(n)]
    assert np.all(np.array(each) >= exact - 1e-12 - 1e-11 * exact)
    assert each == pytest.approx(exact, rel=1e-10, abs=1e-9)


def test_the_largest_is_exact_only_as_far_as_it_is_looked_for():
    rows = np.random.default_rng(1).normal(size=(40, 2))
    exact = max(brute.pairwise_epsilon(rows, 1.0, 0.01, x) for x in range(40))
    assert exact < bounds(rows, 1.0, 0.01, tried=0).max() < exact * 1.04


def test_records_in_several_blocks():
    """Of 256 records at a time, so that the last block has few."""
    rows = np.random.default_rng(2).normal(size=(520, 3))
    found = bounds(rows, 1.0, 0.01)
    for record in (0, 255, 256, 511, 512, 519):
        exact = brute.pairwise_epsilon(rows, 1.0, 0.01, record)
        assert exact - 1e-12 <= found[record] <= exact * 1.04


def test_pairwise_ends():
    assert bounds([3.0, 3.0, 3.0], 1.0, 0.01).tolist() == [0.0, 0.0, 0.0]
    assert bounds([3.0, 3.0], 1.0, 0.0).tolist() == [0.0, 0.0]
    assert bounds([3.0, 4.0], 1.0, 0.0).tolist() == [math.inf, math.inf]
    assert bounds([0.0, 1.0], 1e9, 0.01).tolist() == [0.0, 0.0]
    assert pairwise_of_record(np.array([[0.0], [0.0]]), 1.0, 0.0, 0) == 0.0
    assert pairwise_of_record(np.array([[0.0], [1.0]]), 1.0, 0.0, 0) == math.inf


def test_far_records_and_little_noise():
    found = bounds([0.0, 1.0, 1e6], 1e-3, 1e-6)
    assert np.all(found >= [0.5e6, 0.5e6, 0.4e18])
    assert not np.isnan(found).any()


@given(st.integers(0, 10**6), st.integers(2, 60), st.integers(1, 4), st.booleans())
def test_the_largest_distance(seed, n, d, heavy):
    rng = np.random.default_rng(seed)
    rows = rng.standard_cauchy((n, d)) if heavy else rng.uniform(-1, 1, (n, d))
    exact = pdist(rows).max()
    assert exact <= largest_change(rows) <= exact * (1 + 1e-14)


def test_in_several_blocks():
    """All points are as far out as any other, and a block holds 512."""
    angles = np.linspace(0, 2 * math.pi, 1301)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    assert largest_change(circle) == pytest.approx(pdist(circle).max(), rel=1e-14)


def test_sensitivity_records_that_are_all_the_same():
    assert largest_change(np.full((4, 3), 2.0)) == 0.0
    assert largest_change(np.full((4, 1), 2.0)) == 0.0
    assert epsilon_at(Laplace(1.0), 0.0, 0.0) == 0.0


def test_pure():
    assert epsilon_at(Laplace(2.0), 3.0, 0.0) == 1.5
    assert epsilon_at(DiscreteLaplace(2.0), 3.0, 0.0) == 1.5
    assert epsilon_at(Gaussian(2.0), 3.0, 0.0) == math.inf
    assert epsilon_at(DiscreteGaussian(2.0), 3.0, 0.0) == math.inf


@pytest.mark.parametrize(
    "noise", [Laplace(0.7), Gaussian(0.7), DiscreteLaplace(0.7), DiscreteGaussian(0.7)]
)
@pytest.mark.parametrize("delta", [1e-6, 0.05, 0.5])
@pytest.mark.parametrize("change", [1, 4])
def test_the_least_at_delta(noise, delta, change):
    found = epsilon_at(noise, float(change), delta)
    assert noise.delta(found, change) <= delta
    if found > 0:
        assert noise.delta(found * (1 - 2e-9), change) > delta * (1 - 1e-6)


def ends(values, size):
    _, counts = np.unique(values, return_counts=True)
    return gaussian_tails(counts, size, np.arange(len(counts)))


def test_infinite_where_a_tail_tells():
    assert ends([0.0, 1.0, 2.0], 1)[0].tolist() == [np.inf] * 3


def test_a_record_that_ties_at_both_ends_is_hidden_in_the_tails():
    values = [0.0, 1.0, 1.0, 1.0, 2.0]
    lower, upper = ends(values, 2)
    assert lower[[0, 2]].tolist() == [np.inf, np.inf]
    inside, outside = oracle.subset_sums(values, 2, 1)
    tails = [
        abs(
            oracle.log_density(inside, t, 1.0, "gaussian")
            - oracle.log_density(outside, t, 1.0, "gaussian")
        )
        for t in (-60.0, 60.0)
    ]
    assert abs(lower[1] - max(tails)) < 1e-9
    assert upper[1] == np.inf


@given(st.integers(1, 40), st.integers(2, 80), st.integers(1, 40), st.integers(0, 157))
def test_the_limit_is_rounded_down_and_tight(before, same, after, start):
    """Against the logarithm of the rational ratio in 50 digits."""
    everyone = before + same + after
    size = start % (everyone - 1) + 1
    found = gaussian_tails(np.array([before, same, after]), size, np.array([1]))[0][0]
    taken = [size - beyond for beyond in (before, after)]
    if not all(0 < k < same for k in taken):
        assert found == math.inf
        return
    with localcontext() as context:
        context.prec = 50
        odds = [Decimal(k * (everyone - size)) / ((same - k) * size) for k in taken]
        exact = max(abs(ratio.ln()) for ratio in odds)
        assert Decimal(found) <= exact
        assert exact == found == 0 or exact < Decimal(math.nextafter(found, math.inf))
