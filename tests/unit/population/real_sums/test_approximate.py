import numpy as np
import pytest

from deniable.mechanisms import Gaussian, Laplace
from deniable.population.real_sums.approximate import approximate_epsilons
from deniable.population.real_sums.question import Question
from deniable.population.work.effort import Effort

VALUES = np.array([0.0, 0.1, 0.4, 0.5, 1.1, 2.0, 6.0])


@pytest.mark.parametrize("noise", [Gaussian(1.0), Laplace(1.0)])
def test_harmless_places_are_dismissed_below_the_worst(noise):
    asked = Question(VALUES, 3, noise, 0.01, Effort())
    every = approximate_epsilons(asked, np.arange(7), worst=False)
    worst = approximate_epsilons(asked, np.arange(7), worst=True)
    assert worst.lower.max() == pytest.approx(every.lower.max(), rel=1e-2)
    assert every.lower.max() <= worst.upper.max()
    assert np.all(every.lower <= worst.upper + 1e-9)
    assert np.all(worst.lower <= every.upper + 1e-9)


def test_progress_is_told():
    told = []
    approximate_epsilons(
        Question(VALUES, 3, Gaussian(1.0), 0.01, Effort(progress=told.append)),
        np.arange(7),
        worst=False,
    )
    assert told[-1] == 1.0
