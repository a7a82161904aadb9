"""Sums and choices of one sample, beside brute force over all samples."""

import math

import numpy as np
import pytest

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, NoisyTopK
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from deniable.population.api import (
    IntegerVectors,
    Together,
    bound_vectors,
    estimate_factor,
    may_draw,
    sums_and_selections,
)
from deniable.population.question import Selection
from tests.cases.effort import some_pairs
from tests.oracles.selections import delta_at, largest_ratio, selection_law

QUICK = Effort(time_limit=1.5)
KINDS = {DiscreteLaplace: "exponential", DiscreteGaussian: "gumbel"}
CATEGORIES = [(0, 0), (1, 1), (2, 1)]
"""A member's category and what it adds to a sum."""


def released(counts, size, noise, number, *, sum_scale=3.0, scale=4.0):
    """The most frequent of three categories, and one sum."""
    moves = np.eye(3, dtype=int)[[category for category, _ in CATEGORIES]][:, None]
    choice = Selection(moves, False, NoisyTopK(scale, number, KINDS[noise]))
    sums = IntegerVectors([[added] for _, added in CATEGORIES], counts, size)
    return Together(sums, np.array([sum_scale]), noise, [choice])


def written_out(noise, number, reach, *, sum_scale=3.0, scale=4.0):
    """The same release as a function of a sample, output by output."""

    def chance(k):
        power = 1 if noise is DiscreteLaplace else 2
        return math.exp(-((abs(k) / sum_scale) ** power) / power)

    norm = sum(chance(k) for k in range(-400, 401))

    def release(sample):
        scores = [sum(category == i for category, _ in sample) for i in range(3)]
        total = sum(added for _, added in sample)
        law = selection_law(scores, number, scale, KINDS[noise])
        return {
            (chosen, y): p * chance(y - total) / norm
            for chosen, p in law.items()
            for y in range(-reach, reach + 1)
        }

    return release


def members(counts):
    return [kind for kind, many in zip(CATEGORIES, counts, strict=True) for _ in range(many)]


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize(("counts", "size"), [((3, 2, 2), 3), ((1, 1, 4), 3), ((2, 3, 1), 5)])
def test_pure_noise_on_a_sum_beside_permute_and_flip(counts, size, number):
    truth = largest_ratio(members(counts), size, written_out(DiscreteLaplace, number, 8))
    together = released(counts, size, DiscreteLaplace, number)
    quick = sums_and_selections(together, 0.0, 9.0, QUICK)
    assert truth <= quick.bound.upper <= 1 / 3 + (number + 1) / 4 + 1e-9
    exact = sums_and_selections(together, 0.0, 0.0, QUICK)
    assert (quick.method, exact.method) == ("exchanges", "lattice")
    assert truth <= exact.bound.upper <= truth + 1e-8
    assert quick.bound.evidence is exact.bound.evidence is Evidence.ENCLOSURE


@pytest.mark.parametrize(
    ("case", "noise"),
    some_pairs(
        [((4, 3, 3), 5, 2), ((3, 2, 2), 2, 1), ((2, 1, 3), 4, 2)],
        [DiscreteLaplace, DiscreteGaussian],
    ),
)
def test_with_delta_the_bound_holds_for_both_hockey_sticks(case, noise):
    """Half of the members among the cases: choices of those left out are no mirror image."""
    (counts, size, number), delta = case, 1e-3
    together = released(counts, size, noise, number)
    release = written_out(noise, number, 30)
    # No demand is met, so that everything is tried.
    found = sums_and_selections(together, delta, 0.0, QUICK)
    assert delta_at(members(counts), size, release, found.bound.upper) <= delta
    assert found.error <= delta / 16
    assert delta_at(members(counts), size, release, found.bound.upper * 0.95) > delta


@pytest.mark.parametrize("noise", [DiscreteLaplace, DiscreteGaussian])
def test_a_choice_alone(noise):
    delta, counts = 1e-2, (3, 2, 3)
    together = released(counts, 4, noise, 1)
    alone = Together(
        IntegerVectors(np.zeros((3, 0), int), counts, 4), np.zeros(0), noise, together.selections
    )

    def release(sample):
        scores = [sum(category == i for category, _ in sample) for i in range(3)]
        return selection_law(scores, 1, 4.0, KINDS[noise])

    pure = sums_and_selections(alone, 0.0, 9.0, QUICK)
    assert largest_ratio(members(counts), 4, release) <= pure.bound.upper
    found = sums_and_selections(alone, delta, 0.0, QUICK)
    assert delta_at(members(counts), 4, release, found.bound.upper) <= delta
    assert found.bound.upper <= pure.bound.upper


MANY = [(i % 3, 5 * i) for i in range(9)]


def test_many_types_are_bounded_by_pairs():
    moves = np.eye(3, dtype=int)[[category for category, _ in MANY]][:, None]
    choice = Selection(moves, False, NoisyTopK(3.0, 1, "gumbel"))
    sums = IntegerVectors([[added] for _, added in MANY], np.ones(9), 4)
    together = Together(sums, np.array([20.0]), DiscreteGaussian, [choice])
    found = sums_and_selections(together, 1e-2, 0.0, QUICK)
    assert found.method == "pairwise"

    def release(sample):
        scores = [sum(category == i for category, _ in sample) for i in range(3)]
        total = sum(added for _, added in sample)
        law = selection_law(scores, 1, 3.0, "gumbel")
        noise = {y: math.exp(-(((y - total) / 20) ** 2) / 2) for y in range(-150, 300, 3)}
        norm = sum(noise.values())
        return {(o, y): p * q / norm for o, p in law.items() for y, q in noise.items()}

    assert delta_at(MANY, 4, release, found.bound.upper) <= 1e-2
    # All pairs at the largest distance would be differential privacy.
    worst = (40 / 20) ** 2 / 2 + (2 / 3) ** 2 / 8
    assert found.bound.upper < worst + 2 * math.sqrt(worst * math.log(100))


def test_nothing_tells_more_than_the_counts_do():
    together = released((5_000, 3_000, 2_000), 5_000, DiscreteGaussian, 1, scale=0.01)
    found = sums_and_selections(together, 1e-5, 0.5, QUICK)
    assert found.method == "counts"
    assert found.bound.upper < 0.2
    assert estimate_factor(together, 1e-5, 0.5) == 1.0


def test_without_a_choice_that_differs_it_is_the_sums_alone():
    together = released((3, 2, 2), 3, DiscreteLaplace, 1)
    same = Selection(np.ones((3, 1, 3), int), False, NoisyTopK(0.001, 1, "exponential"))
    alone = Together(together.sums, together.scales, DiscreteLaplace, [same])
    wanted = bound_vectors(together.sums, together.scales, DiscreteLaplace, 0.0, 9.0, QUICK)
    assert sums_and_selections(alone, 0.0, 9.0, QUICK) == wanted
    assert not may_draw(alone)


def test_members_who_add_the_same_are_one_type():
    pair = released((3, 2, 2), 3, DiscreteLaplace, 1)
    rows = np.repeat(np.arange(3), (3, 2, 2))
    apart = Together(
        IntegerVectors(pair.sums.values[rows], np.ones(7), 3),
        pair.scales,
        DiscreteLaplace,
        [each.of_types(rows) for each in pair.selections],
    )
    one, other = (sums_and_selections(each, 0.0, 9.0, QUICK) for each in (pair, apart))
    assert one.bound.upper == pytest.approx(other.bound.upper, rel=1e-12)


def quantile_release(scale, points):
    """The median of values among points, by the distance of ranks."""

    def release(sample):
        scores = [-abs(sum(v < c for v in sample) - sum(v > c for v in sample)) for c in points]
        return selection_law(scores, 1, scale, "exponential")

    return release


def test_a_median_by_exchanges():
    values, points = [0, 1, 1, 2, 4, 4], [0, 2, 4]
    moves = [[[int(v < c) - int(v > c) for c in points]] for v in values]
    choice = Selection(moves, True, NoisyTopK(5.0, 1, "exponential"))
    sums = IntegerVectors(np.zeros((6, 0), int), np.ones(6), 3)
    found = sums_and_selections(
        Together(sums, np.zeros(0), DiscreteLaplace, [choice]), 0.0, 9.0, QUICK
    )
    truth = largest_ratio(values, 3, quantile_release(5.0, points))
    assert truth <= found.bound.upper <= 2 * 2 / 5 + 1e-9


@pytest.mark.parametrize("delta", [0.0, 1e-3])
@pytest.mark.parametrize("moves", [[[[1]], [[4]]], [[[2, 2, 2]], [[5, 5, 5]]]])
def test_a_choice_that_nobody_moves_tells_nothing(moves, delta):
    """One candidate only, or all of them moved alike."""
    choice = Selection(moves, False, NoisyTopK(0.01, 1, "gumbel"))
    sums = IntegerVectors(np.zeros((2, 0), int), [30, 30], 20)
    together = Together(sums, np.zeros(0), DiscreteGaussian, [choice])
    assert sums_and_selections(together, delta, 0.0, QUICK).bound.upper <= 1e-9
