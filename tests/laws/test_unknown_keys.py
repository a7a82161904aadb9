"""Keys that nobody knows beforehand: what is claimed holds for every pair of small tables."""

import math
import tomllib
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deniable
from benchmarks import unknown_keys
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, exposure, least_threshold
from deniable.notions import ApproxZCDP
from deniable.theorems.attacks import approx_zcdp_to_advantage
from deniable.theorems.pure_and_approximate import (
    approx_zcdp_to_approx_dp,
    approx_zcdp_to_privacy_loss_tail,
)
from tests.cases.effort import some_pairs, usual
from tests.oracles import unknown_keys as oracle
from tests.oracles.decimals import CONTEXT, exp, number

KEYS = ("u", "v", "w")
WIDTH = 6
OTHERS = [
    [],
    [frozenset("u")],
    [frozenset("u"), frozenset("uv")],
    [frozenset("v")] * 3,
]
"""Those whom two neighbours share."""


def laws(most, threshold, noise, tail, *, exchange):
    """Pairs of laws of neighbours, each pair once; the same for entities that count alike."""
    memory = {}

    def law(table):
        number = oracle.counts(table)
        at = tuple(number[key] for key in KEYS)
        if at not in memory:
            memory[at] = oracle.law(
                table,
                KEYS,
                lambda count: oracle.of_key(noise, count, threshold, WIDTH, tail),
            )
        return at, memory[at]

    seen = set()
    for one, other in oracle.neighbours(KEYS, most, OTHERS, exchange=exchange):
        (a, p), (b, q) = law(one), law(other)
        if (a, b) not in seen:
            seen.add((a, b))
            yield p, q


@pytest.mark.parametrize("exchange", [False, True], ids=["add-remove", "replace-one"])
@pytest.mark.parametrize(("most", "threshold"), some_pairs([1, 2], [4, 2]))
def test_laplace_noise_and_a_threshold_are_epsilon_delta_private(exchange, most, threshold):
    alpha = Fraction(1, 2)
    scale = 1 / math.log(2)  # e^(−1/s) = ½, so that e^ε is a power of two
    claimed = exposure(DiscreteLaplace(scale), threshold, most)
    grown = 2 ** (2 * most if exchange else most)
    pairs = laws(
        most, threshold, oracle.laplace(alpha), oracle.laplace_tail(alpha), exchange=exchange
    )
    worst = max(oracle.hockey_stick(p, q, grown) for p, q in pairs)
    assert worst <= claimed * (1 + 1e-12)
    if not exchange or most == 1:
        assert worst >= claimed * 0.999  # by an entity alone with its keys: nothing is given away


@pytest.mark.parametrize("exchange", [False, True], ids=["add-remove", "replace-one"])
@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize("sigma", [0.7, 2.0])
def test_gaussian_noise_and_a_threshold_keep_to_approximate_zcdp(exchange, most, sigma):
    noise = oracle.gaussian(sigma)
    moved = most * (2 if exchange else 1)
    claimed = exposure(DiscreteGaussian(sigma), 3, most)
    whole = ApproxZCDP(moved / (2 * sigma**2), claimed)
    pairs = [
        (np.array(p, float), np.array(q, float))
        for p, q in laws(most, 3, noise, oracle.series_tail(noise, 40), exchange=exchange)
    ]
    assert max(abs(p - q).sum() / 2 for p, q in pairs) <= approx_zcdp_to_advantage(whole).value
    for epsilon in (0.2, 1.0, 2.5):
        found = max(np.maximum(p - math.exp(epsilon) * q, 0).sum() for p, q in pairs)
        assert found <= approx_zcdp_to_approx_dp(whole, epsilon).delta + 1e-12
        rare = max(p[p > math.exp(epsilon) * q].sum() for p, q in pairs)
        assert rare <= approx_zcdp_to_privacy_loss_tail(whole, epsilon).exceedance + 1e-12


def test_a_threshold_that_is_one_too_low_gives_more_away():
    """The check above would see it."""
    alpha, most = Fraction(1, 2), 1
    pairs = list(laws(most, 2, oracle.laplace(alpha), oracle.laplace_tail(alpha), exchange=False))
    worst = max(oracle.hockey_stick(p, q, 2) for p, q in pairs)
    assert worst > exposure(DiscreteLaplace(1 / math.log(2)), 3, most)


@settings(deadline=None, max_examples=usual(16, 60))
@given(st.floats(0.3, 40.0), st.integers(1, 30), st.floats(1e-12, 0.3), st.booleans())
def test_the_least_threshold_is_the_least(scale, keys, delta, gauss):
    noise = DiscreteGaussian(scale) if gauss else DiscreteLaplace(scale)
    found = least_threshold(noise, keys, delta)
    assert exposure(noise, found, keys) <= delta
    assert found == 2 or exposure(noise, found - 1, keys) > delta


@settings(deadline=None, max_examples=usual(16, 60))
@given(st.integers(1, 40), st.integers(1, 40), st.integers(2, 12))
def test_exposure_is_rounded_up_from_the_exact_probability(keys, threshold, denominator):
    """With α a power of a rational number the tail is rational, and so is 1 − (1 − q)^r."""
    alpha = Fraction(1, denominator)
    scale = 1 / math.log(denominator)
    # The float scale is not exactly 1/ln: its own law is within a relative 1e-13 of this one.
    exact = 1 - (1 - oracle.laplace_tail(alpha)(threshold - 1)) ** keys
    assert exposure(DiscreteLaplace(scale), threshold, keys) == pytest.approx(
        float(exact), rel=1e-11
    )


@settings(deadline=None, max_examples=usual(10, 30))
@given(st.floats(0.05, 20.0), st.integers(1, 50), st.integers(1, 200), st.booleans())
def test_exposure_is_a_float_at_or_above_its_exact_value(scale, keys, threshold, gauss):
    """In decimals of many digits: α = e^(−1/s), or sums of e^(−k²/2σ²)."""
    first, s = threshold - 1, number(scale)
    if gauss:
        squares = CONTEXT.multiply(2, CONTEXT.multiply(s, s))

        def weight(k):
            return exp(CONTEXT.divide(number(-k * k), squares))

        reach = first + math.ceil(18 * scale) + 2
        above = sum(Fraction(weight(k)) for k in range(first, reach))
        tail = above / (1 + 2 * sum(Fraction(weight(k)) for k in range(1, reach)))
        noise = DiscreteGaussian(scale)
    else:
        alpha = exp(CONTEXT.divide(number(-1), s))
        power = exp(CONTEXT.divide(number(-first), s))
        tail = Fraction(power) / (1 + Fraction(alpha))
        if first == 0:
            tail = Fraction(1) / (1 + Fraction(alpha))
        noise = DiscreteLaplace(scale)
    exact = 1 - (1 - tail) ** keys
    given = exposure(noise, threshold, keys)
    if exact > Fraction(1, 10**60):  # beyond the sum leaves out more than it holds
        assert float(exact) * (1 - 1e-12) <= given <= float(exact) * (1 + 1e-12) + 5e-324
        if not gauss:
            assert Fraction(given) >= exact * (1 - Fraction(1, 10**40))


TARGETS = ["epsilon = 1.0", "gamma = 2.0", "advantage = 0.2", "attack_success = 0.7"]


@pytest.mark.parametrize("adjacency", ["add-remove", "replace-one"])
@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
@pytest.mark.parametrize("target", TARGETS)
def test_what_a_plan_adds_meets_its_target(target, noise, adjacency):
    """From scales and thresholds alone, by definitions and not by the way back that chose them."""
    kind, value = target.split(" = ")
    content = tomllib.loads(
        f"""
[data]
source = "memory"
adjacency = "{adjacency}"
entity = "person"
[target]
{target}
delta = 1e-6
noise = "{noise}"
[limits]
rows_per_entity = 3
"""
    )
    query = {"statistic": "entities", "group_by": ["dx"], "keys": {"dx": "unknown"}}
    content["query"] = [
        {"name": "a", **query},
        {"name": "b", "weight": 3, **query},
        {"name": "c", "statistic": "count", "where": [["dx", "==", "flu"]]},
    ]
    prepared = deniable.plan(content, data=pl.DataFrame({"person": [1], "dx": ["flu"]}))
    moved = {"add-remove": 3, "replace-one": 6}[adjacency]
    noises = [query.mechanisms[0] for query in prepared.queries]
    exposures = sum(
        exposure(noise, query.threshold.value, 3)
        for noise, query in zip(noises, prepared.queries, strict=True)
        if query.threshold is not None
    )
    if noise == "laplace":
        spent = sum(moved / each.scale for each in noises[:2]) + 3 / noises[2].scale
        tail = 1e-6 / (1 - 1e-12)
        rise = math.expm1(spent)
        advantage = (rise + 2 * exposures) / (rise + 2)
        loss = spent - math.log1p(-exposures / 1e-6) if kind == "gamma" else spent
        assert exposures <= tail
    else:
        rho = sum(moved / (2 * each.scale**2) for each in noises[:2]) + 9 / (
            2 * noises[2].scale ** 2
        )
        whole = ApproxZCDP(rho, exposures)
        advantage = approx_zcdp_to_advantage(whole).value
        loss = math.inf
        if kind == "epsilon":
            assert approx_zcdp_to_approx_dp(whole, 1.0).delta <= 1e-6 * (1 + 1e-9)
            loss = 1.0
        if kind == "gamma":
            tail = approx_zcdp_to_privacy_loss_tail(whole, math.log(2)).exceedance
            assert tail <= 1e-6 * (1 + 1e-6)
            loss = math.log(2)
    match kind:
        case "epsilon":
            assert loss <= 1.0 + 1e-12
        case "gamma":
            assert math.exp(loss) <= 2.0 + 1e-9
        case "advantage":
            assert advantage <= float(value) + 1e-12
        case "attack_success":
            assert (1 + advantage) / 2 <= float(value) + 1e-12
    assert exposures <= prepared.calibration.exposure * (1 + 1e-12)


def test_a_release_with_counts_names_nearly_as_many_keys_as_any_could(capsys):
    """The benchmark on a small table, against the best choice without counts."""
    lines = unknown_keys.compare((2_000,), keys=5_000)
    best = unknown_keys.best_without_counts(unknown_keys.zipf_counts(2_000, 1, 5_000))
    line = lines[2_000, 1, "add-remove", "laplace"]
    assert line.threshold == 15
    assert 0.85 * best <= line.published <= best
    assert lines[2_000, 3, "replace-one", "laplace"].threshold == 87
    assert "published" in capsys.readouterr().out


SIZES = st.integers(2, 4)


@settings(deadline=None, max_examples=usual(22, 80))
@given(st.data())
def test_approximate_zcdp_averaged_over_a_prior_keeps_its_three_promises(data):
    """Mixtures of (1 − δ)P + δR against (1 − δ)Q + δR', R and R' being anything."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    size, worlds = data.draw(SIZES), data.draw(st.integers(1, 3))
    delta = data.draw(st.sampled_from([0.0, 1e-3, 0.05, 0.4]))
    spread = data.draw(st.sampled_from([0.1, 0.5, 1.5]))
    weights = rng.dirichlet(np.ones(worlds))
    p = rng.dirichlet(np.ones(size), worlds)
    q = p * np.exp(rng.uniform(-spread, spread, (worlds, size)))
    q /= q.sum(axis=1, keepdims=True)
    rare, other = rng.dirichlet(np.full(size, 0.1), (2, worlds))
    rho = max(rate(one, two) for one, two in zip(p, q, strict=True))
    first = weights @ ((1 - delta) * p + delta * rare)
    second = weights @ ((1 - delta) * q + delta * other)
    whole = ApproxZCDP(rho * (1 + 1e-9) + 1e-15, delta)
    assert abs(first - second).sum() / 2 <= approx_zcdp_to_advantage(whole).value + 1e-12
    for epsilon in (0.0, 0.1, 0.7, 2.0):
        found = np.maximum(first - math.exp(epsilon) * second, 0).sum()
        assert found <= approx_zcdp_to_approx_dp(whole, epsilon).delta + 1e-12
        passed = first[first > math.exp(epsilon) * second * (1 + 1e-12)].sum()
        assert passed <= approx_zcdp_to_privacy_loss_tail(whole, epsilon).exceedance + 1e-12


def rate(p, q):
    """sup over orders α > 1 of D_α/α, both ways, from below on a fine grid, and its limits."""
    orders = 1 + np.exp(np.linspace(-9, 9, 400))[:, None]
    worst = 0.0
    for one, two in ((p, q), (q, p)):
        log = np.log(one / two)
        worst = max(worst, float((one * log).sum()))
        moments = np.log((one * np.exp((orders - 1) * (log - log.max()))).sum(axis=1))
        divergences = moments / (orders[:, 0] - 1) + log.max()
        worst = max(worst, float((divergences / orders[:, 0]).max()))
    return worst * 1.001
