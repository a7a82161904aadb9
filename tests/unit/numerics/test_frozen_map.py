"""A mapping that nobody changes."""

import copy
import pickle

import pytest

from deniable.numerics.answer import FrozenMap


def test_it_is_what_was_given_whatever_becomes_of_that():
    given = {"b": 1, "a": 2}
    made = FrozenMap(given)
    given["c"] = 3
    assert made == {"b": 1, "a": 2}
    assert list(made) == ["b", "a"]
    assert repr(made) == "{'b': 1, 'a': 2}"
    assert FrozenMap({"x": made}) == {"x": {"b": 1, "a": 2}}


def test_equal_ones_have_one_hash():
    assert hash(FrozenMap({"b": 1, "a": 2})) == hash(FrozenMap({"a": 2, "b": 1}))
    assert FrozenMap({"a": 1}) != FrozenMap({"a": 2})


def test_nobody_changes_it():
    with pytest.raises(TypeError):
        FrozenMap({"a": 1})["a"] = 2


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))]
)
def test_it_can_be_copied_and_pickled(again):
    made = FrozenMap({"a": FrozenMap({"b": "c"})})
    assert again(made) == made
