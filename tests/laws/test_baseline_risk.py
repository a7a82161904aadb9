"""Risk at a baseline: no attack on a small mechanism does better, and some do as well."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from deniable.notions import (
    ZCDP,
    Adjacency,
    ApproxDP,
    BaselineRisk,
    GaussianDP,
    PrivacyCurve,
    PureDP,
    RenyiDP,
)
from deniable.theorems.attacks import approx_dp_to_attack_success, gaussian_dp_to_advantage
from deniable.theorems.baseline_risk import (
    approx_dp_to_baseline_risk,
    gaussian_dp_to_baseline_risk,
    renyi_dp_to_baseline_risk,
    zcdp_to_baseline_risk,
)
from deniable.theorems.derive import derive
from deniable.training.theorems import privacy_curve_to_baseline_risk
from tests.cases.effort import usual
from tests.oracles import baseline_risk as slow
from tests.oracles import normal
from tests.oracles.decimals import claims, exp, number

OUT, SWAP = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE
ROUNDED = 1e-9
"""What the guarantees that float64 reads off a mechanism are widened by, relative."""

RISK = {
    ApproxDP: approx_dp_to_baseline_risk,
    GaussianDP: gaussian_dp_to_baseline_risk,
    ZCDP: zcdp_to_baseline_risk,
    RenyiDP: renyi_dp_to_baseline_risk,
}


def risk(guarantee, baseline, candidates=None):
    return RISK[type(guarantee)](guarantee, baseline, candidates).success


# --- no attack on a random mechanism does better: all that name values, by listing


def random_laws(rng, count, values, outputs):
    """From nearly equal to nearly revealing, and never 0."""
    spread = rng.choice([0.1, 0.5, 2.0, 20.0], size=(count, 1, 1))
    rows = rng.gamma(spread, size=(count, values, outputs)) + 1e-12
    return rows / rows.sum(axis=-1, keepdims=True)


def guarantees(rng, rows, adjacency, kind):
    """What each of many mechanisms keeps to, as strong as it can be of that kind.

    With add-remove adjacency the last row is the law where the record is absent.
    """
    if adjacency is OUT:
        first, absent = rows[..., :-1, :], rows[..., -1:, :]
        tried = [(first[..., i, :], absent[..., 0, :]) for i in range(first.shape[-2])]
        tried += [(q, p) for p, q in tried]
    else:
        tried = list(slow.pairs(rows))
    if kind is ApproxDP:
        epsilons = rng.choice([0.0, 0.1, 0.5, 1.0, 3.0], size=len(rows))
        deltas = np.max([slow.delta(p, q, epsilons) for p, q in tried], axis=0)
        pure = np.max([slow.loss(p, q) for p, q in tried], axis=0)
        for epsilon, delta, largest in zip(epsilons, deltas, pure, strict=True):
            if rng.random() < 0.3:
                yield ApproxDP(max(largest, 0.0) * (1 + ROUNDED) + 1e-12, 0.0, adjacency)
            else:
                yield ApproxDP(epsilon, min(delta * (1 + ROUNDED) + 1e-15, 1.0), adjacency)
        return
    if kind is RenyiDP:
        order = float(rng.choice([1.3, 2.0, 9.0]))
        moments = [(p**order * q ** (1 - order)).sum(axis=-1) for p, q in tried]
        for value in np.log(np.max(moments, axis=0)) / (order - 1):
            yield RenyiDP(order, max(value, 0.0) * (1 + 1e-9) + 1e-12, adjacency)
        return
    measure = slow.shift if kind is GaussianDP else slow.concentration
    for value in np.max([measure(p, q) for p, q in tried], axis=0):
        yield kind(max(value, 0.0) * (1 + 1e-6) + 1e-9, adjacency)


SHAPES = [(2, 2), (2, 4), (3, 3), (4, 3), (4, 6), (5, 4)]
TRIED = [
    (ApproxDP, usual(100, 840)),
    (GaussianDP, usual(6, 30)),
    (RenyiDP, usual(6, 30)),
    (ZCDP, usual(3, 5)),
]


@pytest.mark.parametrize(("kind", "count"), TRIED, ids=lambda case: getattr(case, "__name__", ""))
@pytest.mark.parametrize("adjacency", Adjacency)
def test_no_attack_on_a_random_mechanism_does_better(adjacency, kind, count):
    """Hundreds of guarantees of (ε, δ)-DP, fewer of those that take longer."""
    rng = np.random.default_rng(65)
    tried, closest = 0, 1.0
    for values, outputs in SHAPES:
        rows = random_laws(rng, count, values + (adjacency is OUT), outputs)
        shown = rows[:, :values]
        equal = np.full(values, 1 / values)
        uneven = rng.dirichlet(np.full(values, 0.7))
        size = int(rng.integers(1, values))
        questions = [
            (equal, size / values, values),
            (uneven, float(max(uneven)), None),
            (uneven, float(rng.uniform(min(uneven), 1)), None),
        ]
        given = list(guarantees(rng, rows, adjacency, kind))
        for prior, baseline, candidates in questions:
            sets = list(slow.names(prior, baseline + 1e-15))
            reached = slow.success(prior, shown, sets)
            for guarantee, exact in zip(given, reached, strict=True):
                bound = risk(guarantee, min(baseline, 1.0), candidates)
                assert exact <= bound + 1e-12, (guarantee, baseline, candidates)
                closest = min(closest, bound - exact)
                tried += 1
    assert tried == 3 * count * len(SHAPES)
    assert closest < 0.02


# --- attained: the least number for each kind


@pytest.mark.parametrize("kind", [ApproxDP, GaussianDP, ZCDP])
@pytest.mark.parametrize("values", [2, 3, 7])
def test_with_absence_some_mechanism_attains_the_number(kind, values):
    """The output names a value, the secret more often: all equally likely where it is absent."""
    guarantee = {
        ApproxDP: ApproxDP(1.0, 0.01, OUT),
        GaussianDP: GaussianDP(0.7, OUT),
        ZCDP: ZCDP(0.2, OUT),
    }[kind]
    most = risk(guarantee, 1 / values, values)
    rows = np.full((values + 1, values), (1 - most) / (values - 1))
    rows[-1] = 1 / values
    np.fill_diagonal(rows[:-1], most)
    two = [(rows[0], rows[-1]), (rows[-1], rows[0])]
    assert all(keeps(guarantee, *each) for each in two)
    equal = np.full(values, 1 / values)
    attained = slow.success(equal, rows[:-1], [(value,) for value in range(values)])
    assert attained == pytest.approx(most, rel=1e-12)


def keeps(guarantee, p, q):
    match guarantee:
        case ApproxDP():
            return slow.delta(p, q, guarantee.epsilon) <= guarantee.delta + 1e-12
        case GaussianDP():
            return slow.shift(p, q) <= guarantee.mu + 1e-9
        case ZCDP():
            return slow.concentration(p, q) <= guarantee.rho * (1 + 1e-9)


@pytest.mark.parametrize(
    "guarantee", [ApproxDP(1.0, 0.0), ApproxDP(0.4, 0.05), ApproxDP(0.0, 0.2), GaussianDP(0.7)],
    ids=lambda each: each.spec,
)  # fmt: skip
@pytest.mark.parametrize(("values", "size"), [(2, 1), (3, 1), (5, 2), (6, 3), (6, 1)])
def test_without_absence_some_mechanism_attains_the_number(guarantee, values, size):
    most = risk(guarantee, size / values, values)
    rows = slow.marked(values, size, most)
    assert keeps(guarantee, rows[0], rows[1])
    assert keeps(guarantee, rows[1], rows[0])
    equal = np.full(values, 1 / values)
    attained = slow.success(equal, rows, list(slow.names(equal, size / values + 1e-12)))
    assert attained == pytest.approx(most, rel=1e-12)


@pytest.mark.parametrize(
    "guarantee", [ApproxDP(1.0, 0.0), ApproxDP(0.4, 0.05), GaussianDP(0.7)], ids=lambda g: g.spec
)
@pytest.mark.parametrize("baseline", [0.1, 0.25, 0.5])
def test_of_many_values_mechanisms_come_as_near_as_one_likes(guarantee, baseline):
    limit = risk(guarantee, baseline)
    found = [risk(guarantee, baseline, values) for values in (20, 200, 20_000, 10**9)]
    assert found == sorted(found)
    assert found[-1] <= limit
    assert found[-1] == pytest.approx(limit, rel=1e-6)


def test_rotations_attain_two_fifths_with_absence():
    """Any three of seven in a row are named, more often those with the secret among them."""
    guarantee, values, size = ApproxDP(0.8, 0.02, OUT), 7, 3
    most = risk(guarantee, size / values, values)
    inside = np.array([[(v - y) % values < size for y in range(values)] for v in range(values)])
    rows = np.where(inside, most / size, (1 - most) / (values - size))
    absent = np.full(values, 1 / values)
    assert keeps(guarantee, rows[0], absent)
    assert keeps(guarantee, absent, rows[0])
    sets = [tuple((y + i) % values for i in range(size)) for y in range(values)]
    assert slow.success(absent, rows, sets) == pytest.approx(most, rel=1e-12)


# --- agreement with what is known otherwise


def test_known_values():
    assert risk(ApproxDP(1.0, 0.0), 0.5, 2) == pytest.approx(0.7310585786300049, rel=1e-15)
    assert risk(ApproxDP(1.0, 0.0, OUT), 0.5) == pytest.approx(1 - 0.5 / math.e, rel=1e-15)
    assert risk(ApproxDP(1.0, 0.0), 0.1) == pytest.approx(0.1 * math.e / (0.9 + 0.1 * math.e))
    assert risk(GaussianDP(1.0, OUT), 0.1) == pytest.approx(ndtr(ndtri(0.1) + 1), rel=1e-12)
    assert risk(GaussianDP(1.0), 0.5, 2) == pytest.approx(ndtr(0.5), rel=1e-12)
    by_scipy = brentq(lambda s: ndtri(0.9 * s) - ndtri(0.1 * (1 - s)) - 1.2, 0.1, 0.999)
    assert risk(GaussianDP(1.0, slack=0.1), 0.1) == pytest.approx(by_scipy, rel=1e-9)


@given(st.floats(0.0, 30.0), st.floats(0.0, 1.0), st.floats(0.0, 5.0))
@settings(max_examples=usual(11, 40))
def test_of_two_equal_values_it_is_the_attack_success_at_prior_one_half(epsilon, delta, mu):
    exact = approx_dp_to_attack_success(ApproxDP(epsilon, delta)).probability
    assert risk(ApproxDP(epsilon, delta), 0.5, 2) == exact
    gaussian = (1 + gaussian_dp_to_advantage(GaussianDP(mu)).value) / 2
    assert risk(GaussianDP(mu), 0.5, 2) == pytest.approx(gaussian, rel=1e-14)


@given(st.floats(1e-6, 30.0), st.sampled_from([0.0, 1e-6, 0.01]), st.floats(1e-6, 0.999))
@settings(max_examples=usual(16, 60))
def test_to_the_next_float(epsilon, delta, baseline):
    e, d, b = (Fraction(each) for each in (exp(epsilon), delta, baseline))
    direct = min(d + e * b, 1 - (1 - d - b) / e, 1)
    assert claims(risk(ApproxDP(epsilon, delta, OUT), baseline), number(direct))
    exchanged = min((d + e * b) / (1 - b + e * b), 1)
    assert claims(risk(ApproxDP(epsilon, delta), baseline), number(exchanged))


@given(st.floats(0.01, 4.0), st.floats(1e-4, 0.99), st.none() | st.integers(2, 9))
@settings(max_examples=usual(8, 15))
def test_the_gaussian_number_is_the_least_float(mu, baseline, values):
    """Its test lies beyond the curve, that of the float below it does not."""
    if values is not None:
        baseline = 1 / values
    share = Fraction(1) if values is None else 1 - Fraction(1, values)
    b = Fraction(baseline) if values is None else Fraction(1, values)
    most = risk(GaussianDP(mu), baseline, values)

    def gap(success):
        level, power = b * (1 - Fraction(success)) / share, (1 - b) * Fraction(success) / share
        apart = normal.quantile(number(power)) - normal.quantile(number(level))
        return apart - number(mu)

    assert gap(most) >= 0 >= gap(math.nextafter(most, 0.0))


# --- limits, and larger numbers for more success before and for weaker guarantees


@pytest.mark.parametrize("adjacency", Adjacency)
def test_limits(adjacency):
    for baseline in (0.0, 5e-324, 1e-300, 1e-9, 0.5, 1 - 2**-53, 1.0):
        assert risk(ApproxDP(0.0, 0.0, adjacency), baseline) == baseline
        assert risk(GaussianDP(0.0, adjacency), baseline) == baseline
        assert risk(ZCDP(0.0, adjacency), baseline) == baseline
        assert risk(ApproxDP(math.inf, 0.0, adjacency), baseline) == 1.0
        assert risk(ApproxDP(0.5, 1.0, adjacency), baseline) == 1.0
        assert risk(GaussianDP(1e9, adjacency), baseline or 0.5) == 1.0
        assert risk(ZCDP(1e9, adjacency), baseline or 0.5) == 1.0
    for guarantee in (
        ApproxDP(1.0, 0.0, adjacency),
        GaussianDP(1.0, adjacency),
        ZCDP(0.5, adjacency),
    ):
        assert risk(guarantee, 0.0) == 0.0
        assert 0 < risk(guarantee, 1e-300) < 1e-280
        assert risk(guarantee, 1.0) == risk(guarantee, 1.0, 7) == 1.0
    assert risk(ApproxDP(1.0, 1e-6, adjacency), 0.0) == 1e-6
    assert privacy_curve_to_baseline_risk(PrivacyCurve(0.1, 1.0, 10), 0.0).success == 0.0
    assert privacy_curve_to_baseline_risk(PrivacyCurve(0.1, 1.0, 10), 1.0).success == 1.0


kinds = st.sampled_from([ApproxDP, GaussianDP, ZCDP])
adjacencies = st.sampled_from(Adjacency)
baselines = st.floats(1e-9, 1.0)


@given(
    st.floats(0.0, 8.0), st.floats(0.0, 1.0), kinds, adjacencies, st.tuples(baselines, baselines)
)
@settings(max_examples=usual(16, 60))
def test_more_success_before_is_no_less_afterwards(parameter, delta, kind, adjacency, two):
    guarantee = (
        ApproxDP(parameter, delta, adjacency) if kind is ApproxDP else kind(parameter, adjacency)
    )
    less, more = (risk(guarantee, each) for each in sorted(two))
    assert less <= more * (1 + 1e-9 * (kind is ZCDP))
    assert all(each <= risk(guarantee, each) for each in two)


@given(st.floats(0.0, 8.0), st.floats(0.0, 1.0), kinds, st.integers(2, 50), st.integers(1, 50))
@settings(max_examples=usual(16, 60))
def test_equal_values_are_no_worse_than_any_and_exchange_no_worse_than_absence(
    parameter, delta, kind, values, size
):
    guarantee = ApproxDP(parameter, delta, SWAP) if kind is ApproxDP else kind(parameter, SWAP)
    baseline = min(size, values) / values
    equal, any_values = risk(guarantee, baseline, values), risk(guarantee, baseline)
    absent = type(guarantee)(*[parameter, delta, OUT][:: 1 if kind is ApproxDP else 2])
    slack = 1 + (1e-9 if kind is ZCDP else 1e-15)
    assert equal <= any_values * slack
    assert any_values <= risk(absent, baseline) * slack


# --- noisy training


@pytest.mark.parametrize("baseline", [1e-4, 0.02, 0.5, 0.97])
def test_training_is_enclosed_by_one_step_of_noise(baseline):
    """Without sampling a step is a Gaussian shift; half a sample can only be less."""
    full = privacy_curve_to_baseline_risk(PrivacyCurve(1.0, 2.0, 1), baseline).success
    exact = float(ndtr(ndtri(baseline) + 0.5))
    assert exact <= full <= exact * 1.001
    half = privacy_curve_to_baseline_risk(PrivacyCurve(0.5, 2.0, 1), baseline).success
    by_listing = sampled_step(0.5, 2.0, baseline)
    assert by_listing <= half <= by_listing * 1.001


def sampled_step(rate, noise, level):
    """One minus f: all who flag beyond a threshold, N(0, σ²) against the mixture with N(1, σ²)."""
    place = -ndtri(level) * noise
    return rate * ndtr(-(place - 1) / noise) + (1 - rate) * level


def test_a_third_is_a_third_of_the_candidates():
    schedule = PrivacyCurve(0.5, 2.0, 1)
    assert privacy_curve_to_baseline_risk(schedule, 0.4, 3).success == pytest.approx(
        sampled_step(0.5, 2.0, 1 / 3), rel=1e-3
    )


# --- through the derivation engine


def test_from_every_guarantee_a_chain_leads_to_a_risk():
    for text, least in (
        ("pure-dp:1", 0.23196931668407397),
        ("approx-dp:1,1e-6", 0.2319701),
        ("gaussian-dp:1", 0.3402868),
        ("zcdp:0.5", 0.4089812),
        ("privacy-loss-tail:1,1e-6", 0.2319701),
        ("pure-dp:1@add-remove", 0.1 * math.e),
        ("privacy-curve:0.5,2.0,1", sampled_step(0.5, 2.0, 0.1)),
        ("positive-membership:2", 0.18182),
    ):
        assert derive(text, "baseline-risk:?,0.1").target.success == pytest.approx(least, rel=1e-4)


def test_of_two_readings_of_one_guarantee_the_smaller_number_counts():
    """That of the record being absent, or that of an exchange, which is two changes."""
    one = derive(PureDP(1.0, OUT), "baseline-risk:?,0.5@replace-one")
    assert one.target.success == risk(ApproxDP(1.0, 0.0, OUT), 0.5)
    curve = derive(GaussianDP(0.5, OUT), "baseline-risk:?,0.5@replace-one@candidates-2")
    assert curve.target == BaselineRisk(risk(GaussianDP(1.0), 0.5, 2), 0.5, SWAP, 2)
    assert curve.target.success <= risk(GaussianDP(0.5, OUT), 0.5, 2)
