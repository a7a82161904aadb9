"""Against every table within reach, and coverage summed over the exact law of the noise."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from deniable.errors import InvalidArgument
from deniable.gwas.publication import (
    CountNoise,
    allele_count_part,
    chi_squared_range,
    joint_half_width,
    noisy_alleles,
)
from deniable.gwas.scores import StudyAdjacency
from deniable.mechanisms import DiscreteLaplace
from deniable.pipeline.noise import Share, calibrate_mechanism, sampler
from tests.cases.refusals import refuses


def chi_squared(x, y, cases, controls):
    """Pearson's, from the four cells of the table."""
    rows = [[x, 2 * cases - x], [y, 2 * controls - y]]
    columns, total = [x + y, 2 * (cases + controls) - x - y], 2 * (cases + controls)
    if 0 in columns:
        return Fraction(0)
    expected = [[Fraction(sum(row) * column, total) for column in columns] for row in rows]
    cells = [(rows[i][j], expected[i][j]) for i in (0, 1) for j in (0, 1)]
    return sum((seen - wanted) ** 2 / wanted for seen, wanted in cells)


def mass(k, scale):
    q = math.exp(-1 / scale)
    return (1 - q) / (1 + q) * q ** abs(k)


@pytest.mark.parametrize("sizes", [(1, 1), (1, 4), (3, 2), (4, 4)])
def test_the_range_is_that_of_every_table_within_reach(sizes):
    cases, controls = sizes
    tables = list(itertools.product(range(2 * cases + 1), range(2 * controls + 1)))
    exact = {each: chi_squared(*each, *sizes) for each in tables}
    for radius in (0, 1, 2, 3, 5, 20):
        for x, y in tables:
            near = [v for (i, j), v in exact.items() if abs(i - x) + abs(j - y) <= radius]
            low, high = chi_squared_range((x, y), cases, controls, radius)
            assert low <= min(near)
            assert max(near) <= high <= float(max(near)) * (1 + 1e-12)
            if low:
                assert float(min(near)) <= low * (1 + 1e-12)
            elif min(near):
                # No table is on the line of equal frequencies, but the region crosses it.
                apart = [i * controls - j * cases for i, j in near_tables(tables, x, y, radius)]
                assert min(apart) < 0 < max(apart)


def near_tables(tables, x, y, radius):
    return [(i, j) for i, j in tables if abs(i - x) + abs(j - y) <= radius]


@pytest.mark.parametrize("scale", [0.05, 0.4, 1.0, 3.7])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_two_errors_stay_together_within_the_least_width_that_holds_them(scale, confidence):
    far = 60 if scale > 1 else 30
    width = joint_half_width(scale, confidence)

    def inside(t):
        pairs = itertools.product(range(-far, far + 1), repeat=2)
        return sum(mass(i, scale) * mass(j, scale) for i, j in pairs if abs(i) + abs(j) <= t)

    assert inside(width) >= confidence - 1e-6  # what lies beyond `far`
    assert width == 0 or inside(width - 1) < confidence


def test_no_confidence_is_refused():
    with refuses(InvalidArgument, "not-between-0-and-1: confidence"):
        joint_half_width(1.0, 1.0)


@pytest.mark.parametrize("truth", [(0, 0), (0, 6), (5, 6), (12, 3), (20, 16), (1, 15)])
def test_every_interval_covers_what_the_study_has(truth):
    """The exact law of the noise: no chance, no false alarm."""
    cases, controls, mechanism = 10, 8, DiscreteLaplace(1.5)
    reach, far = CountNoise.of(mechanism, 0.95), 16
    exact = float(chi_squared(*truth, cases, controls))
    covered = dict.fromkeys(("cases", "controls", "chi_squared", "above_noise"), 0.0)
    errors = range(-far, far + 1)
    grid = list(itertools.product(errors, repeat=2))
    counts = np.array([[truth[0] + i, truth[1] + j] for i, j in grid]).T.ravel()
    intervals = noisy_alleles(counts, cases, controls, reach)
    for (i, j), each in zip(grid, intervals, strict=True):
        weight = mass(i, 1.5) * mass(j, 1.5)
        x, y = truth
        covered["cases"] += weight * (
            each.cases_allele_1_low <= x <= each.cases_allele_1_high
            and each.cases_frequency_low <= x / 20 <= each.cases_frequency_high
        )
        covered["controls"] += weight * (
            each.controls_allele_1_low <= y <= each.controls_allele_1_high
            and each.controls_frequency_low <= y / 16 <= each.controls_frequency_high
        )
        covered["chi_squared"] += weight * (
            each.chi_squared_low <= exact * (1 + 1e-15)
            and exact <= each.chi_squared_high * (1 + 1e-15)
        )
        covered["above_noise"] += weight * each.above_noise
    assert min(covered["cases"], covered["controls"], covered["chi_squared"]) >= 0.95
    if truth == (0, 0):  # frequencies are equal
        assert covered["above_noise"] <= 0.05


def test_the_noise_of_a_release_is_covered_as_often():
    """4,000 variants; fewer than 95 % less six standard errors come by chance in 1 of 10^9."""
    cases, controls, number = 500, 700, 4000
    part = allele_count_part(StudyAdjacency.GENOTYPE, number)
    mechanism = calibrate_mechanism(part, Share(epsilon=400.0))
    counts = sampler.release(mechanism, part, np.repeat([210, 260], number))
    intervals = noisy_alleles(counts, cases, controls, CountNoise.of(mechanism, 0.95))
    exact = float(chi_squared(210, 260, cases, controls))
    covered = sum(each.chi_squared_low <= exact <= each.chi_squared_high for each in intervals)
    assert binom.cdf(covered, number, 0.95) > 1e-9


def test_a_variant_that_nobody_carries_is_not_told_from_noise():
    """The case of the issue: 0 ± 35 against 44 ± 35 copies gave a bare χ² of 44."""
    (none, carried) = noisy_alleles(
        np.array([0, 650, 44, 350]), 1000, 1000, CountNoise(each=35, both=55)
    )
    assert none.chi_squared == pytest.approx(44.5, abs=0.1)
    assert (none.chi_squared_low, none.above_noise) == (0.0, False)
    assert carried.above_noise
    assert 0 < carried.chi_squared_low < carried.chi_squared < carried.chi_squared_high
