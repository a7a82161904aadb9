"""Noisy sums of whole numbers against every subset and every output, in exact arithmetic."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.numerics.effort import Effort
from deniable.population.integer_sums import bracket, inversion, recursion
from deniable.population.integer_sums.multiset import multiset
from deniable.population.integer_sums.release import largest_losses, least_epsilons_of
from deniable.population.question import Ones, Question, Summands
from tests.cases.effort import usual
from tests.oracles import whole_sums as brute

scales = st.sampled_from([0.05, 0.3, 1.0, 2.5])
deltas = st.sampled_from([1.3e-6, 0.0107, 0.2113, 0.7019])
"""Not what an event can have: there ε̃ jumps, and an enclosure is as wide as the jump."""
NOISES = pytest.mark.parametrize("noise", [DiscreteLaplace, DiscreteGaussian])
NARROW = 1e-9


@st.composite
def samples(draw, most=8, least=2):
    """Few whole numbers, often equal, sometimes multiples of 3; and a sample size."""
    n_records = draw(st.integers(least, most))
    step, spread = draw(st.sampled_from([1, 1, 3])), draw(st.sampled_from([1, 3, 9]))
    value = st.integers(-spread, spread)
    values = draw(st.lists(value, min_size=n_records, max_size=n_records))
    return [step * value for value in values], draw(st.integers(1, n_records - 1))


def of_sum(values, size, noise, delta=0.0, records="worst"):
    return bracket(Question(Summands(values), size, delta, records), noise, Effort())


def of_ones(ones, population, size, noise, delta=0.0):
    return bracket(Question(Ones(ones, population), size, delta), noise, Effort())


def pmf(noise):
    return (brute.laplace if isinstance(noise, DiscreteLaplace) else brute.gaussian)(noise.scale)


def narrow(found):
    low, high = found.lower, found.upper
    return bool(np.all((low == high) | (high <= low + NARROW * np.maximum(low, 1e-3))))


def meet(one, other):
    return np.all((one.lower <= other.upper) & (other.lower <= one.upper))


@given(sample=samples(), scale=scales, data=st.data())
@settings(max_examples=usual(16, 60), deadline=None)
def test_pure_epsilon_contains_the_truth_and_little_else(sample, scale, data):
    noise = DiscreteLaplace(scale)
    found = of_sum(*sample, noise, records="all")
    record = data.draw(st.integers(0, len(sample[0]) - 1))
    truth = brute.pure(*sample, record, pmf(noise))
    assert brute.encloses(found.lower[record], found.upper[record], truth)
    assert narrow(found)


@NOISES
@given(sample=samples(most=6), scale=scales, delta=deltas, data=st.data())
@settings(max_examples=usual(8, 25), deadline=None)
def test_approximate_epsilon_contains_the_truth_and_little_else(noise, sample, scale, delta, data):
    added = noise(scale)
    found = of_sum(*sample, added, delta, records="all")
    record = data.draw(st.integers(0, len(sample[0]) - 1))
    truth = brute.approximate(*sample, record, pmf(added), delta)
    assert brute.encloses(found.lower[record], found.upper[record], truth)
    if truth < 600:  # beyond, float64 does not hold the odds
        assert narrow(of_sum(*sample, added, delta, records=[record]))


def test_a_delta_that_an_event_has():
    """One sum in five differs: at δ = 1/5 the odds of that event stop counting."""
    values, noise = [0, 0, 0, 0, 0, 3], DiscreteLaplace(0.05)
    for delta in (0.2, math.nextafter(0.2, 1), math.nextafter(0.2, 0)):
        found = of_sum(values, 1, noise, delta, records=[0])
        truth = brute.approximate(values, 1, 0, pmf(noise), delta)
        assert brute.encloses(found.lower[0], found.upper[0], truth)


def test_ten_records():
    values, noise = [0, 1, 1, 2, 3, 5, 8, 13, 21, -34], DiscreteLaplace(3.0)
    found = of_sum(values, 4, noise, records="all")
    for record in (0, 2, 9):
        truth = brute.pure(values, 4, record, pmf(noise))
        assert brute.encloses(found.lower[record], found.upper[record], truth)
    assert narrow(found)
    assert found.worst() == of_sum(values, 4, noise).worst() == 9


@NOISES
@given(sample=samples(), scale=scales)
@settings(max_examples=usual(8, 20), deadline=None)
def test_a_larger_delta_needs_no_larger_epsilon(noise, sample, scale):
    row = [of_sum(*sample, noise(scale), d, records="all") for d in (0.0, 1e-9, 0.01, 0.5)]
    for less, more in itertools.pairwise(row):
        assert np.all(more.lower <= less.upper)


@NOISES
@given(sample=samples(), scale=scales, delta=st.just(0.0) | deltas, by=st.integers(-50, 50))
@settings(max_examples=usual(8, 25), deadline=None)
def test_moved_mirrored_and_the_records_left_out(noise, sample, scale, delta, by):
    values, size = np.array(sample[0]), sample[1]
    found = of_sum(values, size, noise(scale), delta, records="all")
    for same, n in ((values + by, size), (-values, size), (values, len(values) - size)):
        assert meet(found, of_sum(same, n, noise(scale), delta, records="all"))


@NOISES
@given(
    kinds=st.tuples(st.integers(1, 30), st.integers(1, 30)),
    scale=st.sampled_from([0.02, 0.3, 2.0, 40.0]),
    delta=st.just(0.0) | deltas,
    data=st.data(),
)
@settings(max_examples=usual(16, 60), deadline=None)
def test_a_count_is_a_sum_of_zeros_and_ones(noise, kinds, scale, delta, data):
    ones, zeros = kinds
    size = data.draw(st.integers(1, ones + zeros - 1))
    counted = of_ones(ones, ones + zeros, size, noise(scale), delta)
    values = [1] * ones + [0] * zeros
    summed = of_sum(values, size, noise(scale), delta, records=[0, ones])
    assert counted.records.tolist() == [0, ones]
    assert meet(counted, summed)
    assert narrow(counted) or counted.upper.max() > 600  # beyond, float64 does not hold the odds


@given(
    ones=st.integers(0, 7), zeros=st.integers(0, 7), scale=scales, data=st.data()
)  # fmt: skip
@settings(max_examples=usual(11, 40), deadline=None)
def test_a_count_contains_the_truth(ones, zeros, scale, data):
    if ones + zeros < 2:
        return
    size = data.draw(st.integers(1, ones + zeros - 1))
    noise, values = DiscreteLaplace(scale), [1] * ones + [0] * zeros
    found = of_ones(ones, ones + zeros, size, noise)
    for record, bound in zip(found.records, found.each(), strict=True):
        truth = brute.pure(values, size, int(record), pmf(noise))
        assert brute.encloses(bound.lower, bound.upper, truth)


@given(sample=samples(most=10, least=3), scale=st.sampled_from([0.3, 1.0, 10.0]))
@settings(max_examples=usual(11, 40), deadline=None)
def test_both_ways_to_the_law_of_the_sum_contain_it(sample, scale):
    """The inverse transform is never asked for so few records, and is right there too."""
    problem, places = multiset(*sample)
    if len(problem.values) == 1:
        return
    targets = np.arange(len(problem.values))
    plan = inversion.plan(problem, targets, inversion.tilts(problem, problem.step / scale))
    inverted = inversion.sum_laws(problem, targets, plan)
    added = next(recursion.sum_laws(problem, targets, len(targets)))
    reduced = problem.values[places].tolist()
    for target in targets:
        record = places.tolist().index(target)
        exact = brute.sums(reduced, problem.size, record)
        for member, law in enumerate(exact):
            for laws, first in ((added, 0), (inverted, plan.first)):
                columns = range(first, first + laws.low.shape[2])
                truth = [law.get(problem.sum_range[0] + s, Fraction(0)) for s in columns]
                logs = np.array([math.log(p) if p else -math.inf for p in truth])
                assert np.all(laws.low[member, target] <= np.nextafter(logs, math.inf))
                assert np.all(np.nextafter(logs, -math.inf) <= laws.high[member, target])


def tails_alone(values, size, record, scale):
    """What the ends of the output range show: |ln E e^(±S/b) in and out|."""
    laws = brute.sums(values, size, record)
    shown = [
        [math.log(sum(p * math.exp(sign * s / scale) for s, p in law.items())) for law in laws]
        for sign in (-1, 1)
    ]
    return max(abs(taken - left) for taken, left in shown)


def test_the_supremum_can_lie_inside():
    """The only odd value among even ones, little noise: odd outputs tell more than the ends."""
    values, scale = [1, 0, 0, 2, 2], 0.2
    found = of_sum(values, 1, DiscreteLaplace(scale), records=[0])
    ends = tails_alone(values, 1, 0, scale)
    assert found.lower[0] == pytest.approx(1 / scale, rel=1e-9)
    assert ends < found.lower[0] - 0.6  # by ln 2, all but e^(−2/b)


@pytest.mark.parametrize("delta", [0.0, 0.001])
def test_a_population_of_hundreds_by_both_ways(delta):
    """Forced through the transform and through the recursion, the same numbers."""
    rng = np.random.default_rng(5)
    values, noise = rng.integers(0, 9, 150), DiscreteLaplace(4.0)
    problem, places = multiset(values, 60)
    targets = np.unique(places)
    found = of_sum(values, 60, noise, delta, records="all")
    rate = problem.step / noise.scale
    plan = inversion.plan(problem, targets, inversion.tilts(problem, rate))
    laws = inversion.sum_laws(problem, targets, plan)
    from_transform = _epsilons(laws, problem, noise, delta)
    for target in targets:
        record = places.tolist().index(target)
        lower, upper = from_transform[0][target], from_transform[1][target]
        assert lower <= found.upper[record]
        assert found.lower[record] <= upper
        assert upper - lower <= NARROW


def _epsilons(laws, problem, noise, delta):
    if delta == 0:
        return largest_losses(laws, problem.step / noise.scale)
    return least_epsilons_of(laws, noise, delta, problem.n_sums - 1, problem.step)


@pytest.mark.parametrize("delta", [0.0, 1e-6, 0.01])
def test_one_record_far_from_a_thousand(delta):
    """It shows by nearly the distance over b, and nothing is known less well beside it."""
    values = [*np.random.default_rng(0).integers(0, 11, 1000).tolist(), 5000]
    found = of_sum(values, 500, DiscreteLaplace(20.0), delta, records="all")
    assert found.worst() == 1000
    assert 245 < found.lower[1000] <= found.upper[1000] <= 5000 / 20 * (1 + 1e-12)
    assert np.all(found.upper - found.lower < NARROW)
