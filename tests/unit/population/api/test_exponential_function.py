import itertools
import math

import numpy as np
import pytest

from deniable import Effort, population
from deniable.errors import InfeasibleTarget, InvalidArgument
from tests.cases.effort import usual
from tests.cases.refusals import refuses
from tests.oracles import population as brute

RNG = np.random.default_rng(3)
ROWS, CANDIDATES = RNG.normal(size=(7, 2)) / 2, RNG.normal(size=(4, 2))
assert np.linalg.norm(ROWS, axis=1).max() < 3  # the clip below cuts nothing


def mean_distance(candidate, rows):
    return float(np.linalg.norm(rows - candidate, axis=1).mean())


def own(size=3, loss=mean_distance, **arguments):
    given = {"epsilon": 4.0, "sensitivity": change(size)} | arguments
    return population.exponential(ROWS, CANDIDATES, size, loss=loss, **given)


def change(size):
    return (max(np.linalg.norm(CANDIDATES, axis=1)) + 3.0) / size


@pytest.mark.parametrize("size", [1, 3, 6])
def test_three_ways_to_one_loss(size):
    """As a function, as a table and by its name; and by every sample."""
    table = np.linalg.norm(ROWS[:, None] - CANDIDATES, axis=2)
    function = own(size, records="all")
    named = population.exponential(ROWS, CANDIDATES, size, epsilon=4.0, clip=3.0)
    tabled = population.exponential(
        losses=table, size=size, epsilon=4.0, sensitivity=change(size), records="all"
    )
    exact = [brute.exponential_epsilon(ROWS, CANDIDATES, size, 4.0, 3.0, x) for x in range(7)]
    for found in (function, tabled):
        assert [each.bound.upper for each in found.records] == pytest.approx(exact, rel=1e-9)
        assert all(
            each.bound.lower <= value <= each.bound.upper
            for each, value in zip(found.records, exact, strict=True)
        )
        assert found.worst_record == named.worst_record == int(np.argmax(exact))
        for name in ("epsilon_restricted_sensitivity", "epsilon_adjacent_subsets", "epsilon",
                     "bayes_optimal_success", "subsets"):  # fmt: skip
            assert getattr(found, name) == pytest.approx(getattr(named, name), rel=1e-9)


def test_bounds_of_a_table_are_a_sensitivity():
    table = np.clip(RNG.normal(size=(6, 3)), -1, 1)
    found = population.exponential(losses=table * 5, size=2, epsilon=3.0, loss_bounds=(-1, 1))
    cut = population.exponential(
        losses=np.clip(table * 5, -1, 1), size=2, epsilon=3.0, sensitivity=1.0
    )
    assert found.population_epsilon == cut.population_epsilon
    assert found.epsilon_adjacent_subsets <= found.epsilon_restricted_sensitivity <= 3.0 + 1e-12


@pytest.mark.parametrize("method", ["auto", "enumerate"])
def test_a_target(method):
    found = own(target=0.3, epsilon=None, method=method)
    assert found.population_epsilon.upper <= 0.3
    assert found.search.complete
    assert found.noise.value < found.search.missed <= found.noise.value * 1.0002
    more = own(epsilon=found.search.missed)
    assert more.population_epsilon.upper > 0.3


def test_draws_enclose_and_stay_below_the_worst_case():
    exact = own().population_epsilon
    found = own(method="sample", effort=Effort(time_limit=usual(0.7, 2.0), gap=0.5))
    assert found.method == "sample"
    assert found.population_epsilon.lower <= exact.upper
    assert exact.lower <= found.population_epsilon.upper <= found.epsilon == 4.0
    aimed = own(method="sample", target=0.5, epsilon=None, effort=Effort(time_limit=0.2))
    assert aimed.population_epsilon.upper <= aimed.noise.value == 0.5
    assert not aimed.search.complete


def test_without_time_differential_privacy_is_left():
    found = own(method="enumerate", effort=Effort(time_limit=1e-9))
    assert (found.population_epsilon.lower, found.population_epsilon.upper) == (0.0, 4.0)
    assert found.method == "worst-case"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sensitivity": None}, "sensitivity-with-loss-of-your"),
        ({"sensitivity": 1e-6}, "sensitivity-that-exchanging-two-records"),
        ({"clip": 1.0}, "no-with-loss-of-your: clip"),
        ({"losses": [[1.0]]}, "no-with-loss-of-your: losses"),
        ({"epsilon": 1e200}, "epsilon-up-to-1e100-times"),
        ({"loss": lambda *_: math.nan}, "loss-that-finite-number-up"),
    ],
)
def test_wrong_arguments(arguments, message):
    with refuses(InvalidArgument, message):
        own(**arguments)


def test_targets_that_mean_nothing():
    with refuses(InfeasibleTarget, "target-above-0-target"):
        own(target=0.0, epsilon=None)
    with refuses(InvalidArgument, "all-same"):
        own(target=1.0, epsilon=None, loss=lambda *_: 1.0)


def test_what_is_done_to_the_choice_keeps_the_guarantee():
    """Lemma 14 of lowy-2024: to publish only whether the choice is among the first two."""
    found = own(records="all")
    for record in range(7):
        laws = brute_choice(record)
        first = [sum(law[:2]) for law in laws]
        grouped = max(abs(math.log(p / q)) for p, q in (first, [1 - x for x in first]))
        assert grouped <= found.records[record].bound.upper


def brute_choice(record):
    laws = {True: [], False: []}
    for sample in itertools.combinations(range(7), 3):
        losses = np.array([mean_distance(w, ROWS[list(sample)]) for w in CANDIDATES])
        weights = np.exp(-4.0 * losses / (2 * change(3)))
        laws[record in sample].append(weights / weights.sum())
    return [np.mean(laws[side], axis=0) for side in (True, False)]
