"""Intervals against sums listed in exact arithmetic, where floats swallow records.

Beside one record far out, sums of the others that differ become the same float. The laws here are
of fractions, and the exponentials balls of 400 bits, so whatever the interval misses is its fault.
"""

import math
from fractions import Fraction
from itertools import combinations, pairwise

import flint
import numpy as np
import pytest

from deniable import Effort, population
from deniable.errors import InvalidArgument
from deniable.mechanisms import Gaussian
from tests.cases.effort import one_in, some_pairs
from tests.cases.refusals import refuses

RNG = np.random.default_rng(11)
SMALL = [2e-16, 6e-16, 6.5e-16, 5e-16, 8e-16, 2e-16]
PARENT_SETS = {
    "swallowed": [*SMALL, -1.0],
    "swallowed on the other side": [*SMALL, 1.0],
    "out of proportion": [each * 1e-75 for each in [*SMALL[:4], -1e16]],
    "partly swallowed": [0.1, 0.25, 0.3, 3.0, 7.5, 1e15],
    "swallowed below 0": [-0.1, -0.7, -1.3, -1.3, -1e15],
    "two far out": [0.1, 0.2, 0.7, 1e15, -1e15, 0.4],
    "whole and large": [2.0**53 - 2, 3.0, 2.0**52 + 1, 1e17, -7.0],
    "thirds": [k / 3 for k in range(7)],
    "tenths far from 0": [1e8 + 0.1 * k for k in (0, 1, 1, 3, 4)],
    "ties": [2.0, 3.5, 3.5, -7.0, 2.0],
    "two": [0.1, 0.7],
    "normal": RNG.normal(size=6).tolist(),
}
DELTAS = [0.0, 1e-300, 1e-3, 0.3]
SHARES = [0.23, 1e-2]  # of the range of the records
WITHIN = Effort(time_limit=20.0)


@pytest.fixture(autouse=True)
def precision():
    before, flint.ctx.prec = flint.ctx.prec, 400
    yield
    flint.ctx.prec = before


def ball(number):
    exact = Fraction(number)
    return flint.arb(flint.fmpq(exact.numerator, exact.denominator))


def law(values, size, record, *, member):
    """Sums of the samples with, or without, the record, and their probabilities."""
    found = {}
    for sample in combinations(range(len(values)), size):
        if (record in sample) == member:
            total = sum((Fraction(values[k]) for k in sample), Fraction(0))
            found[total] = found.get(total, 0) + 1
    every = sum(found.values())
    return {total: Fraction(ways, every) for total, ways in found.items()}


def from_both_sides(points, weights, scale):
    """Gaps, and Σ c e^(−distance/b) of the points up to each one, and from each one on."""
    gaps = [ball((b - a) / scale) for a, b in pairwise(points)]
    up = [weights[0]]
    for gap, weight in zip(gaps, weights[1:], strict=True):
        up.append(up[-1] * (-gap).exp() + weight)
    down = [weights[-1]]
    for gap, weight in zip(gaps[::-1], weights[-2::-1], strict=True):
        down.append(down[-1] * (-gap).exp() + weight)
    return gaps, up, down[::-1]


def largest_loss(one, other, scale):
    """sup |ln p/q|: at a point or beyond all of them, as the ratio is monotone between."""
    points = sorted(one.keys() | other.keys())
    densities = []
    for each in (one, other):
        weights = [ball(each.get(point, 0)) for point in points]
        _, up, down = from_both_sides(points, weights, scale)
        inside = [a + b - w for a, b, w in zip(up, down, weights, strict=True)]
        densities.append([down[0], *inside, up[-1]])
    losses = [abs((p / q).log()) for p, q in zip(*densities, strict=True)]
    return max(losses, key=lambda loss: float(loss.mid()))


def divergence(one, other, scale, epsilon):
    """∫ max(0, p − e^ε q): between two points the integrand changes its sign at most once."""
    points, weight = sorted(one.keys() | other.keys()), ball(epsilon).exp()
    each = [ball(one.get(x, 0)) - weight * ball(other.get(x, 0)) for x in points]
    gaps, up, down = from_both_sides(points, each, scale)
    total = sum(max(float(end.mid()) > 0, 0) * end for end in (down[0], up[-1]))
    for gap, a, b in zip(gaps, up, down[1:], strict=False):
        # a e^(−t) + b e^(t − gap) for t from 0 to the gap.
        first, last = (a + b * (-gap).exp()).mid() > 0, (a * (-gap).exp() + b).mid() > 0
        if not (first or last):
            continue
        turn = gap if first == last else (gap + (-a / b).log()) / 2
        start, end = (ball(0), turn) if first else (turn, gap)
        total += a * ((-start).exp() - (-end).exp()) + b * ((end - gap).exp() - (start - gap).exp())
    return total / 2


def outside(bound, one, other, scale, delta):
    """Which ends of an interval the truth is beyond."""
    lower, upper = bound.lower, bound.upper
    if delta == 0:
        truth = largest_loss(one, other, scale)
        return [*["lower"] * bool(truth < ball(lower)), *["upper"] * bool(truth > ball(upper))]

    def larger(epsilon):
        both = divergence(one, other, scale, epsilon), divergence(other, one, scale, epsilon)
        return max(both, key=lambda each: float(each.mid()))

    above = larger(upper) > ball(delta)
    below = lower > 0 and larger(lower) < ball(delta)
    return [*["lower"] * bool(below), *["upper"] * bool(above)]


@pytest.mark.parametrize(("name", "delta"), some_pairs([*PARENT_SETS], DELTAS))
def test_laplace_noise_where_floats_swallow_records(name, delta):
    values = PARENT_SETS[name]
    size, ends = len(values) // 2, [0, len(values) - 1]
    for share in one_in(2, SHARES, [*PARENT_SETS].index(name)):
        scale = share * (max(values) - min(values))
        found = population.laplace(
            values, size, scale=scale, delta=delta, query="sum", records=ends, effort=WITHIN
        )
        assert [each.record for each in found.records] == ends
        for each in found.records:
            one, other = (law(values, size, each.record, member=m) for m in (True, False))
            wrong = outside(each.bound, one, other, Fraction(scale), delta)
            assert wrong == [], (share, each.record)


@pytest.mark.parametrize("delta", [1e-300, 1e-291])
@pytest.mark.parametrize("values", [[0, 710], [0, 1, 5, 7], [2**51 - 70, 2**51]])
def test_discrete_gaussian_noise_at_a_delta_that_is_next_to_nothing(values, delta):
    scale = (max(values) - min(values)) / 9
    found = population.discrete_gaussian(values, 1, scale=scale, delta=delta, effort=WITHIN)
    assert 0 < found.population_epsilon.upper <= found.epsilon_restricted_sensitivity < math.inf


@pytest.mark.parametrize("target", [0.01, 1.0, 50.0, 300.0])
def test_a_choice_keeps_to_its_target_with_the_rounding_of_its_scores(target):
    losses = [[0.348688962071801, 1.0], [0.5, 0.5], [1.0, 0.0], [0.5, 0.5], [0.0, 0.5], [0.5, 0.0]]
    found = population.exponential(
        losses=losses, size=4, loss_bounds=(0.0, 1.0), target=target, effort=WITHIN
    )
    assert found.population_epsilon.upper <= target


@pytest.mark.parametrize("delta", [5e-324, 1e-310, math.nextafter(2.0**-1022, 0)])
def test_a_chance_without_all_its_digits_is_refused_at_once(delta):
    """Searches for the noise or ε that keep to it would not end."""
    for ask in (
        lambda: population.gaussian([0.0, 1.0, 5.0], 2, epsilon=1.0, clip=5.0, delta=delta),
        lambda: population.gaussian(
            [[0.0, 1.0], [5.0, 7.0], [1.0, 1.0]], 2, sigma=1.0, delta=delta
        ),
        lambda: population.laplace([0.0, 1.0, 5.0], 2, scale=1.0, delta=delta),
        lambda: population.discrete_laplace([0, 1, 5], 2, scale=1.0, delta=delta),
        lambda: population.query(np.median, [0.0, 1.0, 5.0], 2, sigma=1.0, delta=delta),
        lambda: Gaussian.for_approx_dp(1.0, delta, 1.0),
    ):
        with refuses(InvalidArgument, "0-or-at-least: delta | 2.23e-308"):
            ask()
