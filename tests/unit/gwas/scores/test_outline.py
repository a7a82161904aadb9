import itertools
from fractions import Fraction

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.gwas.scores.outline import Line, outline
from tests.oracles.studies import allelic


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
            assert line.reached(np.array([x]), np.array([y]))[0] == reached
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
            assert Line(10, 10, at).reached(*pair)[0] == (value >= Fraction(at))
            assert not Line(10, 10, above).reached(*pair)[0]
            ties += value == Fraction(at)
    assert ties > 10


def test_products_beyond_64_bits():
    line = Line(10_000, 10_000, 40_000.0)  # 2N: all alleles of one kind in cases, none in controls
    assert line.reached(np.array([20_000]), np.array([0])).tolist() == [True]
    assert not line.reached(np.array([19_999]), np.array([0]))[0]
    assert 2 * 20_000 * (20_000 * 10_000) ** 2 > 2**63
    huge = Line(2**25, 2**25, 2.0**27)
    assert huge.reached(np.array([2**26]), np.array([0])).tolist() == [True]
    assert not huge.reached(np.array([2**26 - 1]), np.array([0]))[0]


@pytest.mark.parametrize("threshold", [0.0, -1.0, float("inf"), float("nan")])
def test_the_threshold_is_checked(threshold):
    with pytest.raises(InvalidArgument, match="threshold"):
        Line(2, 2, threshold)


def test_the_numbers_of_individuals_are_checked():
    with pytest.raises(InvalidArgument, match="cases"):
        Line(0, 2, 1.0)
