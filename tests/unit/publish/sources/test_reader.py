"""Readers of others: one module and a line of its entry points."""

import pytest

import deniable
from deniable.errors import PlanError
from deniable.publish.sources import Source, is_csv, reader_class, readers
from tests.cases import third_source
from tests.cases.refusals import refuses
from tests.cases.third_source import Dice

PLAN = """\
[data]
{}
[target]
epsilon = 1e9
[[query]]
name = "eyes"
statistic = "sum"
column = "eyes"
bounds = [1, 6]
"""


@pytest.fixture
def dice(tmp_path, monkeypatch):
    third_source.register(tmp_path, monkeypatch)
    return tmp_path


@pytest.mark.parametrize(("source", "data"), [('source = "dice:12"', None), ("", Dice(12))])
def test_a_source_of_others_is_released(dice, source, data):
    released = deniable.release(PLAN.format(source), dice / "out", data=data)
    assert released.frame("eyes")["value"].to_pylist() == [42]


def test_its_own_refusal_names_the_place_in_the_plan(dice):
    with refuses(PlanError, "refusal-of-the-source-with-its-key"):
        deniable.release(PLAN.format('source = "dice:many"'), dice / "out")


def test_without_it_the_location_is_a_file(tmp_path):
    with refuses(PlanError, "name-that-ends"):
        deniable.release(PLAN.format('source = "dice:12"'), tmp_path / "out")


def test_an_unknown_ending_is_refused_before_what_is_said_of_its_columns(tmp_path):
    plan = PLAN.format('source = "dice.cvs"\ntypes = { eyes = "integer" }')
    with refuses(PlanError, 'name-that-ends: "dice.cvs", named at'):
        deniable.release(plan, tmp_path / "out")


def test_without_readers_of_other_endings_none_is_listed(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    with refuses(PlanError, "endings-without-guests"):
        reader_class(Source("dice.cvs", tmp_path))


def test_a_word_comes_before_a_suffix(dice):
    source = Source("dice:x.csv", dice)
    assert reader_class(source) is third_source.DiceReader
    assert not is_csv(source)
    assert is_csv(Source("other:x.csv", dice))


@pytest.mark.usefixtures("dice")
def test_guests_are_those_that_are_registered():
    assert {"spark", "postgres", "dice"} <= {*readers()}
