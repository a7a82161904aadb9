import numpy as np
import pytest

from deniable.gwas.association.hardy_weinberg import hardy_weinberg_p_value


def test_alleles_change_places():
    one, other = hardy_weinberg_p_value(np.array([[57, 78, 65], [65, 78, 57]]))
    assert one == other


def test_monomorphic_variants_and_ones_without_a_call():
    found = hardy_weinberg_p_value(np.array([[9, 0, 0, 1], [0, 0, 9, 1], [0, 0, 0, 10]]))
    assert found[:2].tolist() == [1, 1]
    assert np.isnan(found[2])


def test_missing_calls_are_not_looked_at():
    one, other = hardy_weinberg_p_value(np.array([[57, 78, 65, 0], [57, 78, 65, 99]]))
    assert one == other


def test_no_variants():
    assert hardy_weinberg_p_value(np.zeros((0, 4), int)).shape == (0,)


def test_equal_probabilities_count_on_both_sides():
    # 4 individuals with 4 copies: 0, 2, 4 heterozygotes have probabilities 6, 48, 16 in 70.
    found = hardy_weinberg_p_value(np.array([[2, 0, 2], [1, 2, 1], [0, 4, 0]]))
    assert found == pytest.approx([6 / 70, 1, 22 / 70], rel=1e-14)
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
