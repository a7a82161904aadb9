"""Intervals for a number of units beside brute force, and at sizes that it does not reach."""

import math
from fractions import Fraction

import pytest

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.publish.plan import SimpleRandomSample
from deniable.publish.query import ErrorTerm
from deniable.publish.survey import noise_tail, population_interval
from tests.oracles import noisy_samples

KINDS = {"laplace": DiscreteLaplace, "gaussian": DiscreteGaussian}


def tail_of(kind: str, scale: float):
    return noise_tail((ErrorTerm(Fraction(1), 1, KINDS[kind](scale)),))


@pytest.mark.parametrize(
    ("population", "size", "kind", "scale"),
    [
        (1, 1, "laplace", 0.5),
        (2, 1, "gaussian", 3.0),
        (7, 3, "laplace", 2.0),
        (20, 20, "gaussian", 0.7),
        (20, 19, "laplace", 0.3),
        (31, 9, "gaussian", 1.5),
    ],
)
def test_intervals_are_those_of_brute_force_and_cover(population, size, kind, scale):
    """Every number that can be published, and the exact coverage at every K."""
    noise, tail = noisy_samples.noise_masses(kind, scale), tail_of(kind, scale)
    sample = SimpleRandomSample(size, population)
    laws = [
        noisy_samples.published(population, having, size, noise) for having in range(population + 1)
    ]
    likely = [y for y in sorted(set().union(*laws)) if any(law.get(y, 0) > 1e-9 for law in laws)]
    found = {y: population_interval(float(y), sample, tail) for y in likely}
    assert found == {y: noisy_samples.interval(y, laws) for y in likely}
    for having, law in enumerate(laws):
        covered = sum(law.get(y, 0) for y in likely if found[y][0] <= having <= found[y][1])
        assert covered >= 0.95 - 1e-7


def test_the_anchor_of_a_thousand():
    """N = 1,000, n = 100, y = 30, s = 5, and the exact coverage at K = 300."""
    sample, tail = SimpleRandomSample(100, 1000), tail_of("gaussian", 5.0)
    assert population_interval(30.0, sample, tail) == (174, 439)
    law = noisy_samples.published(1000, 300, 100, noisy_samples.noise_masses("gaussian", 5.0))
    covered = 0.0
    for y, chance in law.items():
        if chance > 1e-12:
            low, high = population_interval(float(y), sample, tail)
            covered += float(chance) * (low <= 300 <= high)
    assert covered == pytest.approx(0.95859, abs=1e-5)


@pytest.mark.parametrize(("size", "population"), [(100, 1000), (50, 50), (9, 2**40)])
@pytest.mark.parametrize(("kind", "scale"), [("laplace", 4.0), ("gaussian", 30.0)])
def test_bounds_grow_with_what_is_published(size, population, kind, scale):
    sample, tail = SimpleRandomSample(size, population), tail_of(kind, scale)
    bounds = [
        population_interval(y / 2, sample, tail)
        for y in range(-int(20 * scale), 2 * size + int(20 * scale), 7)
    ]
    assert bounds == sorted(bounds)
    assert [high for _, high in bounds] == sorted(high for _, high in bounds)
    assert bounds[0] == (0, 0)
    assert bounds[-1] == (population, population)
    assert all(0 <= low <= high <= population for low, high in bounds)


def test_of_everybody_there_is_noise_alone():
    """n = N: the interval is the published number with the least equal-tailed half-width."""
    sample = SimpleRandomSample(1000, 1000)
    noise = noisy_samples.noise_masses("laplace", 5.0)
    most = max(z for z in noise if sum(p for t, p in noise.items() if t >= z) > Fraction(1, 40))
    assert population_interval(400.0, sample, tail_of("laplace", 5.0)) == (400 - most, 400 + most)


def test_without_noise_the_interval_is_that_of_clopper_and_pearson_without_replacement():
    sample, laws = SimpleRandomSample(12, 40), []
    for having in range(41):
        laws.append(noisy_samples.drawn(40, having, 12))
    for y in range(13):
        got = population_interval(float(y), sample, noise_tail(()))
        assert got == noisy_samples.interval(y, laws)


@pytest.mark.parametrize("population", [10**9, 2**53])
def test_a_large_sample_has_the_normal_interval(population):
    """Within 1 % of 1.96 deviations, for ten million drawn."""
    size, value, scale = 10**7, 3 * 10**6, 500.0
    sample, tail = SimpleRandomSample(size, population), tail_of("gaussian", scale)
    low, high = population_interval(float(value), sample, tail)
    spread = size * 0.3 * 0.7 * (population - size) / (population - 1) + scale**2
    width = 1.959964 * math.sqrt(spread) * population / size
    assert (high - low) / 2 == pytest.approx(width, rel=0.01)
    assert (high + low) / 2 == pytest.approx(0.3 * population, rel=1e-4)


def test_a_value_with_a_rounding_error_has_no_narrower_interval():
    """A crosstab's cells are fractions that were rounded to the nearest float64."""
    terms = (ErrorTerm(Fraction(1, 3), 2, DiscreteLaplace(2.0)),)
    sample, tail = SimpleRandomSample(60, 300), noise_tail(terms)
    for numerator in range(-20, 200, 3):
        value = numerator / 3
        low, high = population_interval(value, sample, tail)
        for near in (math.nextafter(value, -math.inf), math.nextafter(value, math.inf)):
            assert population_interval(near, sample, tail) == (low, high)
