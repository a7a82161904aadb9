import json
import math

import attrs
import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.priors.universe import Universe
from tests.cases.refusals import refuses

PAIR = Universe(("a", "b"))
ROWS = [[0.5, 0.5], [0.25, 0.75], [1.0, 0.0], [0.0, 1.0]]
SPEC = {
    "universe": ["a", "b"],
    "outputs": ["0", "1"],
    "rows": {"b,a": [0.0, 1.0], "b": [1, 0], "": [0.5, 0.5], "a": [0.25, 0.75]},
}


def spec(**changes):
    return {**SPEC, **changes}


def with_row(key, law):
    return spec(rows={**SPEC["rows"], key: law})


def test_rows_stand_at_the_numbers_of_their_subsets():
    matrix = StochasticMatrix.from_spec(json.loads(json.dumps(SPEC)))
    assert matrix.rows.tolist() == ROWS
    assert matrix == StochasticMatrix(PAIR, ["0", "1"], ROWS)
    assert matrix.law(["b"]).tolist() == [1.0, 0.0]
    assert matrix.law([]).tolist() == [0.5, 0.5]


def test_a_spec_may_leave_subsets_out():
    matrix = StochasticMatrix.from_spec(spec(rows={"a": [0.5, 0.5], "b": [0.25, 0.75]}))
    assert matrix.known.tolist() == [False, True, True, False]
    assert np.isnan(matrix.rows[~matrix.known]).all()
    with refuses(InvalidArgument, 'subset-whose-law-known: "a,b"'):
        matrix.law(["a", "b"])


def test_rows_that_do_not_count_may_hold_anything():
    rows = [[9, 9], *ROWS[1:]]
    matrix = StochasticMatrix(PAIR, ("0", "1"), rows, [False, True, True, True])
    assert np.isnan(matrix.rows[0]).all()
    assert matrix != StochasticMatrix(PAIR, ("0", "1"), ROWS)


def test_a_row_of_nan_is_not_known():
    matrix = StochasticMatrix(PAIR, ("0", "1"), [[math.nan] * 2, *ROWS[1:]])
    assert matrix.known.tolist() == [False, True, True, True]
    with refuses(InvalidArgument, "row-of-to-hold-probabilities: nan"):
        StochasticMatrix(PAIR, ("0", "1"), [[math.nan, 1], *ROWS[1:]], [True] * 4)


def test_tabulated_asks_for_every_subset():
    def size(members):
        return np.eye(3)[members.sum()] if members.any() else None

    matrix = StochasticMatrix.tabulated(PAIR, ("0", "1", "2"), size)
    assert matrix.known.tolist() == [False, True, True, True]
    assert matrix.rows[1:].argmax(axis=1).tolist() == [1, 1, 2]


def test_a_sum_may_be_off_by_rounding_only():
    StochasticMatrix(Universe(("a",)), ("0", "1"), [[0.1, 0.9], [0.3, 0.7 + 1e-14]])
    with refuses(InvalidArgument, 'row-of-to-sum: "a" | 1.0000'):
        StochasticMatrix(Universe(("a",)), ("0", "1"), [[0.1, 0.9], [0.3, 0.7 + 1e-13]])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([], "object-with-universe: outputs | rows"),
        ({"universe": ["a"], "rows": {}}, "none-named: outputs"),
        (spec(rows=[[1.0]]), "rows-to-object-by-subset"),
        (spec(rows={}), "law-of-one-subset"),
        (spec(universe="ab"), "universe-to-list-of-names"),
        (spec(universe=["a", "a"]), "distinct-names-twice: 'a'"),
        (spec(outputs="01"), "outputs-to-list-of-names"),
        (spec(outputs=[]), "outputs-to-one-name"),
        (spec(outputs=[0, 1]), "outputs-to-one-name"),
        (spec(outputs=["0", "0"]), "distinct-names-twice: '0'"),
        (with_row("c", [0.5, 0.5]), "entity-of-universe: 'c'"),
        (with_row("a,a", [0.5, 0.5]), 'names-entity-once: "a,a"'),
        (with_row("a,b", [0.5, 0.5]), 'one-row-subset-two: "a,b"'),
        (with_row("a", [0.5]), 'row-of-to-hold-numbers: "a" | 2'),
        (with_row("a", ["x", "y"]), 'row-of-to-hold-numbers: "a" | 2'),
        (with_row("a", None), 'row-of-to-hold-numbers: "a" | 2'),
        (with_row("a", [0.4, 0.5]), 'row-of-to-sum: "a" | 0.9.'),
        (spec(rows={"b,a": [0.4, 0.5]}), 'row-of-to-sum: "a,b" | 0.9.'),
        (with_row("", [1.5, -0.5]), "row-of-to-hold-probabilities: 1.5"),
        (with_row("b", [math.inf, 0.5]), 'row-of-to-b-inf: "b" | inf'),
    ],
)
def test_a_wrong_spec_is_refused_by_name(wrong, message):
    with refuses(InvalidArgument, message):
        StochasticMatrix.from_spec(wrong)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((ROWS[:3],), "rows-of-shape: (4, 2) | (3, 2)"),
        ((["x"],), "rows-of-numbers-in-each: 2"),
        ((ROWS, [True]), "known-to-have-shape: (4,) | (1,)"),
        ((ROWS, [False] * 4), "law-of-one-subset"),
    ],
)
def test_a_wrong_table_is_refused(arguments, message):
    with refuses(InvalidArgument, message):
        StochasticMatrix(PAIR, ("0", "1"), *arguments)


def test_is_a_frozen_value():
    rows = np.array(ROWS)
    matrix = StochasticMatrix(PAIR, ("0", "1"), rows)
    rows[0] = 7
    assert matrix.rows.tolist() == ROWS
    with pytest.raises(ValueError, match="read-only"):
        matrix.rows[0] = 0.0
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        matrix.outputs = ("x", "y")
