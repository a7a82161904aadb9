import math

import numpy as np
import pytest

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.population.whole_sums import far as _far
from deniable.population.whole_sums import tilted as _tilted
from deniable.population.whole_sums import ways as _ways
from deniable.population.whole_sums.multiset import multiset

PROBLEM = multiset([*np.random.default_rng(8).integers(0, 9, 40).tolist(), 150], 15)[0]
TARGETS = np.arange(len(PROBLEM.values))


def ways(noise):
    far = _ways.farthest_tilt(PROBLEM, noise)
    parts = _far.split(PROBLEM)
    return [
        _ways.Counted(),
        _ways.Added(),
        _ways.Inverted(_tilted.plan(PROBLEM, TARGETS, _tilted.tilts(PROBLEM, far))),
        _ways.Conditioned(_far.plan(parts, TARGETS, far)),
    ]


@pytest.mark.parametrize("delta", [0.0, 0.003])
@pytest.mark.parametrize("noise", [DiscreteLaplace(6.0), DiscreteGaussian(30.0)])
def test_every_way_leads_to_the_same(noise, delta):
    if delta == 0 and isinstance(noise, DiscreteGaussian):
        return
    found = [way.losses(PROBLEM, TARGETS, noise, delta) for way in ways(noise)]
    for lower, upper in found:
        assert np.all(lower <= found[0][1])
        assert np.all(found[0][0] <= upper)
    for at in (0, 1, 3):  # plain inversion is wide beside a far record
        assert np.all(found[at][1] - found[at][0] < 1e-8)


def test_counts_beyond_float64_go_another_way():
    noise = DiscreteLaplace(0.1)  # e^(−150/b) underflows
    counted = _ways.Counted().losses(PROBLEM, TARGETS, noise, 0.0)
    added = _ways.Added().losses(PROBLEM, TARGETS, noise, 0.0)
    assert np.all((counted[0] <= added[1]) & (added[0] <= counted[1]))
    assert counted[1].max() > 700


def test_values_in_steps():
    steps = multiset(np.arange(10) ** 2 * 7, 4)[0]
    assert steps.step == 7
    targets, noise = np.arange(10), DiscreteLaplace(40.0)
    for delta in (0.0, 0.003):
        counted = _ways.Counted().losses(steps, targets, noise, delta)
        added = _ways.Added().losses(steps, targets, noise, delta)
        assert np.all((counted[0] <= added[1]) & (added[0] <= counted[1]))


def test_a_part_repeats_what_is_shared():
    cost = _ways.Cost(before=5.0, part=10.0, target=2.0, columns=1)
    assert cost.parts(40) == 4
    assert cost.total(40) == 5 + 4 * 10 + 40 * 2
    assert cost.total(40, workers=2) == 5 + (4 * 10 + 40 * 2) / 2
    assert cost.parts(2) == 2
    assert _ways.Cost(0.0, 0.1, 0.001, 1).parts(40) == 1
    assert _ways.Cost(0.0, 0.0, 1.0, 1).parts(40) == 40


def test_costs_grow_with_the_range():
    noise = DiscreteLaplace(50.0)
    wide = multiset([*PROBLEM.values.tolist(), 1501], 3)[0]
    narrow = multiset([*PROBLEM.values.tolist(), 151], 3)[0]
    for cost in (_ways.counted, lambda p, n, d: _ways.added(p, TARGETS, n, d)):
        assert cost(wide, noise, 0.0).total(9) > 5 * cost(narrow, noise, 0.0).total(9)
    assert math.isinf(_ways.inverted(wide, [], 9, noise, 0.0).before)
    smooth = DiscreteGaussian(1e6)
    assert _ways.released(wide, smooth, 0.01, 10) > 1e4 * _ways.released(wide, noise, 0.01, 10)


def test_what_takes_too_long_is_not_looked_at_closely():
    noise = DiscreteLaplace(50.0)
    chosen = _tilted.tilts(PROBLEM, 0.02)
    whole = _ways.inverted(PROBLEM, chosen, 9, noise, 0.0)
    least = _ways.inverted(PROBLEM, chosen, 9, noise, 0.0, within=0.0)
    assert 0 < least.total(9) < whole.total(9)


def test_tilts_for_likely_outputs_are_fewer():
    for noise in (DiscreteLaplace(2.0), DiscreteGaussian(2.0)):
        assert _ways.likely_tilt(PROBLEM, noise, 0.01) < _ways.farthest_tilt(PROBLEM, noise)
    assert _ways.likely_tilt(PROBLEM, DiscreteLaplace(2.0), 0.0) == 0.5
