"""Workers, checkpoints and directions of the coordinates: none of them changes what is true.

A checkpoint is asked with other arguments than it was made with, after a run that was cut short,
and after the analysed function has changed. Rows on one line are one column in disguise.
"""

import importlib
import itertools
import sys

import numpy as np
import pytest

from deniable import Effort, LinearQuery, population
from tests.cases.effort import one_in, some_pairs, usual

RNG = np.random.default_rng(5)
ROWS = RNG.normal(size=(12, 3)).round(3)
FEW = ROWS[:8]
WHOLE = [0, 3, 3, 40, 41, 97, 140, 6]
EFFORT = {"time_limit": 600.0, "gap": 0.9}
BRIEF = Effort(time_limit=usual(0.25, 1.0), gap=0.9, confidence=1 - 1e-9)
CROWD = {"data": FEW, "size": 4, "sigma": 1.0, "delta": 0.05}
CHOICE = {"data": ROWS, "candidates": ROWS[:3], "size": 6, "epsilon": 2.0, "clip": 2.0}
SUM = {"data": WHOLE, "size": 4, "scale": 9.0}
DOORS = {
    "crowd": (population.gaussian, CROWD),
    "sampled": (population.exponential, CHOICE | {"method": "sample"}),
    "enumerated": (population.exponential, CHOICE | {"method": "enumerate"}),
    "whole": (population.discrete_laplace, SUM),
}
OTHERS = {
    "crowd": (
        {"sigma": 1.25}, {"delta": 0.06}, {"size": 5}, {"query": "sum"},
        {"data": FEW[:, ::-1] * 2},        {"data": FEW[::-1]}, {"records": "all"}, {"clip": 0.5},
    ),
    "sampled": ({"epsilon": 2.5}, {"size": 5}, {"clip": 1.0}, {"candidates": ROWS[1:4]}),
    "enumerated": ({"epsilon": 2.5}, {"size": 5}, {"clip": 1.0}, {"candidates": ROWS[1:4]}),
    "whole": ({"scale": 8.0}, {"size": 3}, {"delta": 0.05}, {"data": [*WHOLE[:-1], 7]}),
}  # fmt: skip


def asked(door, change=(), **effort):
    """What an analysis says, but for the seconds it took."""
    function, arguments = DOORS[door]
    answer = function(**arguments | dict(change), effort=Effort(**EFFORT | effort)).as_json()
    return {key: value for key, value in answer.items() if key != "seconds"}


@pytest.mark.parametrize("door", DOORS)
def test_a_checkpoint_answers_its_own_question_only(tmp_path, door):
    plain = asked(door)
    for _ in range(2):
        assert asked(door, checkpoint=tmp_path) == plain
    for change in OTHERS[door]:
        assert asked(door, change, checkpoint=tmp_path) == asked(door, change)
    for effort in ({"seed": 1}, {"confidence": 0.9}, {"gap": 0.5}):
        assert asked(door, checkpoint=tmp_path, **effort) == asked(door, **effort)


@pytest.mark.parametrize("door", DOORS)
def test_the_number_of_workers_changes_nothing(tmp_path, door):
    alone = asked(door)
    assert asked(door, workers=2) == alone
    assert asked(door, workers=2, checkpoint=tmp_path) == alone
    assert asked(door, checkpoint=tmp_path) == alone


class Clock:
    """A second passes at every look."""

    def __init__(self):
        self.looks = 0

    def __call__(self):
        self.looks += 1
        return float(self.looks)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("limits", [(3.0,), (7.0, 20.0, 60.0)], ids=str)
def test_what_was_cut_short_leaves_nothing_half_done(tmp_path, monkeypatch, door, limits):
    for limit in limits:
        with monkeypatch.context() as patch:
            patch.setattr("time.monotonic", Clock())
            asked(door, time_limit=limit, checkpoint=tmp_path)
    assert asked(door, checkpoint=tmp_path) == asked(door)


SOURCE = """
def query(rows):
    return [{factor} * float(rows.sum())]
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A module of the user's, written anew with another factor."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("sys.dont_write_bytecode", True)

    def written(factor):
        (tmp_path / "functions_of_a_user.py").write_text(SOURCE.format(factor=factor))
        importlib.invalidate_caches()
        sys.modules.pop("functions_of_a_user", None)
        return importlib.import_module("functions_of_a_user")

    yield written
    sys.modules.pop("functions_of_a_user", None)


def of_query(module, checkpoint):
    effort = Effort(**EFFORT, checkpoint=checkpoint)
    answer = population.query(
        module.query, ROWS[:8, 0], 4, sigma=2.0, delta=0.05, records=[0], effort=effort
    )
    return answer.population_epsilon


def test_a_function_that_changed_is_asked_again(tmp_path, own):
    before = of_query(own(1), tmp_path / "kept")
    assert before == of_query(own(1), None)
    after = of_query(own(2), tmp_path / "kept")
    assert after == of_query(own(2), None)
    assert after != before


COLUMN = np.array([0.0, 0.5, 1.5, 1.5, 4.0, -2.0, 3.0, 0.25])
DIRECTIONS = {
    "one of two": [1.0, 0.0],
    "diagonal": [1.0, 1.0],
    "against each other": [1.0, -1.0, 1.0],
    "one far smaller": [1.0, 1e-12],
    "many": [0.25] * 16,
    "half of it in the least": [1.0, 1e-9, 1.0, -1e-9],
}


@pytest.mark.parametrize(("direction", "method"), some_pairs([*DIRECTIONS], ["crowd", "pairwise"]))
def test_rows_on_one_line_are_one_column(direction, method):
    """The sum along the line tells all that the noisy sum tells: its law is a column's."""
    along = np.array(DIRECTIONS[direction])
    rows, length = np.outer(COLUMN, along), float(np.linalg.norm(along))
    for sigma in one_in(2, [0.2, 1.0], [*DIRECTIONS].index(direction) // 2):
        asked_for = {"delta": 0.05, "effort": BRIEF}
        column = population.gaussian(COLUMN * length, 4, sigma=sigma, **asked_for)
        found = population.gaussian(rows, 4, sigma=sigma, method=method, **asked_for)
        exact, bound = column.population_epsilon, found.population_epsilon
        assert bound.lower <= exact.upper * (1 + 1e-9)
        assert exact.lower * (1 - 1e-9) <= bound.upper
        assert found.epsilon_restricted_sensitivity == pytest.approx(
            column.epsilon_restricted_sensitivity, rel=1e-9
        )


def test_columns_that_say_the_same_are_one_with_less_noise():
    """k answers with noise σ each are one with noise σ/√k."""
    one = population.gaussian(COLUMN, 4, sigma=0.5, delta=0.05).population_epsilon
    both = population.joint([LinearQuery(COLUMN, 1.0)] * 4, 4, delta=0.05, effort=BRIEF)
    assert both.population_epsilon.lower <= one.upper * (1 + 1e-9)
    assert one.lower * (1 - 1e-9) <= both.population_epsilon.upper


NEAR_1 = 1 - 2.0**-53


@pytest.mark.parametrize(
    "door",
    [
        lambda d: population.gaussian(COLUMN, 4, sigma=0.05, delta=d),
        lambda d: population.gaussian(ROWS, 4, sigma=0.05, delta=d, effort=BRIEF),
        lambda d: population.gaussian(ROWS, 4, sigma=0.05, delta=d, method="pairwise"),
        lambda d: population.laplace(COLUMN, 4, scale=0.05, delta=d),
        lambda d: population.discrete_laplace(WHOLE, 4, scale=0.5, delta=d),
        lambda d: population.discrete_gaussian(WHOLE, 4, scale=0.5, delta=d),
        lambda d: population.count(30, 100, 20, scale=0.5, delta=d),
    ],
    ids=["gaussian", "crowd", "pairwise", "laplace", "whole laplace", "whole gaussian", "count"],
)
def test_the_largest_delta_below_1(door):
    """ε̃ falls as δ grows; beyond ln 2^53 the hockey stick has next to nothing left at δ near 1."""
    ends = [door(delta).population_epsilon for delta in (0.5, 0.9, NEAR_1)]
    for less, more in itertools.pairwise(ends):
        assert 0 <= more.lower <= less.upper
        assert more.lower <= more.upper
