"""Privacy against noise, and the PAC bound beside brute force."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad

import deniable
from deniable.errors import InvalidArgument
from deniable.population.api import success_of
from tests.cases.effort import some_pairs
from tests.cases.refusals import refuses

VALUES = [0.0, 1.0, 2.5, 6.0, 7.0]


def densities(size, sigma):
    sums = [sum(chosen) for chosen in itertools.combinations(VALUES, size)]

    def one(y, mean):
        return math.exp(-(((y - mean) / sigma) ** 2) / 2) / sigma / math.sqrt(2 * math.pi)

    return sums, one


def information(size, sigma):
    """I(D; ΣD + noise): entropy of the release less that of the noise, integrated."""
    sums, one = densities(size, sigma)

    def term(y):
        mixed = sum(one(y, mean) for mean in sums) / len(sums)
        return -mixed * math.log(mixed) if mixed > 0 else 0.0

    reach = 9 * sigma
    entropy = quad(term, min(sums) - reach, max(sums) + reach, limit=400)[0]
    return entropy - 0.5 * math.log(2 * math.pi * math.e * sigma**2)


def best_guess(size, sigma, record):
    """How often the best guess at one membership is right."""
    sides = {True: [], False: []}
    for chosen in itertools.combinations(range(len(VALUES)), size):
        sides[record in chosen].append(sum(VALUES[i] for i in chosen))
    many = len(sides[True]) + len(sides[False])
    _, one = densities(size, sigma)

    def term(y):
        return max(sum(one(y, mean) for mean in side) for side in sides.values()) / many

    return quad(term, -9 * sigma, sum(VALUES) + 9 * sigma, limit=400)[0]


@pytest.mark.parametrize(("size", "sigma"), some_pairs([2, 4], [1.0, 4.0]))
def test_the_pac_bound_holds_and_is_of_the_sample_as_a_whole(size, sigma):
    (point,) = deniable.population.noise_curve(
        VALUES, size, [sigma], delta=0.01, query="sum"
    ).points
    assert information(size, sigma) <= point.mutual_information
    for record in range(len(VALUES)):
        assert best_guess(size, sigma, record) <= point.pac_success + 1e-9


def test_the_information_is_the_formula_of_the_covariance_over_samples():
    (point,) = deniable.population.noise_curve(VALUES, 2, [3.0], delta=0.01, query="sum").points
    sums = [sum(chosen) for chosen in itertools.combinations(VALUES, 2)]
    assert point.mutual_information == pytest.approx(math.log1p(np.var(sums) / 9) / 2, rel=1e-8)


def test_all_measures_fall_with_the_noise_and_meet_those_of_gaussian():
    curve = deniable.population.noise_curve(VALUES, 2, [8.0, 2.0, 4.0], delta=0.01, clip=10.0)
    assert [point.sigma for point in curve.points] == [2.0, 4.0, 8.0]
    for one, other in itertools.pairwise(curve.points):
        assert one.population_epsilon.upper > other.population_epsilon.upper
        assert one.epsilon > other.epsilon
        assert one.pac_success > other.pac_success
    alone = deniable.population.gaussian(VALUES, 2, sigma=4.0, delta=0.01, clip=10.0)
    assert curve.points[1].population_epsilon == alone.population_epsilon


@pytest.mark.parametrize("prior", [0.5, 0.8])
@pytest.mark.parametrize("shown", [0.0, 0.01, 0.1])
def test_a_success_has_the_divergence_that_was_shown(prior, shown):
    p = success_of(shown, prior)
    divergence = p * math.log(p / prior) + (1 - p) * math.log((1 - p) / (1 - prior))
    assert divergence == pytest.approx(shown, abs=1e-7)


@pytest.mark.parametrize("sigmas", [[], [0.0], [1.0] * 33])
def test_wrong_scales_are_refused(sigmas):
    with refuses(InvalidArgument, "list-of-sigmas-given"):
        deniable.population.noise_curve(VALUES, 2, sigmas, delta=0.01)


def test_rows_with_counts_are_those_of_the_records_written_out():
    rows, counts = np.array([[1.0, 0.0], [0.0, 3.0], [2.0, 2.0]]), [2, 1, 3]
    table = np.column_stack([rows, counts])
    written = np.repeat(rows, counts, axis=0)
    one = deniable.population.noise_curve(table, 3, [2.0, 5.0], delta=0.01, counts=True)
    other = deniable.population.noise_curve(written, 3, [2.0, 5.0], delta=0.01)
    means = [np.mean(chosen, axis=0) for chosen in itertools.combinations(written, 3)]
    for curve in (one, other):
        assert curve.sampling_deviation == pytest.approx(np.std(means, axis=0).max())
    for point, same in zip(one.points, other.points, strict=True):
        assert point.mutual_information == pytest.approx(same.mutual_information, rel=1e-9)
        assert point.restricted_epsilon == same.restricted_epsilon
