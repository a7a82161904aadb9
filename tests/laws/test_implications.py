"""Every implication is true on small mechanisms, by brute force, and attained where it says so."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from deniable.errors import NoDerivation
from deniable.notions import (
    ZCDP,
    Adjacency,
    ApproxDP,
    BayesianDP,
    BayesianSemantic,
    GaussianDP,
    Identifiability,
    KAnonymity,
    MembershipInference,
    NegativeMembership,
    OneSidedDP,
    PopulationPrivacy,
    PositiveMembership,
    PosteriorGain,
    PosteriorRatio,
    PrivacyLossTail,
    PureDP,
    SamplingDP,
    Semantic,
    Side,
)
from deniable.notions.notation import FORMS
from deniable.numerics.bound import Evidence
from deniable.priors import BoundedPriors, CorrelatedPriors, OneOutOfPriors, SampledPriors
from deniable.theorems.catalogue import CATALOGUE, named
from deniable.theorems.derive import derive
from tests.cases.effort import usual
from tests.cases.refusals import refuses
from tests.oracles import beliefs as brute
from tests.oracles import relations as slow

OUT = Adjacency.ADD_REMOVE


def apply(name, *arguments, **keywords):
    return named(name).implication(*arguments, **keywords)


def loss(ratio):
    """A float at or just above ln(ratio)."""
    return math.nextafter(math.log(ratio) * (1 + 1e-15), math.inf)


tenths = st.integers(1, 9).map(lambda n: Fraction(n, 10))


@st.composite
def mechanisms(draw, entities, size=None, outputs=2):
    """Random rows, and two-level likelihoods, which come closer to the bounds."""
    kept = list(brute.data_sets(entities, size))
    if draw(st.booleans()):
        rows = [draw(st.lists(st.integers(1, 9), min_size=outputs, max_size=outputs)) for _ in kept]
        return {t: [Fraction(w, sum(row)) for w in row] for t, row in zip(kept, rows, strict=True)}
    levels = [Fraction(draw(st.sampled_from([1, 1, 2, 3])), 100) for _ in kept]
    return {t: [x, 1 - x] for t, x in zip(kept, levels, strict=True)}


# --- membership: halves of add-remove DP, and Theorem 2 both ways round


def over_independent_priors(mechanism, entities, low, high, measure):
    """The largest γ over D_I^[a,b]: certainty about all others and one end for each entity.

    For one entity and one prior γ grows with the likelihood ratio, a mixture over the others has
    the ratio of one of them at most, and over p it is largest at an end of the interval.
    """
    found = Fraction(1)
    for entity, p in itertools.product(range(entities), {low, high}):
        others = [other for other in range(entities) if other != entity]
        for present in itertools.product([Fraction(0), Fraction(1)], repeat=len(others)):
            marginals = dict(zip(others, present, strict=True)) | {entity: p}
            law = brute.product_law([marginals[i] for i in range(entities)])
            found = max(found, measure(law, mechanism, entities))
    return found


@given(data=st.data())
@settings(max_examples=usual(16, 60))
def test_each_half_of_dp_bounds_its_kind_of_belief_and_follows_from_it(data):
    entities = data.draw(st.integers(1, 2))
    mechanism = data.draw(mechanisms(entities))
    low, high = sorted([data.draw(tenths), data.draw(tenths)])
    adversary = BoundedPriors(float(low), float(high))
    sides = zip(
        (Side.POSITIVE, Side.NEGATIVE),
        ("positive", "negative"),
        slow.half_ratios(mechanism),
        (brute.positive_gamma, brute.negative_gamma),
        strict=True,
    )
    for side, word, ratio, measure in sides:
        assume(ratio >= 1)
        exact = over_independent_priors(mechanism, entities, low, high, measure)
        half = OneSidedDP(loss(ratio), side)
        claim = apply(f"one_sided_dp_to_{word}_membership", half, adversary).gamma
        assert float(exact) == pytest.approx(claim, rel=1e-12)
        notion = PositiveMembership if side is Side.POSITIVE else NegativeMembership
        guarantee = notion(float(exact) * (1 + 1e-15), adversary, adjacency=OUT)
        back = apply(f"{word}_membership_to_one_sided_dp", guarantee)
        assert back.epsilon == pytest.approx(math.log(ratio), rel=1e-9, abs=1e-12)


@given(data=st.data())
@settings(max_examples=usual(16, 60))
def test_random_independent_beliefs_stay_below_the_bound_of_each_half(data):
    entities = data.draw(st.integers(1, 3))
    mechanism = data.draw(mechanisms(entities))
    law = brute.product_law(data.draw(st.lists(tenths, min_size=entities, max_size=entities)))
    chances = brute.uncertain(law, entities)
    adversary = BoundedPriors(float(min(chances)), float(max(chances)))
    positive, negative = slow.half_ratios(mechanism)
    for side, word, ratio, measure in (
        (Side.POSITIVE, "positive", positive, brute.positive_gamma),
        (Side.NEGATIVE, "negative", negative, brute.negative_gamma),
    ):
        assume(ratio >= 1)
        half = OneSidedDP(loss(ratio), side)
        claim = apply(f"one_sided_dp_to_{word}_membership", half, adversary).gamma
        assert float(measure(law, mechanism, entities)) <= claim * (1 + 1e-12)
    whole = apply(
        "one_sided_dp_to_pure_dp",
        OneSidedDP(loss(positive)),
        OneSidedDP(loss(negative), Side.NEGATIVE),
    )
    assert whole.epsilon >= math.log(brute.add_remove_ratio(mechanism))
    capped = apply("one_sided_dp_to_max_posterior", OneSidedDP(loss(positive)), adversary.high)
    for entity, output in itertools.product(range(entities), range(2)):
        assert float(brute.posterior(law, mechanism, entity, output)) <= capped.posterior * (
            1 + 1e-12
        )


@given(data=st.data())
@settings(max_examples=usual(16, 60))
def test_replace_one_dp_bounds_every_doubt_given_the_size(data):
    entities = data.draw(st.integers(2, 4))
    size = data.draw(st.integers(1, entities - 1))
    weights = data.draw(st.lists(tenths, min_size=entities, max_size=entities))
    law = brute.conditioned(brute.product_law(weights), size)
    mechanism = data.draw(mechanisms(entities, size))
    ratio = brute.replace_one_ratio(mechanism)
    chances = [float(p) for p in brute.uncertain(law, entities)]
    adversary = BoundedPriors(min(chances) * (1 - 1e-15), min(max(chances) * (1 + 1e-15), 1.0))
    claim = apply("pure_dp_to_negative_membership", PureDP(loss(ratio)), adversary)
    assert brute.negative_gamma(law, mechanism, entities) <= Fraction(claim.gamma)


def test_the_interval_must_be_reflected_for_doubts():
    """Erratum: with the unreflected interval the negative statement is false at a = b = 0.1."""
    quarter = Fraction(1, 4)
    mechanism = {frozenset(): [1 - quarter, quarter], frozenset([0]): [quarter, 1 - quarter]}
    exact = brute.negative_gamma(brute.product_law([Fraction(1, 10)]), mechanism, 1)
    budget, adversary = PureDP(loss(3), OUT), BoundedPriors(0.1, 0.1)
    assert exact == Fraction(28, 10)
    unreflected = apply("pure_dp_to_positive_membership", budget, adversary).gamma
    assert unreflected == pytest.approx(2.5)
    reflected = apply("pure_dp_to_negative_membership", budget, adversary).gamma
    assert reflected == pytest.approx(2.8)


@given(data=st.data())
@settings(max_examples=usual(11, 40))
def test_unrestricted_membership_privacy_given_the_size_is_replace_one_dp(data):
    """Priors about a pair of entities, one of which is in, exhibit every ratio as p → 0."""
    mechanism = data.draw(mechanisms(3, 1))
    ratio = brute.replace_one_ratio(mechanism)
    tiny = Fraction(1, 10**9)
    found = {"positive": Fraction(1), "negative": Fraction(1)}
    for one, other in itertools.permutations(range(3), 2):
        law = {frozenset([i]): Fraction(0) for i in range(3)}
        law[frozenset([one])], law[frozenset([other])] = tiny, 1 - tiny
        found["positive"] = max(found["positive"], brute.positive_gamma(law, mechanism, 3))
        found["negative"] = max(found["negative"], brute.negative_gamma(law, mechanism, 3))
    for word, notion in (("positive", PositiveMembership), ("negative", NegativeMembership)):
        assert float(found[word]) == pytest.approx(float(ratio), rel=1e-6)
        back = apply(f"{word}_membership_to_replace_one_dp", notion(float(ratio) * (1 + 1e-15)))
        assert back.epsilon >= math.log(ratio) * (1 - 1e-15)


def test_the_converse_is_false_over_priors_without_one_half():
    """γ = 1.5 at ⅓ over three worlds, with likelihoods 1, 1, 0 and no ε at all."""
    third = Fraction(1, 3)
    law = {frozenset([i]): third for i in range(3)}
    mechanism = {frozenset([i]): [Fraction(x), Fraction(1 - x)] for i, x in enumerate((1, 1, 0))}
    seen = [brute.posterior(law, mechanism, i, 0) for i in range(3)]
    assert max(seen) / third == Fraction(3, 2)
    guarantee = PositiveMembership(1.5, BoundedPriors(1 / 3, 1 / 3))
    with refuses(NoDerivation, "family-with-beliefs-of-half"):
        derive(guarantee, "pure-dp")


@given(data=st.data())
@settings(max_examples=usual(16, 60))
def test_equation_3_caps_every_posterior(data):
    law = brute.product_law([data.draw(tenths)])
    mechanism = data.draw(mechanisms(1))
    gamma = brute.positive_gamma(law, mechanism, 1)
    p = brute.chance_of(law, 0)
    cap = max(gamma * p, Fraction(0)), (gamma - 1 + p) / gamma
    worst = max(brute.posterior(law, mechanism, 0, output) for output in range(2))
    assert worst == min(cap) or worst < p
    claim = PositiveMembership(float(gamma) * (1 + 1e-15))
    found = apply("positive_membership_to_max_posterior", claim, float(p))
    assert float(worst) <= found.posterior * (1 + 1e-15)


@given(st.lists(st.integers(1, 9), min_size=2, max_size=6))
def test_identifiability_and_membership_in_one_of_m_worlds_are_the_same(levels):
    worlds = len(levels)
    law = {frozenset([i]): Fraction(1, worlds) for i in range(worlds)}
    mechanism = {
        frozenset([i]): [Fraction(x, 10), Fraction(10 - x, 10)] for i, x in enumerate(levels)
    }
    gamma = brute.positive_gamma(law, mechanism, worlds)
    rho = max(brute.posterior(law, mechanism, i, s) for i in range(worlds) for s in range(2))
    there = apply("identifiability_to_positive_membership", Identifiability(float(rho), worlds))
    assert there.gamma == pytest.approx(float(gamma), rel=1e-12)
    membership = PositiveMembership(float(gamma), OneOutOfPriors(worlds))
    back = apply("positive_membership_to_identifiability", membership)
    assert back.rho == pytest.approx(float(rho), rel=1e-12)


# --- sampling


@given(data=st.data())
@settings(max_examples=usual(16, 60))
def test_sampling_amplifies_and_bounds_beliefs(data):
    entities = data.draw(st.integers(1, 3))
    mechanism = data.draw(mechanisms(entities))
    beta, smaller = data.draw(tenths), data.draw(tenths)
    smaller = min(beta, smaller)
    whole = ApproxDP(loss(brute.add_remove_ratio(mechanism)), 0.0, OUT)
    at_beta = slow.sampled(mechanism, beta)
    exact = brute.add_remove_ratio(at_beta)
    claim = apply("approx_dp_to_sampling_dp", whole, float(beta))
    assert math.log(exact) <= claim.epsilon * (1 + 1e-14)
    here = SamplingDP(float(beta), loss(exact))
    less = apply("sampling_dp_to_lower_rate", here, float(smaller))
    assert math.log(brute.add_remove_ratio(slow.sampled(mechanism, smaller))) <= less.epsilon * (
        1 + 1e-14
    )
    law = brute.product_law([beta] * entities)
    positive = apply("sampling_dp_to_positive_membership", here).gamma
    assert float(brute.positive_gamma(law, mechanism, entities)) <= positive * (1 + 1e-13)
    negative = apply("sampling_dp_to_negative_membership", here).gamma
    assert float(brute.negative_gamma(law, mechanism, entities)) <= negative * (1 + 1e-13)


@given(tenths, st.fractions(Fraction(11, 10), Fraction(20), max_denominator=20))
def test_amplification_is_attained(beta, ratio):
    share = 1 / (ratio * 1000)
    mechanism = {
        frozenset(): [share, 1 - share],
        frozenset([0]): [share * ratio, 1 - share * ratio],
    }
    exact = brute.add_remove_ratio(slow.sampled(mechanism, beta))
    assert exact == 1 + beta * (ratio - 1)
    claim = apply("approx_dp_to_sampling_dp", ApproxDP(loss(ratio), 0.0, OUT), float(beta))
    assert claim.epsilon == pytest.approx(math.log(exact), rel=1e-12)


@given(data=st.data())
@settings(max_examples=usual(16, 60))
def test_dp_under_sampling_is_a_statement_about_absence(data):
    """⇔: the ratio Pr[¬t|S]/Pr[¬t] over all sub-universes of candidates has ε's two ends."""
    entities = data.draw(st.integers(1, 2))
    mechanism, beta = data.draw(mechanisms(entities)), data.draw(tenths)
    exact = brute.add_remove_ratio(slow.sampled(mechanism, beta))
    ratios, gammas = [], [Fraction(1)]
    for candidates in itertools.product([Fraction(0), beta], repeat=entities):
        law = brute.product_law(candidates)
        gammas.append(brute.positive_gamma(law, mechanism, entities))
        for entity, output in itertools.product(range(entities), range(2)):
            if candidates[entity]:
                doubt = 1 - brute.posterior(law, mechanism, entity, output)
                ratios.append(doubt / (1 - beta))
    assert max(max(ratios), 1 / min(ratios)) == exact
    guarantee = PositiveMembership(
        float(max(gammas)) * (1 + 1e-15), SampledPriors(float(beta)), adjacency=OUT
    )
    back = apply("positive_membership_to_sampling_dp", guarantee)
    assert math.log(exact) <= back.epsilon * (1 + 1e-12)


@pytest.mark.parametrize(("k", "beta", "epsilon"), [(2, 0.1, 0.5), (3, 0.3, 1.0), (5, 0.1, 1.0)])
def test_k_anonymity_after_sampling_is_at_most_as_leaky_as_claimed(k, beta, epsilon):
    """One group: its sampled size if at least k, else suppressed; n entities against n + 1."""

    def law(n):
        chances = [math.comb(n, j) * beta**j * (1 - beta) ** (n - j) for j in range(n + 1)]
        return np.array([sum(chances[:k]), *chances[k:]] + [0.0] * (80 - n))

    exact = max(slow.both_hockey_sticks(law(n)[:60], law(n + 1)[:60], epsilon) for n in range(55))
    claim = apply("k_anonymity_to_sampling_dp", KAnonymity(k), beta, epsilon).delta
    assert 0.1 * claim < exact < claim  # the claim is a tail, the exact δ a difference of two


# --- semantic privacy, and Bayesian DP

sizes = st.sampled_from([(2,), (3,), (2, 2), (3, 2), (2, 2, 2)])


def table(data, shape, low=1, high=9):
    count = math.prod(shape)
    return np.array(
        data.draw(st.lists(st.integers(low, high), min_size=count, max_size=count)), float
    ).reshape(shape)


@given(st.data(), sizes)
@settings(max_examples=usual(22, 80))
def test_semantic_privacy_both_ways(data, shape):
    likelihood = table(data, shape) / 100
    exact, distance = slow.replace_one_loss(likelihood), slow.semantic(likelihood)
    assert distance <= apply("pure_dp_to_semantic", PureDP(exact)).epsilon + 1e-12
    assert distance <= apply("pure_dp_to_semantic_as_published", PureDP(exact)).epsilon + 1e-12
    back = apply("semantic_to_pure_dp", Semantic(min(distance + 1e-13, 1.0))).epsilon
    assert exact <= back + 1e-9
    if distance < 0.49:
        published = apply("semantic_to_pure_dp_as_published", Semantic(distance + 1e-13)).epsilon
        assert exact <= back <= published + 1e-9
    if len(shape) == 1:
        one = apply("pure_dp_to_semantic_of_one_record", PureDP(exact)).epsilon
        assert distance == pytest.approx(one, abs=1e-12)
        assert back == pytest.approx(exact, abs=1e-9)


@given(st.floats(0.01, 5.0))
def test_semantic_privacy_of_two_records_is_attained(epsilon):
    """Likelihoods c, e^ε c, e^ε c, c: adding a 1 to 0 helps, adding it to 1 hurts."""
    likelihood = 0.001 * np.array([[1, math.exp(epsilon)], [math.exp(epsilon), 1]])
    assert slow.replace_one_loss(likelihood) == pytest.approx(epsilon)
    claim = apply("pure_dp_to_semantic", PureDP(epsilon)).epsilon
    assert slow.semantic(likelihood) == pytest.approx(claim, rel=1e-12)


@given(st.data(), sizes)
@settings(max_examples=usual(22, 80))
def test_bayesian_privacy_under_correlated_laws(data, shape):
    law = table(data, shape, 1, 30)
    law /= law.sum()
    likelihood = table(data, shape) / 100
    exact = slow.bayesian_loss(law, likelihood)
    distance = slow.bayesian_semantic(law, likelihood)
    guarantee = BayesianDP(exact)
    assert distance <= apply("bayesian_dp_to_bayesian_semantic", guarantee).epsilon + 1e-12
    published = apply("bayesian_dp_to_bayesian_semantic_as_published", guarantee)
    assert distance <= published.epsilon + 1e-12
    pure = apply("bayesian_dp_to_pure_dp", guarantee).epsilon
    assert slow.replace_one_loss(likelihood) <= pure + 1e-12
    back = apply("bayesian_semantic_to_bayesian_dp", BayesianSemantic(min(distance + 1e-13, 1.0)))
    assert exact <= back.epsilon + 1e-9
    implied = apply("bayesian_semantic_to_semantic", BayesianSemantic(distance)).epsilon
    assert slow.semantic(likelihood) <= implied + 1e-12


@given(st.data(), sizes)
@settings(max_examples=usual(16, 60))
def test_with_independent_records_bayesian_dp_is_dp(data, shape):
    margins = [table(data, (n,), 1, 9) for n in shape]
    law = math.prod(np.ix_(*(margin / margin.sum() for margin in margins)))
    likelihood = table(data, shape) / 100
    exact = slow.bayesian_loss(law, likelihood)
    assert exact == pytest.approx(slow.replace_one_loss(likelihood), abs=1e-12)
    guarantee = BayesianDP(exact, independent=True)
    claim = apply("bayesian_dp_to_bayesian_semantic", guarantee).epsilon
    assert slow.bayesian_semantic(law, likelihood) <= claim + 1e-12


@given(st.data(), st.sampled_from([(2,), (2, 2), (2, 2, 2)]))
@settings(max_examples=usual(11, 40))
def test_bayesian_dp_bounds_membership_under_its_laws(data, shape):
    law = table(data, shape, 1, 30)
    likelihood = table(data, shape) / 20
    exact = max(slow.bayesian_loss(law, x) for x in (likelihood, 1 - likelihood))
    mechanism = {
        frozenset(np.flatnonzero(values).tolist()): [
            Fraction(float(likelihood[values])),
            1 - Fraction(float(likelihood[values])),
        ]
        for values in itertools.product((0, 1), repeat=len(shape))
    }
    beliefs = slow.membership_law(law)
    total = sum(beliefs.values())
    beliefs = {members: chance / total for members, chance in beliefs.items()}
    claim = apply("bayesian_dp_to_positive_membership", BayesianDP(exact + 1e-12, OUT)).gamma
    for measure in (brute.positive_gamma, brute.negative_gamma):
        assert float(measure(beliefs, mechanism, len(shape))) <= claim


@given(st.data(), st.integers(1, 3))
@settings(max_examples=usual(11, 40))
def test_membership_under_scaled_laws_is_bayesian_dp(data, records):
    """Each value of each record made improbable, what others do given it unchanged."""
    shape = (2,) * records
    law = table(data, shape, 1, 30)
    law /= law.sum()
    likelihood = table(data, shape) / 100
    worst = 1.0
    for record, known, _ in slow.adversaries(records):
        for values in itertools.product((0, 1), repeat=len(known)):
            at = [slice(None)] * records
            for other, value in zip(known, values, strict=True):
                at[other] = slice(value, value + 1)
            part, told = law[tuple(at)], likelihood[tuple(at)]
            given_value = [
                float(
                    np.take(part * told, v, axis=record).sum() / np.take(part, v, axis=record).sum()
                )
                for v in (0, 1)
            ]
            tiny = 1e-9  # the value's probability after scaling
            for v in (0, 1):
                chance = (
                    tiny
                    * given_value[v]
                    / (tiny * given_value[v] + (1 - tiny) * given_value[1 - v])
                )
                worst = max(worst, chance / tiny, (1 - tiny) / (1 - chance))
    guarantee = PositiveMembership(
        worst * (1 + 1e-6), CorrelatedPriors(downward_scalable=True), adjacency=OUT
    )
    back = apply("positive_membership_to_bayesian_dp", guarantee)
    assert slow.bayesian_loss(law, likelihood) <= back.epsilon
    assert back.epsilon == pytest.approx(slow.bayesian_loss(law, likelihood), abs=1e-5)


# --- beliefs about values


@given(st.lists(st.integers(1, 9), min_size=2, max_size=5))
@settings(max_examples=usual(16, 60))
def test_beliefs_about_values(levels):
    """One record with several values, one output: growth and rise of every belief."""
    likelihood = np.array(levels, float)
    ratio = likelihood.max() / likelihood.min()
    exact = math.log(ratio) + 1e-13
    growth = apply("pure_dp_to_posterior_ratio", PureDP(exact)).ratio
    rise = apply("pure_dp_to_posterior_gain", PureDP(exact)).gain
    generator = np.random.default_rng(1)
    for prior in generator.dirichlet(np.full(len(levels), 0.3), size=200):
        posterior = prior * likelihood / (prior @ likelihood)
        assert (posterior - prior).max() <= rise + 1e-12
        assert (posterior <= growth * prior * (1 + 1e-9)).all()
    best = slow.largest_move(likelihood)
    assert best == pytest.approx(rise, abs=1e-12)
    assert apply("posterior_gain_to_pure_dp", PosteriorGain(best)).epsilon == pytest.approx(
        exact, abs=1e-9
    )
    tiny = 1e-9
    seen = tiny * ratio / (tiny * ratio + 1 - tiny) / tiny
    back = apply("posterior_ratio_to_pure_dp", PosteriorRatio(max(seen, 1.0) * (1 + 1e-6)))
    assert back.epsilon == pytest.approx(exact, abs=1e-5)


# --- attacks, and the population

laws = st.lists(st.integers(0, 12), min_size=2, max_size=6).filter(any)


@st.composite
def pairs(draw):
    p = draw(laws)
    q = draw(st.lists(st.integers(0, 12), min_size=len(p), max_size=len(p)).filter(any))
    return tuple(np.array(row) / sum(row) for row in (p, q))


@given(pairs(), st.floats(0.0, 3.0), st.floats(0.01, 0.99), st.floats(0.1, 50.0))
@settings(max_examples=usual(22, 80))
def test_attacks_on_finite_laws(laws, epsilon, fpr, nonmembers):
    p, q = laws
    guarantee = ApproxDP(epsilon, min(slow.both_hockey_sticks(p, q, epsilon) + 1e-15, 1.0))
    advantage = slow.total_variation(p, q)
    by_erlingsson = apply("approx_dp_to_advantage_by_erlingsson", guarantee).value
    assert advantage <= by_erlingsson + 1e-12
    tpr = slow.trade_off(p, q, fpr)
    claim = apply("approx_dp_to_predictive_value", guarantee, fpr, nonmembers).value
    assert tpr / (tpr + nonmembers * fpr) <= claim + 1e-12


@given(st.floats(0.0, 4.0), st.floats(0.0, 0.5), st.floats(0.01, 0.99))
def test_predictive_values_are_attained_by_randomised_response(epsilon, delta, fpr):
    tpr = slow.trade_off(*slow.randomised_response(epsilon, delta), fpr)
    found = apply("approx_dp_to_predictive_value", ApproxDP(epsilon, delta), fpr, 3.0).value
    assert found == pytest.approx(tpr / (tpr + 3 * fpr), rel=1e-9)


@given(st.floats(0.01, 6.0), st.floats(0.001, 0.999))
def test_pure_dp_is_no_easier_than_its_gaussian_shift(epsilon, fpr):
    mu = apply("pure_dp_to_gaussian_dp", PureDP(epsilon)).mu
    tpr = slow.trade_off(*slow.randomised_response(epsilon, 0.0), fpr)
    assert tpr <= float(ndtr(ndtri(fpr) + mu)) + 1e-12
    corner = 1 / (1 + math.exp(epsilon))
    assert float(ndtr(ndtri(corner) + mu)) == pytest.approx(1 - corner, rel=1e-9)


@given(st.floats(0.05, 4.0), st.floats(0.01, 0.99))
def test_thresholds_attain_the_predictive_value_of_a_gaussian_shift(mu, fpr):
    tpr = float(ndtr(ndtri(fpr) + mu))
    found = apply("gaussian_dp_to_predictive_value", GaussianDP(mu), fpr, 2.0).value
    assert found == pytest.approx(tpr / (tpr + 2 * fpr), rel=1e-9)


@given(st.floats(0.01, 8.0))
def test_concentration_of_pure_dp(epsilon):
    """Rényi divergences of randomised response, which bound those of every ε-DP mechanism."""
    p, q = (law[1:3] for law in slow.randomised_response(epsilon, 0.0))
    rho = apply("pure_dp_to_zcdp", PureDP(epsilon)).rho
    for order in 1 + np.geomspace(1e-3, 1e3, 60):
        logs = order * np.log(p) + (1 - order) * np.log(q)
        assert np.logaddexp.reduce(logs) / (order - 1) <= order * rho * (1 + 1e-9)
    assert apply("gaussian_dp_to_zcdp", GaussianDP(epsilon)) == ZCDP(rho)


@given(st.floats(0.0, 2.0), st.floats(0.0, 0.3), pairs())
@settings(max_examples=usual(16, 60))
def test_two_neighbours_in_a_row(epsilon, share, laws):
    """p to m to q with m between them: (ε, δ) twice gives (2ε, (1 + e^ε)δ)."""
    p, q = laws
    middle = share * p + (1 - share) * q
    delta = max(
        slow.both_hockey_sticks(p, middle, epsilon), slow.both_hockey_sticks(middle, q, epsilon)
    )
    one = ApproxDP(epsilon, min(delta + 1e-15, 1.0), OUT)
    claim = apply("add_remove_approx_dp_to_replace_one_approx_dp", one)
    assert slow.both_hockey_sticks(p, q, claim.epsilon) <= claim.delta + 1e-12


@given(pairs(), st.floats(0.0, 3.0))
def test_a_tail_is_a_delta(laws, epsilon):
    p, q = laws
    passed = max(float(x[x > math.exp(epsilon) * y].sum()) for x, y in ((p, q), (q, p)))
    claim = apply("privacy_loss_tail_to_approx_dp", PrivacyLossTail(epsilon, min(passed, 1.0)))
    assert claim.epsilon == epsilon
    assert slow.both_hockey_sticks(p, q, epsilon) <= claim.delta + 1e-12


@given(data=st.data(), epsilon=st.floats(0.0, 2.0))
@settings(max_examples=usual(16, 60))
def test_population_privacy(data, epsilon):
    """Every n-subset of N records, equally likely: losses and attacks on each record."""
    entities = data.draw(st.integers(2, 5))
    size = data.draw(st.integers(1, entities - 1))
    mechanism = data.draw(mechanisms(entities, size, outputs=3))
    rows = {t: np.array(row, float) for t, row in mechanism.items()}
    swaps = [(s, t) for s, t in itertools.permutations(rows, 2) if len(s - t) == 1]
    delta = max(slow.hockey_stick(rows[s], rows[t], epsilon) for s, t in swaps)
    dp = ApproxDP(epsilon, min(delta + 1e-15, 1.0))
    population = apply("approx_dp_to_population", dp)
    for entity in range(entities):
        p, q = slow.in_and_out(rows, entity)
        exact = slow.both_hockey_sticks(p, q, epsilon)
        assert exact <= population.delta + 1e-12
        here = PopulationPrivacy(epsilon, min(exact + 1e-15, 1.0))
        advantage = slow.total_variation(p, q)
        eta = apply("population_to_membership_inference", here).eta
        assert advantage / 2 <= eta + 1e-12
        success = apply("population_to_attack_success", here).probability
        assert (1 + advantage) / 2 <= success + 1e-12
        ratios = np.concatenate([p / q, q / p])
        pure = PopulationPrivacy(math.log(ratios.max()) + 1e-13)
        published = apply("population_to_membership_inference_as_published", pure).eta
        assert advantage / 2 <= published + 1e-12
        tight = MembershipInference(advantage / 2)
        assert apply("membership_inference_to_advantage", tight).value == pytest.approx(advantage)


@given(data=st.data(), epsilon=st.floats(0.0, 2.0))
@settings(max_examples=usual(10, 30))
def test_population_privacy_of_one_record_of_two_is_dp_with_the_same_delta(data, epsilon):
    """lowy-2024's Corollary 4, mended: δ stays as it is."""
    mechanism = data.draw(mechanisms(2, 1))
    rows = {t: np.array(row, float) for t, row in mechanism.items()}
    exact = slow.both_hockey_sticks(*rows.values(), epsilon)
    found = [slow.both_hockey_sticks(*slow.in_and_out(rows, i), epsilon) for i in range(2)]
    assert max(found) == pytest.approx(exact, abs=1e-15)
    guarantee = PopulationPrivacy(epsilon, min(exact, 1.0), size=1, every_parent_set=True)
    assert apply("population_to_approx_dp", guarantee).delta == min(exact, 1.0)


# --- the catalogue as a whole


def test_the_sharper_of_two_theorems_is_what_a_derivation_finds():
    for given_text, target, sharp in (
        ("pure-dp:0.3", "semantic", "pure_dp_to_semantic"),
        ("semantic:0.2", "pure-dp", "semantic_to_pure_dp"),
        ("bayesian-dp:0.3", "bayesian-semantic", "bayesian_dp_to_bayesian_semantic"),
        ("bayesian-semantic:0.2", "bayesian-dp", "bayesian_semantic_to_bayesian_dp"),
        ("population:0.3", "membership-inference", "population_to_membership_inference"),
        ("approx-dp:0.3,1e-6", "advantage", "approx_dp_to_advantage"),
    ):
        assert derive(given_text, target).chain[-1].theorem.split(" ")[0] == sharp


def test_every_notion_but_algorithms_is_reached_or_given():
    reached = {each.conclusion for each in CATALOGUE}
    sources = {each.premise for each in CATALOGUE}
    assert {form.word for form in FORMS if form.notion not in reached} == {
        "k-anonymity",
        "noisy-gradient",
        "privacy-curve",
    }
    assert {form.notion for form in FORMS} == reached | sources


def test_no_derivation_of_the_same_notion_is_stronger_than_what_was_given():
    """Walking any circle of theorems proves no more than was known."""
    for text in (
        "pure-dp:0.7",
        "pure-dp:0.7@add-remove",
        "positive-membership:1.5",
        "negative-membership:1.5@add-remove",
        "semantic:0.2",
        "bayesian-dp:0.7",
        "bayesian-semantic:0.2",
        "sampling-dp:0.3,0.7",
        "identifiability:0.3,8",
        "posterior-ratio:1.7",
        "posterior-gain:0.2",
        "advantage:0.3",
        "attack-success:0.6@population",
        "membership-inference:0.2",
        "population:0.4,1e-6",
        "gaussian-dp:0.4",
        "zcdp:0.2",
        "one-sided-dp:0.4@negative",
    ):
        adjacency = "@" + text.partition("@")[2] if "@" in text else ""
        found = derive(text, text.partition(":")[0] + adjacency)
        assert found.chain == ()
        assert found.target == found.given[0]


def test_estimates_end_every_chain():
    assert [each.name for each in CATALOGUE if each.evidence is Evidence.ESTIMATE] == [
        "noisy_gradient_to_gaussian_membership_inference"
    ]


@given(st.floats(0.01, 3.0), tenths, tenths)
@settings(max_examples=usual(8, 20))
def test_a_narrower_family_is_never_worse(epsilon, one, other):
    low, high = sorted([float(one), float(other)])
    narrow = derive(PureDP(epsilon), "positive-membership", prior=(low, high)).target.gamma
    wide = derive(PureDP(epsilon), "positive-membership").target
    assert wide.adversary == BoundedPriors()
    assert narrow <= wide.gamma
