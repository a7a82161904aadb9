from fractions import Fraction

import attrs
import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.theorems.analysis import Step, target_of
from tests.cases.refusals import refuses

PROBABILITIES = ["max_posterior", "attack_success", "advantage", "identifiability"]


def target(kind, value):
    return target_of(kind, value, 5 if kind == "identifiability" else None)


@pytest.mark.parametrize("kind", ["gamma", "epsilon", *PROBABILITIES])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1, True, "0.5", None, 1j, [0.5]])
def test_a_value_is_a_number_in_its_range(kind, value):
    with refuses(InvalidArgument, "expects-and-got"):
        target(kind, value)


@pytest.mark.parametrize("kind", PROBABILITIES)
def test_a_probability_lies_strictly_inside(kind):
    with refuses(InvalidArgument, f"between-0-and-1-got-1: {kind} | {kind}"):
        target(kind, 1)
    assert target(kind, 0.5).value == 0.5


def test_an_advantage_of_0_can_be_asked_for_and_gamma_1_too():
    assert target_of("advantage", 0).value == 0.0
    assert target_of("gamma", 1).value == 1.0
    with refuses(InvalidArgument, "not-above-0: epsilon"):
        target_of("epsilon", 0.0)


def test_worlds_come_with_identifiability_only():
    with refuses(InvalidArgument, "only-it-with-leave-worlds: gamma"):
        target_of("gamma", 2.0, 5)
    with refuses(InvalidArgument, "worlds-give-worlds"):
        target_of("identifiability", 0.5)
    for worlds in (1, 2.5, float("inf"), "3", True):
        with refuses(InvalidArgument, "names-argument: worlds"):
            target_of("identifiability", 0.5, worlds)


def test_an_unknown_kind_is_named():
    with refuses(InvalidArgument, "target-to-one-of-gamma"):
        target_of("rho", 0.5)


@pytest.mark.parametrize("value", [2, np.float32(2.0), np.int64(2), Fraction(2)])
def test_other_numbers_become_floats(value):
    kept = target_of("gamma", value)
    assert type(kept.value) is float
    assert kept.as_json() == {"kind": "gamma", "value": 2.0, "worlds": None}
    assert type(target_of("identifiability", 0.5, np.int64(3)).worlds) is int


def test_it_is_frozen():
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        target_of("gamma", 2.0).value = 3.0


def test_a_step_reads_from_to_theorem():
    step = Step("pure-dp:1.0", "max-posterior:0.7", "why")
    assert step.as_json() == {"from": "pure-dp:1.0", "to": "max-posterior:0.7", "theorem": "why"}
