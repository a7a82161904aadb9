import numpy as np

from deniable.population.whole_sums import recursion as _recursion
from deniable.population.whole_sums import tilted as _tilted
from deniable.population.whole_sums.multiset import multiset

PROBLEM = multiset(np.random.default_rng(2).integers(0, 12, 60), 25)[0]
TARGETS = np.arange(len(PROBLEM.values))


def test_tilts_reach_both_ends():
    rates = [tilt.rate for tilt in _tilted.tilts(PROBLEM, 0.3)]
    assert rates == sorted(rates)
    assert 0.0 in rates
    assert rates[0] <= -0.3
    assert rates[-1] >= 0.3


def test_tilts_stop_where_the_sample_is_certain():
    assert 2 < len(_tilted.tilts(multiset([0, 1, 5, 9], 2)[0], 1e9)) < 200


def test_no_thousands_of_tilts():
    assert _tilted.tilts(multiset([0, 1, 5, 90_000], 2)[0], 1e9) == []


def test_agrees_with_the_recursion_digit_by_digit():
    plan = _tilted.plan(PROBLEM, TARGETS, _tilted.tilts(PROBLEM, 2.0))
    some = TARGETS[[0, 3, -1]]
    found, expected = _tilted.sum_laws(PROBLEM, some, plan), _recursion.sum_laws(PROBLEM, some)
    window = slice(plan.first, plan.last + 1)
    low, high = expected.low[:, :, window], expected.high[:, :, window]
    assert np.all(found.low <= high)
    assert np.all(low <= found.high)
    likely = low > -20
    assert np.all((found.high - found.low)[likely] < 1e-8)


def test_what_lies_beyond_a_window():
    plan = _tilted.plan(PROBLEM, TARGETS, _tilted.tilts(PROBLEM, 0.0))
    laws, whole = _tilted.sum_laws(PROBLEM, TARGETS, plan), _recursion.sum_laws(PROBLEM, TARGETS)
    outside = np.exp(whole.low[:, :, plan.last + 1 :]).sum(axis=2)
    assert np.all(outside <= np.exp(laws.above))
    assert np.all(np.exp(laws.above[np.isfinite(laws.above)]) < 1e-15)


def test_work_is_proportional_to_the_tilts():
    tilt = _tilted.tilts(PROBLEM, 0.0)
    assert _tilted.work(PROBLEM, tilt * 3) == 3 * _tilted.work(PROBLEM, tilt) > 0
