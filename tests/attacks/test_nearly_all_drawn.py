"""Samples of nearly all of a thousand million records: what is left over has few digits as 1 − n/N.

The oracle adds up over the few records left out, with the probabilities of counts as fractions.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from deniable import Effort, population
from tests.cases.effort import some_pairs

POPULATIONS = [(500_000_000, 400_000_000), (900_000_000, 9_000_000), (3, 999_999_990), (50, 41)]


def laws(counts, left_out, kind):
    """How many of each type are left out, and Pr of that with a record of one type in and out."""
    everyone = sum(counts)
    vectors = [
        each
        for each in itertools.product(range(left_out + 1), repeat=len(counts))
        if sum(each) == left_out and all(map(int.__le__, each, counts))
    ]
    every = math.comb(everyone, left_out)
    inside, outside = [], []
    for vector in vectors:
        chance = Fraction(math.prod(map(math.comb, counts, vector)), every)
        out = Fraction(vector[kind], counts[kind])
        inside.append(float(chance * (1 - out) * Fraction(everyone, everyone - left_out)))
        outside.append(float(chance * out * Fraction(everyone, left_out)))
    return np.array(vectors), np.array(inside), np.array(outside)


def least_epsilon(p, q, delta):
    order = np.argsort(-p / q)
    over = np.cumsum(p[order]) - delta
    ends = over[over > 0] / np.cumsum(q[order])[over > 0]
    return max(math.log(ends.max(initial=1.0)), 0.0)


def truth(counts, left_out, kind, scale, delta):
    """Of a histogram with discrete Laplace noise."""
    vectors, inside, outside = laws(counts, left_out, kind)
    reach = math.ceil(60 * scale)
    line = np.arange(-reach, left_out + reach + 1)
    noise = np.exp(-np.abs(line[:, None] - np.arange(left_out + 1)) / scale)
    noise *= math.tanh(0.5 / scale)
    p, q = (
        np.einsum("v,iv,jv->ij", law, noise[:, vectors[:, 0]], noise[:, vectors[:, 1]]).ravel()
        for law in (inside, outside)
    )
    return max(least_epsilon(p, q, delta), least_epsilon(q, p, delta))


@pytest.mark.parametrize("counts", POPULATIONS, ids=str)
@pytest.mark.parametrize(("left_out", "noise"), some_pairs([1, 2], [(0.5, 1e-3), (1.0, 1e-5)]))
def test_the_interval_holds_the_truth(counts, left_out, noise):
    scale, delta = noise
    table = np.column_stack([np.eye(2), counts])
    found = population.discrete_laplace(
        table, sum(counts) - left_out, scale=scale, delta=delta, counts=True, records="all",
        effort=Effort(time_limit=600.0),
    )  # fmt: skip
    for each in found.records:
        expected = truth(counts, left_out, each.record, scale, delta)
        assert each.bound.lower - 1e-13 <= expected <= each.bound.upper + 1e-13


@pytest.mark.parametrize("counts", [POPULATIONS[0], POPULATIONS[3]], ids=str)
@pytest.mark.parametrize("few", [1, 3])
def test_what_is_left_out_tells_what_is_drawn(counts, few):
    table, more = np.column_stack([np.eye(2), counts]), {"query": "sum", "counts": True}
    ends = [
        population.gaussian(
            table, size, sigma=1.0, delta=1e-2, effort=Effort(confidence=1 - 1e-9), **more
        ).population_epsilon
        for size in (few, sum(counts) - few)
    ]
    assert ends[0].lower == ends[1].lower
    assert max(each.lower for each in ends) <= min(each.upper for each in ends)
