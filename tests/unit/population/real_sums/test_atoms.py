"""Sums that take few places: laws of atoms, and their divergences."""

import math

import numpy as np
import pytest

from deniable.mechanisms import Gaussian, Laplace
from deniable.numerics.effort import Effort
from deniable.population.question import Question, Summands
from deniable.population.real_sums import relative
from deniable.population.real_sums.atoms import (
    Atoms,
    DensityRatio,
    approximate_bounds,
    gaussian_bounds,
    pure_bounds,
    subset_atoms,
)
from deniable.population.real_sums.problem import Problem
from deniable.population.real_sums.relative import pure_laplace_epsilons
from deniable.population.real_sums.smallest_epsilon import Deltas
from tests.oracles import real_sums as brute


@pytest.mark.parametrize("unit", [1.0, 0.25])
@pytest.mark.parametrize("values", [[0.1, 0.2, 0.3, 0.7], [0.137, 1.2345678, 2.0, 3.5]])
def test_laws_against_listed_subsets(values, unit):
    counts = np.array([2, 1, 3, 1])
    laws = subset_atoms(np.array(values), counts, 3, 2, unit)
    listed = brute.subset_sums(np.repeat(values, counts).tolist(), 3, 3)
    for law, sums in zip(laws, listed, strict=True):
        assert np.exp(law.log_weights).sum() == pytest.approx(1)
        for end in np.unique(sums.round(9)):
            mine = np.exp(law.log_weights)[np.abs(law.sums * unit - end) < 1e-8].sum()
            assert mine == pytest.approx(np.mean(np.abs(sums - end) < 1e-8))


def test_decimal_values_meet_again():
    inside, _ = subset_atoms(np.arange(10) / 10, np.full(10, 4), 12, 0, 1.0)
    assert len(inside.sums) <= 110


def test_too_many_sums_are_not_listed():
    values = np.random.default_rng(0).normal(size=40)
    assert subset_atoms(values, np.ones(40, np.int64), 20, 0, 1.0) is None
    assert subset_atoms(np.array([0.0, 1.0]), np.array([900, 900]), 20, 0, 1.0) is None


def point(place):
    return Atoms(np.array([place]), np.zeros(1), 0.0)


@pytest.mark.parametrize("epsilon", [0.0, 2.0, 30.0, 60.0])
def test_two_normal_laws_however_far(epsilon):
    low, high = DensityRatio.between(point(0.0), point(9.0)).divergence_bounds(epsilon)
    exactly = Gaussian(1.0).delta(epsilon, 9.0)
    assert low <= exactly * (1 + 1e-13)
    assert exactly <= high * (1 + 1e-13)
    assert high - low < 1e-8 * exactly


def test_the_least_epsilon_of_two_normal_laws():
    low, high = gaussian_bounds(point(0.0), point(9.0), Deltas(1e-3, 1e-3))
    noise = Gaussian(1.0)
    assert not noise.satisfies(low - 1e-9, 1e-3, 9.0)
    assert noise.satisfies(high + 1e-9, 1e-3, 9.0)
    assert high - low < 1e-6


def test_several_sign_changes():
    p = Atoms(np.array([0.0, 10.0, 20.0]), np.log([0.25, 0.5, 0.25]), 0.0)
    q = Atoms(np.array([5.0, 15.0]), np.log([0.5, 0.5]), 0.0)
    low, high = DensityRatio.between(p, q).divergence_bounds(0.0)
    apart = math.erf(2.5 / math.sqrt(2))  # between neighbours the halves overlap by 1 − apart
    assert low <= high
    assert low == pytest.approx(apart, abs=0.01)


def test_one_atom_each_is_plain_laplace_noise():
    low, high = pure_bounds(point(0.0), point(3.0))
    assert low <= 3.0 <= high
    assert high - low < 1e-11
    for delta in (0.3, 0.01):
        low, high = approximate_bounds(point(0.0), point(3.0), Deltas(delta, delta))
        exactly = max(3.0 + 2 * math.log1p(-delta), 0.0)
        assert low <= exactly <= high
        assert high - low < 1e-10
        assert Laplace(1.0).delta(high, 3.0) <= delta


def test_far_atoms_do_not_overflow():
    low, high = approximate_bounds(point(0.0), point(5000.0), Deltas(0.01, 0.01))
    assert low == pytest.approx(5000.0 + 2 * math.log(0.99))
    assert math.isfinite(high)


def test_equal_laws():
    assert approximate_bounds(point(1.0), point(1.0), Deltas(0.1, 0.1)) == (
        0.0,
        pytest.approx(0, abs=1e-11),
    )


VALUES = np.random.default_rng(3).normal(size=12)


def ends(*, worst, **limits):
    asked = Problem.of(Question(Summands(VALUES), 5, 0.0), Laplace(0.5), Effort(**limits))
    return pure_laplace_epsilons(asked, np.arange(12), worst=worst)


def test_listing_and_inversion_agree(monkeypatch):
    listed = ends(worst=False)
    monkeypatch.setattr(relative, "subset_atoms", lambda *_: None)
    inverted = ends(worst=False)
    assert np.all(listed[1] - listed[0] < 1e-9)
    assert np.all(inverted[0] <= listed[1])
    assert np.all(listed[0] <= inverted[1])
    assert np.median(inverted[1] - inverted[0]) < 0.01


def test_the_worst_is_kept(monkeypatch):
    monkeypatch.setattr(relative, "subset_atoms", lambda *_: None)
    every, worst = ends(worst=False), ends(worst=True)
    assert worst[0].max() == pytest.approx(every[0].max())
    assert every[0].max() <= worst[1].max()


def test_without_time_the_noise_alone_bounds(monkeypatch):
    monkeypatch.setattr(relative, "subset_atoms", lambda *_: None)
    late = ends(worst=False, time_limit=1e-9)
    assert np.all(late[1] >= ends(worst=False)[1])
    assert np.all(np.isfinite(late[1]))
