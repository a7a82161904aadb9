"""Privacy curves of training against exact convolution, simulation and another program."""

import math

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import betaincinv, ndtr

from deniable.errors import InvalidArgument
from deniable.training.noisy_gradients import Phase, privacy_curve
from deniable.training.noisy_gradients.curve import Direction, delta_by_moment, epsilon_by_moment
from deniable.training.noisy_gradients.sums import Part, above
from tests.cases.effort import one_in, some_pairs, usual
from tests.cases.refusals import refuses
from tests.oracles import noisy_training as slow


@pytest.mark.parametrize(
    ("steps", "loose"),
    [
        ([(0.3, 0.8, 400)], 1.2),
        ([(1e-3, 0.5, 400)], 1.2),
        ([(1.0, 1.5, 60), (0.2, 0.7, 60)], 1.5),
        ([(0.05, 1.0, 24), (0.05, 1.0, 24), (0.4, 2.0, 24)], 5.0),
    ],
)
@pytest.mark.parametrize("direction", Direction)
def test_exact_convolution_lies_where_the_curve_says(steps, loose, direction):
    curve = privacy_curve([Phase(sigma, q, 1) for q, sigma, _ in steps])
    for epsilon in (0.0, 0.3):
        least, most = slow.delta(steps, epsilon, removed=direction is Direction.REMOVE)
        found = curve.delta(epsilon, direction)
        assert found.lower <= most
        assert least <= found.upper
        assert most <= loose * least or least < 1e-6


DRAWS, ALARM = 200_000, 1e-9


def limits(count):
    """Chances under which `count` of the draws is usual: exact limits, Clopper and Pearson."""
    low = betaincinv(count, DRAWS - count + 1, ALARM / 2) if count else 0.0
    high = betaincinv(count + 1, DRAWS - count, 1 - ALARM / 2) if count < DRAWS else 1.0
    return low, high


@pytest.mark.parametrize(("q", "sigma", "times"), [(0.3, 1.0, 10), (0.1, 0.6, 20), (1.0, 4.0, 10)])
def test_simulated_trainings_agree(q, sigma, times):
    """Each comparison alarms falsely with a chance of 1e-9; half the steps would be noticed.

    δ(ε) is the chance of a coin of chance (1 − e^(ε−L))_+, thrown for each simulated loss L.
    """
    rng = np.random.default_rng(5)
    curve, half = (privacy_curve([Phase(sigma, q, t)]) for t in (times, times // 2))
    present = slow.losses(rng, q, sigma, times, DRAWS, present=True)
    absent = slow.losses(rng, q, sigma, times, DRAWS, present=False)
    for direction, loss in ((Direction.REMOVE, present), (Direction.ADD, -absent)):
        for epsilon in (0.0, 0.5):
            coins = rng.random(DRAWS) < np.maximum(-np.expm1(np.minimum(epsilon - loss, 0.0)), 0.0)
            low, high = limits(int(coins.sum()))
            found = curve.delta(epsilon, direction)
            assert found.lower <= high
            assert low <= found.upper
            assert half.delta(epsilon, direction).upper < low
    for threshold in (0.0, 1.0):
        _, fpr = limits(int((absent > threshold).sum()))
        _, missed = limits(int((present <= threshold).sum()))
        assert curve.fnr(fpr).lower <= missed


# dp-accounting 0.6.0 (numpy 2.4.6, scipy 1.17.1): PLDs of interval 1e-4, optimistic without, then
# pessimistic with connected dots: δ(0), δ(1) and ε(1e-5), each from both sides.
THEIRS = {
    (0.002, 1.0251, 10_000): (
        (0.0031398810, 9.1869930e-10, 0.46995931),
        (0.0999774090, 6.3806581e-6, 0.97009519),
    ),
    (0.01, 1.0, 1000): (
        (0.1413011546, 0.0019595812, 1.7782397),
        (0.1610184209, 0.0026124969, 1.8282437),
    ),
    (0.05, 2.0, 400): (
        (0.2001129694, 0.0100007487, 2.2264454),
        (0.2078635948, 0.0108617948, 2.2464470),
    ),
    (0.1, 0.8, 10): (
        (0.1853211051, 0.0276912655, 4.5427114),
        (0.1854827377, 0.0277190072, 4.5432115),
    ),
    (1.0, 20.0, 100): (
        (0.1954108642, 0.0066651846, 1.9880916),
        (0.1974127198, 0.0068296093, 1.9930922),
    ),
    (1e-4, 0.7, 20_000): (
        (2.2806929e-9, 4.8214091e-12, 0.0),
        (0.0146931483, 1.8722812e-10, 0.13651889),
    ),
}


@pytest.mark.parametrize("setting", THEIRS)
def test_another_program_agrees(setting):
    (q, sigma, times), (theirs_low, theirs_high) = setting, THEIRS[setting]
    curve = privacy_curve([Phase(sigma, q, times)])
    ours = (curve.delta(0.0), curve.delta(1.0), curve.epsilon(1e-5))
    for bound, low, high in zip(ours, theirs_low, theirs_high, strict=True):
        assert low <= bound.upper
        assert bound.lower <= high
        assert bound.upper <= (1.02 if low > 1e-9 else 2) * high  # and no wider, but for tails


settings_of_training = st.builds(
    Phase,
    st.floats(math.log(0.3), math.log(100)).map(math.exp),
    st.floats(math.log(1e-5), 0.0).map(lambda x: min(math.exp(x), 1.0)),
    st.floats(0.0, math.log(2000)).map(lambda x: math.ceil(math.exp(x))),
)


@given(settings_of_training, st.floats(1e-5, 0.99))
@settings(max_examples=usual(7, 25))
def test_both_sides_are_in_order_and_know_no_more_than_is_there(phase, fpr):
    curve = privacy_curve([phase], gap=0.05)
    plain = math.sqrt(phase.steps) / phase.noise_multiplier
    advantage, missed = curve.advantage(), curve.fnr(fpr)
    whole = math.erf(plain / math.sqrt(8))  # every record in every step
    assert 0 <= advantage.lower <= advantage.upper <= 1
    assert advantage.lower <= whole * (1 + 1e-9)
    sampled = (
        -math.expm1(phase.steps * math.log1p(-phase.sample_rate)) if phase.sample_rate < 1 else 1
    )
    assert advantage.upper <= 1.06 * sampled + 1e-9
    assert 0 <= missed.lower <= missed.upper <= 1 - fpr
    assert 1 - fpr - advantage.upper <= missed.upper + 1e-12
    # an attack at this rate gains no more than the advantage
    assert 1 - missed.upper - fpr <= advantage.upper + 1e-12


@given(settings_of_training, st.sampled_from(["sample_rate", "steps", "noise_multiplier"]))
@settings(max_examples=usual(4, 12))
def test_less_is_never_worse(phase, name):
    """Less sampling, fewer steps or more noise: what is certain of it lies below what may be."""
    milder = {
        "sample_rate": phase.sample_rate / 1.3,
        "steps": max(phase.steps // 2, 1),
        "noise_multiplier": phase.noise_multiplier * 1.3,
    }
    one = privacy_curve([phase], gap=0.05)
    other = privacy_curve([attrs.evolve(phase, **{name: milder[name]})], gap=0.05)
    for epsilon in (0.0, 0.1, 1.0):
        for direction in Direction:
            found = other.delta(epsilon, direction).lower
            assert found <= one.delta(epsilon, direction).upper


@pytest.mark.parametrize(
    ("loss", "q", "sigma"),
    [
        (loss, *step)
        for loss, step in some_pairs([5e-4, 0.03, 0.2, 1.0], [(1.0, 1.0), (0.1, 0.8), (1e-3, 0.5)])
    ],
)
def test_a_single_bit_reaches_what_is_promised_of_losses(q, sigma, loss):
    """One step of which only "beyond c" is told: its loss is that of the flag, whenever it is up.

    A tail bound that were larger would say too little, and one that were smaller is wrong.
    """

    def rates(c, beyond):
        without = ndtr(-beyond * c / sigma)
        there = (1 - q) * without + q * ndtr(beyond * (1 - c) / sigma)
        return (there, without) if beyond > 0 else (without, there)

    flagged = 0.0
    for beyond in (1, -1):
        if beyond > 0 or q == 1 or loss < -math.log1p(-q):

            def surplus(c, beyond=beyond):
                one, other = rates(c, beyond)
                return math.log(one / other) - loss

            flagged = max(flagged, rates(brentq(surplus, -30 * sigma, 30 * sigma), beyond)[0])
    curve = privacy_curve([Phase(sigma, q, 1)])
    found, passed = curve.exceedance(loss), curve.loss(flagged)
    assert found.lower * (1 - 1e-6) <= flagged <= found.upper * (1 + 1e-6)
    assert passed.lower * (1 - 1e-6) <= loss <= passed.upper * (1 + 1e-6)
    assert found.upper <= 1.05 * found.lower


RARE = [(0.3, 1e-6, 1), (0.3, 1e-12, 10**9)]
HARD = [
    (0.001, 1e-12, 3),
    (0.01, 1.0, 10**10),
    (1e6, 0.5, 10**9),
    (1e6, 1e-12, 1),
    *one_in(2, RARE),
]


@pytest.mark.parametrize(("sigma", "q", "times"), one_in(2, HARD))
def test_what_is_hard_is_answered_and_true(sigma, q, times):
    """Lattices are of a million points at most; beside them stands what needs no lattice."""
    curve = privacy_curve([Phase(sigma, q, times)])
    assert curve.reach() <= 2**20
    found, missed = curve.advantage(), curve.fnr(0.01)
    plain = min(math.sqrt(times) / sigma, 80.0)
    ever = -math.expm1(times * math.log1p(-q)) if q < 1 else 1.0
    assert found.lower <= min(2 * ndtr(plain / 2) - 1, ever) * (1 + 1e-9)
    # one step, and its best test: a step tells no more than all of them
    assert q * (2 * ndtr(0.5 / sigma) - 1) <= found.upper * (1 + 1e-9)
    assert 0 <= missed.lower <= missed.upper <= 0.99
    assert curve.epsilon(1e-12).lower <= curve.epsilon(1e-12).upper


def test_ten_thousand_kinds_of_steps_are_answered():
    sigmas = np.geomspace(300.0, 900.0, 10_000)
    curve = privacy_curve([Phase(float(sigma), 1.0, 1) for sigma in sigmas])
    mu = math.sqrt(float((sigmas**-2.0).sum()))
    truth = 2 * ndtr(mu / 2) - 1
    found = curve.advantage()
    assert found.lower <= truth <= found.upper <= 1.1 * found.lower


@pytest.mark.parametrize(
    "phase", [Phase(1e-300, 0.1, 3), Phase(1e300, 0.1, 3), Phase(1.0, 0.1, 10**18)]
)
def test_what_is_out_of_reach_is_refused(phase):
    with refuses(InvalidArgument, "no-curve-computed-beyond"):
        privacy_curve([phase])


@pytest.mark.parametrize(("sigma", "steps"), [(1.0, 1), (30.0, 400), (0.5, 3)])
@pytest.mark.parametrize("loss", [0.5, 3.0, 12.0])
def test_a_moment_bounds_what_is_exact(sigma, steps, loss):
    """Every record in every step is one Gaussian; a moment loses a factor, and no more."""
    mu = math.sqrt(steps) / sigma
    truth = ndtr(mu / 2 - loss / mu) - math.exp(loss) * ndtr(-mu / 2 - loss / mu)
    phase = Phase(sigma, 1.0, steps)
    curve = privacy_curve([phase])
    step = above(phase, curve.width, curve.share)
    for direction in Direction:
        parts = [Part(getattr(step, direction), steps)]
        found = delta_by_moment(parts, curve.width, loss, float(truth))
        assert truth <= found <= max(100 * truth, 1e-20)
        if 1e-12 < truth < 0.1:
            epsilon = epsilon_by_moment(parts, curve.width, float(truth))
            assert loss <= epsilon <= 3 * loss + 1


def test_rare_steps_keep_a_small_loss_at_a_small_delta():
    found = privacy_curve([Phase(1.0, 1e-6, 100_000)]).epsilon(1e-12)
    assert found.upper <= 2 * found.lower
