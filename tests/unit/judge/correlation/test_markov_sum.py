import itertools
import math
from fractions import Fraction

import attrs
import numpy as np
import pytest

from deniable.correlation import JointSum, MarkovSum
from deniable.errors import InvalidArgument
from deniable.numerics.bound import Bound, Evidence
from tests.cases.effort import usual
from tests.cases.refusals import refuses
from tests.oracles.correlation import chain_law, leakage, worst_leakage

STICKY = [[0.9, 0.1], [0.1, 0.9]]


def random_chain(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 6)), int(rng.integers(2, 4))
    initial = rng.dirichlet(np.ones(k))
    steps = rng.dirichlet(np.full(k, 0.5), size=(n - 1, k))
    if seed % 3 == 0:  # impossible starts and moves
        initial = np.append(0.0, rng.dirichlet(np.ones(k - 1)))
        steps = np.where(rng.random(steps.shape) < 0.3, 0.0, steps)
        steps[steps.sum(axis=-1) == 0] = np.eye(k)[0]
        steps /= steps.sum(axis=-1, keepdims=True)
    values = rng.integers(-3, 6, size=k) * int(rng.integers(1, 3))
    return MarkovSum(initial, steps, values, float(rng.uniform(0.3, 4)))


@pytest.mark.parametrize("seed", range(12))
def test_against_the_definition(seed):
    chain = random_chain(seed)
    n, values = chain.n_records, [chain.values.tolist()] * chain.n_records
    law = chain_law(chain.initial.tolist(), chain.transitions.tolist())
    record = seed % n
    lefts, rights = [None, *range(1, record + 1)], [None, *range(1, n - record)]
    for left, right in itertools.product(lefts, rights):
        known = [j for j in range(record) if left and j <= record - left]
        known += [j for j in range(record + 1, n) if right and j >= record + right]
        expected = leakage(law, values, chain.scale, record, known)
        found = chain.leakage(record, left=left, right=right)
        assert found.lower - 1e-12 <= expected <= found.upper + 1e-12
        assert found.upper == pytest.approx(expected, abs=1e-9)
    # Over every set, also those with unknown records behind known ones.
    expected = worst_leakage(law, values, chain.scale, record)
    assert chain.worst_leakage(record).upper == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(usual(2, 4)))
def test_against_enumeration_of_eight_records(seed):
    rng = np.random.default_rng(seed)
    initial, steps = rng.dirichlet(np.ones(2)), rng.dirichlet(np.ones(2), size=(7, 2))
    chain = MarkovSum(initial, steps, [0, 1], 1.5)
    table = np.empty((2,) * 8)
    for states, probability in chain_law(initial.tolist(), steps.tolist()).items():
        table[states] = probability
    joint = JointSum(table, [[0, 1]] * 8, 1.5)
    for record in (0, 3, 7):
        worst = joint.worst_leakage(record).upper
        assert chain.worst_leakage(record).upper == pytest.approx(worst, abs=1e-9)
        assert chain.leakage(record).upper == pytest.approx(joint.leakage(record).upper, abs=1e-9)


def test_tails_far_below_the_least_float():
    """Moves of probability 1e-150; the ends of the range decide, in exact arithmetic."""
    tiny = 1e-150
    step = [[1 - tiny, tiny], [tiny, 1 - tiny]]
    chain = MarkovSum.homogeneous([1 - tiny, tiny], step, [0, 1], 0.01, n_records=9)
    initial = [1 - Fraction(tiny), Fraction(tiny)]
    exact = [[initial[0], initial[1]], [initial[1], initial[0]]]
    law = chain_law(initial, [exact] * 8)
    ratios = []
    for y in range(10):
        sides = [Fraction(0), Fraction(0)]
        totals = [Fraction(0), Fraction(0)]
        for states, probability in law.items():
            weight = Fraction(math.exp(-abs(y - sum(states)) / 0.01 / 4)) ** 4
            sides[states[4]] += probability * weight
            totals[states[4]] += probability
        ratio = sides[0] / totals[0] / (sides[1] / totals[1])
        bits = ratio.numerator.bit_length() - ratio.denominator.bit_length()
        ratios.append(abs(math.log(ratio / Fraction(2) ** bits) + bits * math.log(2)))
    found = chain.leakage(4)
    assert found.evidence is Evidence.ENCLOSURE
    assert found.lower <= max(ratios) <= found.upper
    assert found.upper == pytest.approx(max(ratios), rel=1e-12)
    assert max(ratios) > 300


def test_a_long_chain_forgets_what_is_far():
    chain = MarkovSum.homogeneous([0.5, 0.5], STICKY, [0, 1], 4.0, n_records=200)
    by_distance = [chain.leakage_beyond(100, distance).upper for distance in (0, 1, 3, 30, 199)]
    assert by_distance[0] == pytest.approx(0.25)
    assert by_distance[-1] == chain.leakage(100).upper
    assert by_distance[-2] == pytest.approx(by_distance[-1], rel=1e-2)


def test_beyond_a_distance_that_reaches_past_an_end():
    chain = MarkovSum.homogeneous([0.5, 0.5], STICKY, [0, 1], 1.0, n_records=6)
    assert chain.leakage_beyond(1, 2) == chain.leakage(1, right=3)
    assert chain.leakage_beyond(1, 1) == chain.leakage(1, right=2)
    assert chain.leakage_beyond(1, 0) == chain.leakage(1, left=1, right=1)


def test_frozen_chains_leak_like_one_record_n_times_as_large():
    chain = MarkovSum.homogeneous([0.5, 0.5], np.eye(2), [0, 1], 2.0, n_records=10)
    assert chain.leakage(3).upper == pytest.approx(5.0)
    assert chain.leakage(3, left=1, right=1) == Bound.exact(0.0)  # the record is known already


def test_independent_records_leak_no_more_than_dp_says():
    chain = MarkovSum.homogeneous([0.2, 0.3, 0.5], [[0.2, 0.3, 0.5]] * 3, [0, 1, 4], 2.0, 20)
    assert chain.leakage(7).upper <= 2.0 + 1e-9
    assert chain.leakage(7, left=1, right=1).upper == pytest.approx(2.0)


def test_values_in_steps_are_as_fine_as_they_need_to_be():
    wide = MarkovSum.homogeneous([0.5, 0.5], STICKY, [-500, 10**6 - 500], 1e6, n_records=50)
    unit = MarkovSum.homogeneous([0.5, 0.5], STICKY, [0, 1], 1.0, n_records=50)
    assert wide.leakage(9).upper == pytest.approx(unit.leakage(9).upper, rel=1e-12)
    same = MarkovSum.homogeneous([0.5, 0.5], STICKY, [7, 7], 1.0, n_records=50)
    assert same.leakage(9).upper == 0.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.5, 0.4], [STICKY], [0, 1], 1.0), "initial-to-sum-to-1"),
        (([1.0], [STICKY], [0], 1.0), "transitions-between-states: 1"),
        (([0.5, 0.5], [STICKY], [0], 1.0), "values-of-states: 2 | 1"),
        (([0.5, 0.5], [STICKY], [0, 0.5], 1.0), "values-to-whole-numbers"),
        (([0.5, 0.5], [STICKY], [0, math.inf], 1.0), "values-to-whole-numbers"),
        (([0.5, 0.5], [STICKY], [0, 1], -1.0), "not-above-0: scale"),
    ],
)
def test_arguments_are_checked(arguments, message):
    with refuses(InvalidArgument, message):
        MarkovSum(*arguments)


def test_positions_are_checked():
    chain = MarkovSum.homogeneous([0.5, 0.5], STICKY, [0, 1], 1.0, n_records=4)
    with refuses(InvalidArgument, "record-below: 4"):
        chain.leakage(4)
    with refuses(InvalidArgument, "left-at-most-1-left-2"):
        chain.leakage(1, left=2)
    with refuses(InvalidArgument, "below-least: right | 1"):
        chain.leakage(1, right=0)


def test_is_a_frozen_value():
    chain = MarkovSum.homogeneous([0.5, 0.5], STICKY, [0, 1], 1.0, n_records=4)
    assert chain == MarkovSum([0.5, 0.5], [STICKY] * 3, [0, 1], 1.0)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        chain.scale = 2.0
