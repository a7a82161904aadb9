import importlib
import inspect
from collections import Counter
from pathlib import Path

import attrs
import pytest

from deniable import notions, theorems
from deniable.theorems.catalogue import CATALOGUE, theorem

NOTIONS = set(notions.Notion.__args__)


def gives_notion(function):
    return inspect.signature(function).return_annotation in NOTIONS


def implications():
    """Every function a_to_b of the package that gives a notion, by its name."""
    for path in Path(theorems.__file__).parent.glob("*.py"):
        module = importlib.import_module(f"deniable.theorems.{path.stem}")
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__ and "_to_" in name and gives_notion(function):
                yield name, function


def test_every_implication_is_catalogued_once_under_its_own_name():
    found = list(implications())
    assert Counter(each.name for each in CATALOGUE) == Counter(name for name, _ in found)
    assert {each.name: each.implication for each in CATALOGUE} == dict(found)


@pytest.mark.parametrize("each", CATALOGUE, ids=lambda each: each.name)
def test_a_theorem_names_its_source(each):
    assert theorem(each.name) is each
    assert each.title == f"{each.name} ({each.citation})"
    assert each.citation


@pytest.mark.parametrize("each", CATALOGUE, ids=lambda each: each.name)
def test_source_and_target_are_what_the_function_takes_and_returns(each):
    signature = inspect.signature(each.implication)
    assert signature.return_annotation is each.target
    first = next(iter(signature.parameters.values())).annotation
    # Noise is not a notion: its theorem stands in the catalogue between the laws it compares.
    assert first is each.source or each.name == "discrete_gaussian_to_gaussian_dp"
    assert {each.source, each.target} <= NOTIONS


def test_an_entry_is_frozen():
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        CATALOGUE[0].citation = ""


def test_an_unknown_theorem():
    with pytest.raises(KeyError):
        theorem("a_to_b")
