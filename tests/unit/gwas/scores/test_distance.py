"""The distance to significance: genotypes and swaps that must change."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.gwas.scores import (
    Line,
    Moves,
    complete,
    outline,
    signed_distance,
    signed_swap_distance,
)
from tests.cases.refusals import refuses
from tests.oracles.studies import allelic

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
    with refuses(InvalidArgument, "no-missing-calls-some-fill"):
        signed_distance(np.hstack([CASES, column + 1]), full[1], 3.84)


@pytest.mark.parametrize(
    ("cases", "match"),
    [
        (np.array([[1, 1, 1], [1, 1, 2]]), "every-row-to-have-same"),
        (np.zeros((0, 3), dtype=np.int64), "shape-n-variants-3-or-4"),
        (np.array([1, 1, 1]), "shape-n-variants-3-or-4"),
        (np.ones((2, 5), dtype=np.int64), "shape-n-variants-3-or-4"),
    ],
)
def test_counts_are_checked(cases, match):
    with refuses(InvalidArgument, match):
        complete(cases)


def test_moves():
    moves = Moves(np.array([2]), np.array([3]))
    reach = [int(moves.reach(np.array([d]))[0]) for d in range(7)]
    assert reach == [0, 2, 4, 5, 6, 7, 7]
    needed = [int(moves.fewest_changes(np.array([w]), 99)[0]) for w in range(-1, 9)]
    assert needed == [0, 0, 1, 1, 2, 2, 3, 4, 5, 99]
    assert [corner.tolist() for corner in moves.corners] == [[0], [2], [5]]


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


def test_swap_distance_neither_the_allele_nor_the_group_that_is_named_first_matters():
    distances = signed_swap_distance(CASES, CONTROLS, 3.84)
    assert distances.dtype == np.int64
    assert signed_swap_distance(CASES[:, ::-1], CONTROLS[:, ::-1], 3.84) == distances
    assert signed_swap_distance(CONTROLS, CASES, 3.84) == distances


def test_missing_calls_are_refused():
    column = np.array([[1]])
    with refuses(InvalidArgument, "no-missing-calls-some-fill"):
        signed_swap_distance(np.hstack([CASES, column]), np.hstack([CONTROLS, column]), 3.84)


def group(size, copies):
    """Individuals with that many copies, as many homozygotes as fit; χ² sees copies only."""
    return (size - copies // 2 - copies % 2, copies % 2, copies // 2)


def plainly(line, x, y):
    value = allelic((group(line.cases, x), group(line.controls, y)))
    return value is not None and value >= Fraction(line.threshold)


@pytest.mark.parametrize("sizes", [(1, 1), (3, 3), (2, 7), (7, 2), (1, 12)])
@pytest.mark.parametrize("threshold", [1e-300, 0.3, 1.0, 2.0, 3.5, 6.0, 1e300])
def test_the_outline_is_where_significance_begins(sizes, threshold):
    line = Line(*sizes, threshold)
    bounds = outline(line)
    r, s = sizes
    for y in range(2 * s + 1):
        for x in range(2 * r + 1):
            reached = plainly(line, x, y)
            assert line.is_reached(np.array([x]), np.array([y]))[0] == reached
            above, below = reached and x * s > y * r, reached and x * s < y * r
            assert (x > bounds.highest[y]) == above
            assert (x < bounds.lowest[y]) == below
            assert (y <= bounds.greatest_below(np.array([x]))[0]) == above
    assert (np.diff(bounds.highest) >= 0).all()


def test_ties_are_decided_in_whole_numbers():
    ties = 0
    for x, y in itertools.product(range(21), repeat=2):
        value = allelic((group(10, x), group(10, y)))
        if value:
            at, above = float(value), float(np.nextafter(float(value), 100))
            pair = np.array([x]), np.array([y])
            assert Line(10, 10, at).is_reached(*pair)[0] == (value >= Fraction(at))
            assert not Line(10, 10, above).is_reached(*pair)[0]
            ties += value == Fraction(at)
    assert ties > 10


def test_products_beyond_64_bits():
    line = Line(10_000, 10_000, 40_000.0)  # 2N: all alleles of one kind in cases, none in controls
    assert line.is_reached(np.array([20_000]), np.array([0])).tolist() == [True]
    assert not line.is_reached(np.array([19_999]), np.array([0]))[0]
    assert 2 * 20_000 * (20_000 * 10_000) ** 2 > 2**63
    huge = Line(2**25, 2**25, 2.0**27)
    assert huge.is_reached(np.array([2**26]), np.array([0])).tolist() == [True]
    assert not huge.is_reached(np.array([2**26 - 1]), np.array([0]))[0]


@pytest.mark.parametrize("threshold", [0.0, -1.0, float("inf"), float("nan")])
def test_the_threshold_is_checked(threshold):
    with refuses(InvalidArgument, "names-argument: threshold"):
        Line(2, 2, threshold)


def test_the_numbers_of_individuals_are_checked():
    with refuses(InvalidArgument, "below-least: cases"):
        Line(0, 2, 1.0)
