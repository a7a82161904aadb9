import json
import math

import attrs
import pytest

from deniable.judge.verify import verify
from deniable.priors.families import ProductPriors, SizeConditionedPriors

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
    assert found["identifiability_by_worlds"] == {2: 1.0, 3: 0.5}


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
