"""Laws of the framework's mechanisms: claims are no smaller than exact losses, and equal where
they are claimed tight; curves fall, and are right on laws written out."""

import itertools
import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from deniable.mechanisms.counting import NoisyCount
from deniable.mechanisms.exponential import ExponentialMechanism
from deniable.mechanisms.k_max import KMax
from deniable.mechanisms.randomised_response import RandomisedResponse, dominating_laws
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.notions import Adjacency, ApproxDP, PureDP
from deniable.priors.product import ProductPrior
from deniable.priors.universe import Universe
from tests.cases.effort import usual
from tests.oracles import decimals as exact

epsilons = st.floats(0.0, 5.0)
scales = st.floats(0.05, 30.0)
shares = st.floats(0.01, 0.99)
FULL = [0.0, 0.05, 0.3, 1.0, 2.5]


def hockey_stick(one, other, epsilon):
    return float(np.maximum(one - math.exp(epsilon) * other, 0).sum())


def universe(size):
    return Universe(tuple(f"e{i}" for i in range(size)))


# Every curve.

CURVES = [
    (Laplace, 1.5),
    (DiscreteLaplace, 3),
    (Gaussian, 1.5),
    (DiscreteGaussian, 3),
    (ExponentialMechanism, 1.5),
]


@pytest.mark.parametrize(("kind", "sensitivity"), CURVES)
@given(scales, epsilons, epsilons)
def test_a_curve_falls_with_epsilon_and_with_noise(kind, sensitivity, scale, one, other):
    low, high = sorted((one, other))
    noise, wider = kind(scale), kind(scale * 1.5)
    assert 1 >= noise.delta(low, sensitivity) >= noise.delta(high, sensitivity) >= 0
    assert wider.delta(low, sensitivity) <= noise.delta(low, sensitivity)
    assert noise.delta(low, 0) == 0
    assert noise.delta(low, 2 * sensitivity) >= noise.delta(low, sensitivity)


@pytest.mark.parametrize(("kind", "sensitivity"), CURVES)
@pytest.mark.parametrize("adjacency", Adjacency)
@given(scale=scales)
def test_a_pure_guarantee_is_where_the_curve_ends(kind, sensitivity, adjacency, scale):
    noise = kind(scale)
    claim = noise.guarantee(sensitivity, adjacency)
    assert claim.adjacency is adjacency
    if isinstance(claim, PureDP):
        assert noise.delta(claim.epsilon, sensitivity) == 0
        assert noise.delta(claim.epsilon * (1 - 1e-12), sensitivity) > 0


# Laplace noise.


@given(scales, epsilons, st.floats(0.0, 10.0))
def test_laplace_curve_is_rounded_up_by_less_than_a_float(scale, epsilon, l1):
    found = Laplace(scale).delta(epsilon, l1)
    exponent = (Decimal(epsilon) - exact.CONTEXT.divide(Decimal(l1), Decimal(scale))) / 2
    truth = 1 - exact.exp(exponent) if exponent < 0 else Decimal(0)
    assume(exponent >= 0 or exponent < Decimal("-1e-15"))
    assert exact.claims(found, truth)


@settings(max_examples=usual(10, 30))
@given(st.floats(0.2, 5.0), st.floats(0.0, 2.0), st.floats(0.1, 3.0))
def test_laplace_curve_is_the_integral(scale, epsilon, moved):
    noise = Laplace(scale)

    def gap(x):
        return max(float(noise.pdf(x) - math.exp(epsilon) * noise.pdf(x - moved)), 0.0)

    points = sorted({0.0, moved, (moved - epsilon * scale) / 2})
    area, _ = quad(gap, -60 * scale, 60 * scale + moved, points=points, limit=400)
    assert noise.delta(epsilon, moved) == pytest.approx(area, abs=1e-7)


@settings(max_examples=usual(7, 50))
@given(st.floats(0.2, 3.0), st.integers(1, 9), st.integers(1, 9), epsilons)
def test_no_move_of_two_coordinates_is_worse_for_discrete_laplace_noise(rate, a, b, epsilon):
    """The docstring's sum, and that it is less than for one coordinate."""
    noise, k = DiscreteLaplace(1 / rate), np.arange(-180, 190)
    p = noise.pmf(k)
    joint = np.outer(p, p)
    moved = np.outer(noise.pmf(k - a), noise.pmf(k - b))
    two = hockey_stick(joint.ravel(), moved.ravel(), epsilon)
    assert two <= noise.delta(epsilon, a + b) + 1e-12
    j = math.ceil((a + b - epsilon / rate) / 2)
    at = (a + b - 2 * j) * rate
    if j >= 0 and at >= 0:
        alpha = math.exp(-rate)
        less = min(j, a, b) * (1 - alpha) * alpha**j / (1 + alpha)
        two = hockey_stick(joint.ravel(), moved.ravel(), at)
        assert two == pytest.approx(1 - alpha**j - less, abs=1e-9)


@settings(max_examples=usual(4, 30))
@given(st.floats(0.1, 3.0), st.floats(0.1, 3.0), st.floats(0.0, 3.0))
def test_no_move_of_two_coordinates_is_worse_for_laplace_noise(a, b, epsilon):
    """The docstring's formula against a fine grid of discrete noise."""
    assume(epsilon < a + b)
    fine = 40
    noise, k = DiscreteLaplace(fine), np.arange(-600, 720)
    p, q, r = noise.pmf(k), noise.pmf(k - round(a * fine)), noise.pmf(k - round(b * fine))
    two = hockey_stick(np.outer(p, p).ravel(), np.outer(q, r).ravel(), epsilon)
    distance = a + b - epsilon
    formula = 1 - math.exp(-distance / 2) * (1 + min(distance / 2, a, b) / 2)
    assert two == pytest.approx(formula, abs=0.03)
    assert formula <= Laplace(1.0).delta(epsilon, a + b)


# Discrete noise on a count that a universe's matrix writes out.


def noisy_count(noise, size, reach):
    """|T| + X on every subset; what lies beyond the reach counts with its end."""

    def law(members):
        y = np.arange(-500, 501)
        there = np.clip(y, -reach, size + reach) + reach
        return np.bincount(there, weights=noise.pmf(y - members.sum()))

    outputs = [str(y) for y in range(-reach, size + reach + 1)]
    return StochasticMatrix.tabulated(universe(size), outputs, law)


@pytest.mark.parametrize("scale", [0.4, 1.0, 2.5])
def test_discrete_laplace_claims_are_what_a_matrix_loses(scale):
    noise = DiscreteLaplace(scale)
    matrix = noisy_count(noise, 3, 60)
    rows = matrix.rows
    for row, entity in itertools.product(range(8), range(3)):
        if row >> entity & 1:
            inside, outside = rows[row], rows[row ^ 1 << entity]
            central = slice(40, 84)
            losses = np.abs(np.log(inside[central] / outside[central]))
            assert losses.max() == pytest.approx(
                noise.guarantee(1, Adjacency.ADD_REMOVE).epsilon, rel=1e-9
            )
            for epsilon in FULL:
                found = hockey_stick(inside, outside, epsilon)
                assert found == pytest.approx(noise.delta(epsilon, 1), abs=1e-12)


@pytest.mark.parametrize("scale", [0.4, 1.0, 2.5])
def test_discrete_gaussian_curve_is_what_a_matrix_loses(scale):
    noise = DiscreteGaussian(scale)
    matrix = noisy_count(noise, 3, 60)
    for epsilon in FULL:
        for moved in (1, 2, 3):
            found = hockey_stick(matrix.law([]), matrix.law(["e0", "e1", "e2"][:moved]), epsilon)
            assert found == pytest.approx(noise.delta(epsilon, moved), abs=1e-12)


@given(st.floats(0.1, 20.0), st.integers(1, 30), epsilons)
def test_a_smaller_move_of_the_discrete_gaussian_is_no_worse(scale, moved, epsilon):
    noise = DiscreteGaussian(scale)
    assert noise.delta(epsilon, moved) <= noise.delta(epsilon, moved + 1) + 1e-15


@given(st.floats(0.3, 20.0), st.integers(1, 8), epsilons)
def test_concentrated_dp_allows_the_discrete_gaussian_s_curve(scale, moved, epsilon):
    """The order ε/2ρ + ½ of Bun and Steinke's bound, Proposition 1.3."""
    noise = DiscreteGaussian(scale)
    rho = noise.guarantee(moved, Adjacency.REPLACE_ONE).rho
    if epsilon > rho:
        bound = math.exp(-((epsilon - rho) ** 2) / (4 * rho))
        assert noise.delta(epsilon, moved) <= bound + 1e-15


# The exponential mechanism.

scores = st.lists(st.floats(-5, 5), min_size=2, max_size=6)


@given(scores, st.data(), st.floats(0.3, 5.0), epsilons, st.booleans())
def test_no_move_of_scores_loses_more_than_claimed(before, data, scale, epsilon, monotone):
    move = st.floats(0.0 if monotone else -1.0, 1.0)
    moves = data.draw(st.lists(move, min_size=len(before), max_size=len(before)))
    choose = ExponentialMechanism(scale)
    one, other = choose.law(before), choose.law(np.add(before, moves))
    loss = np.abs(np.log(one / other)).max()
    assert loss <= choose.epsilon(1.0, monotone) + 1e-9
    for pair in ((one, other), (other, one)):
        assert hockey_stick(*pair, epsilon) <= choose.delta(epsilon, 1.0, monotone) + 1e-12
        for order in (1.1, 2.0, 10.0):
            ratio = np.log(pair[0]) - np.log(pair[1])
            divergence = math.log(np.sum(pair[1] * np.exp(order * ratio))) / (order - 1)
            assert divergence <= order * choose.rho(1.0, monotone) + 1e-9


@given(st.floats(0.3, 5.0), st.floats(0.0, 1.0), st.booleans())
def test_two_candidates_attain_the_curve(scale, share, monotone):
    """The gap of scores that puts the loss of the first at (ε + r)/2."""
    choose = ExponentialMechanism(scale)
    width = choose.epsilon(1.0, monotone)
    epsilon = share * width * 0.999
    top = (epsilon + width) / 2
    first = -math.expm1(top - width) / -math.expm1(-width)
    second = first * math.exp(-top)
    before = np.array([0.0, math.log((1 - first) / first) * scale])
    after = before + np.array([-1.0, 0.0 if monotone else 1.0])
    assert choose.law(after)[0] == pytest.approx(second, rel=1e-9)
    found = hockey_stick(choose.law(before), choose.law(after), epsilon)
    assert found == pytest.approx(choose.delta(epsilon, 1.0, monotone), rel=1e-6, abs=1e-12)


# Randomised response.


@settings(max_examples=usual(16, 60))
@given(st.floats(0.0, 1.0), st.integers(2, 4), st.integers(0, 3), epsilons)
def test_randomised_response_against_every_answer_sheet(truth, categories, changed, epsilon):
    answers = RandomisedResponse(truth, categories)
    one, other = np.ones(1), np.ones(1)
    for _ in range(changed):
        one = np.outer(one, answers.law(0)).ravel()
        other = np.outer(other, answers.law(1)).ravel()
    found = hockey_stick(one, other, epsilon)
    assert answers.delta(epsilon, changed) == pytest.approx(found, abs=1e-12)
    both = (one > 0) & (other > 0)
    claim = answers.guarantee(changed, Adjacency.REPLACE_ONE).epsilon
    if math.isfinite(claim) and truth > 1e-6:
        assert np.abs(np.log(one[both] / other[both])).max() == pytest.approx(claim, abs=1e-9)


@given(st.floats(0.02, 0.98), st.integers(1, 3))
def test_membership_by_randomised_response(truth, size):
    """One answer changes under add-remove, two under replace-one."""
    coin = RandomisedResponse(truth)
    rows = np.log(coin.membership(universe(size)).rows)
    for row, entity in itertools.product(range(2**size), range(size)):
        loss = np.abs(rows[row] - rows[row ^ 1 << entity]).max()
        assert loss == pytest.approx(coin.guarantee(1, Adjacency.ADD_REMOVE).epsilon, abs=1e-9)
    if size > 1:
        loss = np.abs(rows[0b01] - rows[0b10]).max()
        assert loss == pytest.approx(coin.guarantee(2, Adjacency.REPLACE_ONE).epsilon, abs=1e-9)


laws = st.lists(shares, min_size=2, max_size=5).map(lambda x: np.array(x) / math.fsum(x))


@given(laws, st.data(), epsilons, epsilons)
def test_the_dominating_laws_dominate(one, data, epsilon, asked):
    other = np.array(data.draw(st.lists(shares, min_size=len(one), max_size=len(one))))
    other /= other.sum()
    delta = max(hockey_stick(one, other, epsilon), hockey_stick(other, one, epsilon))
    pair = dominating_laws(ApproxDP(epsilon, min(delta, 1.0)))
    assert hockey_stick(one, other, asked) <= hockey_stick(*pair, asked) + 1e-12


# k-Max and counting under independent memberships.

marginals = st.lists(st.one_of(shares, st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=6)


@given(marginals, st.data(), st.booleans())
def test_k_max_against_its_matrix(p, data, printed):
    p = np.array(p)
    uncertain = np.flatnonzero((p > 0) & (p < 1))
    assume(len(uncertain))
    mechanism = KMax(len(p), data.draw(st.integers(1, len(p))), printed)
    rows = mechanism.matrix(universe(len(p))).rows
    members = universe(len(p)).subsets()
    joint = np.where(members, p, 1 - p).prod(axis=1)[:, None] * rows
    total = joint.sum(axis=0)
    assert mechanism.output_law(p) == pytest.approx(total, abs=1e-12)
    worst = 1.0
    for entity, output in itertools.product(uncertain, np.flatnonzero(total > 0)):
        inside = joint[members[:, entity], output].sum() / p[entity]
        outside = joint[~members[:, entity], output].sum() / (1 - p[entity])
        with np.errstate(divide="ignore"):
            worst = max(worst, inside / total[output], float(total[output] / np.float64(outside)))
    found = mechanism.worst(p)
    assert found.gamma == pytest.approx(worst, rel=1e-9)
    q = joint[members[:, found.entity], found.output].sum() / total[found.output]
    assert found.prior == p[found.entity]
    assert found.posterior == pytest.approx(q, abs=1e-12)


NOISES = [None, DiscreteLaplace(0.3), DiscreteLaplace(2.0), DiscreteGaussian(0.7)]


@pytest.mark.parametrize("noise", NOISES, ids=str)
@settings(max_examples=usual(11, 40))
@given(p=marginals, data=st.data(), epsilon=epsilons, level=shares)
def test_counting_against_every_subset(noise, p, data, epsilon, level):
    p = np.array(p)
    entity = data.draw(st.integers(0, len(p) - 1))
    y = np.arange(-100, 108)
    others = np.delete(p, entity)
    given_law = {True: np.zeros(len(y)), False: np.zeros(len(y))}
    for bits in itertools.product((0, 1), repeat=len(others)):
        chance = np.where(np.array(bits) == 1, others, 1 - others).prod()
        for member, law in given_law.items():
            count = sum(bits) + member
            law += chance * ((y == count) if noise is None else noise.pmf(y - count))
    one, other = given_law[True], given_law[False]
    found = NoisyCount(noise).beliefs(ProductPrior(p), entity)
    for member, law in given_law.items():
        assert np.exp(found.log_likelihood(y, member=member)) == pytest.approx(law, abs=1e-12)
    delta = max(hockey_stick(one, other, epsilon), hockey_stick(other, one, epsilon))
    assert found.delta(epsilon) == pytest.approx(delta, abs=1e-12)
    chances = p[entity] * one + (1 - p[entity]) * other
    seen = chances > 1e-290
    posterior = p[entity] * one[seen] / chances[seen]
    assert found.posterior(y[seen]) == pytest.approx(posterior, abs=1e-12)
    if np.abs(posterior - level).min() > 1e-9:
        passed = chances[seen][posterior > level].sum()
        assert found.exceedance(level) == pytest.approx(passed, abs=1e-12)


def test_counting_ten_thousand_against_the_normal_limit():
    """Exact count of n fair coins: almost N(n/2, n/4), moved by 1, so Gaussian DP of 2/√n."""
    n = 10_001
    found = NoisyCount(None).beliefs(ProductPrior([0.5] * n), 0)
    for epsilon in (0.01, 0.03):
        limit = Gaussian(math.sqrt(n - 1) / 2).delta(epsilon, 1.0)
        assert found.delta(epsilon) == pytest.approx(limit, rel=0.03)
