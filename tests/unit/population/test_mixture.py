"""A member against all who might stand in, at once: the bound that needs no draws."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ndtr

from deniable.population.bounds import estimates, mixture_bounds, pairwise_bounds
from tests.cases.effort import one_in, some_pairs
from tests.oracles import population as brute


def normal_curve(epsilon, mu):
    return ndtr(mu / 2 - epsilon / mu) - math.exp(epsilon) * ndtr(-mu / 2 - epsilon / mu)


def told(rows, record, left):
    """What the theorem says of one set R of rows that are left, at every ε."""
    rest = rows[list(left)]
    v = ((rest - rest.mean(axis=0)) ** 2).sum(axis=1).mean() / 2
    mu = float(np.linalg.norm(rows[record] - rest.mean(axis=0)))
    return lambda epsilon: normal_curve(epsilon - v, mu)


SMALL = np.random.default_rng(3).normal(size=(7, 2))


@pytest.mark.parametrize(("size", "record"), one_in(4, [*itertools.product([2, 3, 5], range(7))]))
def test_the_theorem_by_listing_every_subset(size, record):
    """Both directions stay below the mean over R, R of N − n records and of n."""
    others = [k for k in range(7) if k != record]
    p, q, weight = brute.grid_laws(SMALL, size, record, lambda t: -(t**2) / 2, 0.05, 7.0)
    p, q = p / p.sum() / weight, q / q.sum() / weight
    for first, second, left in ((p, q, 7 - size), (q, p, size)):
        curves = [told(SMALL, record, some) for some in itertools.combinations(others, left)]
        for epsilon in (0.5, 1.5, 3.0):
            exact = brute.hockey_stick(first, second, epsilon, weight)
            # Below v the curve is that of a negative ε, which bounds as well.
            assert exact <= np.mean([curve(epsilon) for curve in curves]) + 1e-6


@pytest.mark.parametrize(("size", "delta"), some_pairs([60, 200, 300], [1e-2, 1e-5]))
def test_the_layers_hold_what_random_subsets_show(delta, size):
    rows = np.random.default_rng(0).normal(size=(400, 3)) * [1, 2, 0.5] / 4
    rng, bounds = np.random.default_rng(1), mixture_bounds(rows, size, 1.0, delta)
    for record in (int(np.argmax(bounds)), int(np.argmin(bounds)), 7):
        others = np.delete(np.arange(400), record)
        for left in (400 - size, size):
            curves = [
                told(rows, record, rng.choice(others, left, replace=False)) for _ in range(300)
            ]
            mean = brentq(lambda e: np.mean([c(e) for c in curves]) - delta, 1e-9, 60)  # noqa: B023
            assert mean <= bounds[record]
            if record == bounds.argmax() and left == min(size, 400 - size):
                assert bounds[record] < 1.3 * mean + 0.3


def test_it_sees_what_exchanges_one_by_one_do_not():
    rows = np.random.default_rng(0).normal(size=(400, 5))
    found, pairs = (f(rows) for f in (
        lambda x: mixture_bounds(x, 200, 4.0, 1e-5), lambda x: pairwise_bounds(x, 4.0, 1e-5)
    ))  # fmt: skip
    assert found.max() < 0.8 * pairs.max()
    assert np.median(found) < 0.6 * np.median(pairs)
    assert np.all(found > estimates(rows, 200, 4.0, 1e-5))


def test_many_records_are_looked_at_in_rings():
    few = np.random.default_rng(2).normal(size=(4000, 2))
    many = np.concatenate([few, -few])
    rings = mixture_bounds(many, 4000, 4.0, 1e-4)
    each = mixture_bounds(many[:4000], 2000, 4.0, 1e-4)
    assert np.all(rings[:4000] < each + 0.05)
    assert np.all(rings[:4000][each > 1] > 0.9 * each[each > 1])
    assert rings[:4000] == pytest.approx(rings[4000:])


@pytest.mark.parametrize("size", [1, 4, 7])
def test_constant_and_few_records(size):
    assert np.all(mixture_bounds(np.ones((8, 2)), size, 1.0, 0.1) < 1e-6)
    found = mixture_bounds(SMALL, min(size, 6), 2.0, 0.1)
    exact = [brute.gaussian_epsilon(SMALL, min(size, 6), 2.0, 0.1, x, step=0.2) for x in range(7)]
    assert np.all(found >= np.array(exact) - 1e-3)


def test_an_offset_moves_nothing_downwards():
    rows = np.random.default_rng(5).normal(size=(50, 3))
    near, far = (mixture_bounds(rows + offset, 25, 2.0, 1e-3) for offset in (0.0, 1e9))
    assert far == pytest.approx(near, rel=1e-4)
    assert np.all(far >= near)


def test_one_record_far_out():
    rows = np.zeros((100, 2))
    rows[3] = [300.0, 400.0]
    found = mixture_bounds(rows, 50, 100.0, 1e-6)
    assert found.argmax() == 3
    # Against 99 equal records it is two normal laws, 5 apart.
    alone = brentq(lambda e: normal_curve(e, 5.0) - 1e-6, 0, 100)
    assert alone <= found[3]
