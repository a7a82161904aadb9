import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteLaplace, NoisyTopK
from deniable.publish.statistics import Grouping, protocol

NOISE, CHOICE = DiscreteLaplace(2.0), NoisyTopK(2.0, 1, "exponential")


def test_groups_name_the_keys_in_cell_order():
    grouping = Grouping(("plan", "year"), (("free", "shared"), (1, 2)))
    assert grouping.groups()[1:3] == [
        {"plan": "free", "year": 2},
        {"plan": "shared", "year": 1},
    ]
    assert Grouping().groups() == [{}]


def test_widths_are_in_steps():
    assert protocol.half_width(NOISE, 0.5) == 0.5 * NOISE.half_width(0.95)
    assert protocol.score_width(CHOICE, 10, 0.25) == 0.25 * CHOICE.score_gap(10, 0.95)


@pytest.mark.parametrize("mechanism", [None, CHOICE])
def test_a_number_needs_noise_on_numbers(mechanism):
    with pytest.raises(InvalidArgument, match="Expected a noise on numbers, got"):
        protocol.half_width(mechanism)


@pytest.mark.parametrize("mechanism", [None, NOISE])
def test_a_choice_needs_a_selection(mechanism):
    with pytest.raises(InvalidArgument, match="Expected a noisy selection, got"):
        protocol.score_width(mechanism, 10)
