import itertools

import attrs
import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.priors.universe import MOST_LISTED, Universe, subsets
from tests.cases.refusals import refuses

THREE = Universe(["a", "b", "c"])


def test_positions_and_rows():
    assert THREE.size == 3
    assert THREE.entities == ("a", "b", "c")
    assert [THREE.position(name) for name in "abc"] == [0, 1, 2]
    assert THREE.row([]) == 0
    assert THREE.row(("c", "a")) == THREE.row(["a", "c", "a"]) == 5
    assert THREE.name(0) == ""
    assert THREE.name(5) == THREE.name(np.int64(5)) == "a,c"


def test_subsets_are_all_and_in_row_order():
    listed = THREE.subsets()
    assert listed.dtype == np.bool_
    assert listed.shape == (8, 3)
    by_hand = {c for size in range(4) for c in itertools.combinations("abc", size)}
    names = [
        tuple(name for name, inside in zip("abc", row, strict=True) if inside) for row in listed
    ]
    assert set(names) == by_hand
    assert [THREE.row(name) for name in names] == list(range(8))
    assert [THREE.name(row) for row in range(8)] == [",".join(name) for name in names]


def test_a_universe_of_one_and_the_empty_list_of_positions():
    assert Universe(("x",)).subsets().tolist() == [[False], [True]]
    assert subsets(0).shape == (1, 0)


def test_equality_and_freezing():
    assert Universe("abc"[i] for i in range(3)) == THREE
    assert hash(THREE) == hash(Universe(("a", "b", "c")))
    assert Universe(("b", "a")) != Universe(("a", "b"))
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        THREE.entities = ()


@pytest.mark.parametrize(
    ("entities", "message"),
    [
        ((), "one-entity-or-more-none"),
        (("a", ""), "names-without-commas-entities"),
        (("a,b",), "names-without-commas: 'a,b'"),
        ((1,), "names-without-commas: 1"),
        (("a", "b", "a"), "distinct-names-twice: 'a'"),
        ("ab", "list-of-names: 'ab'"),
        (3, "list-of-names: 3"),
    ],
)
def test_wrong_entities(entities, message):
    with refuses(InvalidArgument, message):
        Universe(entities)


def test_strangers_and_rows_outside():
    for stranger in ("d", 0, ["a"]):
        with refuses(InvalidArgument, "entity-of-universe"):
            THREE.position(stranger)
    with refuses(InvalidArgument, "names-of-entities: 'ab'"):
        THREE.row("ab")
    for row in (-1, 8):
        with refuses(InvalidArgument, f"row-in-0-8: {row}"):
            THREE.name(row)


def test_too_many_to_list():
    with refuses(InvalidArgument, f"at-most-entities-to-list: {MOST_LISTED}"):
        Universe(f"e{i}" for i in range(MOST_LISTED + 1)).subsets()
