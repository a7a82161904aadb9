"""Trade-off curves against the tests of small explicit laws, listed by Neyman and Pearson."""

import functools
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from deniable import compose
from deniable.errors import NotApplicable
from deniable.notions import (
    ZCDP,
    Adjacency,
    ApproxDP,
    FalseNegativeRate,
    GaussianDP,
    RenyiDP,
    TradeOffCurve,
)
from deniable.theorems.adjacency import add_remove_approx_dp_to_replace_one_approx_dp
from deniable.theorems.baseline_risk import approx_dp_to_baseline_risk
from deniable.theorems.derive import derive
from deniable.theorems.renyi import (
    renyi_dp_to_false_negative_rate,
    zcdp_to_approx_dp_by_orders,
    zcdp_to_false_negative_rate,
)
from deniable.theorems.trade_off import (
    add_remove_trade_off_to_replace_one_trade_off,
    approx_dp_to_trade_off,
    compose_trade_offs,
    gaussian_dp_to_trade_off,
    groups_of_two_trade_offs_to_trade_off,
    renyi_dp_to_trade_off,
    trade_off_to_advantage,
    trade_off_to_approx_dp,
    trade_off_to_baseline_risk,
    trade_off_to_false_negative_rate,
    trade_off_to_privacy_loss_tail,
    trade_off_to_pure_dp,
    two_trade_offs_to_trade_off,
    zcdp_to_trade_off,
)
from tests.cases.effort import usual
from tests.cases.refusals import refuses
from tests.oracles.decimals import exp

OUT, SWAP = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE
RATES = [Fraction(place, 200) for place in range(201)]


# --- what tests of two laws reach, in fractions: nothing here comes from the package


def best_tests(absent, present):
    """The corners (α, β) of all tests: outputs flagged in the order of their likelihood ratio."""
    order = sorted(
        range(len(absent)), key=lambda y: absent[y] / present[y] if present[y] else math.inf
    )
    rates, missed = [Fraction(0)], [Fraction(1)]
    for y in order:
        rates.append(rates[-1] + absent[y])
        missed.append(missed[-1] - present[y])
    return rates, missed


def least_missed(absent, present, rate):
    """Straight between corners; at one rate the least."""
    rates, missed = best_tests(absent, present)
    at = [m for a, m in zip(rates, missed, strict=True) if a == rate]
    if at:
        return min(at)
    place = next(k for k, a in enumerate(rates) if a > rate)
    share = (rate - rates[place - 1]) / (rates[place] - rates[place - 1])
    return missed[place - 1] + share * (missed[place] - missed[place - 1])


def stick(p, q, ratio):
    return sum(max(a - ratio * b, Fraction(0)) for a, b in zip(p, q, strict=True))


def laws(rng, outputs, rows):
    """Sixteenths, some of them 0, so that floats hold every probability."""
    found = []
    for _ in range(rows):
        cuts = sorted(rng.integers(0, 17, size=outputs - 1))
        found.append([Fraction(int(w), 16) for w in np.diff([0, *cuts, 16])])
    return found


def curve_of(absent, present, adjacency=OUT):
    return TradeOffCurve(list(zip(*best_tests(absent, present), strict=True)), adjacency)


def worst(pairs, adjacency=OUT):
    """A curve that no test of any pair is below."""
    return two_by_two([curve_of(*pair, adjacency) for pair in pairs])


def two_by_two(curves):
    found = curves[0]
    for each in curves[1:]:
        found = groups_of_two_trade_offs_to_trade_off(found, each)
    return found


def at(curve, rate):
    """The polygon at a rate, by numpy and not by what is tried."""
    rates, missed = zip(*curve.points, strict=True)
    return float(np.interp(float(rate), rates, missed, right=0.0))


PAIRS = [laws(np.random.default_rng(seed), 3 + seed % 4, 2) for seed in range(40)]


# --- what is read off a curve is what the laws have, from both sides


@pytest.mark.parametrize("seed", range(40))
def test_what_a_curve_says_is_true_of_the_laws_that_it_is_of_and_no_more_than_true(seed):
    absent, present = PAIRS[seed]
    curve = curve_of(absent, present)
    for rate in (0.01, 0.1, 0.37, 0.9):
        exact = least_missed(absent, present, Fraction(rate))
        assert trade_off_to_false_negative_rate(curve, rate).fnr == pytest.approx(exact, abs=1e-15)
        risk = trade_off_to_baseline_risk(curve, rate).success
        assert risk == pytest.approx(1 - exact, abs=1e-15)
    for epsilon in (0.0, 0.3, 1.0, 4.0):
        ratio = Fraction(math.exp(epsilon))
        both = max(stick(present, absent, ratio), stick(absent, present, ratio))
        assert trade_off_to_approx_dp(curve, epsilon).delta == pytest.approx(both, abs=1e-14)
    assert trade_off_to_advantage(curve).value == stick(present, absent, Fraction(1))
    shared = [(p, q) for p, q in zip(absent, present, strict=True) if p or q]
    if all(p and q for p, q in shared):
        loss = max(abs(math.log(p / q)) for p, q in shared)
        assert trade_off_to_pure_dp(curve).epsilon == pytest.approx(loss)


@pytest.mark.parametrize("seed", usual(range(0, 40, 6), range(0, 40, 3)))
def test_a_tail_is_no_less_than_the_laws_have_and_the_least_over_the_hockey_sticks(seed):
    absent, present = PAIRS[seed]
    curve = curve_of(absent, present)
    grid = np.exp(np.linspace(0, 5, 3000))
    for epsilon in (0.2, 1.0, 2.5):
        limit, found = math.exp(epsilon), trade_off_to_privacy_loss_tail(curve, epsilon).exceedance
        ways = ((present, absent), (absent, present))
        exact = max(
            sum(p for p, q in zip(*way, strict=True) if p > limit * q * (1 + 1e-12)) for way in ways
        )
        searched = max(
            min([1.0, *(float(stick(*way, z)) / (1 - z / limit) for z in grid if z < limit)])
            for way in ways
        )
        assert float(exact) <= found + 1e-15
        assert found <= searched + 1e-12


@pytest.mark.parametrize("seed", range(0, 40, 2))
def test_with_exchanges_the_mirrored_curve_holds_too(seed):
    """Both laws are then of people who are there: no test of either against the other is below."""
    absent, present = PAIRS[seed]
    curve = TradeOffCurve(
        two_by_two([curve_of(absent, present), curve_of(present, absent)]).points, SWAP
    )
    lopsided = curve_of(absent, present, SWAP)
    for rate in (0.05, 0.4):
        ways = [
            least_missed(*way, Fraction(rate)) for way in ((absent, present), (present, absent))
        ]
        assert trade_off_to_false_negative_rate(curve, rate).fnr <= min(ways) + 1e-15
        mirrored = trade_off_to_false_negative_rate(lopsided, rate).fnr
        assert mirrored == pytest.approx(max(ways), abs=1e-15)


# --- (ε, δ): two lines, to the next floats


@given(st.floats(0.0, 30.0), st.sampled_from([0.0, 1e-9, 0.01, 0.5]), st.sampled_from(Adjacency))
@settings(max_examples=usual(11, 40))
def test_the_curve_of_two_lines_is_below_them_and_next_to_them(epsilon, delta, adjacency):
    curve = approx_dp_to_trade_off(ApproxDP(epsilon, delta, adjacency))
    e, rest = Fraction(exp(epsilon)), 1 - Fraction(delta)
    kink = rest / (1 + e)
    rates = [Fraction(rate) for rate, _ in curve.points] + [kink, kink / 2, (kink + rest) / 2]
    corners = curve.corners
    for rate in rates:
        exact = max(rest - e * rate, (rest - rate) / e, Fraction(0))
        (a, u), (b, v) = next(
            pair for pair in itertools.pairwise([*corners, (Fraction(2), Fraction(0))])
            if pair[0][0] <= rate <= pair[1][0]
        )  # fmt: skip
        stated = u + (v - u) * (rate - a) / (b - a)
        assert exact - 2e-15 - e * Fraction(2) ** -100 <= stated + e * Fraction(1, 10**15) * rate
        assert stated <= exact + Fraction(1, 10**60)
    back = trade_off_to_approx_dp(curve, epsilon)
    assert delta <= back.delta <= delta + 1e-14
    risk = trade_off_to_baseline_risk(curve, 0.1).success
    exact_risk = approx_dp_to_baseline_risk(ApproxDP(epsilon, delta, adjacency), 0.1).success
    assert exact_risk <= risk * (1 + 1e-15) <= exact_risk * (1 + 1e-12)


# --- tangents: below the curve, and near it


@pytest.mark.parametrize("mu", [0.01, 0.3, 1.0, 4.0])
def test_a_polygon_is_below_a_gaussian_curve_and_near_it(mu):
    curve = gaussian_dp_to_trade_off(GaussianDP(mu), 16)
    for rate in np.linspace(1e-6, 1, 400, endpoint=False):
        exact = ndtr(-ndtri(rate) - mu)
        assert exact - 0.01 <= at(curve, rate) <= exact + 1e-12


@pytest.mark.parametrize("given_", [ZCDP(0.02), ZCDP(1.0), RenyiDP(3.0, 0.4)])
def test_a_polygon_is_below_what_renyi_divergences_allow(given_):
    through = zcdp_to_trade_off if isinstance(given_, ZCDP) else renyi_dp_to_trade_off
    exact = (
        zcdp_to_false_negative_rate if isinstance(given_, ZCDP) else renyi_dp_to_false_negative_rate
    )
    curve = through(given_, 16)
    for rate in (1e-4, 0.01, 0.1, 0.5, 0.9):
        assert exact(given_, rate).fnr - 0.02 <= at(curve, rate) <= exact(given_, rate).fnr + 1e-9


@given(st.floats(0.05, 3.0), st.floats(0.0, 5.0))
@settings(max_examples=usual(8, 20))
def test_the_best_order_is_above_what_a_shifted_normal_has(mu, epsilon):
    exact = ndtr(mu / 2 - epsilon / mu) - math.exp(epsilon) * ndtr(-mu / 2 - epsilon / mu)
    found = zcdp_to_approx_dp_by_orders(ZCDP(mu * mu / 2 * (1 + 1e-15)), epsilon).delta
    assert exact <= found + 1e-15


# --- two curves


@pytest.mark.parametrize("seed", range(0, 38, 2))
def test_two_guarantees_of_one_release_are_their_maximum_which_some_release_attains(seed):
    one, other = (curve_of(*PAIRS[place]) for place in (seed, seed + 1))
    both = two_trade_offs_to_trade_off(one, other)
    for rate in RATES:
        assert at(both, rate) == pytest.approx(max(at(one, rate), at(other, rate)), abs=1e-12)
    # Two laws whose tests are this curve: an output a straight line, and two that are certain.
    steps = list(itertools.pairwise(both.corners))
    absent = [Fraction(0), *(b - a for (a, _), (b, _) in steps), 1 - both.corners[-1][0]]
    present = [1 - both.corners[0][1], *(u - v for (_, u), (_, v) in steps), Fraction(0)]
    for rate in RATES[::10]:
        exact = least_missed(absent, present, rate)
        assert float(exact) == pytest.approx(at(both, rate), abs=1e-12)
        assert float(exact) >= max(at(one, rate), at(other, rate)) - 1e-12


def test_two_guarantees_together_say_more_than_the_better_one():
    often, rarely = ApproxDP(0.5, 0.01), ApproxDP(2.0, 1e-6)
    for epsilon, gain in ((0.5, 1), (0.8, 0.95), (1.0, 0.83), (1.4, 0.59), (2.0, 1)):
        alone = [derive(each, f"approx-dp:{epsilon},?").target.delta for each in (often, rarely)]
        both = derive([often, rarely], f"approx-dp:{epsilon},?").target.delta
        assert both <= gain * min(alone)
    for target, name in (("baseline-risk:?,0.01", "success"), ("advantage", "value")):
        alone = [derive(each, target).parameters[name] for each in (often, rarely)]
        assert derive([often, rarely], target).parameters[name] == min(alone)
    mean = derive([often, rarely], "false-negative-rate:?,0.001").target
    assert isinstance(mean, FalseNegativeRate)
    assert mean.fnr == max(
        derive(each, "false-negative-rate:?,0.001").target.fnr for each in (often, rarely)
    )


@pytest.mark.parametrize("seed", range(0, 38, 3))
def test_groups_with_a_guarantee_each_keep_the_hull_of_the_smaller_one(seed):
    """Two people, each with a release of their own: tests of the joint output, and mixtures."""
    (out_a, in_a), (out_b, in_b) = PAIRS[seed], PAIRS[seed + 1]
    one, other = curve_of(out_a, in_a), curve_of(out_b, in_b)
    hull = groups_of_two_trade_offs_to_trade_off(one, other)
    for fixed_a, fixed_b in itertools.product((out_a, in_a), (out_b, in_b)):
        of_a = [[x * y for x in law for y in fixed_b] for law in (out_a, in_a)]
        of_b = [[x * y for x in fixed_a for y in law] for law in (out_b, in_b)]
        for rate in RATES[::20]:
            assert least_missed(*of_a, rate) >= at(hull, rate) - 1e-12
            assert least_missed(*of_b, rate) >= at(hull, rate) - 1e-12
    rng = np.random.default_rng(seed)
    for _ in range(30):
        weight, *tests = rng.random(3)
        missed = weight * at(one, tests[0]) + (1 - weight) * at(other, tests[1])
        assert missed >= at(hull, weight * tests[0] + (1 - weight) * tests[1]) - 1e-12


@pytest.mark.parametrize("seed", range(0, 38, 3))
def test_the_hull_is_the_largest_convex_function_below_both(seed):
    """Against every mixture of two points of the smaller one, on a grid."""
    one, other = (curve_of(*PAIRS[place]) for place in (seed, seed + 1))
    hull = groups_of_two_trade_offs_to_trade_off(one, other)
    rates = np.array([float(rate) for rate in RATES])
    smaller = np.array([min(at(one, rate), at(other, rate)) for rate in rates])
    for place in range(0, 201, 25):
        left, right = rates[: place + 1, None], rates[None, place:]
        wide = np.where(right > left, right - left, 1.0)
        share = np.where(right > left, (rates[place] - left) / wide, 0.0)
        mixed = (1 - share) * smaller[: place + 1, None] + share * smaller[None, place:]
        assert mixed.min() == pytest.approx(at(hull, rates[place]), abs=6e-3)
        assert mixed.min() >= at(hull, rates[place]) - 1e-12


# --- several releases


def together(*pairs):
    """The laws of independent outputs of several pairs of laws, side by side."""
    return [
        [math.prod(row) for row in itertools.product(*sides)] for sides in zip(*pairs, strict=True)
    ]


@pytest.mark.parametrize("seed", range(0, 40, 2))
def test_two_releases_have_the_curve_of_both_outputs_side_by_side(seed):
    """From both sides: nothing is claimed that a test of both passes, and no less than that."""
    first, second = PAIRS[seed], PAIRS[seed + 1]
    composed = compose_trade_offs(curve_of(*first), curve_of(*second))
    both = together(first, second)
    for rate in RATES[::8]:
        least = float(least_missed(*both, rate))
        assert least - 1e-12 <= at(composed, rate) <= least + 1e-15


@pytest.mark.parametrize("seed", range(0, 40, 4))
def test_with_exchanges_the_higher_of_both_ways_is_composed(seed):
    """What two laws keep to in both directions, some pair of laws has: the product is of those."""
    curves = [curve_of(*pair, SWAP) for pair in (PAIRS[seed], PAIRS[seed + 3])]
    level = [two_trade_offs_to_trade_off(each, each.mirrored) for each in curves]
    apart = [TradeOffCurve(each.points, OUT) for each in level]
    composed = compose_trade_offs(*curves)
    expected = compose_trade_offs(*apart)
    for rate in RATES[::8]:
        assert at(composed, rate) == pytest.approx(at(expected, rate), abs=1e-12)
        assert at(composed, rate) <= at(composed.mirrored, rate) + 1e-12


@pytest.mark.parametrize("seed", range(0, 40, 8))
def test_who_chooses_the_second_release_by_the_first_has_no_better_tests(seed):
    """Another pair of laws with the same curve, or a better one, for each output of the first."""
    rng = np.random.default_rng(300 + seed)
    first, (absent, present) = PAIRS[seed], PAIRS[seed + 1]
    composed = compose_trade_offs(curve_of(*first), curve_of(absent, present))
    flat = [Fraction(1, len(absent))] * len(absent)
    chosen = []
    for _ in first[0]:  # as it is, its outputs merged, or nothing told
        merged = [[row[0] + row[1], Fraction(0), *row[2:]] for row in (absent, present)]
        chosen.append([(absent, present), merged, (flat, flat)][int(rng.integers(3))])
    both = [
        [p * q for p, laws_of in zip(first[side], chosen, strict=True) for q in laws_of[side]]
        for side in (0, 1)
    ]
    for rate in RATES[::8]:
        assert at(composed, rate) <= float(least_missed(*both, rate)) + 1e-15


def test_many_releases_are_thinned_downwards_and_stay_near():
    each = gaussian_dp_to_trade_off(GaussianDP(0.5), 8)
    composed = functools.reduce(compose_trade_offs, [each] * 3)
    assert len(composed.points) <= 70
    for rate in (0.001, 0.01, 0.1, 0.3, 0.5, 0.8):
        exact = float(ndtr(-(ndtri(rate) + 0.5 * math.sqrt(3))))
        assert exact - 0.02 <= at(composed, rate) <= exact


def test_one_release_that_tells_nothing_adds_nothing():
    nothing = TradeOffCurve([(0, 1), (1, 0)], OUT)
    for pair in PAIRS[::5]:
        alone = curve_of(*pair)
        composed = compose_trade_offs(alone, nothing)
        assert alone.is_above(composed)
        assert composed.is_above(alone, Fraction(1, 10**12))


def test_releases_of_other_neighbours_are_refused():
    with refuses(NotApplicable, "with-same-neighbours"):
        compose_trade_offs(curve_of(*PAIRS[0], OUT), curve_of(*PAIRS[0], SWAP))


def test_compose_reads_beliefs_off_the_product():
    """Randomised response twice, as curves: the loss is next to that of ε twice."""
    curve = "trade-off:0,1/.25,.25/1,0"
    answer = compose([curve, curve], prior=(0.5, 0.5))
    assert 0.9 <= {x.prior: x for x in answer.posterior}[0.5].upper <= 0.90002
    beside = compose([curve, "approx-dp:1,1e-3"], exceedance=0.01)
    alone = compose(["pure-dp:1.0986122886681098", "approx-dp:1,1e-3"], exceedance=0.01)
    assert beside.loss <= alone.loss * (1 + 1e-8)
    mixed = compose([curve + "@add-remove", "pure-dp:0.5"])
    assert mixed.total.adjacency is SWAP
    telling = compose(["trade-off:0,.5/.5,0", curve])
    assert telling.loss == math.inf
    with refuses(NotApplicable, "beside-trade-off: zcdp"):
        compose([curve, "zcdp:0.1"])


# --- an exchange is two changes


@pytest.mark.parametrize("seed", range(30))
def test_an_exchange_keeps_the_composed_curve(seed):
    absent, here, there = laws(np.random.default_rng(100 + seed), 3 + seed % 3, 3)
    single = worst([(absent, here), (absent, there)])
    exchanged = add_remove_trade_off_to_replace_one_trade_off(single)
    for rate in RATES[::8]:
        for way in ((here, there), (there, here)):
            assert least_missed(*way, rate) >= at(exchanged, rate) - 1e-12


@given(st.floats(0.0, 5.0), st.floats(0.0, 0.3))
@settings(max_examples=usual(10, 30))
def test_it_is_no_weaker_than_groups_of_two_by_epsilon_and_delta(epsilon, delta):
    single = ApproxDP(epsilon, delta, OUT)
    composed = add_remove_trade_off_to_replace_one_trade_off(approx_dp_to_trade_off(single))
    known = add_remove_approx_dp_to_replace_one_approx_dp(single)
    assert trade_off_to_approx_dp(composed, known.epsilon).delta <= known.delta + 1e-12
