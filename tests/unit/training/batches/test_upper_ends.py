"""Both ends, above all the upper one, against ways that share no line with them."""

import pytest

from tests.fuzz.batches import attempt, drawn
from tests.unit.training.batches.second_ways import CHECKS


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_ends_hold_a_second_way(check):
    check()


@pytest.mark.parametrize("number", [0, 3])
def test_a_random_setting_holds_moments(number):
    """Two of the thousand of `tests.fuzz.batches`."""
    assert attempt(drawn(number)) == "holds"
