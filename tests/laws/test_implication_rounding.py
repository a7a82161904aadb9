"""Theorems round outwards, and no further than to the next float: against independent arithmetic.

The truths are computed to 90 digits by the decimal module, from other forms of the formulas.
"""

import decimal
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from deniable.notions import (
    Adjacency,
    Advantage,
    ApproxDP,
    AttackSuccess,
    BayesianDP,
    BayesianSemantic,
    GaussianDP,
    GaussianMembershipInference,
    Identifiability,
    KAnonymity,
    MembershipInference,
    NegativeMembership,
    OneSidedDP,
    PopulationPrivacy,
    PositiveMembership,
    PosteriorGain,
    PosteriorRatio,
    PureDP,
    SamplingDP,
    Semantic,
    Side,
)
from deniable.priors import BoundedPriors, CorrelatedPriors, OneOutOfPriors, SampledPriors
from deniable.theorems.catalogue import named
from tests.cases.effort import usual
from tests.oracles import normal as exact_normal
from tests.oracles.decimals import CONTEXT, claims, exp, ln

OUT = Adjacency.ADD_REMOVE
losses = st.floats(1e-6, 30.0)
shares = st.floats(1e-4, 0.9999)
factors = st.floats(1.0001, 1e6)


def apply(name: str, *arguments, **keywords):
    return named(name).implication(*arguments, **keywords)


@pytest.fixture(autouse=True)
def _ninety_digits():
    with decimal.localcontext(CONTEXT):
        yield


def tanh(x: Decimal) -> Decimal:
    return 1 - 2 / (exp(2 * x) + 1)


def theorem_2(ratio: Decimal, low: Decimal, high: Decimal) -> Decimal:
    return max(high * ratio + (1 - high), ratio / (low * ratio + (1 - low)))


def theorem_2_inverse(gamma: Decimal, low: Decimal, high: Decimal) -> Decimal:
    terms = [(gamma - 1) / high + 1] if high else []
    if low * gamma < 1:
        terms.append(gamma * (1 - low) / (1 - low * gamma))
    return min(terms)


Truth = Callable[[Decimal], Decimal]
FROM_A_LOSS: dict[str, tuple[Callable[[float], object], str, Truth]] = {
    "pure_dp_to_zcdp": (PureDP, "rho", lambda e: e * e / 2),
    "gaussian_dp_to_zcdp": (GaussianDP, "rho", lambda mu: mu * mu / 2),
    "pure_dp_to_semantic": (PureDP, "epsilon", lambda e: tanh(e / 2)),
    "pure_dp_to_semantic_of_one_record": (PureDP, "epsilon", lambda e: tanh(e / 4)),
    "pure_dp_to_semantic_as_published": (PureDP, "epsilon", lambda e: min(exp(2 * e) - 1, 1)),
    "bayesian_dp_to_bayesian_semantic": (BayesianDP, "epsilon", lambda e: tanh(e / 2)),
    "bayesian_dp_to_bayesian_semantic_as_published": (
        BayesianDP,
        "epsilon",
        lambda e: min(exp(2 * e) - 1, 1),
    ),
    "bayesian_dp_to_positive_membership": (lambda e: BayesianDP(e, OUT), "gamma", exp),
    "pure_dp_to_posterior_ratio": (PureDP, "ratio", exp),
    "pure_dp_to_posterior_gain": (lambda e: PureDP(e, OUT), "gain", lambda e: tanh(e / 2)),
    "pure_dp_to_advantage_by_yeom": (PureDP, "value", lambda e: min(exp(e) - 1, 1)),
    "population_to_membership_inference_as_published": (
        PopulationPrivacy,
        "eta",
        lambda e: Decimal("0.5") - exp(-e) / 2,
    ),
    "population_to_membership_inference": (PopulationPrivacy, "eta", lambda e: tanh(e / 2) / 2),
    "population_to_attack_success": (
        PopulationPrivacy,
        "probability",
        lambda e: 1 / (1 + exp(-e)),
    ),
}


@pytest.mark.parametrize("name", FROM_A_LOSS)
@given(loss=losses)
@settings(max_examples=usual(11, 40))
def test_from_a_loss(name, loss):
    guarantee, field, truth = FROM_A_LOSS[name]
    found = getattr(apply(name, guarantee(loss)), field)
    assert claims(found, +truth(Decimal(loss)))


FROM_A_SHARE: dict[str, tuple[Callable[[float], object], str, Truth]] = {
    "semantic_to_pure_dp": (Semantic, "epsilon", lambda t: 2 * (ln(1 + t) - ln(1 - t))),
    "bayesian_semantic_to_bayesian_dp": (
        BayesianSemantic,
        "epsilon",
        lambda t: 2 * (ln(1 + t) - ln(1 - t)),
    ),
    "posterior_gain_to_pure_dp": (PosteriorGain, "epsilon", lambda b: 2 * ln((1 + b) / (1 - b))),
    "semantic_to_pure_dp_as_published": (
        lambda t: Semantic(t / 2),
        "epsilon",
        lambda t: ln((1 + t) / (1 - t)),
    ),
    "bayesian_semantic_to_bayesian_dp_as_published": (
        lambda t: BayesianSemantic(t / 2),
        "epsilon",
        lambda t: ln((1 + t) / (1 - t)),
    ),
    "attack_success_to_advantage": (
        lambda q: AttackSuccess(0.5 + q / 2),
        "value",
        lambda q: 2 * Decimal(0.5 + float(q) / 2) - 1,
    ),
    "membership_inference_to_advantage": (
        lambda q: MembershipInference(q / 2),
        "value",
        lambda q: 2 * Decimal(float(q) / 2),
    ),
    "advantage_to_membership_inference": (Advantage, "eta", lambda a: a / 2),
}


@pytest.mark.parametrize("name", FROM_A_SHARE)
@given(share=shares)
@settings(max_examples=usual(11, 40))
def test_from_a_share(name, share):
    guarantee, field, truth = FROM_A_SHARE[name]
    assert claims(getattr(apply(name, guarantee(share)), field), +truth(Decimal(share)))


FROM_A_FACTOR: dict[str, tuple[Callable[[float], object], str]] = {
    "positive_membership_to_replace_one_dp": (PositiveMembership, "epsilon"),
    "negative_membership_to_replace_one_dp": (NegativeMembership, "epsilon"),
    "posterior_ratio_to_pure_dp": (PosteriorRatio, "epsilon"),
    "positive_membership_to_bayesian_dp": (
        lambda g: PositiveMembership(g, CorrelatedPriors(True), adjacency=OUT),
        "epsilon",
    ),
}


@pytest.mark.parametrize("name", FROM_A_FACTOR)
@given(factor=factors)
@settings(max_examples=usual(11, 40))
def test_logarithms(name, factor):
    guarantee, field = FROM_A_FACTOR[name]
    assert claims(getattr(apply(name, guarantee(factor)), field), ln(Decimal(factor)))


@given(losses, shares, shares)
def test_theorem_2_for_presence_and_for_absence(loss, one, other):
    low, high = sorted([one, other])
    adversary, ratio = BoundedPriors(low, high), exp(loss)
    present = theorem_2(ratio, Decimal(low), Decimal(high))
    absent = theorem_2(ratio, 1 - Decimal(high), 1 - Decimal(low))
    positive = apply("one_sided_dp_to_positive_membership", OneSidedDP(loss), adversary)
    assert claims(positive.gamma, present)
    half = OneSidedDP(loss, Side.NEGATIVE)
    negative = apply("one_sided_dp_to_negative_membership", half, adversary)
    assert claims(negative.gamma, absent)
    whole = apply("pure_dp_to_negative_membership", PureDP(loss), adversary)
    assert claims(whole.gamma, absent)


@given(factors, shares, shares)
def test_theorem_2_backwards(gamma, one, other):
    low, high = sorted([one, other])
    adversary = BoundedPriors(low, high)
    present = ln(theorem_2_inverse(Decimal(gamma), Decimal(low), Decimal(high)))
    absent = ln(theorem_2_inverse(Decimal(gamma), 1 - Decimal(high), 1 - Decimal(low)))
    positive = PositiveMembership(gamma, adversary, adjacency=OUT)
    assert claims(apply("positive_membership_to_one_sided_dp", positive).epsilon, present)
    negative = NegativeMembership(gamma, adversary, OUT)
    assert claims(apply("negative_membership_to_one_sided_dp", negative).epsilon, absent)


@given(factors, shares)
def test_posteriors(gamma, prior):
    found = apply("positive_membership_to_max_posterior", PositiveMembership(gamma), prior)
    g, p = Decimal(gamma), Decimal(prior)
    assert claims(found.posterior, min(g * p, 1 - (1 - p) / g))


@given(shares, st.integers(2, 1000), factors)
def test_identifiability(rho, worlds, gamma):
    assume(rho * worlds > 1.000001)
    q = Decimal(rho)
    there = apply("identifiability_to_positive_membership", Identifiability(rho, worlds)).gamma
    assert claims(there, max(worlds * q, (1 - Decimal(1) / worlds) / (1 - q)))
    membership = PositiveMembership(gamma, OneOutOfPriors(worlds))
    back = apply("positive_membership_to_identifiability", membership).rho
    g = Decimal(gamma)
    assert claims(back, min(g / worlds, 1 - (worlds - 1) / (worlds * g)))


@given(losses, shares, shares, shares)
def test_sampling(loss, one, other, delta):
    low, high = sorted([one, other])
    assume(low < high)
    b, d, ratio = Decimal(low), Decimal(delta), exp(loss)
    share = b / Decimal(high)
    found = apply("sampling_dp_to_lower_rate", SamplingDP(high, loss, delta), low)
    assert claims(found.epsilon, ln(1 + share * (ratio - 1)))
    assert claims(found.delta, share * d)
    direct = apply("approx_dp_to_sampling_dp", ApproxDP(loss, delta, OUT), low)
    assert claims(direct.epsilon, ln(1 - b + b * ratio))
    positive = apply("sampling_dp_to_positive_membership", SamplingDP(low, loss)).gamma
    assert claims(positive, max(ratio, (1 - (1 - b) / ratio) / b))
    negative = apply("sampling_dp_to_negative_membership", SamplingDP(low, loss)).gamma
    left = 1 - (1 - b) * ratio
    assert negative == math.inf if left <= 0 else claims(negative, max(ratio, b / left))


@given(factors, shares)
def test_sampling_backwards(gamma, rate):
    g, b = Decimal(gamma), Decimal(rate)
    falls = min(g, (1 - b) / (1 - b * g)) if b * g < 1 else g
    membership = PositiveMembership(gamma, SampledPriors(rate), adjacency=OUT)
    found = apply("positive_membership_to_sampling_dp", membership).epsilon
    assert claims(found, ln(max(falls, 1 / (1 - b))))


@given(losses, shares)
def test_two_parameters(loss, delta):
    d, ratio = Decimal(delta), exp(loss)
    found = apply("add_remove_approx_dp_to_replace_one_approx_dp", ApproxDP(loss, delta, OUT))
    assert claims(found.epsilon, 2 * Decimal(loss))
    assert claims(found.delta, min((1 + ratio) * d, Decimal(1)))
    published = apply("approx_dp_to_advantage_by_erlingsson", ApproxDP(loss, delta)).value
    assert claims(published, 1 - (1 - d) / ratio)
    population = PopulationPrivacy(loss, delta)
    tight = ((ratio + d) / (ratio + 1)) - Decimal("0.5")
    assert claims(apply("population_to_membership_inference", population).eta, tight)
    assert claims(
        apply("population_to_attack_success", population).probability, tight + Decimal("0.5")
    )


@given(losses, st.sampled_from([0.0, 1e-6, 0.01]), shares, st.floats(0.01, 1000.0))
def test_predictive_values(loss, delta, fpr, nonmembers):
    d, a, g, ratio = Decimal(delta), Decimal(fpr), Decimal(nonmembers), exp(loss)
    trade_off = max(Decimal(0), 1 - d - ratio * a, (1 - d - a) / ratio)
    found = apply("approx_dp_to_predictive_value", ApproxDP(loss, delta), fpr, nonmembers).value
    assert claims(found, (1 - trade_off) / (1 - trade_off + g * a))


NARROW = Fraction(1, 10**50)


@given(st.floats(0.01, 15.0))
@settings(max_examples=usual(8, 25))
def test_the_gaussian_shift_of_pure_dp(loss):
    """Φ falls to the corner 1/(1 + e^ε) at −μ/2, and not before."""
    mu = apply("pure_dp_to_gaussian_dp", PureDP(loss)).mu
    corner = 1 / (1 + exp(loss))
    assert exact_normal.cdf(Decimal(-mu) / 2) <= corner
    below = Decimal(math.nextafter(mu, 0.0))
    assert exact_normal.cdf(-below / 2) >= corner * (1 - Decimal(10) ** -50)


@given(st.floats(0.01, 8.0))
@settings(max_examples=usual(8, 25))
def test_the_success_against_a_gaussian_shift(mu):
    guarantee = GaussianMembershipInference(mu)
    name = "gaussian_membership_inference_to_membership_inference"
    truth = exact_normal.cdf(Decimal(mu) / 2) - Decimal("0.5")
    assert claims(apply(name, guarantee).eta, Fraction(truth) + 0)


@given(st.floats(-4.0, 2.0), st.floats(0.01, 4.0), st.floats(0.1, 100.0))
@settings(max_examples=usual(8, 25))
def test_predictive_values_of_a_gaussian_shift(quantile, mu, nonmembers):
    """For the false-positive rate Φ(z) the true-positive rate is Φ(z + μ), up to rounding z."""
    fpr = float(exact_normal.cdf(quantile))
    found = apply("gaussian_dp_to_predictive_value", GaussianDP(mu), fpr, nonmembers).value
    tpr = exact_normal.cdf(Decimal(quantile) + Decimal(mu))
    truth = float(tpr / (tpr + Decimal(nonmembers) * Decimal(fpr)))
    assert found == pytest.approx(truth, rel=1e-12)


@given(st.integers(1, 8), st.sampled_from([0.05, 0.1, 0.2, 0.4]), st.floats(0.0, 2.0))
@settings(max_examples=usual(6, 25))
def test_the_binomial_tails_of_k_anonymity(k, rate, more):
    """Against the largest of all tails over some hundred sizes, in fractions."""
    epsilon = -math.log1p(-rate) * (1 + 1e-12) + more
    found = apply("k_anonymity_to_sampling_dp", KAnonymity(k), rate, epsilon).delta
    beta, share = Decimal(rate), 1 - (1 - Decimal(rate)) * exp(-Decimal(epsilon))
    least = math.ceil(k / share - 1)
    odds = Fraction(rate)
    largest = max(
        sum(
            math.comb(n, j) * odds**j * (1 - odds) ** (n - j)
            for j in range(math.floor(share * n) + 1, n + 1)
        )
        for n in range(least, least + 60)
    )
    assert beta < share
    assert claims(found, largest)
