"""Sums with continuous noise against every subset listed, and what must not change ε̃."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom

from deniable.mechanisms import Gaussian, Laplace
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from deniable.population.question import Question, Summands
from deniable.population.real_sums import bracket, engine, relative
from tests.cases.effort import some_pairs, usual
from tests.oracles import real_sums as brute

KINDS = {"gaussian": Gaussian, "laplace": Laplace}
FEW = settings(max_examples=5, deadline=None)

reals = st.floats(-3, 3).map(lambda value: round(value, 6))
numbers = st.one_of(
    st.lists(reals, min_size=3, max_size=6),
    st.lists(st.integers(0, 3).map(float), min_size=3, max_size=6),
    st.lists(st.integers(0, 1).map(float), min_size=3, max_size=6),
)


@st.composite
def populations(draw):
    values = draw(numbers)
    return values, draw(st.integers(1, len(values) - 1))


def epsilons(values, size, noise, delta, records="worst", effort=None):
    question = Question(Summands(values), size, delta, records)
    return bracket(question, noise, effort or Effort())


def contains(found, k, truth, slack=1e-9):
    room = slack * (1 + truth)
    return found.lower[k] - room <= truth <= found.upper[k] + room


@FEW
@given(
    asked=populations(),
    scale=st.sampled_from([0.5, 1.0, 4.0, 40.0]),
    delta=st.sampled_from([0.2, 0.01, 1e-4]),
)
@pytest.mark.parametrize("kind", KINDS)
def test_every_record_against_all_subsets(kind, asked, scale, delta):
    values, size = asked
    found = epsilons(values, size, KINDS[kind](scale), delta, records="all")
    truth = brute.population_epsilon(values, size, scale, kind, delta, 0, n_points=120)
    assert contains(found, 0, truth)
    assert found.evidence <= Evidence.ENCLOSURE
    assert found.upper[0] - found.lower[0] <= 1e-4 * max(truth, 1)


@pytest.mark.parametrize("size", [1, 5, 9])
def test_ten_records_gaussian(size):
    values = np.random.default_rng(size).normal(size=10).tolist()
    found = epsilons(values, size, Gaussian(1.5), 0.01, records=[3])
    truth = brute.population_epsilon(values, size, 1.5, "gaussian", 0.01, 3, n_points=80)
    assert contains(found, 0, truth, slack=1e-10)
    assert found.upper[0] - found.lower[0] <= 1e-6 * max(truth, 1)


def test_the_oracle_agrees_with_adaptive_quadrature():
    inside, outside = brute.subset_sums([0.0, 0.3, 1.0, 2.5, -1.0], 2, 3)
    exactly = brute.divergence(inside, outside, 0.7, "gaussian", 0.4)
    by_rule = brute.divergence_by_quadrature(inside, outside, 0.7, "gaussian", 0.4)
    assert exactly == pytest.approx(by_rule, abs=1e-9)


@FEW
@given(asked=populations(), scale=st.sampled_from([0.1, 1.0, 5.0]))
def test_pure_laplace_against_all_subsets(asked, scale):
    values, size = asked
    found = epsilons(values, size, Laplace(scale), 0.0, records="all")
    for record in range(len(values)):
        truth = brute.pure_epsilon(values, size, scale, record)
        assert contains(found, record, truth)
        assert found.upper[record] - found.lower[record] <= 1e-9 * (1 + truth)


@FEW
@given(asked=populations(), scale=st.sampled_from([0.3, 1.0, 5.0]))
def test_pure_laplace_by_inversion_alone(asked, scale):
    values, size = asked
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(relative, "subset_atoms", lambda *_: None)
        found = epsilons(values, size, Laplace(scale), 0.0, records="all")
    for record in range(len(values)):
        assert contains(found, record, brute.pure_epsilon(values, size, scale, record))


@FEW
@given(asked=populations(), scale=st.sampled_from([0.5, 3.0]), delta=st.sampled_from([0.1, 0.01]))
def test_laplace_by_inversion_alone(asked, scale, delta):
    values, size = asked
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "subset_atoms", lambda *_: None)
        found = epsilons(values, size, Laplace(scale), delta, records=[0])
    truth = brute.population_epsilon(values, size, scale, "laplace", delta, 0, n_points=60)
    assert contains(found, 0, truth)


@pytest.mark.parametrize("delta", [0.01, 1e-6])
def test_counts_against_the_hypergeometric_law(delta):
    values = [1.0] * 40 + [0.0] * 160
    found = epsilons(values, 100, Gaussian(1.0), delta, records=[0, 100])
    points = np.linspace(-15, 60, 150_001)
    step = points[1] - points[0]

    def density(shift, ones, drawn):
        k = np.arange(ones + 1)
        bells = np.exp(-((points[:, None] - k - shift) ** 2) / 2) / math.sqrt(2 * math.pi)
        return bells @ hypergeom.pmf(k, 199, ones, drawn)

    for place, (shift, ones) in enumerate([(1, 39), (0, 40)]):
        p, q = density(shift, ones, 99), density(0, ones, 100)
        for epsilon, meets in (
            (found.lower[place] - 1e-5, False),
            (found.upper[place] + 1e-5, True),
        ):
            weight = math.exp(epsilon)
            worst = max(np.maximum(a - weight * b, 0).sum() * step for a, b in ((p, q), (q, p)))
            assert (worst <= delta) == meets


VALUES = np.random.default_rng(5).normal(size=24)
NOISES = [(Gaussian, 0.01), (Laplace, 0.01), (Laplace, 0.0)]


def interval(values, size, noise, delta, effort=None):
    found = epsilons(values, size, noise, delta, effort=effort)
    return found.lower[0], found.upper[0]


@pytest.mark.parametrize(("noise", "delta"), NOISES)
def test_shift_scale_and_reflection_change_nothing(noise, delta):
    low, high = interval(VALUES, 8, noise(5.0), delta)
    for values, size, scale in (
        (VALUES + 17.0, 8, 5.0),
        (VALUES * 8.0, 8, 40.0),
        (-VALUES, 8, 5.0),
        (VALUES, 16, 5.0),  # the sum of the others, with in and out exchanged
    ):
        other_low, other_high = interval(values, size, noise(scale), delta)
        assert max(low, other_low) <= min(high, other_high) + 1e-9
        assert other_high - other_low <= 0.1 * high


@pytest.mark.parametrize(("noise", "delta"), NOISES)
def test_more_noise_and_more_delta_tell_less(noise, delta):
    scales = [interval(VALUES, 12, noise(scale), delta) for scale in (2.0, 4.0, 8.0)]
    assert scales[0][0] > scales[1][1] > scales[1][0] > scales[2][1]
    deltas = [interval(VALUES, 12, noise(4.0), d) for d in (1e-3, 1e-2, 5e-2)]
    assert deltas[0][0] > deltas[1][1] > deltas[1][0] > deltas[2][1]


def test_the_worst_is_the_maximum_of_all():
    noise, delta = Gaussian(2.0), 0.01
    every = epsilons(VALUES, 12, noise, delta, records="all")
    worst = epsilons(VALUES, 12, noise, delta)
    assert worst.worst() == every.worst()
    assert worst.maximum().lower == pytest.approx(every.maximum().lower, rel=1e-5)
    assert worst.maximum().upper >= every.maximum().lower


def test_a_hundred_of_two_hundred_normal_numbers():
    values = np.random.default_rng(11).normal(size=200)
    worst_distance = float(np.ptp(values))
    noise = Gaussian.for_approx_dp(10.0, 0.01, worst_distance)
    low, high = interval(values, 100, noise, 0.01)
    assert high - low < 1e-6
    assert 0.3 < low < 1.2
    pure = interval(values, 100, Laplace(worst_distance / 10), 0.0)
    assert 0 < pure[0] <= pure[1] <= min(10.0, 1.1 * pure[0])


LAWS = {
    "normal": lambda draw, size: draw.normal(size=size),
    "t3": lambda draw, size: draw.standard_t(3, size),
    "lognormal": lambda draw, size: -draw.lognormal(0, 2, size),
}


@pytest.mark.parametrize("law", LAWS)
def test_sums_much_wider_than_laplace_noise_get_a_narrow_interval(law):
    size = usual(700, 1500)
    values = LAWS[law](np.random.default_rng(4), 2 * size)
    low, high = interval(values, size, Laplace(float(np.ptp(values)) / 10), 1e-4)
    assert 0 < low <= high <= 1.02 * low


HEAVY = {
    "cauchy": lambda draw, size: draw.standard_cauchy(size),
    "lognormal": lambda draw, size: draw.lognormal(0, 2, size),
    "pareto": lambda draw, size: -draw.pareto(1.2, size),
}


@pytest.mark.parametrize(
    ("law", "kind", "spans"),
    [(law, *noise) for law, noise in some_pairs([*HEAVY], [("gaussian", 30), ("laplace", 12)])],
)
def test_heavy_tails_get_a_narrow_interval(law, kind, spans):
    size = usual(600, 500)  # where more is more quickly enclosed
    values = HEAVY[law](np.random.default_rng(spans), 2 * size)
    noise = (
        Laplace(float(np.ptp(values)) / spans)
        if kind == "laplace"
        else Gaussian.for_approx_dp(float(spans), 1e-4, float(np.ptp(values)))
    )
    low, high = interval(values, size, noise, 1e-4)
    assert 0 < low <= high <= 1.02 * low


def test_rare_sums_and_pure_laplace_at_an_inner_point():
    # The odd number shows most where both laws are likely, not in the tails.
    values = [0.0] * 4 + [2.0] * 4 + [1.0]
    found = epsilons(values, 4, Laplace(0.1), 0.0, records=[8])
    truth = brute.pure_epsilon(values, 4, 0.1, 8)
    inside, outside = brute.subset_sums(values, 4, 8)
    tail = abs(
        brute.log_density(inside, 99.0, 0.1, "laplace")
        - brute.log_density(outside, 99.0, 0.1, "laplace")
    )
    assert contains(found, 0, truth)
    assert found.lower[0] > tail + 0.5


def test_noise_far_below_the_gaps_keeps_a_true_interval():
    values = [0.0, 1.0, 2.5, 7.0, 7.5]
    found = epsilons(values, 2, Gaussian(0.05), 0.01, records="all")
    for record in range(5):
        inside, outside = brute.subset_sums(values, 2, record)
        for sign, end in ((-1, found.lower[record]), (1, found.upper[record])):
            if end * (1 + sign * 1e-6) < 400:
                there = max(
                    brute.divergence(p, q, 0.05, "gaussian", end * (1 + sign * 1e-6), 1000)
                    for p, q in ((inside, outside), (outside, inside))
                )
                assert (there - 0.01) * sign <= 0


def test_too_little_time_widens_the_interval():
    effort = Effort(time_limit=1e-9)
    low, high = interval(VALUES, 8, Laplace(5.0), 0.0, effort)
    full = interval(VALUES, 8, Laplace(5.0), 0.0)
    assert low <= full[0] <= full[1] <= high
    low, high = interval(np.random.default_rng(1).normal(size=900), 20, Gaussian(5.0), 0.01, effort)
    assert math.isfinite(high)
    assert low <= high
