"""Laws of every mechanism: a law sums to 1, a claim is no smaller than the exact loss,
a half-width covers, and OpenDP's own map bounds what the exact law loses."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, NoisyTopK
from deniable.numerics.rounding import Ball, directed
from deniable.pipeline.noise import SelectionPart, VectorPart
from deniable.pipeline.noise.sampler import _loss
from deniable.pipeline.noise.shares import LEAST_SCALE, Share, calibrate_mechanism
from tests.cases.effort import some_pairs

scales = st.floats(1e-3, 1e15)
confidences = st.floats(0.01, 1 - 1e-9)
SIGMAS = [0.05, 0.2, 0.35, 0.5, 1.0, 1.7, 3.0, 10.0, 77.7, 200.0]
NOISES = ["exponential", "gumbel"]


# Additive noise.


@given(scales, confidences)
def test_laplace_half_width_is_the_least_that_covers(scale, confidence):
    t = DiscreteLaplace(scale).half_width(confidence)
    with directed(1024) as r:
        alpha, outside = r.exp(-1 / r(scale)), 1 - r(confidence)
        assert 2 * alpha ** (t + 1) / (1 + alpha) <= outside
        assert t == 0 or 2 * alpha**t / (1 + alpha) > outside


@given(st.floats(0.05, 300), st.integers(0, 2000))
def test_laplace_tail_is_the_law_s(scale, t):
    noise = DiscreteLaplace(scale)
    k = np.arange(-t, t + 1)
    assert noise.tail(t) == pytest.approx(1 - math.fsum(noise.pmf(k)), abs=1e-12)


@given(scales, st.integers(0, 2**60))
def test_laplace_claim_is_the_exact_loss_rounded_up(scale, l1):
    claim = DiscreteLaplace(scale).epsilon(l1)
    with directed() as r:
        assert r(claim) >= r(l1) / r(scale)
        if claim > 0:
            assert r(math.nextafter(claim, 0)) < r(l1) / r(scale)


def gaussian_tails(sigma):
    """Balls around Pr[|X| > t] for t = 0, 1, …, up to 20 standard deviations."""
    with directed() as r:
        rate, last = -1 / (2 * r(sigma) ** 2), math.ceil(20 * sigma) + 2
        weights = [r.exp(rate * k * k) for k in range(1, last + 1)]
        left_out = r.exp(rate * (last + 1) ** 2) / (1 - r.exp(rate * (2 * last + 3)))
        beyond = [left_out * Ball(0.5, 0.5)]
        for weight in reversed(weights):
            beyond.append(beyond[-1] + weight)
        total = 1 + 2 * beyond[-1]
        return [2 * tail / total for tail in reversed(beyond[1:])]


@pytest.mark.parametrize("sigma", SIGMAS)
def test_discrete_gaussian_lies_between_the_normal_rounded_down_and_up(sigma):
    tails = gaussian_tails(sigma)
    with directed() as r:
        for t in range(math.ceil(10 * sigma)):
            above, below = 2 * r.normal_cdf(-r(t) / sigma), 2 * r.normal_cdf(-r(t + 1) / sigma)
            assert below < tails[t] < above


@pytest.mark.parametrize("sigma", SIGMAS)
@pytest.mark.parametrize("confidence", [0.1, 0.5, 0.95, 0.999, 1 - 1e-12])
def test_gaussian_half_width_is_the_least_that_covers(sigma, confidence):
    t = DiscreteGaussian(sigma).half_width(confidence)
    tails = gaussian_tails(sigma)
    with directed() as r:
        assert tails[t] <= 1 - r(confidence)
        assert t == 0 or tails[t - 1] > 1 - r(confidence)
        compared = math.ceil(Gaussian(sigma).half_width(confidence))
        assert t <= compared <= t + 1


@pytest.mark.parametrize("sigma", [256.5, 300.0, 700.3])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 1 - 1e-12])
def test_gaussian_half_width_of_wide_noise_covers_and_is_at_most_one_too_long(sigma, confidence):
    t = DiscreteGaussian(sigma).half_width(confidence)
    tails = gaussian_tails(sigma)
    with directed() as r:
        assert tails[t] <= 1 - r(confidence)
        assert tails[t - 2] > 1 - r(confidence)


@pytest.mark.parametrize("sigma", [*SIGMAS, 500.0, 5000.0])
def test_gaussian_tail_is_the_law_s(sigma):
    tails = gaussian_tails(sigma) if sigma <= 500 else None
    noise = DiscreteGaussian(sigma)
    for t in {0, 1, math.ceil(sigma), math.ceil(4 * sigma)}:
        exact = float(tails[t].mid()) if tails else 1 - math.fsum(noise.pmf(np.arange(-t, t + 1)))
        assert noise.tail(t) == pytest.approx(exact, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("sigma", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("shift", [1, 2, 5])
def test_gaussian_claim_bounds_every_renyi_divergence(sigma, shift):
    noise = DiscreteGaussian(sigma)
    reach = math.ceil(60 * sigma) + 70 * shift
    k = np.arange(-reach, reach + 1)
    here, there = noise.log_pmf(k), noise.log_pmf(k - shift)
    for order in (1.01, 1.5, 2.0, 5.0, 20.0, 50.0):
        divergence = np.logaddexp.reduce(order * here + (1 - order) * there) / (order - 1)
        assert divergence <= order * noise.rho(shift) * (1 + 1e-9)
    whole = np.logaddexp.reduce(2 * here - there)
    assert whole == pytest.approx(2 * noise.rho(shift))  # attained at whole orders


# Selection.


def moves(candidates, monotone):
    return itertools.product((0, 1) if monotone else (-1, 0, 1), repeat=candidates)


def neighbouring_laws(select, candidates, spread, monotone):
    for scores in itertools.product(range(spread), repeat=candidates):
        if min(scores) > 0:
            continue
        before = np.array(list(select.law(scores).values()))
        for move in moves(candidates, monotone):
            yield before, np.array(list(select.law(np.add(scores, move)).values()))


CASES = [(2, 1, 6), (3, 1, 3), (3, 2, 3)]


@pytest.mark.parametrize(
    ("noise", "monotone", "candidates", "number", "spread", "scale"),
    # Cases are odd in number, so that each noise has either scale.
    [
        (noise, monotone, *case, scale)
        for (noise, monotone, case), scale in some_pairs(
            [*itertools.product(NOISES, [True, False], CASES)], [1.0, 3.0]
        )
    ],
)
def test_no_pair_of_neighbours_loses_more_than_claimed(
    noise, candidates, number, spread, scale, monotone
):
    select = NoisyTopK(scale, number, noise)
    epsilon, rho = select.epsilon(1, monotone), select.rho(1, monotone)
    worst = 0.0
    for before, after in neighbouring_laws(select, candidates, spread, monotone):
        loss = np.log(before / after)
        worst = max(worst, float(np.abs(loss).max()))
        for order in (1.001, 2.0, 8.0, 64.0):
            divergence = np.logaddexp.reduce(np.log(after) + order * loss) / (order - 1)
            assert divergence <= order * rho * (1 + 1e-9) + 1e-12
    assert worst <= epsilon * (1 + 1e-12)
    if noise == "exponential":
        # One round attains the claim; two rounds come near it.
        assert worst >= epsilon * (1 - 1e-12 if number == 1 else 0.9)


@pytest.mark.parametrize("monotone", [True, False])
@pytest.mark.parametrize("noise", NOISES)
def test_opendp_s_map_says_what_the_mechanism_claims(noise, monotone):
    for scale, number, sensitivity in itertools.product((0.1, 1.0, 7.0), (1, 2, 5), (0, 1, 3, 8)):
        select = NoisyTopK(scale, number, noise)
        part = SelectionPart("top", 1.0, 1, 6, number, sensitivity, monotone)
        claim = (select.rho if noise == "gumbel" else select.epsilon)(sensitivity, monotone)
        assert claim <= _loss(select, part) <= claim * (1 + 1e-14)


@given(
    st.lists(st.integers(-30, 0), min_size=1, max_size=40),
    st.sampled_from(NOISES),
    st.floats(0.05, 50),
)
def test_a_round_s_law_sums_to_one(scores, noise, scale):
    law = NoisyTopK(scale, 1, noise).round_law(scores)
    assert law.sum() == pytest.approx(1, abs=1e-12)
    assert (np.diff(law[np.argsort(scores)]) >= -1e-12).all()


def miss(law, scores, gap):
    """The probability that somebody left out beats a chosen one by more than the gap."""
    total = 0.0
    for chosen, p in law.items():
        left_out = [scores[i] for i in range(len(scores)) if i not in chosen]
        if left_out and max(left_out) - min(scores[i] for i in chosen) > gap:
            total += p
    return total


@given(
    st.lists(st.integers(-25, 0), min_size=2, max_size=5),
    st.integers(1, 3),
    st.sampled_from(NOISES),
    st.floats(0.2, 8),
    st.sampled_from([0.5, 0.8, 0.95]),
)
def test_the_score_gap_covers(scores, number, noise, scale, confidence):
    number = min(number, len(scores))
    select = NoisyTopK(scale, number, noise)
    gap = select.score_gap(len(scores), confidence)
    assert miss(select.law(scores), scores, gap) <= (1 - confidence) * (1 + 1e-9)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("candidates", [2, 5, 101, 1001])
@pytest.mark.parametrize("confidence", [0.6, 0.95, 1 - 1e-6])
def test_the_score_gap_of_one_round_is_attained(noise, candidates, confidence):
    select = NoisyTopK(3.0, 1, noise)
    gap = select.score_gap(candidates, confidence)
    scores = np.full(candidates, -gap * (1 + 1e-12))
    scores[0] = 0.0
    missed = 1 - select.round_law(scores)[0]
    assert missed == pytest.approx(1 - confidence, rel=1e-6) or gap == 0.0


# Calibration.

shares = st.one_of(
    st.builds(Share, epsilon=st.floats(1e-6, 50)), st.builds(Share, rho=st.floats(1e-9, 50))
)
vectors = st.builds(
    lambda l1, l2: VectorPart("sum", 1.0, 1, l1, l2, 1),
    st.integers(1, 2**55),
    st.floats(1, 2.0**55),
)
selections = st.builds(
    lambda number, sensitivity, monotone: SelectionPart(
        "top", 1.0, 2, 9, number, sensitivity, monotone
    ),
    st.integers(1, 9),
    st.integers(1, 2**55),
    st.booleans(),
)


def exact_loss(part, share, scale):
    """ε or ρ in exact fractions, written from the definitions."""
    if isinstance(part, VectorPart):
        moved = Fraction(part.l1 if share.rho is None else part.l2) / Fraction(scale)
        return moved if share.rho is None else moved**2 / 2
    twice = 1 if part.monotone else 2
    each = twice * part.sensitivity / Fraction(scale)
    return part.number * (each if share.rho is None else each**2 / 8)


@given(st.one_of(vectors, selections), shares)
def test_the_scale_is_the_least_that_keeps_to_the_share_and_opendp_agrees(part, share):
    mechanism = calibrate_mechanism(part, share)
    assert exact_loss(part, share, mechanism.scale) <= Fraction(share.amount)
    assert _loss(mechanism, part) <= share.amount * (1 + 1e-14)  # it rounds up at every step
    if mechanism.scale > LEAST_SCALE:
        below = math.nextafter(mechanism.scale, 0)
        assert exact_loss(part, share, below) > Fraction(share.amount)
