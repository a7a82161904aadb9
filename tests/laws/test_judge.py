"""The judge against listed priors and families searched by scipy: a closed form is a supremum."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.judge.bounded_priors import gamma as bounded_here
from deniable.judge.curve import advantage, privacy_curve
from deniable.judge.differential import (
    Ratios,
    add_remove,
    replace_one_epsilon,
    sample_law,
    sampling_epsilon,
)
from deniable.judge.identifiability import identifiability
from deniable.judge.membership import (
    negative_gamma,
    negative_gamma_here,
    positive_gamma,
    positive_gamma_here,
)
from deniable.judge.semantic import bayesian_dp, semantic
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.notions import Adjacency
from deniable.notions.adversaries import SampledPriors
from deniable.priors import ProductPrior, TablePrior
from deniable.priors.families import (
    AllPriors,
    BoundedProductPriors,
    BoundedSizeConditionedPriors,
    OneOutOfAnyPriors,
    PairPriors,
    ProductPriors,
    SinglePriors,
    SizeConditionedPriors,
    UniformPriors,
)
from deniable.priors.universe import Universe
from tests.cases.effort import usual
from tests.oracles import judge as brute

SIDES = pytest.mark.parametrize("positive", [True, False], ids=["positive", "negative"])


def law(counts):
    return [count / sum(counts) for count in counts]


up_to_three = st.integers(1, 3)


@st.composite
def mechanisms(draw, entities=up_to_three, least=0):
    """Whole-number weights, so that zeros and ties are common."""
    n, outputs = draw(entities), draw(st.integers(1, 3))
    row = st.lists(st.integers(least, 5), min_size=outputs, max_size=outputs).filter(any)
    rows = draw(st.lists(row, min_size=2**n, max_size=2**n))
    return matrix([law(counts) for counts in rows])


def matrix(rows, known=None):
    n, outputs = len(rows).bit_length() - 1, len(rows[0])
    names = tuple("abcdefgh"[:n])
    return StochasticMatrix(Universe(names), [str(o) for o in range(outputs)], rows, known)


@st.composite
def tables(draw, n):
    weights = draw(st.lists(st.integers(0, 4), min_size=2**n, max_size=2**n).filter(any))
    return np.array(weights) / sum(weights)


def as_prior(chances):
    n = brute.size_of(chances)
    members = [[brute.has(row, i) for i in range(n)] for row in range(2**n)]
    return TablePrior(np.array(members), chances)


def gammas(mechanism, family, positive):
    closed = (positive_gamma if positive else negative_gamma)(mechanism, family)
    here = (positive_gamma_here if positive else negative_gamma_here)(mechanism, family)
    return closed, here


def shown_by(mechanism, witness, positive=True):
    """γ of the witness's entity and output under the witness's prior."""
    universe = mechanism.universe
    prior = np.zeros(2**universe.size)
    for name, chance in witness.prior.items():
        prior[universe.row(name.split(",") if name else [])] = chance
    entity, output = universe.position(witness.entity), mechanism.outputs.index(witness.output)
    return brute.factors(mechanism.rows, prior, entity, output)[0 if positive else 1]


@SIDES
@given(data=st.data())
def test_one_prior_by_its_posteriors(positive, data):
    mechanism = data.draw(mechanisms())
    prior = data.draw(tables(mechanism.universe.size))
    expected = brute.gamma(mechanism.rows, prior, positive=positive)
    closed, here = gammas(mechanism, SinglePriors(as_prior(prior)), positive)
    assert closed == here.bound.upper == pytest.approx(expected, rel=1e-9)
    if here.witness is not None:
        assert shown_by(mechanism, here.witness, positive) == pytest.approx(expected, rel=1e-9)


@SIDES
@given(data=st.data())
def test_the_uninformed_prior(positive, data):
    mechanism = data.draw(mechanisms())
    n = mechanism.universe.size
    expected = brute.gamma(mechanism.rows, np.full(2**n, 0.5**n), positive=positive)
    closed, here = gammas(mechanism, UniformPriors(), positive)
    assert closed == here.bound.upper == pytest.approx(expected, rel=1e-12)


@SIDES
@given(mechanism=mechanisms(), rate=st.sampled_from([0.05, 0.3, 0.9]))
def test_the_sampling_family_prior_by_prior(positive, mechanism, rate):
    priors = brute.sampling_priors(mechanism.universe.size, rate)
    expected = max(brute.gamma(mechanism.rows, prior, positive=positive) for prior in priors)
    closed, here = gammas(mechanism, SampledPriors(rate), positive)
    assert closed == here.bound.upper == pytest.approx(expected, rel=1e-9)
    assert shown_by(mechanism, here.witness, positive) == pytest.approx(expected, rel=1e-9)


@SIDES
@given(mechanism=mechanisms())
def test_one_out_of_m_world_set_by_world_set(positive, mechanism):
    n = mechanism.universe.size
    priors = list(brute.world_sets(n, range(n + 1)))
    closed, here = gammas(mechanism, OneOutOfAnyPriors(), positive)
    if not priors:
        assert (closed, here) == (None, None)
        return
    expected = max(brute.gamma(mechanism.rows, prior, positive=positive) for prior in priors)
    assert closed == here.bound.upper == pytest.approx(expected, rel=1e-9)
    assert shown_by(mechanism, here.witness, positive) == pytest.approx(expected, rel=1e-9)


@given(mechanisms(st.integers(2, 3)))
def test_identifiability_is_the_largest_posterior_of_a_world(mechanism):
    n = mechanism.universe.size
    found = identifiability(mechanism)
    expected: dict[int, float] = {}
    for prior in brute.world_sets(n, range(n + 1)):
        worlds = np.flatnonzero(prior)
        seen = mechanism.rows[worlds]
        with np.errstate(invalid="ignore"):
            posterior = np.nan_to_num(seen / seen.sum(axis=0))
        expected[len(worlds)] = max(expected.get(len(worlds), 0.0), posterior.max())
    assert dict(found) == pytest.approx(expected)
    gamma = positive_gamma(mechanism, OneOutOfAnyPriors())
    mapped = max(
        max(m * rho, (m - 1) / (m * (1 - rho)) if rho < 1 else math.inf) for m, rho in found.items()
    )
    assert gamma == pytest.approx(mapped, rel=1e-9)


def product_at(x):
    return brute.product_prior(1 / (1 + np.exp(-np.asarray(x))))


@SIDES
@given(mechanism=mechanisms(least=1), seed=st.integers(0, 9))
@settings(max_examples=usual(6, 25))
def test_independent_is_the_supremum_over_products(positive, mechanism, seed):
    n, rng = mechanism.universe.size, np.random.default_rng(seed)
    closed, here = gammas(mechanism, ProductPriors(), positive)
    found = brute.largest(
        lambda x: brute.gamma(mechanism.rows, product_at(x), positive=positive),
        n, rng, scale=22.0,
    )  # fmt: skip
    assert found <= closed * (1 + 1e-9)
    assert found == pytest.approx(closed, rel=1e-6)
    assert closed == here.bound.upper
    assert shown_by(mechanism, here.witness, positive) == pytest.approx(closed, rel=1e-6)


@SIDES
@given(mechanism=mechanisms(st.integers(2, 3), least=1), seed=st.integers(0, 9))
@settings(max_examples=usual(4, 25))
def test_bounded_is_the_supremum_over_conditioned_products(positive, mechanism, seed):
    n, rng = mechanism.universe.size, np.random.default_rng(seed)
    closed, here = gammas(mechanism, SizeConditionedPriors(), positive)

    def at(x, size):
        prior = brute.conditioned(n, dict(enumerate(x)), [], size)
        return brute.gamma(mechanism.rows, prior, positive=positive)

    found = max(
        brute.largest(lambda x, size=size: at(x, size), n, rng, scale=22.0) for size in range(1, n)
    )
    assert found <= closed * (1 + 1e-9)
    assert found == pytest.approx(closed, rel=1e-6)
    assert gammas(mechanism, PairPriors(), positive) == (closed, here)
    assert shown_by(mechanism, here.witness, positive) == pytest.approx(closed, rel=1e-6)


@SIDES
@given(mechanism=mechanisms(st.integers(1, 2), least=1), seed=st.integers(0, 9))
@settings(max_examples=4)
def test_universal_is_the_supremum_over_everything(positive, mechanism, seed):
    n, rng = mechanism.universe.size, np.random.default_rng(seed)
    closed, here = gammas(mechanism, AllPriors(), positive)

    def at(x):
        weights = np.exp(np.asarray(x) - np.max(x))
        return brute.gamma(mechanism.rows, weights / weights.sum(), positive=positive)

    found = brute.largest(at, 2**n, rng, scale=25.0, levels=(-0.9, 0.0, 0.9))
    pairs = [(s, t) for s, t in itertools.permutations(range(2**n), 2) if s & ~t]
    if not positive:
        pairs = [(t, s) for s, t in pairs]
    listed = max((mechanism.rows[s] / mechanism.rows[t]).max() for s, t in pairs)
    assert closed == pytest.approx(max(listed, 1.0), rel=1e-12)
    assert closed * (1 - 1e-6) <= found <= closed * (1 + 1e-9)
    assert shown_by(mechanism, here.witness, positive) == pytest.approx(closed, rel=1e-6)


@SIDES
@given(
    mechanism=mechanisms(least=1),
    ends=st.tuples(st.integers(0, 20), st.integers(0, 20)).map(sorted),
    seed=st.integers(0, 9),
)
@settings(max_examples=usual(7, 25))
def test_independent_within_bounds_is_theorem_2_exactly(positive, mechanism, ends, seed):
    n, rng = mechanism.universe.size, np.random.default_rng(seed)
    low, high = ends[0] / 20, ends[1] / 20
    closed, here = gammas(mechanism, BoundedProductPriors(low, high), positive)
    if high == 0 or low == 1:
        assert here is None
        return
    inner = max(low, 1e-9), min(high, 1 - 1e-9)
    found = 1.0
    for kinds in itertools.product(["in", "out", "free"], repeat=n):
        free = [i for i in range(n) if kinds[i] == "free"]

        def at(x, kinds=kinds, free=free):
            p = np.array([1.0 if kind == "in" else 0.0 for kind in kinds])
            p[free] = inner[0] + (inner[1] - inner[0]) * (np.asarray(x) + 1) / 2
            return brute.gamma(mechanism.rows, brute.product_prior(p), positive=positive)

        if free:
            found = max(found, brute.largest(at, len(free), rng, scale=1.0, starts=2))
    assert found <= closed * (1 + 1e-9)
    assert found == pytest.approx(closed, rel=1e-6)
    assert here.bound.upper == closed
    assert shown_by(mechanism, here.witness, positive) == pytest.approx(closed, rel=1e-6)


INTERVALS = [
    (0.3, 0.7),
    (0.1, 0.5),
    (0.2, 0.4),
    (0.55, 0.8),
    (1 / 3, 1 / 3),
    (0.5, 0.5),
    (0.0, 0.5),
]


@pytest.mark.parametrize(("low", "high"), INTERVALS)
@given(mechanism=mechanisms(st.integers(2, 3), least=1), seed=st.integers(0, 9))
@settings(max_examples=usual(3, 8))
def test_bounded_priors_on_up_to_three_entities(low, high, mechanism, seed):
    n, rng = mechanism.universe.size, np.random.default_rng(seed)
    here = positive_gamma_here(mechanism, BoundedSizeConditionedPriors(low, high))
    fits = any(
        len(free) * low <= number <= len(free) * high
        for free, _, number in brute.free_sets(n, range(n + 1))
    )
    assert (here is not None) == fits
    if here is None:
        return
    found = brute.bounded_prior_gamma(mechanism.rows, range(n + 1), low, high, rng, 4)
    assert here.bound.lower <= here.bound.upper == pytest.approx(found, rel=1e-6)
    assert here.bound.lower == pytest.approx(here.bound.upper, rel=2e-9)
    assert here.bound.upper <= positive_gamma(
        mechanism, BoundedSizeConditionedPriors(low, high)
    ) * (1 + 1e-12)
    assert shown_by(mechanism, here.witness) == pytest.approx(found, rel=1e-6)


def quadratic(n, sizes, rng):
    """Two outputs whose odds are a random quadratic form in the memberships."""
    form = rng.normal(size=(n, n)) * 2
    rows = np.full((2**n, 2), np.nan)
    for row in range(2**n):
        members = np.array([brute.has(row, i) for i in range(n)], dtype=float)
        if int(members.sum()) in sizes:
            p = 1 / (1 + math.exp(-members @ form @ members))
            rows[row] = p, 1 - p
    return matrix(rows)


@pytest.mark.parametrize(
    ("n", "sizes", "low", "high"),
    [
        (4, (2,), 0.1, 0.48),
        (4, (1, 2, 3), 0.2, 0.45),
        (5, (2,), 0.4, 0.4),
        (5, (3,), 0.57, 0.62),
        *usual([], [(5, (2,), 0.38, 0.43), (5, (2,), 0.2, 0.4), (5, (2,), 0.1, 0.45)]),
    ],
)
def test_bounded_priors_with_two_in_and_two_out(n, sizes, low, high):
    rng = np.random.default_rng(len(sizes) + n + int(100 * high))
    mechanism = quadratic(n, sizes, rng)
    here = bounded_here(mechanism, low, high, rise=True)
    found = brute.bounded_prior_gamma(
        np.nan_to_num(mechanism.rows), sizes, low, high, rng, usual(1, 3)
    )
    assert here.bound.upper <= here.bound.lower * (1 + 2e-7)
    assert found == pytest.approx(here.bound.upper, rel=1e-6)
    shown = StochasticMatrix(
        mechanism.universe, mechanism.outputs, np.nan_to_num(mechanism.rows, nan=0.5)
    )
    assert shown_by(shown, here.witness) == pytest.approx(found, rel=1e-6)


@given(
    mechanism=mechanisms(st.integers(2, 4), least=1),
    ends=st.tuples(st.integers(0, 20), st.integers(0, 20)).map(sorted),
)
@settings(max_examples=usual(14, 50))
def test_negative_membership_of_bounded_priors_is_the_mirror_image(mechanism, ends):
    low, high = ends[0] / 20, ends[1] / 20
    mirrored = matrix(mechanism.rows[::-1])
    found = negative_gamma_here(mechanism, BoundedSizeConditionedPriors(low, high))
    expected = positive_gamma_here(mirrored, BoundedSizeConditionedPriors(1 - high, 1 - low))
    assert (found is None) == (expected is None)
    if found is not None:
        assert found.bound.lower == pytest.approx(expected.bound.lower, rel=1e-9)
        assert found.bound.upper == pytest.approx(expected.bound.upper, rel=1e-9)
        if found.witness is not None:
            shown = shown_by(mechanism, found.witness, positive=False)
            assert shown == pytest.approx(found.bound.lower, rel=1e-6)


@given(mechanisms(st.integers(1, 4)))
def test_epsilon_by_its_definition(mechanism):
    n = mechanism.universe.size
    pairs = list(brute.neighbours(n, "add-remove", range(n + 1)))
    found = add_remove(Ratios(mechanism))
    rising = [(s, t) for s, t in pairs if s > t]
    assert found.positive == pytest.approx(brute.epsilon(mechanism.rows, rising))
    falling = [(s, t) for s, t in pairs if s < t]
    assert found.negative == pytest.approx(brute.epsilon(mechanism.rows, falling))
    assert found.epsilon == max(found.positive, found.negative)
    pairs = brute.neighbours(n, "replace-one", range(n + 1))
    assert replace_one_epsilon(Ratios(mechanism)) == pytest.approx(
        brute.epsilon(mechanism.rows, pairs)
    )


@given(mechanisms(st.integers(1, 3)), st.sampled_from(Adjacency))
def test_the_curve_has_all_its_corners(mechanism, adjacency):
    n = mechanism.universe.size
    pairs = list(brute.neighbours(n, adjacency, range(n + 1)))
    curve = privacy_curve(mechanism, adjacency)
    assert curve.complete
    corners = [math.exp(epsilon) for epsilon, _ in curve.points]
    between = [(a + b) / 2 for a, b in itertools.pairwise(corners)]
    for z in [*corners, *between, corners[-1] * 1.5, corners[-1] * 100]:
        expected = brute.delta(mechanism.rows, pairs, math.log(z))
        assert curve.delta(math.log(z)) == pytest.approx(expected, abs=1e-9)
    slopes = [
        (d2 - d1) / (math.exp(e2) - math.exp(e1))
        for (e1, d1), (e2, d2) in itertools.pairwise(curve.points)
    ]
    assert all(one < other + 1e-12 for one, other in itertools.pairwise(slopes))
    assert advantage(mechanism, adjacency) == pytest.approx(curve.advantage)


@given(mechanisms(st.integers(2, 3)))
def test_an_unfinished_curve_lies_above(mechanism):
    n = mechanism.universe.size
    pairs = list(brute.neighbours(n, "add-remove", range(n + 1)))
    curve = privacy_curve(mechanism, Adjacency.ADD_REMOVE, work=0)
    for epsilon in np.linspace(0, 3, 30).tolist():
        assert curve.delta(epsilon) >= brute.delta(mechanism.rows, pairs, epsilon) - 1e-12


@given(mechanisms(st.integers(1, 2), least=1), st.integers(0, 9))
@settings(max_examples=10)
def test_semantic_is_the_supremum_over_beliefs(mechanism, seed):
    n, rng = mechanism.universe.size, np.random.default_rng(seed)

    def at(x):
        weights = np.exp(np.asarray(x) - np.max(x))
        return max(
            brute.distance(mechanism.rows, weights, entity, output)
            for entity in range(n)
            for output in range(len(mechanism.outputs))
        )

    found = max(brute.largest(at, 2**n, rng, scale=20.0), at([0.0] * 2**n))
    # The two subsets whose ratios differ most, and what is best to believe of them.
    for one, other in itertools.combinations(range(2**n), 2):

        def pair(x, one=one, other=other):
            weights = np.full(2**n, -40.0)
            weights[one], weights[other] = x[0], 0.0
            return at(weights)

        found = max(found, brute.largest(pair, 1, rng, scale=6.0, starts=3))
    assert found <= semantic(mechanism) + 1e-9
    assert found == pytest.approx(semantic(mechanism), abs=1e-6)


@given(st.data())
@settings(max_examples=usual(14, 50))
def test_bayesian_dp_known_set_by_known_set(data):
    mechanism = data.draw(mechanisms())
    prior = data.draw(tables(mechanism.universe.size))
    found = bayesian_dp(mechanism, as_prior(prior))
    assert found == pytest.approx(brute.leakage(mechanism.rows, prior), abs=1e-9)


@given(mechanisms(st.integers(1, 3)), st.data())
@settings(max_examples=usual(14, 50))
def test_independent_records_leak_what_dp_says(mechanism, data):
    n = mechanism.universe.size
    marginals = data.draw(st.lists(st.sampled_from([0.1, 0.5, 0.8]), min_size=n, max_size=n))
    leak = bayesian_dp(mechanism, ProductPrior(marginals))
    assert leak == pytest.approx(add_remove(Ratios(mechanism)).epsilon, rel=1e-9, abs=1e-9)


@given(mechanisms(), st.sampled_from([0.1, 0.5, 1.0]))
def test_sampling_is_dp_of_the_mechanism_on_a_sample(mechanism, rate):
    n = mechanism.universe.size
    thinned = [
        sum(
            rate ** kept.bit_count() * (1 - rate) ** (row.bit_count() - kept.bit_count())
            * mechanism.rows[kept]
            for kept in range(2**n)
            if kept & row == kept
        )
        for row in range(2**n)
    ]  # fmt: skip
    assert np.allclose(sample_law(mechanism, rate), thinned)
    pairs = brute.neighbours(n, "add-remove", range(n + 1))
    expected = brute.epsilon(np.array(thinned), pairs)
    assert sampling_epsilon(mechanism, rate) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(mechanisms(st.integers(1, 3)))
def test_what_the_theorems_say_of_each_other(mechanism):
    """Halves of DP are γ under D_I; semantic privacy, D_U and D_B stand where they should."""
    halves, distance = add_remove(Ratios(mechanism)), semantic(mechanism)
    for family, epsilon, gamma in (
        (ProductPriors(), halves.positive, positive_gamma),
        (ProductPriors(), halves.negative, negative_gamma),
        (SizeConditionedPriors(), replace_one_epsilon(Ratios(mechanism)), positive_gamma),
    ):
        assert math.log(gamma(mechanism, family)) == pytest.approx(epsilon, rel=1e-12, abs=1e-15)
    assert distance <= math.tanh(halves.epsilon / 2) + 1e-12  # sharper than e^2ε − 1
    assert distance >= math.tanh(halves.epsilon / 4) - 1e-12
    assert positive_gamma(mechanism, AllPriors()) >= positive_gamma(mechanism, ProductPriors())
    assert positive_gamma(mechanism, UniformPriors()) <= positive_gamma(mechanism, ProductPriors())
    assert replace_one_epsilon(Ratios(mechanism)) <= 2 * halves.epsilon + 1e-12


@given(mechanisms(st.integers(1, 3)), st.data())
@settings(max_examples=usual(14, 50))
def test_post_processing_never_raises_gamma(mechanism, data):
    outputs = len(mechanism.outputs)
    where = data.draw(st.lists(st.integers(0, 1), min_size=outputs, max_size=outputs))
    merged = np.zeros((len(mechanism.rows), 2))
    for output, target in enumerate(where):
        merged[:, target] += mechanism.rows[:, output]
    processed = matrix(merged / merged.sum(axis=1, keepdims=True))
    for family in (
        ProductPriors(),
        SizeConditionedPriors(),
        AllPriors(),
        UniformPriors(),
        SampledPriors(0.3),
    ):
        for gamma in (positive_gamma, negative_gamma):
            before, after = gamma(mechanism, family), gamma(processed, family)
            assert after <= before * (1 + 1e-9)


@given(
    mechanisms(st.integers(1, 3)), st.randoms(use_true_random=False), st.sampled_from([0.2, 0.5])
)
def test_a_mixture_is_no_worse_than_its_worse_part(one, random, share):
    rows = list(one.rows)
    random.shuffle(rows)
    other = matrix(np.array(rows))
    mixed = matrix(share * one.rows + (1 - share) * other.rows)
    for family in (
        ProductPriors(),
        SizeConditionedPriors(),
        AllPriors(),
        UniformPriors(),
        SampledPriors(0.3),
    ):
        worst = max(positive_gamma(part, family) for part in (one, other))
        assert positive_gamma(mixed, family) <= worst * (1 + 1e-9)
