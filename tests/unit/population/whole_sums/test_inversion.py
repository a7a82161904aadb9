import numpy as np

from deniable.population.whole_sums import inversion, recursion
from deniable.population.whole_sums.multiset import multiset

PROBLEM = multiset(np.random.default_rng(2).integers(0, 12, 60), 25)[0]
TARGETS = np.arange(len(PROBLEM.values))


def test_tilts_reach_both_ends():
    rates = [tilt.rate for tilt in inversion.tilts(PROBLEM, 0.3)]
    assert rates == sorted(rates)
    assert 0.0 in rates
    assert rates[0] <= -0.3
    assert rates[-1] >= 0.3


def test_tilts_stop_where_the_sample_is_certain():
    assert 2 < len(inversion.tilts(multiset([0, 1, 5, 9], 2)[0], 1e9)) < 200


def test_no_more_tilts_than_wanted():
    many = inversion.tilts(PROBLEM, 0.3)
    assert len(inversion.tilts(PROBLEM, 0.3, len(many))) == len(many)
    assert inversion.tilts(PROBLEM, 0.3, len(many) - 1) == []


def test_what_the_spectra_keep():
    chosen = inversion.tilts(PROBLEM, 0.3)
    kept, frequencies = inversion.kept(PROBLEM, chosen)
    middle = chosen[len(chosen) // 2]
    assert 0 < frequencies <= len(chosen) * (middle.period // 2 + 1)
    assert frequencies <= kept <= frequencies * middle.order


def test_agrees_with_the_recursion_digit_by_digit():
    plan = inversion.plan(PROBLEM, TARGETS, inversion.tilts(PROBLEM, 2.0))
    some = TARGETS[[0, 3, -1]]
    found, expected = (
        inversion.sum_laws(PROBLEM, some, plan),
        next(recursion.sum_laws(PROBLEM, some, 3)),
    )
    window = slice(plan.first, plan.last + 1)
    low, high = expected.low[:, :, window], expected.high[:, :, window]
    assert np.all(found.low <= high)
    assert np.all(low <= found.high)
    likely = low > -20
    assert np.all((found.high - found.low)[likely] < 1e-8)


def test_what_lies_beyond_a_window():
    plan = inversion.plan(PROBLEM, TARGETS, inversion.tilts(PROBLEM, 0.0))
    laws, whole = (
        inversion.sum_laws(PROBLEM, TARGETS, plan),
        next(recursion.sum_laws(PROBLEM, TARGETS, len(TARGETS))),
    )
    outside = np.exp(whole.low[:, :, plan.last + 1 :]).sum(axis=2)
    assert np.all(outside <= np.exp(laws.above))
    assert np.all(np.exp(laws.above[np.isfinite(laws.above)]) < 1e-15)
