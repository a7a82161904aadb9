import itertools
import math

import numpy as np
import pytest

from deniable.bounds import Evidence
from deniable.errors import InvalidArgument
from deniable.gwas.owner.selection_law import (
    exact_top_probability,
    set_probability,
)
from deniable.mechanisms import NoisyTopK

NOISES = pytest.mark.parametrize("noise", ["exponential", "gumbel"])
SCORES = [
    [7],
    [0, 1, 2],
    [5, 5, 5],
    [4, 4, 1, 0, 0, -3],
    [900, 30, 31, 29, 12],
    [3, 1, 4, 1, 5, 9, 2, 6, 5, 3],
]


def holds(bound, expected):
    """The bound covers a value that the small law has with error 1e-13, and is narrow."""
    assert bound.evidence is Evidence.ENCLOSURE
    assert bound.lower * (1 - 1e-13) <= expected <= bound.upper * (1 + 1e-13) + 1e-300
    assert bound.upper - bound.lower <= 1e-11 * bound.upper + 1e-290
    return True


@NOISES
@pytest.mark.parametrize("scores", SCORES)
@pytest.mark.parametrize("scale", [0.4, 3.0, 50.0])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_equals_the_law_of_every_order(scores, scale, number, noise):
    if number > len(scores):
        return
    select = NoisyTopK(scale, number, noise)
    law = select.law(scores)
    for order in itertools.islice(law, 0, None, max(len(law) // 15, 1)):
        of_set = math.fsum(law[one] for one in itertools.permutations(order))
        assert holds(set_probability(scores, order, select), of_set)
    best = sorted(scores, reverse=True)[:number]
    top = [
        p for order, p in law.items() if sorted((scores[i] for i in order), reverse=True) == best
    ]
    assert holds(exact_top_probability(scores, select), math.fsum(top))


def test_exponential_noise_on_0_1_2():
    select = NoisyTopK(1.0, 1, "exponential")
    e1, e2 = math.exp(-1), math.exp(-2)
    polynomials = [
        e2 * (1 - (1 + e1) / 2 + e1 / 3),
        e1 * (1 - (1 + e2) / 2 + e2 / 3),
        1 - (e1 + e2) / 2 + e1 * e2 / 3,
    ]
    for i, expected in enumerate(polynomials):
        assert holds(set_probability([0, 1, 2], [i], select), expected)


@NOISES
def test_ties_among_very_many(noise):
    scores = np.zeros(100_000, dtype=np.int64)
    select = NoisyTopK(1.0, 2, noise)
    assert holds(set_probability(scores, [5, 99_999], select), 1 / math.comb(100_000, 2))
    assert holds(exact_top_probability(scores, select), 1.0)


def test_one_ahead_of_very_many():
    # ∫ (1 − u q)^n du = (1 − (1 − q)^(n + 1)) / ((n + 1) q)
    n, ahead = 100_000, 9
    scores = np.zeros(n + 1, dtype=np.int64)
    scores[17] = ahead
    for scale in (0.5, 1.0, 4.0):
        q = math.exp(-ahead / scale)
        expected = -math.expm1((n + 1) * math.log1p(-q)) / ((n + 1) * q)
        found = set_probability(scores, [17], NoisyTopK(scale, 1, "exponential"))
        assert found.lower * (1 - 1e-10) <= expected <= found.upper * (1 + 1e-10)
        assert found.upper - found.lower <= 1e-10


@NOISES
def test_hopeless_variants(noise):
    select = NoisyTopK(1.0, 1, noise)
    bound = set_probability([0, -(10**6)], [1], select)
    assert bound.lower == 0
    assert 0 < bound.upper < 1e-290
    assert set_probability([0, -(10**6)], [0], select).lower > 1 - 1e-12


@pytest.mark.parametrize(
    ("scores", "chosen", "number", "match"),
    [
        ([0, 1, 2, 3, 4], [0, 1, 2, 3], 4, "Expected at most 3 variants for an exact law, got 4"),
        ([0, 1, 2], [0, 0], 2, r"Expected 2 different positions below 3, got \[0, 0\]"),
        ([0, 1, 2], [3], 1, "different positions below 3"),
        ([0, 1, 2], [-1], 1, "a position >= 0"),
        ([0.5, 1.0], [0], 1, "whole-number scores"),
        ([[0, 1]], [0], 1, "whole-number scores"),
        ([1], [0], 2, "different positions"),
    ],
)
def test_arguments_are_checked(scores, chosen, number, match):
    with pytest.raises(InvalidArgument, match=match):
        set_probability(scores, chosen, NoisyTopK(1.0, number, "gumbel"))
