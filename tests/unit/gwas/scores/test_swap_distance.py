import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.gwas.scores.swap_distance import signed_swap_distance

CASES, CONTROLS = np.array([[70, 10, 20]]), np.array([[30, 30, 40]])


def score(cases, controls, threshold):
    return int(signed_swap_distance(np.array([cases]), np.array([controls]), threshold)[0])


def test_tables_worked_by_hand():
    # c = 2N: only all against nothing.
    assert score([0, 0, 2], [2, 0, 0], 8.0) == 1
    assert score([1, 0, 1], [1, 0, 1], 8.0) == 0
    assert score([0, 1, 1], [1, 1, 0], 8.0) == -4  # no swaps part the heterozygotes


def test_nobody_to_swap_for_is_capped_on_either_side():
    assert score([2, 0, 0], [2, 0, 0], 0.5) == -4
    # Two homozygotes of four individuals: x is 0, 2 or 4 of 4, and 2 is expected.
    assert score([0, 0, 2], [2, 0, 0], 0.5) == 1
    # One case, two controls, one homozygote: x = 0 or 2 where ⅔ is expected; 1 is out of reach.
    assert score([0, 0, 1], [2, 0, 0], 0.01) == 4
    assert score([1, 0, 0], [1, 0, 1], 0.01) == 4


def test_neither_the_allele_nor_the_group_that_is_named_first_matters():
    found = signed_swap_distance(CASES, CONTROLS, 3.84)
    assert found.dtype == np.int64
    assert signed_swap_distance(CASES[:, ::-1], CONTROLS[:, ::-1], 3.84) == found
    assert signed_swap_distance(CONTROLS, CASES, 3.84) == found


def test_missing_calls_are_refused():
    column = np.array([[1]])
    with pytest.raises(InvalidArgument, match="Expected no missing calls"):
        signed_swap_distance(np.hstack([CASES, column]), np.hstack([CONTROLS, column]), 3.84)
