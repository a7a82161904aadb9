import numpy as np
import pytest

from deniable.mechanisms import Laplace
from deniable.population.question import Question, Summands
from deniable.population.real_sums import pure_laplace
from deniable.population.real_sums.problem import Problem
from deniable.population.real_sums.pure_laplace import pure_laplace_epsilons
from deniable.population.work.effort import Effort

VALUES = np.random.default_rng(3).normal(size=12)


def ends(*, worst, **limits):
    asked = Problem.of(Question(Summands(VALUES), 5, 0.0), Laplace(0.5), Effort(**limits))
    return pure_laplace_epsilons(asked, np.arange(12), worst=worst)


def test_listing_and_inversion_agree(monkeypatch):
    listed = ends(worst=False)
    monkeypatch.setattr(pure_laplace, "subset_atoms", lambda *_: None)
    inverted = ends(worst=False)
    assert np.all(listed[1] - listed[0] < 1e-9)
    assert np.all(inverted[0] <= listed[1])
    assert np.all(listed[0] <= inverted[1])
    assert np.median(inverted[1] - inverted[0]) < 0.01


def test_the_worst_is_kept(monkeypatch):
    monkeypatch.setattr(pure_laplace, "subset_atoms", lambda *_: None)
    every, worst = ends(worst=False), ends(worst=True)
    assert worst[0].max() == pytest.approx(every[0].max())
    assert every[0].max() <= worst[1].max()


def test_without_time_the_noise_alone_bounds(monkeypatch):
    monkeypatch.setattr(pure_laplace, "subset_atoms", lambda *_: None)
    late = ends(worst=False, time_limit=1e-9)
    assert np.all(late[1] >= ends(worst=False)[1])
    assert np.all(np.isfinite(late[1]))
