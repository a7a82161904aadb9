"""Every theorem: monotone, true by brute force on small universes, and as sharp as it says."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import erfc, ndtr, ndtri

from deniable.notions import (
    ZCDP,
    ApproxDP,
    GaussianDP,
    PositiveMembership,
    PureDP,
    RenyiDP,
)
from deniable.priors import BoundedPriors
from deniable.theorems.attacks import (
    approx_dp_to_advantage,
    approx_dp_to_attack_success,
    approx_dp_to_false_negative_rate,
    gaussian_dp_to_advantage,
    gaussian_dp_to_false_negative_rate,
    zcdp_to_advantage,
)
from deniable.theorems.beliefs import pure_dp_to_max_posterior, pure_dp_to_min_posterior
from deniable.theorems.catalogue import CATALOGUE
from deniable.theorems.gaussian import (
    discrete_gaussian_to_gaussian_dp,
    discrete_gaussian_to_gaussian_dp_by_rounding,
    gaussian_dp_to_approx_dp,
    gaussian_dp_to_privacy_loss_tail,
)
from deniable.theorems.identifiability import replace_one_dp_to_identifiability
from deniable.theorems.membership import (
    pure_dp_for_positive_membership,
    pure_dp_to_positive_membership,
)
from deniable.theorems.pure_and_approximate import (
    approx_dp_to_exceedance,
    zcdp_to_approx_dp,
    zcdp_to_privacy_loss_tail,
)
from deniable.theorems.renyi import (
    least_delta,
    least_misses,
    pure_dp_to_renyi_dp,
    renyi_dp_to_advantage,
    renyi_dp_to_approx_dp,
    renyi_dp_to_false_negative_rate,
    renyi_dp_to_lower_order,
    renyi_dp_to_privacy_loss_tail,
    zcdp_to_advantage_by_orders,
    zcdp_to_approx_dp_by_orders,
    zcdp_to_false_negative_rate,
)
from tests.cases.effort import one_in, usual
from tests.cases.theorem_cases import CASES
from tests.oracles import beliefs as brute

# --- monotone


NAMES = sorted({theorem.name for theorem in CATALOGUE})
CURVES = [name for name in NAMES if name.startswith("privacy_curve_to_")]
"""Each example is two curves of a training, computed for up to a second."""
COSTLY = [*CURVES, "zcdp_to_trade_off"]
"""An example of the last takes a second as well: best orders at some fifty rates."""


@pytest.mark.parametrize("name", [name for name in NAMES if name not in COSTLY])
@given(data=st.data())
@settings(max_examples=usual(4, 30))
def test_a_weaker_guarantee_never_gives_a_stronger_claim(name, data):
    check_monotone(name, data)


@pytest.mark.parametrize("name", COSTLY)
@given(data=st.data())
@settings(max_examples=usual(2, 30))
def test_a_costly_claim_is_never_stronger_for_a_weaker_guarantee(name, data):
    check_monotone(name, data)


def check_monotone(name, data):
    implication = next(each.implication for each in CATALOGUE if each.name == name)
    case = data.draw(st.sampled_from(CASES[name]))
    pair = data.draw(st.tuples(st.floats(0.0, 40.0), st.floats(0.0, 40.0)))
    arguments = {key: data.draw(strategy) for key, strategy in case.arguments.items()}
    low, high = (
        case.claim(implication(case.guarantee(parameter), **arguments))
        for parameter in sorted(pair)
    )
    assert low <= high * (1 + case.tolerance)


def test_every_theorem_has_its_line():
    assert sorted(CASES) == sorted(theorem.name for theorem in CATALOGUE)


# --- Theorem 2, against every data set of small universes

beliefs = st.integers(0, 10).map(lambda tenths: Fraction(tenths, 10))


def mechanisms(data, entities, size):
    """Random rows, and two-level likelihoods, which come closer to the bound."""
    kept = list(brute.data_sets(entities, size))
    if data.draw(st.booleans()):
        weights = [data.draw(st.lists(st.integers(1, 9), min_size=3, max_size=3)) for _ in kept]
        return {
            t: [Fraction(w, sum(row)) for w in row] for t, row in zip(kept, weights, strict=True)
        }
    levels = [Fraction(data.draw(st.sampled_from([1, 1, 2, 3])), 100) for _ in kept]
    return {t: [x, 1 - x] for t, x in zip(kept, levels, strict=True)}


def rounded_out(chances):
    """The narrowest interval of floats around the uncertain beliefs."""
    low, high = float(min(chances)), float(max(chances))
    low = math.nextafter(low, 0.0) if Fraction(low) > min(chances) else low
    high = math.nextafter(high, 1.0) if Fraction(high) < max(chances) else high
    return BoundedPriors(low, high)


def budget(ratio):
    """A float above ln(ratio)."""
    return PureDP(math.nextafter(math.log(ratio) * (1 + 1e-15), math.inf))


def check_theorem_2(law, mechanism, entities, ratio):
    chances = brute.uncertain(law, entities)
    assume(chances)
    exact = brute.positive_gamma(law, mechanism, entities)
    assert exact <= brute.theorem_2(ratio, min(chances), max(chances)) <= ratio
    claim = pure_dp_to_positive_membership(budget(ratio), rounded_out(chances))
    assert exact <= Fraction(claim.gamma)
    worst = pure_dp_to_max_posterior(budget(ratio), rounded_out(chances).high)
    least = pure_dp_to_min_posterior(budget(ratio), rounded_out(chances).low)
    outputs = range(len(next(iter(mechanism.values()))))
    for entity, output in product(range(entities), outputs):
        if 0 < brute.chance_of(law, entity) < 1:
            after = brute.posterior(law, mechanism, entity, output)
            assert Fraction(least) <= after <= Fraction(worst.posterior)


@given(data=st.data())
@settings(max_examples=usual(41, 150))
def test_replace_one_dp_bounds_every_belief_given_the_size(data):
    entities = data.draw(st.integers(2, 4))
    size = data.draw(st.integers(1, entities - 1))
    weights = data.draw(st.lists(beliefs, min_size=entities, max_size=entities))
    law = brute.conditioned(brute.product_law(weights), size)
    assume(law is not None)
    mechanism = mechanisms(data, entities, size)
    check_theorem_2(law, mechanism, entities, brute.replace_one_ratio(mechanism))


@given(data=st.data())
@settings(max_examples=usual(41, 150))
def test_add_remove_dp_bounds_every_independent_belief(data):
    entities = data.draw(st.integers(1, 3))
    law = brute.product_law(data.draw(st.lists(beliefs, min_size=entities, max_size=entities)))
    mechanism = mechanisms(data, entities, None)
    check_theorem_2(law, mechanism, entities, brute.add_remove_ratio(mechanism))


fractions = st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100)
ratios = st.fractions(Fraction(101, 100), Fraction(50), max_denominator=100)


def attaining(ratio):
    """Two rows of one mechanism: the first output is e^ε times as likely under the first."""
    share = 1 / (ratio * 10**9)
    return [share * ratio, 1 - share * ratio], [share, 1 - share]


@given(ratios, fractions, fractions)
def test_theorem_2_is_attained_at_one_end_of_the_interval(ratio, one, other):
    low, high = sorted([one, other])
    often, rarely = attaining(ratio)
    found = []
    for p, (present, absent) in product((low, high), ((often, rarely), (rarely, often))):
        mechanism = {frozenset([0]): present, frozenset(): absent}
        assert brute.add_remove_ratio(mechanism) == ratio
        found.append(brute.positive_gamma(brute.product_law([p]), mechanism, 1))
    assert max(found) == brute.theorem_2(ratio, low, high)


@given(ratios, fractions)
def test_theorem_2_is_attained_given_the_size_too(ratio, p):
    """One of two entities is in the data; their beliefs p and 1 − p are the interval's ends."""
    law = brute.conditioned(brute.product_law([p, 1 - p]), 1)
    low, high = sorted(brute.uncertain(law, 2))
    found = []
    for rows in (attaining(ratio), attaining(ratio)[::-1]):
        mechanism = dict(zip(law, rows, strict=True))
        assert brute.replace_one_ratio(mechanism) == ratio
        found.append(brute.positive_gamma(law, mechanism, 2))
    assert max(found) == brute.theorem_2(ratio, low, high)


@given(ratios, fractions, fractions)
def test_the_two_maps_of_theorem_2_invert_each_other(ratio, one, other):
    low, high = sorted([one, other])
    gamma = brute.theorem_2(ratio, low, high)
    assert brute.theorem_2_inverse(gamma, low, high) == ratio


@given(st.floats(1.001, 20.0), fractions, fractions)
def test_no_larger_epsilon_works_for_every_mechanism(gamma, one, other):
    adversary = BoundedPriors(*sorted(map(float, [one, other])))
    epsilon = pure_dp_for_positive_membership(PositiveMembership(gamma, adversary)).epsilon
    ratio = Fraction(math.exp(epsilon) * (1 + 1e-9))
    mechanism = dict(zip([frozenset([0]), frozenset()], attaining(ratio), strict=True))
    found = [
        brute.positive_gamma(brute.product_law([Fraction(p)]), mechanism, 1)
        for p in (adversary.low, adversary.high)
    ]
    assert max(found) > Fraction(gamma)


@given(st.integers(2, 6), st.data())
@settings(max_examples=usual(14, 50))
def test_identifiability_is_true_and_attained(worlds, data):
    levels = st.lists(st.integers(1, 9), min_size=worlds, max_size=worlds)
    likelihood = [Fraction(x) for x in data.draw(levels)]
    ratio = max(likelihood) / min(likelihood)
    claim = replace_one_dp_to_identifiability(budget(ratio), worlds).rho
    assert max(likelihood) / sum(likelihood) <= Fraction(claim)
    attained = ratio / (ratio + worlds - 1)
    assert float(attained) == pytest.approx(claim, rel=1e-12)


# --- δ: attacks and tails, on random finite laws

laws = st.lists(st.integers(0, 12), min_size=2, max_size=6).filter(any)


def pair_of_laws(data):
    p = data.draw(laws)
    q = data.draw(st.lists(st.integers(0, 12), min_size=len(p), max_size=len(p)).filter(any))
    return [np.array(row) / sum(row) for row in (p, q)]


def hockey_stick(p, q, epsilon):
    return float(np.clip(p - math.exp(epsilon) * q, 0, None).sum())


def delta(p, q, epsilon):
    return min(max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon)) + 1e-15, 1.0)


@given(st.data(), st.floats(0.0, 3.0))
def test_attacks_stay_below_their_bounds(data, epsilon):
    p, q = pair_of_laws(data)
    dp = ApproxDP(epsilon, delta(p, q, epsilon))
    advantage = abs(p - q).sum() / 2
    assert advantage <= approx_dp_to_advantage(dp).value + 1e-15
    success = np.maximum(p, q).sum() / 2
    assert success <= approx_dp_to_attack_success(dp).probability + 1e-15


@given(st.floats(0.0, 5.0), st.floats(0.0, 0.5))
def test_bounds_on_attacks_are_attained_by_randomised_response(epsilon, chance):
    """RR_{ε,δ}: the truth with probability δ, else one bit that is right e^ε times as often."""
    e = math.exp(epsilon)
    p = np.array([chance, (1 - chance) * e / (1 + e), (1 - chance) / (1 + e), 0])
    q = p[::-1]
    advantage = abs(p - q).sum() / 2
    assert advantage == pytest.approx(approx_dp_to_advantage(ApproxDP(epsilon, chance)).value)
    success = np.maximum(p, q).sum() / 2
    found = approx_dp_to_attack_success(ApproxDP(epsilon, chance)).probability
    assert success == pytest.approx(found)


def passes(p, q, loss):
    """Pr_p[ln p/q > loss]."""
    return float(p[p > math.exp(loss) * q * (1 + 1e-12)].sum())


@given(st.data(), st.floats(0.0, 3.0), st.floats(1e-3, 3.0))
def test_a_loss_is_passed_as_rarely_as_the_curve_says(data, epsilon, more):
    p, q = pair_of_laws(data)
    dp = ApproxDP(epsilon, delta(p, q, epsilon))
    assert passes(p, q, epsilon + more) <= approx_dp_to_exceedance(dp, epsilon + more) + 1e-12


@given(st.floats(0.0, 3.0), st.floats(1e-3, 3.0), st.floats(1e-6, 0.3))
def test_the_bound_on_passing_a_loss_is_attained(epsilon, more, chance):
    loss = epsilon + more
    p = np.array([chance, 1 - chance])
    q = np.array([chance * math.exp(-loss), 1 - chance * math.exp(-loss)])
    found = approx_dp_to_exceedance(ApproxDP(epsilon, hockey_stick(p, q, epsilon)), loss)
    assert found == pytest.approx(chance, rel=1e-6)


def rho_of(p, q):
    """ρ of a pair of finite laws: the largest D_α/α, on a fine grid and both ways round."""
    orders = 1 + np.geomspace(1e-4, 1e3, 300)
    worst = 0.0
    for one, other in ((p, q), (q, p)):
        logs = np.log(one) + (orders[:, None] - 1) * np.log(one / other)
        divergence = np.logaddexp.reduce(logs, axis=1) / (orders - 1)
        worst = max(worst, float((divergence / orders).max()), float(one @ np.log(one / other)))
    return worst * 1.001


@given(st.data(), st.floats(0.0, 4.0))
@settings(max_examples=usual(16, 60))
def test_what_zero_concentrated_dp_gives_is_true(data, epsilon):
    p, q = (np.where(row == 0, 1e-3, row) for row in pair_of_laws(data))
    p, q = p / p.sum(), q / q.sum()
    guarantee = ZCDP(rho_of(p, q))
    assert abs(p - q).sum() / 2 <= zcdp_to_advantage(guarantee).value + 1e-15
    assert hockey_stick(p, q, epsilon) <= zcdp_to_approx_dp(guarantee, epsilon).delta + 1e-15
    assert passes(p, q, epsilon) <= zcdp_to_privacy_loss_tail(guarantee, epsilon).exceedance
    assert abs(p - q).sum() / 2 <= zcdp_to_advantage_by_orders(guarantee).value + 1e-15
    least = zcdp_to_approx_dp_by_orders(guarantee, epsilon).delta
    assert hockey_stick(p, q, epsilon) <= least + 1e-15
    fpr = data.draw(st.sampled_from([0.01, 0.1, 0.5]))
    assert zcdp_to_false_negative_rate(guarantee, fpr).fnr <= misses(p, q, fpr) + 1e-15


def keeps_to(p, q, rho):
    """Whether coins (p, q) keep to ρ at every order of a fine grid and both ways round; arrays."""
    orders = (1 + np.geomspace(1e-5, 300, 1000))[:, None]
    within = np.ones(np.broadcast(p, q).shape, bool)
    for one, other in ((p, q), (q, p)):
        logs = [
            orders * np.log(x) + (1 - orders) * np.log(y)
            for x, y in ((one, other), (1 - one, 1 - other))
        ]
        divergence = np.logaddexp(*logs) / (orders - 1)
        within &= (divergence <= orders * rho * (1 + 1e-9) + 1e-12).all(axis=0)
        kl = one * np.log(one / other) + (1 - one) * np.log((1 - one) / (1 - other))
        within &= kl <= rho * (1 + 1e-9)
    return within


def best_coins(rho, epsilon):
    """The largest p − e^ε q of coins that keep to ρ, by listing q and halving for p."""
    q = np.geomspace(1e-5, 0.5, 120)
    low, high = q.copy(), np.full_like(q, 1 - 1e-12)
    for _ in range(30):
        middle = (low + high) / 2
        within = keeps_to(middle, q, rho)
        low, high = np.where(within, middle, low), np.where(within, high, middle)
    return float((low - math.exp(epsilon) * q).max())


@pytest.mark.parametrize(
    ("rho", "epsilon"),
    one_in(2, [
        (0.01, 0.0), (0.01, 0.1), (0.1, 0.0), (0.1, 0.02), (0.1, 0.05), (0.1, 0.5), (0.1, 1.2),
        (1.0, 0.0), (1.0, 0.3), (1.0, 0.5), (1.0, 2.0), (4.0, 1.9), (4.0, 2.2), (4.0, 6.0),
    ]),
)  # fmt: skip
def test_the_least_delta_of_zero_concentrated_dp_is_that_of_two_coins(rho, epsilon):
    """From both sides: coins that keep to ρ at all orders reach it but for the grid."""
    claim = zcdp_to_approx_dp_by_orders(ZCDP(rho), epsilon).delta
    reached = best_coins(rho, epsilon)
    assert reached <= claim * (1 + 2e-5)  # between two orders of the grid ρ may be a little more
    assert claim <= reached * (1 + 5e-3)
    if epsilon == 0:
        assert zcdp_to_advantage_by_orders(ZCDP(rho)).value == pytest.approx(claim, rel=1e-12)


@given(st.data(), st.floats(0.0, 4.0))
@settings(max_examples=usual(11, 40))
def test_what_renyi_dp_gives_is_true(data, epsilon):
    """Of random finite laws, whose divergences of two orders are computed here."""
    p, q = (np.where(row == 0, 1e-3, row) for row in pair_of_laws(data))
    p, q = p / p.sum(), q / q.sum()
    pairs = [
        (order, max(renyi(order, p, q), renyi(order, q, p)) * (1 + 1e-12) + 1e-12)
        for order in (1.5, 6.0)
    ]
    guarantee = RenyiDP(*pairs[0], also=pairs[1:])
    assert abs(p - q).sum() / 2 <= renyi_dp_to_advantage(guarantee).value + 1e-15
    assert hockey_stick(p, q, epsilon) <= renyi_dp_to_approx_dp(guarantee, epsilon).delta + 1e-15
    assert passes(p, q, epsilon) <= renyi_dp_to_privacy_loss_tail(guarantee, epsilon).exceedance
    lower = renyi_dp_to_lower_order(guarantee, 3.0).epsilon
    assert max(renyi(3.0, p, q), renyi(3.0, q, p)) <= lower
    for fpr in (0.01, 0.3):
        assert renyi_dp_to_false_negative_rate(guarantee, fpr).fnr <= misses(p, q, fpr) + 1e-15
    losses = float(abs(np.log(p / q)).max()) * (1 + 1e-12)
    for order, divergence in pairs:
        found = pure_dp_to_renyi_dp(PureDP(losses), order).epsilon
        assert divergence <= found * (1 + 1e-9) + 1e-9


@given(st.floats(1e-3, 10.0), st.floats(1.01, 30.0))
@settings(max_examples=usual(14, 50))
def test_randomised_response_has_the_divergence_of_pure_dp(epsilon, order):
    yes = 1 / (1 + math.exp(-epsilon))
    coin = (yes, math.exp(-epsilon) * yes)
    found = pure_dp_to_renyi_dp(PureDP(epsilon), order).epsilon
    assert found == pytest.approx(renyi(order, coin, coin[::-1]), rel=1e-6)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_of_several_orders_the_best_is_used(epsilon):
    pairs = [(1.5, 0.06), (4.0, 0.2), (30.0, 1.2)]
    single = [renyi_dp_to_approx_dp(RenyiDP(*pair), epsilon).delta for pair in pairs]
    several = renyi_dp_to_approx_dp(RenyiDP(*pairs[0], also=pairs[1:]), epsilon).delta
    assert several == min(single)


def misses(p, q, fpr):
    """1 − the power of the best test of p against q at that level: Neyman and Pearson's."""
    order = np.argsort(-p / q)
    levels, powers = (np.concatenate([[0.0], law[order].cumsum()]) for law in (q, p))
    return 1 - float(np.interp(fpr, levels, powers))


@given(st.floats(0.05, 3.0), st.floats(0.001, 0.9))
@settings(max_examples=usual(10, 30))
def test_what_zcdp_leaves_to_miss_is_below_the_gaussian_and_above_every_chain(mu, fpr):
    """As sharp as the (ε, δ) curve at any δ, and true of Gaussian noise, which has this ρ."""
    guarantee = ZCDP(mu * mu / 2 * (1 + 1e-15))
    found = zcdp_to_false_negative_rate(guarantee, fpr).fnr
    assert found <= gaussian_dp_to_false_negative_rate(GaussianDP(mu), fpr).fnr
    for epsilon in np.linspace(0.0, 3 * mu, 12).tolist():
        line = approx_dp_to_false_negative_rate(zcdp_to_approx_dp(guarantee, epsilon), fpr)
        assert line.fnr <= found + 1e-6


def pairs_within(order, divergence, points):
    """Rates of members p for rates q of others, the largest whose Rényi divergence is allowed."""
    corner = math.exp(-divergence)  # from here on all members may be flagged
    q = np.append(np.linspace(0, 1, points + 2)[1:-1], corner)
    low, high = q.copy(), np.ones_like(q)
    for _ in range(60):
        middle = (low + high) / 2
        moment = middle**order * q ** (1 - order) + (1 - middle) ** order * (1 - q) ** (1 - order)
        inside = moment <= math.exp((order - 1) * divergence)
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return low, q


ORDERS = [(1.1, 0.05), (1.5, 0.2), (2, 0.3), (4, 0.7), (8, 1.5), (30, 2.5)]


@pytest.mark.parametrize(
    ("of_order", "epsilon"),
    [
        (order, epsilon)
        for place, order in enumerate(ORDERS)
        for epsilon in one_in(2, [0.0, 0.3, 1.0, 2.0], place)
    ],
)
def test_the_delta_of_one_order_is_the_largest_of_all_pairs_of_rates(of_order, epsilon):
    order, divergence = of_order
    p, q = pairs_within(order, divergence, 20_000)
    exact = float((p - math.exp(epsilon) * q).max())
    found = least_delta(order, divergence, epsilon)
    assert exact <= found <= max(exact, 0.0) + 1e-6
    corollary = math.exp((order - 1) * (divergence - epsilon)) * (1 - 1 / order) ** order
    assert found <= min(1.0, corollary / (order - 1)) * (1 + 1e-9)


@pytest.mark.parametrize("fpr", [1e-6, 0.01, 0.3, 0.9])
@pytest.mark.parametrize(("order", "divergence"), [(1.5, 0.2), (4, 0.7), (30, 2.5)])
def test_the_misses_of_one_order_are_the_fewest_of_all_pairs_of_rates(order, divergence, fpr):
    found = least_misses(order, divergence, fpr)
    near = [found * factor for factor in (1 + 1e-6, 1 - 1e-6)]
    coins = [((1 - fnr, fnr), (fpr, 1 - fpr)) for fnr in near]
    beyond = [max(renyi(order, p, q), renyi(order, q, p)) for p, q in coins]
    assert beyond[0] < divergence < beyond[1]


def renyi(order, p, q):
    """The Rényi divergence between two coins, or other finite laws."""
    moments = [one * (one / other) ** (order - 1) for one, other in zip(p, q, strict=True)]
    return math.log(sum(moments)) / (order - 1)


def test_nothing_told_leaves_everybody_missed_and_no_bound_none():
    assert zcdp_to_false_negative_rate(ZCDP(0.0), 0.25).fnr == 0.75
    assert zcdp_to_advantage_by_orders(ZCDP(0.0)).value == 0.0
    assert zcdp_to_false_negative_rate(ZCDP(1e4), 0.25).fnr == pytest.approx(0.0, abs=1e-6)
    assert zcdp_to_advantage_by_orders(ZCDP(1e6)).value == 1.0
    for rho in (5e-324, 1e-300, 1e-40, 1e-18):
        assert 0.0 <= zcdp_to_false_negative_rate(ZCDP(rho), 0.25).fnr <= 0.75


@given(st.floats(0.01, 4.0), st.floats(0.0, 10.0))
@settings(max_examples=usual(14, 50))
def test_the_curve_of_zcdp_lies_above_that_of_the_gaussian_which_has_it(mu, epsilon):
    exact = gaussian_dp_to_approx_dp(GaussianDP(mu), epsilon).delta
    assert exact <= zcdp_to_approx_dp(ZCDP(mu * mu / 2 * (1 + 1e-15)), epsilon).delta


# --- the tail of the loss survives the adversary's averaging

STEP = 0.002


def normal_mixture(weights, centres, at):
    density = np.exp(-((at[:, None] - centres) ** 2) / 2) / math.sqrt(2 * math.pi)
    return density @ weights


def averaged_tail(mu, epsilon, weights, centres, shifts):
    """Pr_p[ln p/q > ε], p and q averaged over neighbours N(c, 1), N(c + shift, 1), |shift| <= μ."""
    at = np.arange(min(centres) - 9 - mu, max(centres) + 9 + mu, STEP)
    p = normal_mixture(weights, centres, at)
    q = normal_mixture(weights, centres + shifts, at)
    return float(p[p > math.exp(epsilon) * q].sum()) * STEP


def test_the_normal_tail_of_each_pair_of_neighbours_is_no_bound_for_their_average():
    """Erratum-like: Φ(μ/2 − ε/μ) is the tail for one pair of neighbours and fails for two.

    The adversary knows all but one other entity, which moves the sum up or down. Where the two
    pairs of neighbours face each other, each lends the other's outputs some of its own loss.
    """
    mu, epsilon = 0.5, 1.0
    half, centres, shifts = np.array([0.5, 0.5]), np.array([0.0, 4.3]), np.array([-mu, mu])
    pair = float(ndtr(mu / 2 - epsilon / mu))
    one = averaged_tail(mu, epsilon, np.array([1.0]), np.zeros(1), np.array([mu]))
    assert one == pytest.approx(pair, abs=1e-3)
    found = averaged_tail(mu, epsilon, half, centres, shifts)
    assert pair == pytest.approx(0.04006, abs=1e-5)
    assert found == pytest.approx(0.04395, abs=2e-4)
    assert found <= gaussian_dp_to_privacy_loss_tail(GaussianDP(mu), epsilon).exceedance
    rho = mu * mu / 2
    assert found <= zcdp_to_privacy_loss_tail(ZCDP(rho), epsilon).exceedance


def test_a_tail_for_each_pair_is_no_bound_for_their_average_at_all_in_general():
    """Two finite pairs pass ε with probability 1/10 and 0, their average with 1/2."""
    epsilon = 1.0
    first = np.array([0.1, 0.9]), np.array([0.0, 1.0])
    share = 0.9 * math.exp(-epsilon)
    second = np.array([0.9, 0.1]), np.array([share, 1 - share])
    assert passes(*first, epsilon) == pytest.approx(0.1)
    assert passes(*second, epsilon) == 0.0
    average = [(one + other) / 2 for one, other in zip(first, second, strict=True)]
    assert passes(*average, epsilon) == pytest.approx(0.5)
    chance = max(delta(*first, 0.9), delta(*second, 0.9))
    assert passes(*average, epsilon) <= approx_dp_to_exceedance(ApproxDP(0.9, chance), epsilon)


@given(st.data())
@settings(max_examples=usual(16, 60))
def test_gaussian_tails_hold_for_mixtures_of_neighbours(data):
    mu = data.draw(st.floats(0.2, 2.0))
    epsilon = data.draw(st.floats(0.1, 4.0))
    count = data.draw(st.integers(1, 5))
    numbers = st.lists(st.floats(0.0, 1.0), min_size=count, max_size=count)
    weights = np.array(data.draw(numbers)) + 0.01
    centres = 3 * epsilon / mu * np.array(data.draw(numbers))
    centres = np.clip(centres, 0.0, 30.0)
    shifts = mu * np.array(
        data.draw(st.lists(st.sampled_from([-1, 1]), min_size=count, max_size=count))
    )
    found = averaged_tail(mu, epsilon, weights / weights.sum(), centres, shifts)
    grid = 5 * STEP  # the ends of the set are found to a step of the grid
    assert found <= gaussian_dp_to_privacy_loss_tail(GaussianDP(mu), epsilon).exceedance + grid
    assert found <= zcdp_to_privacy_loss_tail(ZCDP(mu * mu / 2), epsilon).exceedance + grid


# --- discrete Gaussian noise against the continuous curve with slack


def lattice_law(sigma):
    """Whole numbers and their probabilities, summed out to 14 σ."""
    reach = math.ceil(14 * sigma) + 6
    numbers = np.arange(-reach, reach + 1)
    weights = np.exp(-(numbers**2) / (2 * sigma**2))
    return numbers, weights / weights.sum()


def inner_product_law(sigma, shift):
    """The law of <v, X> on the whole numbers -R … R."""
    total = np.ones(1)
    for move in shift:
        _, chances = lattice_law(sigma)
        spread = np.zeros((len(chances) - 1) * abs(move) + 1)
        spread[:: max(abs(move), 1)] = chances if move else 1.0
        total = np.convolve(total, spread)
    reach = len(total) // 2
    return np.arange(-reach, reach + 1), total


def losses(vectors):
    """Privacy losses of the composed release and their probabilities, by direct summation."""
    values, chances = np.zeros(1), np.ones(1)
    for sigma, shift in vectors:
        inner, law = inner_product_law(sigma, shift)
        here = (sum(move * move for move in shift) + 2 * inner) / (2 * sigma**2)
        values = (values[:, None] + here).ravel()
        chances = (chances[:, None] * law).ravel()
    return values, chances


COMPOSITIONS = [
    [(0.5, (1,))],
    [(0.7, (1, -1))],
    [(1.0, (1,))],
    [(1.0, (1, 2, -1))],
    [(1.5, (3,))],
    [(2.0, (1,)), (0.8, (1,))],
    [(3.0, (2, 1)), (2.0, (1,))],
    [(5.0, (1, 1, 1))],
    [(10.0, (7, 3))],
    [(30.0, (1,))],
    [(30.0, (20, -9, 3))],
]


def claimed_for(vectors, more=0):
    """What the theorem says, for neighbours that may differ by `more` than these."""
    parts = [
        (sigma, math.hypot(*shift) * (1 + 1e-15) + more, sum(map(bool, shift)) + more)
        for sigma, shift in vectors
    ]
    return discrete_gaussian_to_gaussian_dp(parts)


@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize("vectors", COMPOSITIONS, ids=str)
def test_the_curve_with_slack_covers_discrete_gaussian_noise(vectors, more):
    values, chances = losses(vectors)
    assert chances.sum() == pytest.approx(1, abs=1e-12)
    claim = claimed_for(vectors, more)
    for epsilon in np.linspace(0.0, claim.mu**2 / 2 + 5 * claim.mu, 25).tolist():
        exact = float(chances @ np.clip(-np.expm1(epsilon - values), 0, None))
        assert exact <= gaussian_dp_to_approx_dp(claim, epsilon).delta + 1e-18
        tail = float(chances[values > epsilon].sum())
        moved = claim.mu / 2 - epsilon / claim.mu + claim.slack
        assert tail <= float(ndtr(moved)) + 1e-15
        assert tail <= gaussian_dp_to_privacy_loss_tail(claim, epsilon).exceedance + 1e-18
    exact = float(chances @ np.clip(-np.expm1(-values), 0, None))
    assert exact <= gaussian_dp_to_advantage(claim).value


def test_the_continuous_curve_does_not_cover_discrete_gaussian_noise():
    """Erratum-like: at σ = 1 the continuous curve claims less than half of the exact δ."""
    values, chances = losses([(1.0, (1,))])
    epsilon = 5.3253
    exact = float(chances @ np.clip(-np.expm1(epsilon - values), 0, None))
    assert exact > 2 * gaussian_dp_to_approx_dp(GaussianDP(1.0), epsilon).delta
    assert exact <= gaussian_dp_to_approx_dp(claimed_for([(1.0, (1,))]), epsilon).delta


def rounded(vectors, longer=1 + 1e-15):
    parts = [(sigma, math.hypot(*shift) * longer) for sigma, shift in vectors]
    return discrete_gaussian_to_gaussian_dp_by_rounding(parts)


@pytest.mark.parametrize("longer", [1 + 1e-15, 1.3])
@pytest.mark.parametrize("vectors", COMPOSITIONS, ids=str)
def test_noise_that_is_rounded_at_random_covers_discrete_gaussian_noise(vectors, longer):
    """Both errors of every likelihood-ratio test: no attack passes the curve, nor any (ε, δ)."""
    values, chances = losses(vectors)
    claim = rounded(vectors, longer)
    assert claim.slack == 0
    order = np.argsort(-values)
    power = np.cumsum(chances[order])
    level = np.cumsum((chances * np.exp(-values))[order])
    seen = (level > 1e-12) & (power < 1 - 1e-12)
    assert seen.any()
    assert (ndtri(power[seen]) <= ndtri(level[seen]) + claim.mu + 1e-3).all()
    for epsilon in np.linspace(0.0, claim.mu**2 / 2 + 5 * claim.mu, 25).tolist():
        exact = float(chances @ np.clip(-np.expm1(epsilon - values), 0, None))
        assert exact <= gaussian_dp_to_approx_dp(claim, epsilon).delta + 1e-18


@pytest.mark.parametrize(("sigma", "t"), [(0.7, 0.35), (0.7, 0.5), (1.0, 0.5), (3.0, 1.0)])
def test_the_law_of_continuous_noise_that_is_rounded_at_random(sigma, t):
    """What the proof says of one coordinate, by quadrature: the two laws and their ratio."""
    s, numbers = math.sqrt(sigma**2 - t**2), np.arange(-60, 61)
    y = np.linspace(-12 * s, 12 * s, 40_001)
    weights = np.exp(-((numbers[:, None] - y) ** 2) / 2 / t**2)
    density = np.exp(-(y**2) / 2 / s**2) / s / math.sqrt(2 * math.pi)
    made = (weights / weights.sum(axis=0) * density).sum(axis=1) * (y[1] - y[0])
    exact = np.exp(-(numbers**2) / 2 / sigma**2)
    exact /= exact.sum()
    z = 2 * sum(math.exp(-2 * math.pi**2 * t**2 * k**2) for k in range(1, 9))
    near = exact > 1e-9
    assert (abs(np.log(made[near] / exact[near])) <= math.log((1 + z) / (1 - z)) + 1e-9).all()


def test_rounding_at_random_costs_a_share_of_one_over_the_variance():
    for sigma in (3.0, 10.0, 100.0, 1e6):
        for l2 in (1.0, math.sqrt(2), 30.0):
            mu = discrete_gaussian_to_gaussian_dp_by_rounding([(sigma, l2)]).mu
            assert l2 / sigma < mu <= l2 / sigma * (1 + 2 / sigma**2)


@pytest.mark.parametrize("sigma", [0.3, 0.5, 1.0, 1.7, 4.0, 30.0])
def test_discrete_noise_lies_between_the_floor_and_the_ceiling_of_continuous_noise(sigma):
    numbers, chances = lattice_law(sigma)
    for k in range(1, math.ceil(7 * sigma) + 2):
        at_least_k = float(chances[abs(numbers) >= k].sum())
        floor, ceiling = (float(erfc(end / (sigma * math.sqrt(2)))) for end in (k, k - 1))
        assert floor - 1e-14 <= at_least_k <= ceiling + 1e-14


def test_the_slack_of_a_fine_grid_costs_next_to_nothing():
    fine = discrete_gaussian_to_gaussian_dp([(1e6, 2e5, 1)])
    assert fine.slack == pytest.approx(1e-6)
    for epsilon in (0.1, 0.5, 1.0):
        continuous = gaussian_dp_to_approx_dp(GaussianDP(fine.mu), epsilon).delta
        assert gaussian_dp_to_approx_dp(fine, epsilon).delta <= continuous * (1 + 1e-3)


def test_unrestricted_priors_are_the_whole_interval():
    for epsilon in (0.0, 0.3, 2.0):
        assert (
            pure_dp_to_positive_membership(PureDP(epsilon), BoundedPriors()).gamma
            == pure_dp_to_positive_membership(PureDP(epsilon), BoundedPriors(0.0, 1.0)).gamma
        )
