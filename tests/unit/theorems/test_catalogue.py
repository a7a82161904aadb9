import importlib
import inspect
import json
import subprocess
import sys
from collections import Counter
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from deniable import theorems
from deniable.notions.notation import FORMS
from deniable.theorems._theorem import subjects
from deniable.theorems.catalogue import CATALOGUE, named

NOTIONS = {form.notion for form in FORMS}


def gives_notion(function):
    return inspect.signature(function).return_annotation in NOTIONS


def implications():
    """Every function a_to_b of the package that gives a notion, by its name."""
    core = [path.stem for path in Path(theorems.__file__).parent.glob("*.py")]
    modules = [importlib.import_module(f"deniable.theorems.{stem}") for stem in core]
    for module in {*modules, *subjects()}:
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__ and "_to_" in name and gives_notion(function):
                yield name, function


def test_every_implication_is_catalogued_once_under_its_own_name():
    found = list(implications())
    assert Counter(each.name for each in CATALOGUE) == Counter(name for name, _ in found)
    assert {each.name: each.implication for each in CATALOGUE} == dict(found)


@pytest.mark.parametrize("each", CATALOGUE, ids=lambda each: each.name)
def test_a_theorem_says_its_map_and_its_source(each):
    assert named(each.name) is each
    assert each.title == f"{each.name} ({each.source})"
    assert each.source
    assert each.states.endswith((".", "!"))
    assert "\n" not in each.states


@pytest.mark.parametrize("each", CATALOGUE, ids=lambda each: each.name)
def test_premise_and_conclusion_are_what_the_function_takes_and_returns(each):
    signature = inspect.signature(each.implication)
    assert signature.return_annotation is each.conclusion
    first = next(iter(signature.parameters.values())).annotation
    # Noise is not a notion: its theorem stands in the catalogue between the laws it compares.
    assert first is each.premise or each.name.startswith("discrete_gaussian_to_")
    assert {each.premise, each.conclusion} <= NOTIONS


def test_statements_survive_without_docstrings():
    command = [sys.executable, "-OO", "-m", "deniable", "derive", "--list", "--json"]
    listed = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert [each["map"] for each in listed["theorems"]] == [each.states for each in CATALOGUE]


def test_every_subject_stands_in_the_catalogue():
    outside = {"catalogue", "derive", "table"}
    stems = {path.stem for path in Path(theorems.__file__).parent.glob("[a-z]*.py")}
    names = {each.__name__ for each in subjects()}
    core = {name.rpartition(".")[2] for name in names if name.startswith("deniable.theorems.")}
    assert core == stems - outside
    guests = {each.value for each in entry_points(group="deniable.theorems")}
    assert names == {f"deniable.theorems.{each}" for each in core} | guests


def test_an_unknown_theorem():
    with pytest.raises(KeyError):
        named("a_to_b")
