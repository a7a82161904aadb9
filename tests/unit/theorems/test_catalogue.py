import importlib
import inspect
from collections import Counter
from pathlib import Path

import attrs
import pytest

from deniable import notions, theorems
from deniable.theorems.catalogue import CATALOGUE, theorem

FILES = sorted(path.stem for path in Path(theorems.__file__).parent.glob("*_to_*.py"))


def test_every_file_is_catalogued_once_under_its_own_name():
    assert Counter(each.name for each in CATALOGUE) == Counter(FILES)


@pytest.mark.parametrize("name", FILES)
def test_a_theorem_lives_in_its_own_file_and_names_its_source(name):
    module = importlib.import_module(f"deniable.theorems.{name}")
    implication = getattr(module, name)
    assert theorem(name).implication is implication
    assert theorem(name).title == f"{name} ({theorem(name).citation})"
    assert theorem(name).citation


@pytest.mark.parametrize("each", CATALOGUE, ids=lambda each: each.name)
def test_source_and_target_are_what_the_function_takes_and_returns(each):
    signature = inspect.signature(each.implication)
    assert signature.return_annotation is each.target
    first = next(iter(signature.parameters.values())).annotation
    # Noise is not a notion: its theorem stands in the catalogue between the laws it compares.
    assert first is each.source or each.name == "discrete_gaussian_to_gaussian_dp"
    assert {each.source, each.target} <= set(notions.Notion.__args__)


def test_an_entry_is_frozen():
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        CATALOGUE[0].citation = ""


def test_an_unknown_theorem():
    with pytest.raises(KeyError):
        theorem("a_to_b")
