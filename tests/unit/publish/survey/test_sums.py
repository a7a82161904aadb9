"""Bounds on totals and means beside exact laws of all samples, and beside simulated releases."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.publish.plan import SimpleRandomSample
from deniable.publish.query import ErrorTerm
from deniable.publish.survey import MeanNoise, mean_interval, total_interval
from tests.cases.effort import some_pairs


def law_of_sums(population, size):
    """Each sum of so many of these numbers, and how many samples have it."""
    ways: dict[float, int] = {}
    for drawn in itertools.combinations(population, size):
        ways[sum(drawn)] = ways.get(sum(drawn), 0) + 1
    return ways, math.comb(len(population), size)


@pytest.mark.parametrize(
    ("population", "scale"),
    some_pairs([[0] * 6 + [4], [0, 4] * 4, [4, 4, 4, 0, 1, 2, 3, 4]], [0.4, 0.05]),
)
def test_a_total_is_covered_by_every_law_of_samples(population, scale):
    """Exactly, for each size of a sample; noise below 10^-9 is left out."""
    noise = DiscreteLaplace(scale)
    reach = math.ceil(22 * scale) + 1
    masses = noise.pmf(np.arange(-reach, reach + 1)).tolist()
    term = ErrorTerm(Fraction(1), 1, noise)
    for size in range(1, len(population) + 1):
        ways, number = law_of_sums(population, size)
        sample, covered = SimpleRandomSample(size, len(population)), 0.0
        bounds = {}
        for (total, count), (z, mass) in itertools.product(
            ways.items(), zip(range(-reach, reach + 1), masses, strict=True)
        ):
            y = total + z
            if y not in bounds:
                bounds[y] = total_interval(float(y), (0.0, 4.0), sample, [term])
            low, high = bounds[y]
            covered += count / number * mass * (low <= sum(population) <= high)
        assert covered >= 0.95


@pytest.mark.parametrize("share", [0.02, 0.3])
def test_means_of_rows_that_take_part_are_covered(share):
    """600 samples of half of 400, of whom a share take part; false alarm below 1e-9."""
    rng, n_releases = np.random.default_rng(17), 600
    takes_part = rng.random(400) < share
    takes_part[0] = True
    values = np.where(rng.random(400) < 0.5, 0.0, 1.0)
    truth = values[takes_part].mean()
    total, number = DiscreteGaussian(2.0), DiscreteGaussian(3.0)
    surplus = float(number.half_width(0.99))
    noise = MeanNoise(
        ErrorTerm(Fraction(1), 1, total), ErrorTerm(Fraction(1, 2), 1, number), surplus
    )
    sample, covered = SimpleRandomSample(200, 400), 0
    errors = zip(total.draws(rng, n_releases), number.draws(rng, n_releases), strict=True)
    for x, y in errors:
        drawn = rng.permutation(400)[:200]
        used = drawn[takes_part[drawn]]
        noisy = len(used) + int(y)
        middle = 0.5 + (float((values[used] - 0.5).sum()) + int(x)) / max(1, noisy)
        low, high = mean_interval(min(max(middle, 0.0), 1.0), noisy, (0.0, 1.0), sample, noise)
        covered += low <= truth <= high
    assert covered >= 570 - 6 * math.sqrt(600 * 0.95 * 0.05)


def test_rare_values_have_narrower_intervals_than_frequent_ones():
    """The bound looks at how far values can lie apart where their mean is."""
    sample = SimpleRandomSample(1000, 100_000)
    noise = [ErrorTerm(Fraction(1), 1, DiscreteGaussian(3.0))]
    rare = total_interval(10.0, (0.0, 1.0), sample, noise)
    frequent = total_interval(500.0, (0.0, 1.0), sample, noise)
    assert rare[1] - rare[0] < 0.5 * (frequent[1] - frequent[0])


def test_a_larger_share_of_the_population_gives_a_narrower_interval():
    noise = [ErrorTerm(Fraction(1), 1, DiscreteGaussian(3.0))]
    widths = []
    for population in (1000, 1100, 2000, 10_000):
        low, high = total_interval(500.0, (0.0, 1.0), SimpleRandomSample(1000, population), noise)
        widths.append((high - low) / population)
    assert widths == sorted(widths)
