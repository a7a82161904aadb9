"""Records of few types at the ends of what may be asked: no end fails, and none of use is lost."""

import numpy as np
import pytest

from deniable import Effort, population
from deniable.population.type_sums.search import UpperLimit
from tests.cases.effort import some_pairs

HOPELESS = Effort(time_limit=1e-9)


@pytest.mark.parametrize("rotten", [np.nan, np.inf])
def test_draws_that_are_no_numbers_refute_nothing(rotten):
    """A capital that is not a number is not above what a refutation takes."""
    limit = UpperLimit(0.01, 0.25, (0.5, 1.0, 2.0))
    draws = np.full(1000, rotten), np.full(1000, rotten)
    with np.errstate(invalid="ignore"):
        assert limit.at(draws, 0.05, 600.0) == np.inf


@pytest.mark.parametrize("noise", ["gaussian", "discrete_laplace", "discrete_gaussian"])
@pytest.mark.parametrize("cells", [[60, 30, 10], [5] * 8, [3_000_000, 10, 1]])
def test_without_time_there_is_an_upper_end_all_the_same(noise, cells):
    rows = np.column_stack([np.eye(len(cells)), cells])
    scale = {"sigma" if noise == "gaussian" else "scale": 5.0}
    found = getattr(population, noise)(
        rows, sum(cells) // 2, delta=1e-5, query="sum", counts=True, effort=HOPELESS, **scale
    )
    assert found.population_epsilon.upper <= found.epsilon_restricted_sensitivity < np.inf


@pytest.mark.parametrize(
    ("delta", "cells"),
    some_pairs([1e-300, 1e-30, 0.5, 1 - 1e-9], [[60, 30, 10], [1, 1, 50], [1, 1, 1]]),
)
def test_any_delta_ends_without_a_warning(delta, cells):
    rows = np.column_stack([np.eye(3), cells])
    for size in (1, sum(cells) - 1):
        found = population.gaussian(
            rows, size, sigma=2.0, delta=delta, query="sum", counts=True,
            effort=Effort(time_limit=0.5),
        )  # fmt: skip
        assert found.population_epsilon.lower <= found.population_epsilon.upper
