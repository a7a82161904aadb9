import numpy as np
import pytest

from deniable.mechanisms import Gaussian, Laplace
from deniable.population.question import Question, Summands
from deniable.population.real_sums.approximate import approximate_epsilons
from deniable.population.real_sums.problem import Problem
from deniable.population.work.effort import Effort

VALUES = np.array([0.0, 0.1, 0.4, 0.5, 1.1, 2.0, 6.0])


@pytest.mark.parametrize("noise", [Gaussian(1.0), Laplace(1.0)])
def test_harmless_places_are_dismissed_below_the_worst(noise):
    asked = Problem.of(Question(Summands(VALUES), 3, 0.01), noise, Effort())
    every = approximate_epsilons(asked, np.arange(7), worst=False)
    worst = approximate_epsilons(asked, np.arange(7), worst=True)
    assert worst[0].max() == pytest.approx(every[0].max(), rel=1e-2)
    assert every[0].max() <= worst[1].max()
    assert np.all(every[0] <= worst[1] + 1e-9)
    assert np.all(worst[0] <= every[1] + 1e-9)


def test_progress_is_told():
    told = []
    approximate_epsilons(
        Problem.of(
            Question(Summands(VALUES), 3, 0.01), Gaussian(1.0), Effort(progress=told.append)
        ),
        np.arange(7),
        worst=False,
    )
    assert told[-1] == 1.0
