"""Trainings that reveal nearly all: likelihood ratios beyond all floats, and bounds that hold.

With one step an epoch every record is in every batch, so the truth is known: Gaussian noise.
"""

import math

import numpy as np
import pytest

from deniable.numerics.rounding import directed, lower, upper
from deniable.training.batches.batched import BatchedTraining
from deniable.training.batches.curve import BatchCurve
from deniable.training.batches.laws import RatioLaw
from deniable.training.noisy_gradients.curve import Direction
from tests.cases.effort import some_pairs

SIZES = {"records": 4, "batch_size": 4}
CASES = [(0.04, 1), (0.04, 3), (0.001, 1), (0.5, 700), (1e-200, 1)]


@pytest.mark.parametrize(
    ("way", "case"),
    some_pairs(["allocation", "allocation-once", "shuffled", "without-replacement"], CASES),
)
def test_the_truth_lies_between_both_ends(way, case):
    sigma, epochs = case
    curve = BatchCurve(BatchedTraining(way, sigma, 1, epochs, **SIZES))
    mu = math.sqrt(epochs) / sigma
    for epsilon in (0.0, 1.0, mu * mu / 2 - 3 * mu, 709.0, 710.0, mu * mu / 2 + 4 * mu):
        if not 0 <= epsilon < 1e300:
            continue
        with directed() as r:
            true = r.gaussian_delta(r(epsilon), r.sqrt(r(epochs)) / r(sigma))
        for direction in Direction:
            bound = curve.delta(epsilon, direction)
            assert 0 <= bound.lower <= min(upper(true), 1)
            assert lower(true) <= bound.upper <= 1


@pytest.mark.parametrize(
    "training",
    [
        BatchedTraining("poisson", 0.001, 3, 1, records_per_person=3),
        BatchedTraining("allocation", 0.03, 2, 2, records_per_person=2),
        BatchedTraining("allocation", 0.03, 2, 1, neighbours="replace-one"),
        BatchedTraining("shuffled", 0.001, 1, 2, records=3, batch_size=2, drop_last=True),
    ],
)
def test_both_ends_are_in_order(training):
    curve = BatchCurve(training)
    for epsilon in (0.0, 300.0, 709.0, 800.0):
        for direction in Direction:
            bound = curve.delta(epsilon, direction)
            assert 0 <= bound.lower <= bound.upper <= 1
    assert curve.delta(0.0).upper > 0.8


@pytest.mark.parametrize(("ratio", "infinite"), [(math.inf, 0.0), (math.nan, 0.0), (1.0, math.nan)])
def test_no_law_holds_what_is_no_number(ratio, infinite):
    with pytest.raises(FloatingPointError):
        RatioLaw(np.array([0.5, ratio]), np.array([0.5, 0.5]), infinite, 0.0, is_above=True)


def test_what_is_rounded_to_nothing_counts_at_every_epsilon():
    law = RatioLaw(np.array([0.0, 2.0]), np.array([0.5, 0.5]), 0.0, 0.0, is_above=True)
    assert law.delta(1e6, Direction.ADD) >= 0.5
