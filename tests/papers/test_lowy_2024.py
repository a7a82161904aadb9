"""Lowy et al., *Why does differential privacy with large ε defend against practical membership
inference attacks?*, arXiv 2402.09540: practical membership privacy, our population privacy.

Tables of exact fractions are averaged over all samples here, without the library. Appendix A has
its own file.
"""

import itertools
import math
from fractions import Fraction

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.spatial.distance import cdist

import deniable
from deniable.errors import NotApplicable
from deniable.mechanisms import Gaussian
from deniable.notions import ApproxDP, PopulationPrivacy
from deniable.numerics.effort import Effort
from deniable.population.choices.enumeration import OutputLaws, enumerate_samples
from deniable.population.integer_sums import least_epsilons
from deniable.population.theorems import (
    approx_dp_to_population,
    population_to_approx_dp,
    population_to_attack_success,
    population_to_membership_inference,
    population_to_membership_inference_as_published,
)
from deniable.theorems.analysis.success import attack_success, bayes_success
from tests.cases.effort import usual
from tests.cases.refusals import refuses
from tests.oracles import choices as brute_force_enumeration
from tests.oracles import population as brute_force_population

HALF = Fraction(1, 2)
INFINITE = math.inf


def events(law):
    """Every set of outputs."""
    outputs = range(len(law))
    return itertools.chain.from_iterable(
        itertools.combinations(outputs, many) for many in range(1, len(law) + 1)
    )


def average(laws):
    """The law of an output when one of these laws is drawn uniformly."""
    return [sum(column, Fraction(0)) / len(laws) for column in zip(*laws, strict=True)]


def in_and_out(mechanism, record):
    """P_in and P_out: uniform over the samples with the record, and over those without."""
    return tuple(
        average([law for sample, law in mechanism.items() if (record in sample) is inside])
        for inside in (True, False)
    )


def ratio_needed(p, q, delta=Fraction(0)):
    """The least e^ε with P(S) <= e^ε Q(S) + δ and the reverse for every S: all sets are tried."""
    needed = Fraction(1)
    for event in events(p):
        one, two = (sum(law[s] for s in event) for law in (p, q))
        for above, below in ((one, two), (two, one)):
            if above > delta:
                needed = max(needed, (above - delta) / below if below else INFINITE)
    return needed


def population_ratio(mechanism, records, delta=Fraction(0)):
    """e^ε̃ of the worst record."""
    return max(ratio_needed(*in_and_out(mechanism, x), delta) for x in range(records))


def replace_one_ratio(mechanism, delta=Fraction(0)):
    """e^ε over samples that differ in one record."""
    return max(
        ratio_needed(law, other, delta)
        for (one, law), (two, other) in itertools.combinations(mechanism.items(), 2)
        if len(one - two) == 1
    )


def library_epsilon(pairs):
    """The library's ε̃ for laws that are already averaged: a pair (P_in, P_out) a record."""
    with np.errstate(divide="ignore"):
        inside, outside = np.log(np.array(pairs, dtype=float)).transpose(1, 0, 2)
    return OutputLaws(inside, outside, 0.0).population_epsilon().maximum()


def library_ends(p, q, delta):
    """Both ends of the library's ε̃ at δ > 0, of probabilities to half a unit each."""
    laws, unit = np.array([p, q], dtype=float)[:, np.newaxis], 2.0**-53
    ends = least_epsilons(laws * (1 - unit), laws * (1 + unit), np.zeros((2, 1)), delta)
    return [float(end[0]) for end in ends]


@st.composite
def laws(draw, outputs, least=0):
    """Probabilities of `outputs` outputs, in whole shares."""
    shares = draw(st.lists(st.integers(least, 6), min_size=outputs, max_size=outputs).filter(any))
    return [Fraction(share, sum(shares)) for share in shares]


@st.composite
def mechanisms(draw, records, size, outputs=3, least=0):
    """Any law of an output for each sample of that size."""
    samples = itertools.combinations(range(records), size)
    return {frozenset(sample): draw(laws(outputs, least)) for sample in samples}


@given(mechanisms(4, 2), st.integers(0, 3), st.sampled_from([0, 1, 3]))
@settings(max_examples=usual(20, 60), deadline=None)
def test_lemma_3_likelihoods_and_sums_with_the_same_delta(mechanism, record, tenths):
    """P(S | x in D) = (1/N) Σ P(A(D) in S), N = C(2n, n)/2; Equation 13 has 2/N. δ stays."""
    n, delta = 2, Fraction(tenths, 10)
    half = math.comb(2 * n, n) // 2
    joint = {(d, s): p / math.comb(2 * n, n) for d, law in mechanism.items()
             for s, p in enumerate(law)}  # fmt: skip
    here = sum(p for (d, _), p in joint.items() if record in d)
    assert here == HALF
    conditional = [sum(p for (d, t), p in joint.items() if record in d and t == s) / here
                   for s in range(3)]  # fmt: skip
    summed = [sum(law[s] for d, law in mechanism.items() if record in d) for s in range(3)]
    assert conditional == [total / half for total in summed] == in_and_out(mechanism, record)[0]
    assert sum(Fraction(2, half) * total for total in summed) == 2
    # (2), with conditional probabilities, and (3), with sums over samples and N'δ, say the same.
    others = [sum(law[s] for d, law in mechanism.items() if record not in d) for s in range(3)]
    p, q = in_and_out(mechanism, record)
    assert ratio_needed(p, q, delta) == ratio_needed(summed, others, half * delta)


def test_equation_13_as_printed_changes_delta():
    """With 2/N the sums would be compared at Nδ/2: another δ, another ε."""
    p, q = [Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]
    delta = Fraction(1, 10)
    assert ratio_needed(p, q, delta) == Fraction(13, 5)
    assert ratio_needed([2 * x for x in p], [2 * x for x in q], delta) == Fraction(14, 5)
    assert library_ends(p, q, 0.1)[1] == pytest.approx(math.log(2.6))


@given(st.lists(laws(3), min_size=4, max_size=4), st.sampled_from([0, 1, 2]))
@settings(max_examples=usual(20, 60), deadline=None)
def test_corollary_4_mended(table, tenths):
    """At n = 1 (ε, δ)-DP of one record is (ε, δ)-PMP of every parent set of two, with that δ.

    Printed is (ε, 2δ)-PMP, to which only one direction leads.
    """
    delta = Fraction(tenths, 10)
    pairs = list(itertools.combinations(range(4), 2))
    dp = max(ratio_needed(table[a], table[b], delta) for a, b in pairs)
    parents = [{frozenset([0]): table[a], frozenset([1]): table[b]} for a, b in pairs]
    assert max(population_ratio(each, 2, delta) for each in parents) == dp
    assert max(population_ratio(each, 2, 2 * delta) for each in parents) <= dp
    # The library's way there and back.
    pmp = approx_dp_to_population(ApproxDP(0.5, float(delta)))
    one_record = attrs.evolve(pmp, size=1)
    assert population_to_approx_dp(one_record) == ApproxDP(0.5, float(delta), records=1)


def test_corollary_4_as_printed_has_no_converse():
    """(0, 2 · 0.15)-PMP and not (0, 0.15)-DP."""
    tenth = Fraction(1, 10)
    p, q = [3 * tenth, 7 * tenth, Fraction(0)], [Fraction(0), 7 * tenth, 3 * tenth]
    delta = Fraction(3, 20)
    assert population_ratio({frozenset([0]): p, frozenset([1]): q}, 2, 2 * delta) == 1
    assert ratio_needed(p, q, delta) > 1


def test_corollary_4_needs_n_to_be_1():
    with refuses(NotApplicable, "data-of-one-record"):
        population_to_approx_dp(PopulationPrivacy(0.5, 1e-6, 2, every_parent_set=True))


@given(mechanisms(5, 2, outputs=2), st.sampled_from([0, 1, 2]))
@settings(max_examples=usual(13, 40), deadline=None)
def test_proposition_5(mechanism, tenths):
    """ε-DP gives ε-PMP for n of 2n records; here with δ and N = 5, by the same convexity."""
    delta = Fraction(tenths, 10)
    assert population_ratio(mechanism, 5, delta) <= replace_one_ratio(mechanism, delta)


def modular_counts(n, label=None):
    """How many samples with each record, and without, have each sum modulo 2n; all samples."""
    records = 2 * n
    labels = np.arange(records) if label is None else np.asarray(label)
    counts = np.zeros((2, records, records), np.int64)
    for sample in itertools.combinations(range(records), n):
        total = labels[list(sample)].sum() % records
        counts[1, :, total] += 1
        counts[1, sample, total] -= 1
        counts[0, sample, total] += 1
    return counts


def counted_ratio(counts):
    """e^ε̃ of counts with and without each record; both halves are of one size."""
    pairs = zip(*(side.ravel().tolist() for side in counts), strict=True)
    return max(
        Fraction(max(pair), min(pair)) if min(pair) else INFINITE for pair in pairs if any(pair)
    )


@pytest.mark.parametrize(
    ("n", "ratio"),
    [
        (1, INFINITE),
        (2, INFINITE),
        (3, Fraction(2)),
        (4, Fraction(5, 4)),
        (5, Fraction(7, 6)),
        (6, Fraction(38, 37)),
        (7, Fraction(124, 121)),
    ],
)
def test_proposition_5_example_sum_modulo_2n(n, ratio):
    counts = modular_counts(n)
    assert counted_ratio(counts) == ratio
    if n > 2:
        shares = counts.transpose(1, 0, 2) / (math.comb(2 * n, n) // 2)
        assert library_epsilon(shares).upper == pytest.approx(math.log(ratio), rel=1e-12)


def test_after_proposition_5_one_can_get_below_40_37_at_n_6():
    """The paper says ε̃ <= ln(40/37) for some algorithm; the sum modulo 12 has ln(38/37)."""
    assert counted_ratio(modular_counts(6)) == Fraction(38, 37) < Fraction(40, 37)


def modular_sum(n, modulus):
    """The sum of n of the numbers 0 … 2n − 1, told exactly."""
    samples = itertools.combinations(range(2 * n), n)
    return {
        frozenset(sample): [Fraction(sum(sample) % modulus == o) for o in range(modulus)]
        for sample in samples
    }


@pytest.mark.parametrize(
    ("n", "modulus", "ratio"),
    [(3, 6, Fraction(2)), *usual([], [(4, 8, Fraction(5, 4))]), (2, 2, Fraction(1))],
)
def test_proposition_5_population_privacy_without_any_dp(n, modulus, ratio):
    """Its second half: ln 2-PMP at n = 3 and no ε-DP. At n = 2, which it leaves out, even 0-PMP."""
    mechanism = modular_sum(n, modulus)
    assert population_ratio(mechanism, 2 * n) == ratio
    assert replace_one_ratio(mechanism) == INFINITE


def best_success(p, q):
    """Of the attacker who names the likelier side at prior ½: nothing does better."""
    return sum(max(pair) for pair in zip(p, q, strict=True)) / 2


def noisy_answer(ratio, delta):
    """The laws that attain the bound: the truth with probability δ, else randomised response."""
    told, often = delta, (1 - delta) * ratio / (1 + ratio)
    rest = 1 - told - often
    return [told, often, rest, Fraction(0)], [Fraction(0), rest, often, told]


@given(laws(4), laws(4), st.sampled_from([0, 1, 2]))
@settings(max_examples=usual(33, 100), deadline=None)
def test_lemma_6_bounds_every_attack(p, q, tenths):
    """1/(1 + e^−ε) at δ = 0, as printed; (e^ε + δ)/(e^ε + 1) in general."""
    delta = Fraction(tenths, 10)
    ratio = ratio_needed(p, q, delta)
    if ratio == INFINITE:
        assert attack_success(INFINITE, float(delta)) == 1
        return
    assert best_success(p, q) <= (ratio + delta) / (ratio + 1)
    # The library rounds upwards: ε is rounded to the nearest, so give it one unit.
    epsilon = math.nextafter(math.log(ratio), INFINITE)
    assert best_success(p, q) <= Fraction(attack_success(epsilon, float(delta)))


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 10)])
@pytest.mark.parametrize("ratio", [Fraction(1), Fraction(3), Fraction(100)])
def test_lemma_6_is_tight(ratio, delta):
    p, q = noisy_answer(ratio, delta)
    assert ratio_needed(p, q, delta) == ratio
    assert best_success(p, q) == (ratio + delta) / (ratio + 1)
    found = attack_success(math.log(ratio), float(delta))
    assert found == pytest.approx(float(best_success(p, q)), rel=1e-14)
    assert bayes_success(math.log(ratio), float(delta), 0.5) == found


def test_lemma_6_numbers():
    """ε = 0.1 leaves the attacker at 0.52498, ε = 7 at 0.99909."""
    for epsilon, success in ((0.1, 0.52498), (7.0, 0.99909)):
        stated = population_to_attack_success(PopulationPrivacy(epsilon)).probability
        assert round(stated, 5) == success
        assert stated >= 1 / (1 + math.exp(-epsilon))


def test_proposition_9():
    """The exponential mechanism's ε̃ is the largest |ln P_in(w)/P_out(w)|, over all samples."""
    rng = np.random.default_rng(9)
    points, candidates = rng.normal(size=(8, 2)), rng.normal(size=(3, 2))
    size, epsilon, clip = 4, 6.0, 1.5
    found = deniable.population.exponential(
        points, candidates, size, epsilon=epsilon, clip=clip, records="all"
    )
    each = [
        brute_force_population.exponential_epsilon(points, candidates, size, epsilon, clip, x)
        for x in range(8)
    ]
    assert [r.bound.upper for r in found.records] == pytest.approx(each, rel=1e-10)
    assert found.population_epsilon.lower <= max(each) <= found.population_epsilon.upper
    assert found.subsets == math.comb(8, 4)
    assert found.worst_record == int(np.argmax(each))
    assert found.population_epsilon.upper < found.epsilon_adjacent_subsets
    assert found.epsilon_adjacent_subsets <= found.epsilon_restricted_sensitivity <= epsilon


@pytest.mark.parametrize("turned", [False, True])
def test_proposition_9_needs_both_directions(turned):
    """ln P_in/P_out alone reaches .729 here, the reverse 1.764."""
    values = np.array([[6.0], [6.0], [6.0], [5.0], [5.0], [8.0]])
    table = cdist([[0.0], [2.0], [9.0]], values) / 2  # ε = 1, Δ = 1
    size = 3
    if turned:  # Samples become their complements, in becomes out.
        table = table.sum(axis=1, keepdims=True) / size - table
    inside, outside = map(np.array, brute_force_enumeration.log_laws(table.tolist(), size))
    gains = (inside - outside).max(), (outside - inside).max()
    assert sorted(np.round(gains, 3)) == [0.729, 1.764]
    assert (gains[1] > gains[0]) is not turned
    found = enumerate_samples(table, size).population_epsilon().maximum()
    assert found.lower <= max(gains) * (1 + 1e-12)
    assert found.upper == pytest.approx(max(gains), rel=1e-10)


@pytest.mark.parametrize(("epsilon", "distance"), [(0.0, 0.7), (0.5, 0.3), (1.0, 1.0), (4.0, 2.5)])
def test_lemma_10(epsilon, distance):
    """Φ(Δ/2σ − εσ/Δ) − e^ε Φ(−Δ/2σ − εσ/Δ) is the δ of Gaussian noise, and no less will do."""
    sigma = 3.0
    exact = brute_force_population.gaussian_curve(epsilon, distance)
    assert Gaussian(sigma).delta(epsilon, distance * sigma) == pytest.approx(exact, abs=2e-7)


def test_lemma_10_is_an_equivalence():
    for epsilon, delta in ((0.5, 1e-6), (10.0, 0.01)):
        least = Gaussian.for_approx_dp(epsilon, delta, 2.0).scale
        assert Gaussian(least).satisfies(epsilon, delta, 2.0)
        assert not Gaussian(least * 0.9999).satisfies(epsilon, delta, 2.0)
        curve = brute_force_population.gaussian_curve(epsilon, 2.0 / least)
        assert curve == pytest.approx(delta, rel=1e-3)


def hockey_stick(p, q, ratio):
    return sum(max(a - ratio * b, Fraction(0)) for a, b in zip(p, q, strict=True))


@given(laws(4), laws(4), st.fractions(1, 8, max_denominator=12))
@settings(max_examples=usual(33, 100), deadline=None)
def test_lemma_11(p, q, ratio):
    """The least δ of the definition at ε is the larger of the two hockey-stick divergences."""
    least = max(
        max(sum(a[s] for s in event) - ratio * sum(b[s] for s in event), Fraction(0))
        for event in events(p)
        for a, b in ((p, q), (q, p))
    )
    assert least == max(hockey_stick(p, q, ratio), hockey_stick(q, p, ratio))
    if least < 1:
        assert ratio_needed(p, q, least) <= ratio


@given(laws(4, 1), laws(4, 1), st.sampled_from([0.01, 0.1, 0.3]))
@settings(max_examples=usual(20, 60), deadline=None)
def test_lemma_11_in_the_library(p, q, delta):
    lower, upper = library_ends(p, q, delta)
    exact = float(ratio_needed(p, q, Fraction(delta)))
    assert lower - 1e-14 <= math.log(exact) <= upper + 1e-14
    assert upper == pytest.approx(math.log(exact), abs=1e-12)


@pytest.mark.parametrize("columns", [1, 2])
def test_proposition_12(columns):
    """ε̃ is at most the ε at which the mean over x' ≠ x of Lemma 10's δ falls to δ."""
    values = np.random.default_rng(12).normal(size=(6, columns))
    size, sigma, delta = 3, 1.0, 0.02
    found = deniable.population.gaussian(
        values, size, sigma=sigma, delta=delta, query="sum", method="pairwise", records="all"
    )
    stated = [brute_force_population.pairwise_epsilon(values, sigma, delta, x) for x in range(6)]
    exact = [
        brute_force_population.gaussian_epsilon(
            values, size, sigma, delta, x, step=0.02 if columns == 1 else 0.06
        )
        for x in range(6)
    ]
    bounds = [each.bound for each in found.records]
    for bound, upper, truth in zip(bounds, stated, exact, strict=True):
        assert bound.lower - 1e-3 <= truth < upper <= bound.upper * (1 + 1e-9)
        assert bound.upper <= upper * 1.05
    assert found.pairwise_bound == pytest.approx(max(stated), rel=1e-6)


def test_proposition_12_is_exact_for_one_record_out_of_two():
    """N = 2, n = 1: there is one x', and the mean is Lemma 10 itself."""
    for method in ("fourier", "pairwise"):
        found = deniable.population.gaussian(
            [0.0, 1.5], 1, sigma=1.0, delta=0.05, query="sum", method=method
        )
        exact = brentq(lambda e: brute_force_population.gaussian_curve(e, 1.5) - 0.05, 0, 10)
        assert found.population_epsilon.upper == pytest.approx(exact, abs=1e-5)


def test_proposition_12_is_loose():
    """Standard normal data, n = 100, δ = .01, ε(X) = 10: about 6 where the truth is below 1."""
    values = np.random.default_rng(2024).normal(size=200)
    sigma = Gaussian.for_approx_dp(10.0, 0.01, float(np.ptp(values))).scale
    found = deniable.population.gaussian(values, 100, sigma=sigma, delta=0.01, query="sum")
    assert found.epsilon_restricted_sensitivity == pytest.approx(10.0, rel=1e-6)
    assert 5.5 < found.pairwise_bound < 7
    assert found.population_epsilon.upper < 1


@given(laws(4), laws(4))
@settings(max_examples=usual(33, 100), deadline=None)
def test_lemma_13_with_the_tight_constant_and_the_printed_one(p, q):
    """No attack passes ½ + η, η = (e^ε − 1)/(2(e^ε + 1)); printed is η = (1 − e^−ε)/2."""
    ratio = ratio_needed(p, q)
    if ratio == INFINITE:
        assert population_to_membership_inference(PopulationPrivacy(INFINITE)).eta == 0.5
        return
    tight, printed = (ratio - 1) / (2 * (ratio + 1)), (1 - 1 / ratio) / 2
    assert best_success(p, q) - HALF <= tight <= printed
    guarantee = PopulationPrivacy(math.log(ratio))
    stated = population_to_membership_inference(guarantee).eta
    assert stated == pytest.approx(float(tight), abs=1e-15)
    published = population_to_membership_inference_as_published(guarantee).eta
    assert published == pytest.approx(float(printed), abs=1e-15)


@pytest.mark.parametrize("ratio", [Fraction(3, 2), Fraction(3), Fraction(50)])
def test_lemma_13_is_tight_only_with_our_constant(ratio):
    p, q = noisy_answer(ratio, Fraction(0))
    assert best_success(p, q) - HALF == (ratio - 1) / (2 * (ratio + 1)) < (1 - 1 / ratio) / 2


@given(st.lists(st.tuples(laws(3), laws(3)), min_size=2, max_size=4), st.fractions(1, 6), st.data())
@settings(max_examples=usual(20, 60), deadline=None)
def test_proposition_12_rests_on_joint_convexity(pairs, ratio, data):
    """The hockey stick of two mixtures with the same weights is at most the mixture of theirs.

    The step in the proof of Proposition 12 that every crowd bound rests on too.
    """
    shares = data.draw(st.lists(st.integers(1, 5), min_size=len(pairs), max_size=len(pairs)))
    weights = [Fraction(share, sum(shares)) for share in shares]

    def mixed(side):
        return [
            sum(w * pair[side][s] for w, pair in zip(weights, pairs, strict=True)) for s in range(3)
        ]

    apart = sum(w * hockey_stick(p, q, ratio) for w, (p, q) in zip(weights, pairs, strict=True))
    assert hockey_stick(mixed(0), mixed(1), ratio) <= apart


def joint_counts(labels):
    """Samples with and without each record by (sum mod 6, sum of new labels mod 6); n = 3."""
    samples = list(itertools.combinations(range(6), 3))
    members = np.array([[x in sample for x in range(6)] for sample in samples])
    cell = members @ np.arange(6) % 6 * 6 + members @ np.asarray(labels) % 6
    shown = cell[:, None] == np.arange(36)
    return members.T.astype(int) @ shown, (~members).T.astype(int) @ shown


def test_two_releases_do_not_compose():
    """ "Sum mod 6" twice, the second time relabelled: each ln 2, together everything is told."""
    told = 0
    for labels in itertools.permutations(range(6)):
        inside, outside = joint_counts(labels)
        told += bool(((inside == 0) != (outside == 0)).any())
    assert told == 708
    # The other 12 are x -> ±x + c: the second sum is a function of the first.
    for sign, shift in itertools.product((1, -1), range(6)):
        labels = [(sign * x + shift) % 6 for x in range(6)]
        assert counted_ratio(joint_counts(labels)) == 2


@pytest.mark.parametrize("labels", [range(6), (0, 1, 2, 4, 5, 3), (5, 3, 1, 0, 2, 4)])
def test_each_release_alone_is_ln_2(labels):
    assert counted_ratio(modular_counts(3, labels)) == 2


def test_population_answers_are_not_added():
    quick = Effort(time_limit=5.0)
    one = deniable.population.gaussian([0.0, 1.0, 2.0, 5.0], 2, sigma=1.0, delta=0.01, effort=quick)
    with refuses(NotApplicable, "do-not-compose-analyse-releases"):
        one + one
