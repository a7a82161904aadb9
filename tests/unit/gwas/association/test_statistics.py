import numpy as np
import pytest

from deniable.gwas.association.statistics import (
    allele_frequency,
    allelic_chi_squared,
    called,
    chi_squared_p_value,
    copies,
    genotypic_chi_squared,
    genotypic_degrees,
    minor_allele_frequency,
)
from deniable.gwas.genotypes import GenotypeCounts


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
    assert (copies(group).tolist(), called(group).tolist()) == ([11], [10])
    counts = one([0, 5, 3, 0], [0, 1, 1, 0])
    assert allele_frequency(counts).tolist() == [0.7]
    assert minor_allele_frequency(counts) == pytest.approx(0.3)
    assert np.isnan(allele_frequency(one([0, 0, 0, 1], [0, 0, 0, 1]))).all()


def test_degrees_of_each_variant():
    found = chi_squared_p_value(np.array([4.0, 4.0, np.nan]), np.array([1, 2, 0]))
    assert found[0] == pytest.approx(0.04550026389635842, rel=1e-15)
    assert found[1] == pytest.approx(np.exp(-2), rel=1e-15)
    assert np.isnan(found[2])


def test_no_variants():
    nothing = GenotypeCounts(np.zeros((0, 4)), np.zeros((0, 4)))
    assert allelic_chi_squared(nothing).shape == genotypic_chi_squared(nothing).shape == (0,)
