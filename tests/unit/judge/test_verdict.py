"""What a verdict says: its bounds, its worst case, and how far it is."""

import json
import math

import attrs
import numpy as np
import pytest

from deniable.judge.neighbours import Likelihoods
from deniable.judge.verify import verify
from deniable.judge.worst_cases import Witness, between, certain, describe_witness, spread
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.numerics.bound import Bound
from deniable.numerics.effort import part, silent
from deniable.priors.families import ProductPriors, SizeConditionedPriors
from deniable.priors.universe import Universe

KEYS = {
    "positive_gamma",
    "negative_gamma",
    "positive_gamma_here",
    "witness",
    "epsilon_add_remove",
    "epsilon_positive",
    "epsilon_negative",
    "epsilon_replace_one",
    "semantic",
    "bayesian_semantic",
    "identifiability",
    "sampling_epsilon",
    "advantage",
    "curve",
}


def test_the_keys_of_the_interface(flip):
    found = verify(flip, ProductPriors()).as_json()
    assert set(found) >= KEYS
    assert set(found["witness"]) == {"entity", "output", "prior"}
    assert found["curve"] == [[0.0, 0.25], [pytest.approx(math.log(2)), 0.0]]
    assert json.loads(json.dumps(found)) is not None


def test_what_is_not_known_is_null(pick):
    found = verify(pick, ProductPriors()).as_json()
    numbers = KEYS - {"identifiability", "epsilon_replace_one", "advantage", "curve"}
    assert [key for key in numbers if found[key] is not None] == []
    assert found["adjacency"] == "replace-one"
    assert found["identifiability"] == 1.0
    assert found["identifiability_by_worlds"] == {"2": 1.0, "3": 0.5}


def test_one_entity_given_the_size(flip):
    found = verify(flip, SizeConditionedPriors()).as_json()
    assert (found["positive_gamma"], found["positive_gamma_here"]) == (1.0, None)
    assert found["positive_gamma_here_bound"] is None
    assert found["witness"] is None
    assert found["identifiability"] is None
    assert found["curve"] == [[0.0, 0.0]]


def test_a_verdict_is_frozen(flip):
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        verify(flip, ProductPriors()).family = "bounded"


def test_json(flip):
    witness = describe_witness(flip, 0, 1, {1: 0.25, 0: 0.75})
    assert witness == Witness("a", "yes", {"": 0.75, "a": 0.25})
    assert witness.as_json() == {"entity": "a", "output": "yes", "prior": {"": 0.75, "a": 0.25}}


def test_impossible_subsets_are_left_out(flip):
    assert describe_witness(flip, 0, 0, {0: 0.0, 1: 1.0}).prior == {"a": 1.0}


def test_a_prior_that_spreads_too_far_is_not_written_out():
    matrix = StochasticMatrix(Universe(tuple(f"e{i}" for i in range(11))), ("x",), [[1.0]] * 2048)
    witness = spread(matrix, 0, 0, np.full(2048, 1 / 2048))
    assert witness.prior is None
    assert witness.as_json()["prior"] is None


def test_gamma_is_at_least_1():
    assert certain(0.9).bound == Bound.exact(1.0)
    assert certain(math.inf).bound.upper == math.inf


def shown(witness, ratio):
    q = witness.prior["a"]
    return max(ratio / (q * ratio + 1 - q), q * ratio + 1 - q)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0, 1, 2.0), (0, 0.3, 2.0), (0.4, 1, 2.0), (0.5, 0.5, 1.5), (0.1, 0.2, 2 / 1.1)],
)
def test_the_best_prior_between_two_ends(flip, low, high, expected):
    witness = between(flip, Likelihoods(0.5, 0.25, 1, 0, 1, 0), low, high)
    assert low <= witness.prior["a"] <= high
    assert shown(witness, 2.0) == pytest.approx(expected, rel=1e-8)
    assert shown(witness, 2.0) <= expected * (1 + 1e-15)


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 0.3), (0.7, 1), (0.2, 0.2)])
def test_an_infinite_ratio_needs_no_limit(flip, low, high):
    witness = between(flip, Likelihoods(0.5, 0.0, 1, 0, 1, 0), low, high)
    assert 0 < witness.prior["a"] < 1
    assert low <= witness.prior["a"] <= high


def test_a_ratio_of_1_shows_at_any_prior(flip):
    assert between(flip, Likelihoods(0.5, 0.5, 1, 0, 1, 0)).prior == {"": 0.5, "a": 0.5}


def test_parts_follow_one_another():
    told = []
    for start, end in ((0.0, 0.3), (0.3, 0.9), (0.9, 1.0)):
        each = part(told.append, start, end)
        for done in (0.0, 0.5, 1.0):
            each(done)
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0.0, 1.0)
    assert told[4] == pytest.approx(0.6)


def test_a_part_of_a_part():
    told = []
    part(part(told.append, 0.5, 1.0), 0.5, 1.0)(0.5)
    assert told == [0.875]


def test_nobody_watches():
    assert silent(0.5) is None
