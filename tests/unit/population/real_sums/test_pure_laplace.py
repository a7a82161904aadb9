import numpy as np
import pytest

from deniable.mechanisms import Laplace
from deniable.population.real_sums import pure_laplace
from deniable.population.real_sums.pure_laplace import pure_laplace_epsilons
from deniable.population.real_sums.question import Question
from deniable.population.work.effort import Effort

VALUES = np.random.default_rng(3).normal(size=12)


def ends(*, worst, **limits):
    asked = Question(VALUES, 5, Laplace(0.5), 0.0, Effort(**limits))
    return pure_laplace_epsilons(asked, np.arange(12), worst=worst)


def test_listing_and_inversion_agree(monkeypatch):
    listed = ends(worst=False)
    monkeypatch.setattr(pure_laplace, "subset_atoms", lambda *_: None)
    inverted = ends(worst=False)
    assert np.all(listed.upper - listed.lower < 1e-9)
    assert np.all(inverted.lower <= listed.upper)
    assert np.all(listed.lower <= inverted.upper)
    assert np.median(inverted.upper - inverted.lower) < 0.01


def test_the_worst_is_kept(monkeypatch):
    monkeypatch.setattr(pure_laplace, "subset_atoms", lambda *_: None)
    every, worst = ends(worst=False), ends(worst=True)
    assert worst.lower.max() == pytest.approx(every.lower.max())
    assert every.lower.max() <= worst.upper.max()


def test_without_time_the_noise_alone_bounds(monkeypatch):
    monkeypatch.setattr(pure_laplace, "subset_atoms", lambda *_: None)
    late = ends(worst=False, time_limit=1e-9)
    assert np.all(late.upper >= ends(worst=False).upper)
    assert np.all(np.isfinite(late.upper))
