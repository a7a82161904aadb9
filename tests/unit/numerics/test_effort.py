from pathlib import Path

import attrs
import pytest

from deniable.errors import InvalidArgument
from deniable.numerics.effort import Effort
from tests.cases.refusals import refuses


def test_random_numbers_belong_to_their_place():
    effort = Effort(seed=3)
    draws = {
        place: effort.generator(*place).integers(2**60)
        for place in [(), (0,), (1,), (0, 0), (0, 1), (1, 0)]
    }
    assert len(set(draws.values())) == len(draws)
    assert all(effort.generator(*place).integers(2**60) == x for place, x in draws.items())
    assert Effort(seed=4).generator(0).integers(2**60) != draws[0,]


def test_watching_changes_nothing():
    told = []
    effort = Effort(progress=told.append)
    assert effort == Effort()
    effort.progress(0.5)
    Effort().progress(0.5)
    assert told == [0.5]


def test_a_checkpoint_is_a_path():
    assert Effort(checkpoint="kept").checkpoint == Path("kept")
    assert Effort().checkpoint is None


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"confidence": 1.0}, "not-between-0-and-1: confidence"),
        ({"confidence": 0.0}, "not-between-0-and-1: confidence"),
        ({"seed": -1}, "below-least: seed"),
        ({"seed": 0.5}, "not-whole: seed"),
        ({"gap": 0.0}, "not-above-0: gap"),
        ({"time_limit": 0.0}, "not-above-0: time_limit"),
        ({"time_limit": float("inf")}, "not-finite: time_limit"),
        ({"workers": 0}, "below-least: workers"),
    ],
)
def test_out_of_range(value, message):
    with refuses(InvalidArgument, message):
        Effort(**value)


def test_it_is_frozen():
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        Effort().seed = 1
