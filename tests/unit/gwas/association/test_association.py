"""What a study says of a variant, against numbers worked out by hand."""

import numpy as np
import pytest
from scipy.stats import chi2

from deniable.errors import InvalidArgument
from deniable.gwas.association import (
    allele_frequency,
    allelic_chi_squared,
    chi_squared_p_value,
    chi_squared_threshold,
    copies,
    count_called,
    genotypic_chi_squared,
    genotypic_degrees,
    hardy_weinberg_p_value,
)
from deniable.gwas.genotypes import GenotypeCounts
from tests.cases.refusals import refuses


def one(cases, controls):
    return GenotypeCounts([cases], [controls])


@pytest.mark.parametrize(
    ("cases", "controls"),
    [
        ([5, 0, 0, 0], [5, 0, 0, 0]),
        ([0, 0, 5, 0], [0, 0, 5, 0]),
        ([0, 0, 0, 5], [1, 2, 2, 0]),
        ([1, 2, 2, 0], [0, 0, 0, 5]),
        ([0, 0, 0, 5], [0, 0, 0, 5]),
    ],
    ids=["none", "all", "no case", "no control", "nobody"],
)
def test_nothing_is_said_of_a_variant_without_contrast(cases, controls):
    counts = one(cases, controls)
    assert np.isnan(allelic_chi_squared(counts)).all()
    assert np.isnan(genotypic_chi_squared(counts)).all()
    assert np.isnan(chi_squared_p_value(allelic_chi_squared(counts), 1)).all()


def test_everybody_heterozygous_has_alleles_to_compare_and_no_genotypes():
    counts = one([0, 5, 0, 0], [0, 4, 0, 0])
    assert allelic_chi_squared(counts).tolist() == [0]
    assert np.isnan(genotypic_chi_squared(counts)).all()
    assert genotypic_degrees(counts).tolist() == [0]


def test_twenty_thousand_individuals_do_not_overflow():
    counts = one([10_000, 0, 0, 0], [0, 0, 10_000, 0])
    assert allelic_chi_squared(counts).tolist() == [40_000]
    assert genotypic_chi_squared(counts).tolist() == [20_000]


def test_missing_calls_are_left_out():
    with_missing, without = one([2, 5, 3, 4], [6, 3, 1, 9]), one([2, 5, 3, 0], [6, 3, 1, 0])
    for statistic in (allelic_chi_squared, genotypic_chi_squared, allele_frequency):
        assert statistic(with_missing) == statistic(without)


def test_copies_calls_and_frequencies():
    group = np.array([[2, 5, 3, 4]])
    assert (copies(group).tolist(), count_called(group).tolist()) == ([11], [10])
    counts = one([0, 5, 3, 0], [0, 1, 1, 0])
    assert allele_frequency(counts).tolist() == [0.7]
    assert np.isnan(allele_frequency(one([0, 0, 0, 1], [0, 0, 0, 1]))).all()


def test_degrees_of_each_variant():
    p_values = chi_squared_p_value(np.array([4.0, 4.0, np.nan]), np.array([1, 2, 0]))
    assert p_values[0] == pytest.approx(0.04550026389635842, rel=1e-15)
    assert p_values[1] == pytest.approx(np.exp(-2), rel=1e-15)
    assert np.isnan(p_values[2])


def test_no_variants():
    nothing = GenotypeCounts(np.zeros((0, 4)), np.zeros((0, 4)))
    assert allelic_chi_squared(nothing).shape == genotypic_chi_squared(nothing).shape == (0,)


def test_alleles_change_places():
    one, other = hardy_weinberg_p_value(np.array([[57, 78, 65], [65, 78, 57]]))
    assert one == other


def test_monomorphic_variants_and_ones_without_a_call():
    p_values = hardy_weinberg_p_value(np.array([[9, 0, 0, 1], [0, 0, 9, 1], [0, 0, 0, 10]]))
    assert p_values[:2].tolist() == [1, 1]
    assert np.isnan(p_values[2])


def test_missing_calls_are_not_looked_at():
    one, other = hardy_weinberg_p_value(np.array([[57, 78, 65, 0], [57, 78, 65, 99]]))
    assert one == other


def test_hardy_weinberg_no_variants():
    assert hardy_weinberg_p_value(np.zeros((0, 4), int)).shape == (0,)


def test_equal_probabilities_count_on_both_sides():
    # 4 individuals with 4 copies: 0, 2, 4 heterozygotes have probabilities 6, 48, 16 in 70.
    p_values = hardy_weinberg_p_value(np.array([[2, 0, 2], [1, 2, 1], [0, 4, 0]]))
    assert p_values == pytest.approx([6 / 70, 1, 22 / 70], rel=1e-14)
    # 3 individuals with 2 copies: 0 and 2 heterozygotes in the ratio 1 : 4.
    assert hardy_weinberg_p_value(np.array([[2, 0, 1]])) == pytest.approx([1 / 5], rel=1e-14)
    # 5 individuals with 3 copies: 1 and 3 heterozygotes are equally likely, up to rounding.
    weights = {1: 20 * 2, 3: 10 * 8}
    table = np.array([[3, 1, 1], [2, 3, 0]])
    expected = [weights[1] / 120, 1]
    assert hardy_weinberg_p_value(table) == pytest.approx(expected, rel=1e-14)


def test_millions_of_individuals():
    tables = np.array([[3_000_000, 0, 1], [2_999_999, 2, 0], [2_999_000, 1_990, 5]])
    together = hardy_weinberg_p_value(tables)
    alone = [hardy_weinberg_p_value(table[None])[0] for table in tables]
    assert together.tolist() == alone
    assert together[:2] == pytest.approx([1 / (2 * 3_000_001 - 1), 1], rel=1e-7)


@pytest.mark.parametrize("level", [0.9, 0.05, 5e-8, 1e-100, 1e-300])
def test_is_the_upper_quantile(level):
    assert chi_squared_threshold(level, 7) == pytest.approx(chi2.isf(level, 1), rel=1e-12)


def test_bonferroni_shares_among_the_variants():
    assert chi_squared_threshold("bonferroni", 1) == chi_squared_threshold(0.05, 1)
    assert chi_squared_threshold("bonferroni", 1000) == chi_squared_threshold(0.05 / 1000, 1)


@pytest.mark.parametrize(
    ("threshold", "variants", "match"),
    [
        ("holm", 5, "threshold-to-one-of-bonferroni"),
        (0.0, 5, "not-between-0-and-1: threshold"),
        (1.0, 5, "not-between-0-and-1: threshold"),
        ("bonferroni", 0, "below-least: variants | 1"),
    ],
)
def test_arguments_are_checked(threshold, variants, match):
    with refuses(InvalidArgument, match):
        chi_squared_threshold(threshold, variants)
