"""The time limit holds for every analysis, a search for a target included.

No real clock: time passes only when it is looked at. An analysis that does not look goes on for
ever; one that looks ends at a number of looks that the limit gives.
"""

import numpy as np
import pytest

from deniable import Effort, LinearQuery, population
from tests.cases.effort import some_pairs, usual

RNG = np.random.default_rng(5)
COLUMN = RNG.normal(size=60).round(3)
ROWS = RNG.normal(size=(40, 3))
WHOLE = RNG.integers(0, 400, 60)
CANDIDATES = RNG.normal(size=(6, 3))
LIMIT = 50.0
TARGETS = {
    "gaussian": lambda e: population.gaussian(COLUMN, 30, target=0.3, delta=0.01, effort=e),
    "tiny target": lambda e: population.gaussian(COLUMN, 30, target=1e-3, delta=1e-4, effort=e),
    "crowd": lambda e: population.gaussian(ROWS, 20, target=0.5, delta=0.01, effort=e),
    "pairwise": lambda e: population.gaussian(
        ROWS, 20, target=0.5, delta=0.01, method="pairwise", effort=e
    ),
    "laplace": lambda e: population.laplace(COLUMN, 30, target=0.3, effort=e),
    "laplace, delta": lambda e: population.laplace(COLUMN, 30, target=0.3, delta=0.01, effort=e),
    "whole laplace": lambda e: population.discrete_laplace(WHOLE, 30, target=0.3, effort=e),
    "whole gaussian": lambda e: population.discrete_gaussian(
        WHOLE, 30, target=0.3, delta=0.01, effort=e
    ),
    "count": lambda e: population.count(300, 1000, 100, target=0.1, effort=e),
    "exponential": lambda e: population.exponential(
        ROWS[:14], CANDIDATES, 7, target=0.2, clip=2.0, effort=e
    ),
    "any loss": lambda e: population.exponential(
        COLUMN[:10],
        [0.0, 1.0],
        5,
        target=0.2,
        sensitivity=5.0,
        effort=e,
        loss=lambda w, rows: abs(w - float(np.median(rows))),
    ),
    "exponential, sampled": lambda e: population.exponential(
        ROWS, CANDIDATES, 20, target=0.2, clip=2.0, method="sample", effort=e
    ),
}
NOISES = {
    "gaussian": lambda e: population.gaussian(COLUMN, 30, sigma=0.02, delta=0.01, effort=e),
    "tiny noise": lambda e: population.gaussian(
        np.arange(30.0) ** 3, 15, sigma=1e-3, delta=0.01, effort=e
    ),
    "crowd": lambda e: population.gaussian(ROWS, 20, sigma=0.1, delta=0.01, effort=e),
    "laplace": lambda e: population.laplace(COLUMN, 30, scale=0.01, effort=e),
    "whole laplace": lambda e: population.discrete_laplace(WHOLE, 30, scale=9.0, effort=e),
    "count": lambda e: population.count(300, 1000, 100, scale=2.0, effort=e),
    "enumerated": lambda e: population.exponential(
        ROWS[:18], CANDIDATES, 9, epsilon=2.0, clip=2.0, method="enumerate", effort=e
    ),
    "too many to enumerate": lambda e: population.exponential(
        ROWS, CANDIDATES, 20, epsilon=2.0, clip=2.0, method="enumerate", effort=e
    ),
    "losses": lambda e: population.exponential(
        losses=ROWS, size=20, epsilon=2.0, sensitivity=5.0, effort=e
    ),
    "any loss": lambda e: population.exponential(
        COLUMN[:12],
        [0.0, 1.0],
        6,
        epsilon=2.0,
        sensitivity=5.0,
        effort=e,
        loss=lambda w, rows: abs(w - float(np.median(rows))),
    ),
    "any loss, sampled": lambda e: population.exponential(
        COLUMN,
        [0.0, 1.0],
        30,
        epsilon=2.0,
        sensitivity=5.0,
        effort=e,
        loss=lambda w, rows: abs(w - float(np.median(rows))),
    ),
    "joint": lambda e: population.joint(
        [LinearQuery(COLUMN, 0.1), LinearQuery(COLUMN**2, 0.1)], 30, delta=0.01, effort=e
    ),
    "any query": lambda e: population.query(
        lambda m: [np.median(m)], COLUMN, 30, sigma=0.5, delta=0.05, records=[0], effort=e
    ),
}


class Clock:
    """A second passes at every look."""

    def __init__(self):
        self.looks = 0

    def __call__(self):
        self.looks += 1
        return float(self.looks)


@pytest.fixture
def clock(monkeypatch):
    ticking = Clock()
    monkeypatch.setattr("time.monotonic", ticking)
    return ticking


@pytest.mark.parametrize(("question", "limit"), some_pairs([*TARGETS], [0.5, 7.0, LIMIT]))
def test_a_search_ends_in_time_with_noise_that_meets_the_target(clock, question, limit):
    found = TARGETS[question](Effort(time_limit=limit))
    # Looking after the end, once for each thing left undone, is all that may follow.
    assert clock.looks < 40 * limit + 4000
    assert found.population_epsilon.upper <= found.search.target
    noise, missed = found.noise.value, found.search.missed
    if missed is not None:
        assert noise < missed if found.noise.parameter == "epsilon" else missed < noise


@pytest.mark.parametrize(("question", "limit"), some_pairs([*NOISES], [0.5, 7.0, LIMIT]))
def test_an_analysis_ends_in_time_with_an_interval(clock, question, limit):
    found = NOISES[question](Effort(time_limit=limit))
    assert clock.looks < 40 * limit + 4000
    assert 0 <= found.population_epsilon.lower <= found.population_epsilon.upper


@pytest.mark.parametrize("question", sorted(set(NOISES) - {"too many to enumerate", "any query"}))
def test_what_was_cut_short_encloses_what_was_not(question, monkeypatch):
    whole = NOISES[question](Effort(time_limit=usual(0.2, 3.0), gap=0.5)).population_epsilon
    monkeypatch.setattr("time.monotonic", Clock())
    cut = NOISES[question](Effort(time_limit=7.0, gap=0.5)).population_epsilon
    assert cut.lower <= whole.upper
    assert whole.lower <= cut.upper


def test_a_search_that_was_cut_short_says_so(monkeypatch):
    whole = TARGETS["gaussian"](Effort())
    assert whole.search.complete
    assert whole.search.missed < whole.noise.value <= whole.search.missed * 1.0002
    monkeypatch.setattr("time.monotonic", Clock())
    cut = TARGETS["gaussian"](Effort(time_limit=60.0))
    assert not cut.search.complete
    assert cut.noise.value > whole.search.missed
    assert cut.as_json()["search"] == {
        "target": 0.3,
        "missed": cut.search.missed,
        "complete": False,
    }
