"""Li, Qardaji, Su, Wu, Yang, *Membership privacy*, CCS 2013: definitions, families, theorems.

Laws and mechanisms are listed in fractions and judged by definition; only the priors of
Definition 3.3, of the scalable families and of Lemma 4.9 come from the package. k-Max is tested
elsewhere.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from deniable.notions.adversaries import SampledPriors
from deniable.priors import (
    GroupedPrior,
    OneOutOfPrior,
    ProductPrior,
    SampledPrior,
    SizeConditionedPrior,
    TablePrior,
    UniformPrior,
    UniformSizedPrior,
)
from deniable.priors.families import (
    AllPriors,
    BoundedSizeConditionedPriors,
    OneOutOfAnyPriors,
    PairPriors,
    ProductPriors,
    SizeConditionedPriors,
    UniformPriors,
)
from deniable.priors.universe import subsets
from tests.cases.effort import usual
from tests.oracles.beliefs import conditioned, data_sets, product_law

HALF = Fraction(1, 2)
N = 3
EVERYONE = list(data_sets(N))
NEAR = Fraction(1, 10**9)


def total(law, mechanism, output, *, inside=None, outside=None):
    """Pr[S and the entity is in, or out, as asked]."""
    return sum(
        chance * mechanism[t][output]
        for t, chance in law.items()
        if (inside is None or inside in t) and (outside is None or outside not in t)
    )


def chance_in(law, t):
    return sum(chance for members, chance in law.items() if t in members)


def ratio(a, b):
    return Fraction(0) if a == 0 else math.inf if b == 0 else a / b


def likelihoods(law, mechanism, t, output):
    """Pr[S|t] and Pr[S|¬t], 0 < Pr[t] < 1."""
    p = chance_in(law, t)
    return (
        total(law, mechanism, output, inside=t) / p,
        total(law, mechanism, output, outside=t) / (1 - p),
    )


def beliefs(law, mechanism):
    """(p, Pr[t|S]) for every uncertain entity and possible output."""
    outputs = len(next(iter(mechanism.values())))
    for t, output in itertools.product(range(N), range(outputs)):
        p, chance = chance_in(law, t), total(law, mechanism, output)
        if 0 < p < 1 and chance > 0:
            yield p, total(law, mechanism, output, inside=t) / chance


def positive_gamma(law, mechanism):
    """The least γ of Definition 3.1."""
    found = [max(after / p, ratio(1 - p, 1 - after)) for p, after in beliefs(law, mechanism)]
    return max(found, default=Fraction(1))


def negative_gamma(law, mechanism):
    """The least γ with t and ¬t exchanged."""
    found = [max((1 - after) / (1 - p), ratio(p, after)) for p, after in beliefs(law, mechanism)]
    return max(found, default=Fraction(1))


def scaled(law, t, q):
    """Definition 3.3 by its words."""
    p = chance_in(law, t)
    return {s: chance * (q / p if t in s else (1 - q) / (1 - p)) for s, chance in law.items()}


def normalised(weights):
    whole = sum(weights)
    return [Fraction(w, whole) for w in weights]


probabilities = st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20)
beliefs_drawn = st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50)
rows = st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any).map(normalised)
mechanisms = st.lists(rows, min_size=8, max_size=8).map(
    lambda laws: dict(zip(EVERYONE, laws, strict=True))
)
positive_rows = st.lists(st.integers(1, 5), min_size=3, max_size=3).map(normalised)
positive_mechanisms = st.lists(positive_rows, min_size=8, max_size=8).map(
    lambda laws: dict(zip(EVERYONE, laws, strict=True))
)
any_law = (
    st.lists(st.integers(0, 5), min_size=8, max_size=8)
    .filter(any)
    .map(lambda weights: dict(zip(EVERYONE, normalised(weights), strict=True)))
)
independent = st.lists(probabilities, min_size=N, max_size=N).map(product_law)
bounded = st.tuples(independent, st.integers(1, N - 1)).map(lambda pair: conditioned(*pair))


# Section 3


def allowed(p, gamma):
    """Equation 3: the largest Pr[t|S]."""
    return min(gamma * p, (gamma - 1 + p) / gamma)


def test_equation_3_examples():
    assert allowed(Fraction("0.85"), Fraction("1.2")) == Fraction("0.875")
    for p in (Fraction(1, 10), HALF, Fraction(9, 10)):
        assert allowed(p, 2) == min(2 * p, (1 + p) / 2)


@given(p=beliefs_drawn, after=beliefs_drawn, gamma=st.fractions(1, 10, max_denominator=10))
def test_definition_3_1_is_equation_3(p, after, gamma):
    both = after <= gamma * p and 1 - after >= (1 - p) / gamma
    assert both == (after <= allowed(p, gamma))


@given(p=beliefs_drawn, after=beliefs_drawn, gamma=st.fractions(1, 10, max_denominator=10))
def test_negative_membership_privacy_exchanges_in_and_out(p, after, gamma):
    both = 1 - after <= gamma * (1 - p) and after >= p / gamma
    assert both == (1 - after <= allowed(1 - p, gamma))


@given(law=any_law, mechanism=mechanisms)
def test_lemma_3_2_a_bound_on_the_ratio_suffices(law, mechanism):
    uncertain = [t for t in range(N) if 0 < chance_in(law, t) < 1]
    assume(uncertain)
    pairs = [likelihoods(law, mechanism, t, s) for t in uncertain for s in range(3)]
    assert positive_gamma(law, mechanism) <= max(ratio(a, b) for a, b in pairs)
    assert negative_gamma(law, mechanism) <= max(ratio(b, a) for a, b in pairs)


def test_lemma_3_2_is_not_necessary_for_one_prior():
    """Prior ½, likelihoods ¾ and ¼: the ratio is 3, γ is 2."""
    law = product_law([HALF])
    mechanism = {
        frozenset(): [Fraction(1, 4), Fraction(3, 4)],
        frozenset([0]): [Fraction(3, 4), Fraction(1, 4)],
    }
    assert ratio(*(mechanism[t][0] for t in (frozenset([0]), frozenset()))) == 3
    after = Fraction(3, 4)
    assert total(law, mechanism, 0, inside=0) / total(law, mechanism, 0) == after
    assert max(after / HALF, (1 - HALF) / (1 - after)) == 2


@given(law=any_law, mechanism=mechanisms, q=beliefs_drawn, t=st.integers(0, N - 1))
def test_lemma_3_4_scaling_leaves_likelihoods_alone(law, mechanism, q, t):
    assume(0 < chance_in(law, t) < 1)
    other = scaled(law, t, q)
    assert sum(other.values()) == 1
    assert chance_in(other, t) == q
    for output in range(3):
        before = likelihoods(law, mechanism, t, output)
        assert likelihoods(other, mechanism, t, output) == before


PRIORS = [
    ProductPrior([0.2, 0.5, 0.7]),
    SizeConditionedPrior([1.0, 3.0, 0.5], 2),
    UniformPrior(3),
    UniformSizedPrior(3, 1),
    OneOutOfPrior(3, (0,), (1, 2)),
    SampledPrior([True, True, False], 0.1),
    GroupedPrior([[0, 1], [2]], [0.3, 0.4]),
    TablePrior([[True, False, True], [False, True, True], [False] * 3], [0.5, 0.25, 0.25]),
]


def listed(prior):
    chances = np.exp(prior.log_prob(subsets(prior.n_entities)))
    return {
        frozenset(np.flatnonzero(row).tolist()): float(p)
        for row, p in zip(subsets(prior.n_entities), chances, strict=True)
        if p > 0
    }


@pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: type(prior).__name__)
def test_definition_3_3_as_the_package_has_it(prior):
    for t in range(N):
        if 0 < prior.marginals[t] < 1:
            for q in (0.01, 0.4, 0.99):
                wanted = scaled(listed(prior), t, q)
                assert listed(prior.scaled(t, q)) == pytest.approx(wanted, rel=1e-12)


# Downward scalable families (Section 3.3): whether a law is in a family, by what the family is.


def uncertain_of(law, n):
    return [t for t in range(n) if 1e-12 < chance_in(law, t) < 1 - 1e-12]


def same(law, other):
    keys = law.keys() | other.keys()
    return all(abs(law.get(k, 0.0) - other.get(k, 0.0)) <= 1e-9 * other.get(k, 0.0) for k in keys)


def is_independent(law, n):
    return same(law, product_law([chance_in(law, t) for t in range(n)]))


def is_bounded_independent(law, n):
    """Of one size, and moving a membership from i to j always costs the same factor."""
    free = set(uncertain_of(law, n))
    possible = [t for t, chance in law.items() if chance > 0]
    if len({len(t) for t in possible}) != 1:
        return False
    k = len(possible[0] & free)
    if len(possible) != math.comb(len(free), k):
        return False
    for i, j in itertools.permutations(free, 2):
        factors = [law[t] / law[t - {i} | {j}] for t in possible if i in t and j not in t]
        if max(factors) > min(factors) * (1 + 1e-9):
            return False
    return True


def is_bounded_pair(law, n):
    return len(uncertain_of(law, n)) in (0, 2) and is_bounded_independent(law, n)


def within(low, high):
    def check(law, n):
        inside = all(low <= chance_in(law, t) <= high for t in uncertain_of(law, n))
        return inside and is_bounded_independent(law, n)

    return check


def is_uninformed(law, n):
    return same(law, product_law([HALF] * n))


def is_sampled(law, n):
    return is_independent(law, n) and all(
        abs(chance_in(law, t) - 0.1) < 1e-12 for t in uncertain_of(law, n)
    )


def is_one_out_of_m(law, n):
    free = uncertain_of(law, n)
    return is_bounded_independent(law, n) and all(
        abs(chance_in(law, t) - 1 / len(free)) < 1e-12 for t in free
    )


def is_law(law, n):
    return abs(sum(law.values()) - 1) < 1e-9 and all(t <= set(range(n)) for t in law)


SCALABLE = [
    (AllPriors(), is_law, PRIORS),
    (ProductPriors(), is_independent, [PRIORS[0], UniformPrior(3)]),
    (
        SizeConditionedPriors(),
        is_bounded_independent,
        [PRIORS[1], UniformSizedPrior(4, 2), SizeConditionedPrior([1.0, 2.0, 3.0, 4.0, np.inf], 3)],
    ),
    (PairPriors(), is_bounded_pair, [SizeConditionedPrior([np.inf, 0.0, 1.0, 2.0], 2)]),
]
NOT_SCALABLE = [
    (UniformPriors(), is_uninformed, UniformPrior(3)),
    (BoundedSizeConditionedPriors(0.2, 0.8), within(0.2, 0.8), UniformSizedPrior(4, 2)),
    (BoundedSizeConditionedPriors(0.0, 0.5), within(0.0, 0.5), UniformSizedPrior(4, 2)),
    (BoundedSizeConditionedPriors(0.5, 1.0), within(0.5, 1.0), UniformSizedPrior(4, 2)),
    (SampledPriors(0.1), is_sampled, SampledPrior([True, True, False], 0.1)),
    (OneOutOfAnyPriors(), is_one_out_of_m, OneOutOfPrior(4, (0,), (1, 2, 3))),
]
FAR = (1e-6, 1e-3, 0.05)


@pytest.mark.parametrize(("family", "holds", "members"), SCALABLE)
def test_scalable_families(family, holds, members):
    assert family.downward_scalable
    assert family.upward_scalable
    for prior in members:
        law, n = listed(prior), prior.n_entities
        assert holds(law, n)
        for t in uncertain_of(law, n):
            for q in FAR:
                assert holds(scaled(law, t, q), n)
                assert holds(scaled(law, t, 1 - q), n)


@pytest.mark.parametrize(("family", "holds", "prior"), NOT_SCALABLE)
def test_families_that_are_not_scalable(family, holds, prior):
    """Scaled versions are unique, so one prior without any in the family is enough."""
    assert not family.downward_scalable
    assert not family.upward_scalable
    law, n = listed(prior), prior.n_entities
    assert holds(law, n)
    t = uncertain_of(law, n)[0]
    assert not any(holds(scaled(law, t, q), n) for q in FAR)
    assert not any(holds(scaled(law, t, 1 - q), n) for q in FAR)


@given(
    alpha=st.fractions(Fraction(11, 10), 50, max_denominator=20),
    share=st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20),
    below=st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100),
)
def test_theorem_3_6_the_prior_that_exhibits_a_ratio(alpha, share, below):
    """A ratio α > γ breaks γp exactly at priors below (α−γ)/(γ(α−1))."""
    gamma = 1 + (alpha - 1) * share
    edge = (alpha - gamma) / (gamma * (alpha - 1))
    assert 0 < edge < 1

    def gain(q):
        return alpha / (1 + q * (alpha - 1))

    assert gain(edge) == gamma
    assert gain(edge * below) > gamma
    assert gain(edge + (1 - edge) * below) < gamma


@settings(max_examples=usual(17, 50))
@given(law=independent | bounded, mechanism=positive_mechanisms, t=st.integers(0, N - 1))
def test_theorem_3_6_over_scaled_versions(law, mechanism, t):
    """γ of the scaled versions comes as near the ratio as one likes, and no farther."""
    for output in range(3):
        inside, outside = likelihoods(law, mechanism, t, output)
        for alpha, far, gamma_of in (
            (inside / outside, NEAR, positive_gamma),
            (outside / inside, 1 - NEAR, negative_gamma),
        ):
            if alpha > 1:
                other = scaled(law, t, far)
                after = total(other, mechanism, output, inside=t) / total(other, mechanism, output)
                change = after / far if far == NEAR else (1 - after) / (1 - far)
                assert alpha * (1 - alpha * NEAR) <= change <= alpha
                assert gamma_of(other, mechanism) >= change


# Section 4


def worst(mechanism, pairs):
    """The largest Pr[S|T1]/Pr[S|T2]."""
    return max(
        ratio(a, b)
        for one, two in pairs
        for a, b in zip(mechanism[one], mechanism[two], strict=True)
    )


ADDED = [(s | {t}, s) for s in EVERYONE for t in range(N) if t not in s]
REMOVED = [(two, one) for one, two in ADDED]
EXCHANGED = [
    (s, u) for s, u in itertools.permutations(EVERYONE, 2) if len(s - u) == len(u - s) == 1
]
NOT_INSIDE = [(s, u) for s, u in itertools.permutations(EVERYONE, 2) if not s <= u]


def two_worlds(one, two, q):
    return {one: q, two: 1 - q}


def approached(mechanism, pairs, gamma_of, limit, at):
    """γ of the two-world priors on these pairs, with the first one nearly excluded (or certain)."""
    found = max(gamma_of(two_worlds(one, two, at), mechanism) for one, two in pairs)
    return limit * (1 - limit * NEAR) <= found <= limit


def test_two_worlds_are_in_the_families():
    for one, two in ADDED:
        assert is_independent(two_worlds(one, two, HALF), N)
    for one, two in EXCHANGED:
        assert is_bounded_pair(two_worlds(one, two, HALF), N)


@settings(max_examples=usual(17, 50))
@given(law=any_law, mechanism=positive_mechanisms)
def test_the_universal_family(law, mechanism):
    """PMP over D_U: Pr[S|T1] <= γ Pr[S|T2] for all T1 that are not part of T2."""
    limit = worst(mechanism, NOT_INSIDE)
    assert positive_gamma(law, mechanism) <= limit
    assert approached(mechanism, NOT_INSIDE, positive_gamma, limit, NEAR)


@settings(max_examples=usual(17, 50))
@given(law=independent, mechanism=positive_mechanisms)
def test_theorem_4_5_independence_is_half_of_add_remove_dp(law, mechanism):
    added, removed = worst(mechanism, ADDED), worst(mechanism, REMOVED)
    assert positive_gamma(law, mechanism) <= added
    assert approached(mechanism, ADDED, positive_gamma, added, NEAR)
    assert negative_gamma(law, mechanism) <= removed
    assert approached(mechanism, ADDED, negative_gamma, removed, 1 - NEAR)


def test_theorem_4_5_the_halves_differ():
    """Silence when nobody is there: joining shows, leaving never does."""
    mechanism = {t: [Fraction(1), Fraction(0)] for t in EVERYONE}
    mechanism |= {t: [HALF, HALF] for t in EVERYONE if t}
    assert worst(mechanism, ADDED) == math.inf
    assert worst(mechanism, REMOVED) == 2
    law = product_law([Fraction(1, 4)] * N)
    assert positive_gamma(law, mechanism) < math.inf
    assert positive_gamma(two_worlds(frozenset([0]), frozenset(), HALF), mechanism) == math.inf
    assert negative_gamma(law, mechanism) <= 2


@settings(max_examples=usual(17, 50))
@given(law=bounded, mechanism=positive_mechanisms)
def test_theorem_4_8_a_known_size_is_replace_one_dp(law, mechanism):
    """The same ε for PMP and NMP, and D_B² already attains it."""
    limit = worst(mechanism, EXCHANGED)
    assert positive_gamma(law, mechanism) <= limit
    assert negative_gamma(law, mechanism) <= limit
    assert approached(mechanism, EXCHANGED, positive_gamma, limit, NEAR)
    assert approached(mechanism, EXCHANGED, negative_gamma, limit, 1 - NEAR)


def coupling_exists(law, t):
    """Linear programme: a joint law of T1 ~ T∖t given t, and T2 ~ T given ¬t, with T1 ⊂ T2."""
    p = chance_in(law, t)
    small = {s - {t}: chance / p for s, chance in law.items() if t in s}
    large = {s: chance / (1 - p) for s, chance in law.items() if t not in s}
    pairs = [(one, two) for one in small for two in large if one < two]
    if not pairs:
        return False
    equations = [[float(one == s) for one, _ in pairs] for s in small]
    equations += [[float(two == s) for _, two in pairs] for s in large]
    sides = [*small.values(), *large.values()]
    found = linprog(np.zeros(len(pairs)), A_eq=equations, b_eq=sides, method="highs")
    assert found.status in (0, 2)  # feasible, or proved not to be
    return found.status == 0


@settings(max_examples=usual(13, 40))
@given(
    weights=st.lists(st.floats(0.05, 20), min_size=3, max_size=6),
    data=st.data(),
)
def test_lemma_4_9_coupling(weights, data):
    n = len(weights)
    prior = SizeConditionedPrior(weights, data.draw(st.integers(1, n - 1)))
    assert coupling_exists(listed(prior), data.draw(st.integers(0, n - 1)))


def test_lemma_4_9_needs_independence():
    """Two couples of whom one is there: T∖t is never part of the other couple."""
    couples = TablePrior([[True, True, False, False], [False, False, True, True]], [0.5, 0.5])
    assert not any(coupling_exists(listed(couples), t) for t in range(4))
    # With overlap there are pairs to couple, but not enough of them.
    table = TablePrior(
        [[True, True, False, False], [False, True, True, False], [False, False, True, True]],
        [0.5, 0.1, 0.4],
    )
    assert not coupling_exists(listed(table), 0)


# What is preserved, and what is not


@settings(max_examples=usual(17, 50))
@given(
    law=any_law,
    mechanism=mechanisms,
    other=mechanisms,
    channel=st.lists(rows, min_size=3, max_size=3),
    weight=probabilities,
)
def test_post_processing_and_mixtures(law, mechanism, other, channel, weight):
    after = {
        t: [sum(p * step[s] for p, step in zip(chances, channel, strict=True)) for s in range(3)]
        for t, chances in mechanism.items()
    }
    mixed = {
        t: [weight * a + (1 - weight) * b for a, b in zip(mechanism[t], other[t], strict=True)]
        for t in EVERYONE
    }
    for gamma in (positive_gamma, negative_gamma):
        assert gamma(law, after) <= gamma(law, mechanism)
        assert gamma(law, mixed) <= max(gamma(law, mechanism), gamma(law, other))


@given(law=any_law, mechanism=mechanisms)
def test_single_outputs_suffice(law, mechanism):
    """Sets of outputs are posteriors' averages: no set is worse than its worst output."""
    for group in ((0, 1), (0, 2), (1, 2)):
        merged = {
            t: [sum(chances[s] for s in group), 1 - sum(chances[s] for s in group)]
            for t, chances in mechanism.items()
        }
        assert positive_gamma(law, merged) <= positive_gamma(law, mechanism)
        assert negative_gamma(law, merged) <= negative_gamma(law, mechanism)


def test_composition_fails():
    """Over D_N both parities say nothing about anyone; together they reveal entity 0."""
    law = product_law([HALF] * N)

    def parity(*entities):
        odd = {t: len(t & set(entities)) % 2 for t in EVERYONE}
        return {t: [Fraction(1 - odd[t]), Fraction(odd[t])] for t in EVERYONE}

    one, two = parity(0, 1, 2), parity(1, 2)
    assert positive_gamma(law, one) == positive_gamma(law, two) == 1
    both = {t: [a * b for a in one[t] for b in two[t]] for t in EVERYONE}
    assert positive_gamma(law, both) == math.inf
    assert {after for _, after in beliefs(law, both)} == {0, HALF, 1}
    # Over D_I the parities are not private at all: nothing is claimed that composition breaks.
    assert worst(one, ADDED) == math.inf


@settings(max_examples=usual(17, 50))
@given(priors=st.tuples(independent, bounded), one=positive_mechanisms, two=positive_mechanisms)
def test_composition_holds_through_dp(priors, one, two):
    both = {t: [a * b for a in one[t] for b in two[t]] for t in EVERYONE}
    for law, pairs in zip(priors, (ADDED, EXCHANGED), strict=True):
        product = worst(one, pairs) * worst(two, pairs)
        assert worst(both, pairs) <= product
        assert positive_gamma(law, both) <= product


@pytest.mark.parametrize("k", [1, 2, 5])
def test_entities_that_come_together(k):
    """k who are all in or all out, count + Lap(1/ε): γ tends to e^kε, though the count is ε-DP."""
    epsilon, found = 0.3, []
    for p in (0.5, 0.1, 1e-6):
        prior = GroupedPrior([range(k)], [p])
        law = listed(prior)
        density = {t: epsilon / 2 * math.exp(-epsilon * abs(k - len(t))) for t in law}
        inside = sum(chance * density[t] for t, chance in law.items() if 0 in t)
        gain = inside / sum(chance * density[t] for t, chance in law.items()) / p
        assert gain == pytest.approx(1 / (p + (1 - p) * math.exp(-k * epsilon)))
        found.append(gain)
    assert found == sorted(found)
    assert found[-1] == pytest.approx(math.exp(k * epsilon), rel=1e-5)


def k_anonymous(k, groups):
    """Records generalised to their group; a group of fewer than k is suppressed."""

    def shown(members):
        counts = [len(members & group) for group in groups]
        return tuple(count if count >= k else None for count in counts)

    data = list(data_sets(sum(map(len, groups))))
    outputs = sorted({shown(members) for members in data}, key=str)
    return {members: [Fraction(shown(members) == o) for o in outputs] for members in data}


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("sizes", [(4,), (3, 3), (4, 2)])
def test_k_anonymity_is_not_membership_privacy_of_the_uninformed(k, sizes):
    """Section 5.1: a full group is in for certain, though every published row is one of k."""
    bounds = list(itertools.accumulate(sizes, initial=0))
    groups = [set(range(low, high)) for low, high in itertools.pairwise(bounds)]
    mechanism = k_anonymous(k, groups)
    uniform = product_law([HALF] * sum(sizes))
    assert positive_gamma(uniform, mechanism) == math.inf
    # Nobody is ruled out where a suppressed group may hold up to k − 1 of them.
    assert negative_gamma(uniform, mechanism) < math.inf
