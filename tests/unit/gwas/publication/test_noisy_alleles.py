import numpy as np
import pytest

from deniable.gwas.association.statistics import allelic_chi_squared
from deniable.gwas.genotypes import GenotypeCounts
from deniable.gwas.publication.noisy_alleles import CountNoise, noisy_alleles


def test_without_noise_the_statistic_is_the_scans():
    counts = GenotypeCounts([[2, 5, 3, 0], [10, 0, 0, 0]], [[6, 3, 1, 0], [4, 4, 2, 0]])
    exact = np.array([11, 0, 5, 8])
    found = list(noisy_alleles(exact, 10, 10, CountNoise(0, 0)))
    assert [each.chi_squared for each in found] == pytest.approx(allelic_chi_squared(counts))
    for each in found:
        assert each.chi_squared_low <= each.chi_squared <= each.chi_squared_high
    assert [each.cases_frequency for each in found] == [0.55, 0.0]
    assert [each.controls_frequency for each in found] == [0.25, 0.4]


def test_counts_stay_as_noisy_as_they_are_and_the_rest_is_clamped():
    (one,) = noisy_alleles(np.array([-3, 47]), 10, 20, CountNoise(9, 14))
    assert (one.cases_allele_1, one.controls_allele_1, one.half_width_95) == (-3, 47, 9.0)
    assert (one.cases_frequency, one.controls_frequency) == (0.0, 1.0)
    assert one.chi_squared == pytest.approx(60)  # 2N, where cases and controls share no allele


@pytest.mark.parametrize("counts", [[-5, 0], [25, 99]])
def test_one_allele_only_has_no_statistic(counts):
    (one,) = noisy_alleles(np.array(counts), 10, 20, CountNoise(9, 14))
    assert one.chi_squared is None


def test_numbers_at_the_end_of_64_bits_do_not_overflow():
    (one,) = noisy_alleles(np.array([2**63 - 1, -(2**63)]), 2**25, 2**25, CountNoise(1, 2))
    assert one.chi_squared == pytest.approx(2**27)
