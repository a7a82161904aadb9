"""Every prior is a law over subsets; conditioning, scaling and sampling mean what they say."""

import math

import attrs
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from deniable.errors import InvalidArgument
from deniable.priors.universe import subsets
from tests.cases.effort import usual
from tests.cases.refusals import refuses
from tests.cases.strategies import PRIORS, size_conditioned

FALSE_ALARM = 1e-9
MISSED = 1e-3
DRAWS = 300_000
EXAMPLES = usual(12, 50)  # of each of ten kinds of priors, for each of seven laws

every_prior = pytest.mark.parametrize("case", PRIORS.values(), ids=PRIORS)


def law_of(prior):
    """Pr[T = t] for all subsets, in row order."""
    return np.exp(prior.log_prob(subsets(prior.n_entities)))


def has(prior, entity):
    return subsets(prior.n_entities)[:, entity]


def conditioned(law, event):
    """Bayes, by its definition."""
    return np.where(event, law, 0.0) / math.fsum(law[event])


def close(one, other):
    return np.abs(one - other).max() <= 1e-9


@every_prior
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_it_sums_to_one(case, data):
    prior = data.draw(case.random)
    law = law_of(prior)
    assert law.shape == (2**prior.n_entities,)
    assert math.fsum(law) == pytest.approx(1, abs=1e-12)


@every_prior
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_marginals_agree_with_the_law(case, data):
    prior = data.draw(case.random)
    marginals = law_of(prior) @ subsets(prior.n_entities)
    assert prior.marginals.shape == (prior.n_entities,)
    assert prior.marginals == pytest.approx(marginals, abs=1e-12)


@every_prior
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_given_is_bayes(case, data):
    prior = data.draw(case.random)
    entity, member = data.draw(st.integers(0, prior.n_entities - 1)), data.draw(st.booleans())
    law, event = law_of(prior), has(prior, entity) == member
    if law[event].sum() == 0:
        with refuses(InvalidArgument, f"entity-in-out-never: {entity}"):
            prior.given(entity, member=member)
        return
    after = prior.given(entity, member=member)
    assert close(law_of(after), conditioned(law, event))
    assert after.marginals[entity] == float(member)


@every_prior
@settings(max_examples=EXAMPLES)
@given(data=st.data(), wanted=st.sampled_from([0.0, 1.0, 1e-9]) | st.floats(0.01, 0.99))
def test_scaling_changes_one_probability_and_nothing_given_it(case, data, wanted):
    """li-2013, Definition 3.3."""
    prior = data.draw(case.random)
    entity = data.draw(st.integers(0, prior.n_entities - 1))
    law, inside = law_of(prior), has(prior, entity)
    try:
        after = law_of(prior.scaled(entity, wanted))
    except InvalidArgument:
        assert 0 in (law[inside].sum(), law[~inside].sum())
        assert law[inside].sum() != pytest.approx(wanted, abs=1e-12)
        return
    assert math.fsum(after[inside]) == pytest.approx(wanted, rel=1e-9, abs=1e-15)
    assert math.fsum(after) == pytest.approx(1, abs=1e-12)
    for event in (inside, ~inside):
        if law[event].sum() > 0 and after[event].sum() > 0:
            assert close(conditioned(after, event), conditioned(law, event))


@every_prior
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_scaling_to_what_is_changes_nothing(case, data):
    prior = data.draw(case.random)
    entity = data.draw(st.integers(0, prior.n_entities - 1))
    same = prior.scaled(entity, float(prior.marginals[entity]))
    assert close(law_of(same), law_of(prior))


@every_prior
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_conditioning_commutes(case, data):
    prior = data.draw(case.random)
    assume(prior.n_entities > 1)
    first, second = data.draw(st.permutations(range(prior.n_entities)))[:2]
    one, two = data.draw(st.booleans()), data.draw(st.booleans())
    law = law_of(prior)
    assume(law[(has(prior, first) == one) & (has(prior, second) == two)].sum() > 0)
    there = prior.given(first, member=one).given(second, member=two)
    back = prior.given(second, member=two).given(first, member=one)
    assert close(law_of(there), law_of(back))


# Sampling. Each count is binomial; the false alarm is shared out over the 2^n counts, and the
# wrong law is caught by the one count that tells the two best apart.


def acceptance(law, draws):
    share = FALSE_ALARM / (2 * len(law))
    return binom.ppf(share, draws, law), binom.isf(share, draws, law)


def test_the_acceptance_region_keeps_its_level():
    law = np.array([0.0, 1e-4, 0.3, 1.0])
    low, high = acceptance(law, DRAWS)
    outside = binom.cdf(low - 1, DRAWS, law) + binom.sf(high, DRAWS, law)
    assert math.fsum(outside) <= FALSE_ALARM


@every_prior
def test_draws_have_the_law(case):
    law, wrong = law_of(case.drawn), law_of(case.wrong)
    low, high = acceptance(law, DRAWS)
    missed = binom.cdf(high, DRAWS, wrong) - binom.cdf(low - 1, DRAWS, wrong)
    assert missed.min() < MISSED
    drawn = case.drawn.draws(np.random.default_rng(20131104), DRAWS)
    rows = drawn @ (1 << np.arange(case.drawn.n_entities))
    counts = np.bincount(rows, minlength=len(law))
    assert ((low <= counts) & (counts <= high)).all()
    # Draws are independent: the next one agrees as often as two of the law do.
    agree, together = int((rows[::2] == rows[1::2]).sum()), float(law @ law)
    low, high = acceptance(np.array([together]), DRAWS // 2)
    assert low <= agree <= high


@every_prior
@settings(max_examples=EXAMPLES)
@given(data=st.data(), seed=st.integers(0, 2**32 - 1))
def test_draws_are_possible(case, data, seed):
    prior = data.draw(case.random)
    drawn = prior.draws(np.random.default_rng(seed), 20)
    assert drawn.shape == (20, prior.n_entities)
    assert drawn.dtype == np.bool_
    assert np.isfinite(prior.log_prob(drawn)).all()


@every_prior
def test_the_generator_decides(case):
    one, two = (case.drawn.draws(np.random.default_rng(7), 5) for _ in range(2))
    assert np.array_equal(one, two)
    assert case.drawn.draws(np.random.default_rng(7), 0).shape == (0, case.drawn.n_entities)


@every_prior
def test_shapes_and_wrong_arguments(case):
    prior = case.drawn
    n = prior.n_entities
    assert prior.marginals.shape == (n,)
    assert prior.log_prob(np.zeros((0, n), dtype=bool)).shape == (0,)
    assert prior.log_prob(np.zeros(n, dtype=bool)).shape == ()
    assert prior.log_prob(np.zeros((2, 3, n), dtype=bool)).shape == (2, 3)
    with refuses(InvalidArgument, "members-to-true: int64"):
        prior.log_prob(np.zeros((1, n), dtype=np.int64))
    with refuses(InvalidArgument, f"last-axis-of-shape-1: {n} | {n + 1}"):
        prior.log_prob(np.zeros((1, n + 1), dtype=bool))
    with refuses(InvalidArgument, "below-least: n_draws | 0 | n_draws=-1"):
        prior.draws(np.random.default_rng(1), -1)
    for wrong, message in ((n, f"entity-below: {n} | {n}"), (-1, "below-least: entity | 0")):
        with refuses(InvalidArgument, message):
            prior.given(wrong, member=True)
        with refuses(InvalidArgument, message):
            prior.scaled(wrong, 0.5)
    with refuses(InvalidArgument, "not-from-0-to-1: probability"):
        prior.scaled(0, 1.5)


@every_prior
def test_it_is_a_frozen_value(case):
    field = attrs.fields(type(case.drawn))[0].name
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        setattr(case.drawn, field, None)
    held = getattr(case.drawn, field)
    if isinstance(held, np.ndarray):
        with pytest.raises(ValueError, match="read-only"):
            held[...] = held
    again = attrs.evolve(case.drawn)
    assert again == case.drawn
    assert again != case.wrong


extreme = st.integers(-300, 300).map(lambda power: 10.0**power)


@given(prior=size_conditioned(extreme), data=st.data())
def test_size_conditioned_priors_with_extreme_weights(prior, data):
    """Logarithms of probabilities down to 1e-1000, against the polynomial in exact fractions."""
    rows = subsets(prior.n_entities)
    rows = rows[rows.sum(axis=1) == prior.n_members]
    powers = np.round(np.log10(prior.weights)).astype(int)
    weights = [sum(int(p) for p in powers[row]) for row in rows]
    total = sum(10 ** (power + 1600) for power in weights)
    exact = [power * math.log(10) + 1600 * math.log(10) - math.log(total) for power in weights]
    assert prior.log_prob(rows) == pytest.approx(exact, rel=1e-12, abs=1e-9)
    marginals = [
        sum(10 ** (power + 1600) for power, row in zip(weights, rows, strict=True) if row[i])
        / total
        for i in range(prior.n_entities)
    ]
    assert prior.marginals == pytest.approx(marginals, rel=1e-9, abs=1e-290)
    drawn = prior.draws(np.random.default_rng(data.draw(st.integers(0, 99))), 5)
    assert (drawn.sum(axis=1) == prior.n_members).all()
