import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.gwas.scores.distance import Moves, complete, signed_distance

CASES, CONTROLS = np.array([[70, 10, 20]]), np.array([[30, 30, 40]])


def test_a_table_worked_by_hand():
    # R = S = 2 and c = 2N: significant is only all against nothing.
    assert signed_distance(np.array([[0, 2, 0]]), np.array([[2, 0, 0]]), 8.0).tolist() == [-1]
    assert signed_distance(np.array([[0, 0, 2]]), np.array([[2, 0, 0]]), 8.0).tolist() == [1]
    # Nobody has the allele: both cases, or both controls, have to change.
    assert signed_distance(np.array([[2, 0, 0]]), np.array([[2, 0, 0]]), 8.0).tolist() == [-1]


def test_an_unreachable_threshold_is_capped():
    for cases in ([[2, 0, 0]], [[0, 0, 2]], [[1, 1, 0]]):
        score = signed_distance(np.array(cases), np.array([[3, 0, 0]]), 10.1)
        assert score.tolist() == [-5]
    assert signed_distance(np.array([[0, 0, 2]]), np.array([[3, 0, 0]]), 10.0).tolist() == [1]


def test_neither_the_allele_nor_the_group_that_is_named_first_matters():
    score = signed_distance(CASES, CONTROLS, 3.84)
    assert score.dtype == np.int64
    assert signed_distance(CASES[:, ::-1], CONTROLS[:, ::-1], 3.84) == score
    assert signed_distance(CONTROLS, CASES, 3.84) == score


def test_a_column_of_missing_calls_must_be_empty():
    column = np.array([[0]])
    full = np.hstack([CASES, column]), np.hstack([CONTROLS, column])
    assert signed_distance(*full, 3.84) == signed_distance(CASES, CONTROLS, 3.84)
    with pytest.raises(InvalidArgument, match=r"Expected no missing calls, got some\. Fill them"):
        signed_distance(np.hstack([CASES, column + 1]), full[1], 3.84)


@pytest.mark.parametrize(
    ("cases", "match"),
    [
        (np.array([[1, 1, 1], [1, 1, 2]]), "Expected every row to have the same sum"),
        (np.zeros((0, 3), dtype=np.int64), "n_variants >= 1"),
        (np.array([1, 1, 1]), "shape"),
        (np.ones((2, 5), dtype=np.int64), "shape"),
    ],
)
def test_counts_are_checked(cases, match):
    with pytest.raises(InvalidArgument, match=match):
        complete(cases)


def test_moves():
    moves = Moves(np.array([2]), np.array([3]))
    reach = [int(moves.reach(np.array([d]))[0]) for d in range(7)]
    assert reach == [0, 2, 4, 5, 6, 7, 7]
    needed = [int(moves.needed(np.array([w]), 99)[0]) for w in range(-1, 9)]
    assert needed == [0, 0, 1, 1, 2, 2, 3, 4, 5, 99]
    assert [corner.tolist() for corner in moves.corners] == [[0], [2], [5]]
