"""Both ends, above all the upper one, against ways that share no line with them."""

import math

import pytest

from deniable.training.batches.batched import BatchedTraining
from deniable.training.batches.curve import BatchCurve
from deniable.training.batches.sides import GaussianSide
from deniable.training.noisy_gradients.curve import Direction
from tests.cases.effort import some_pairs
from tests.fuzz.batches import attempt, drawn
from tests.unit.training.batches.second_ways import CHECKS


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_ends_hold_a_second_way(check):
    check()


@pytest.mark.parametrize("number", [0, 3])
def test_a_random_setting_holds_densities(number):
    """Two of the thousand of `tests.fuzz.batches`."""
    assert attempt(drawn(number))["outcome"] == "holds"


@pytest.mark.parametrize(
    ("setting", "way"),
    some_pairs(
        [
            (0.3, 2, "zero-out"), (0.3, 3, "add-remove"),
            (0.4, 1, "replace-one"), (1.0, 32, "zero-out"),
        ],
        ["allocation", "allocation-once"],
    ),
)  # fmt: skip
def test_several_changes_reveal_no_more_than_told_batches(setting, way):
    """All records of a person in one batch of each epoch, and their places told."""
    sigma, many, neighbours = setting
    stated = {"neighbours": neighbours, "records_per_person": many}
    curve = BatchCurve(BatchedTraining(way, sigma, 10, 3, **stated), atoms=80)
    change = 2 if neighbours == "replace-one" else many
    told = GaussianSide(change * math.sqrt(3) / sigma, is_above=True)
    for direction in Direction:
        for epsilon in (0.0, 2.0, 60.0):
            high = curve.delta(epsilon, direction).upper
            assert high <= told.delta(epsilon, direction) * (1 + 1e-12)
        assert math.isfinite(curve.epsilon(1e-9, direction).upper)
    assert curve.fnr(0.01).lower >= told.misses(0.01) * (1 - 1e-9) - 1e-15
