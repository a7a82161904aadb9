import math

import attrs
import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms.randomised_response import RandomisedResponse, dominating_laws
from deniable.notions import Adjacency, ApproxDP, PureDP
from deniable.priors.universe import Universe
from tests.cases.refusals import refuses


def test_laws_are_laws():
    answers = RandomisedResponse(0.7, 4)
    assert answers.law(2).tolist() == pytest.approx([0.1, 0.1, 0.7, 0.1])
    assert answers.lie == pytest.approx(0.1)
    assert RandomisedResponse(0.25).law(0).tolist() == [0.25, 0.75]


@pytest.mark.parametrize("adjacency", Adjacency)
def test_guarantee_adds_up_over_answers(adjacency):
    coin = RandomisedResponse(0.75)
    assert coin.guarantee(1, adjacency).epsilon == pytest.approx(math.log(3), abs=1e-15)
    assert coin.guarantee(2, adjacency).epsilon == pytest.approx(2 * math.log(3), abs=1e-15)
    assert coin.guarantee(0, adjacency) == PureDP(0.0, adjacency)
    assert RandomisedResponse(0.25).epsilon() == coin.epsilon()  # a lie tells as much


def test_degenerate_truths():
    assert RandomisedResponse(1.0).epsilon() == RandomisedResponse(0.0, 3).epsilon() == math.inf
    assert RandomisedResponse(0.5).epsilon() == 0.0
    assert RandomisedResponse(0.5).delta(0.0, 5) == 0.0
    assert RandomisedResponse(1.0).delta(3.0, 1) == 1.0
    assert RandomisedResponse(0.0, 3).delta(3.0, 1) == 0.5


def test_curve_of_one_answer_in_closed_form():
    assert RandomisedResponse(0.75).delta(0.5, 1) == pytest.approx(0.75 - math.exp(0.5) / 4)
    assert RandomisedResponse(0.75).delta(math.log(3) + 1e-12, 1) == 0.0
    assert RandomisedResponse(0.75).delta(0.5, 0) == 0.0


def test_membership_of_a_universe():
    matrix = RandomisedResponse(0.75).membership(Universe(("a", "b")))
    assert matrix.outputs == ("00", "10", "01", "11")
    assert matrix.law(["a"]).tolist() == [0.1875, 0.5625, 0.0625, 0.1875]
    with refuses(InvalidArgument, "two-categories: 3"):
        RandomisedResponse(0.75, 3).membership(Universe(("a",)))


def test_draws_follow_the_law():
    answers = RandomisedResponse(0.6, 3)
    drawn = answers.draws(np.random.default_rng(1), 100_000, [0, 2])
    assert drawn.shape == (100_000, 2)
    for column, answer in enumerate((0, 2)):
        shares = np.bincount(drawn[:, column], minlength=3) / 100_000
        assert shares == pytest.approx(answers.law(answer), abs=0.01)


def test_dominating_laws_attain_the_guarantee_and_nothing_more():
    one, other = dominating_laws(ApproxDP(0.7, 0.1))
    assert one.sum() == pytest.approx(1)
    assert other.tolist() == one[::-1].tolist()
    assert np.maximum(one - math.exp(0.7) * other, 0).sum() == pytest.approx(0.1)
    pure = dominating_laws(PureDP(0.7))
    assert pure[0, 0] == 0.0
    assert pure[0, 1] / pure[1, 1] == pytest.approx(math.exp(0.7))


def test_arguments_are_checked():
    with refuses(InvalidArgument, "not-from-0-to-1: truth"):
        RandomisedResponse(1.5)
    with refuses(InvalidArgument, "below-least: categories | 2"):
        RandomisedResponse(0.5, 1)
    coin = RandomisedResponse(0.75)
    with refuses(InvalidArgument, "answer-below: 2"):
        coin.law(2)
    with refuses(InvalidArgument, "below-least: changed | 0"):
        coin.epsilon(-1)
    with refuses(InvalidArgument, "below-least: epsilon | 0"):
        coin.delta(-1.0, 1)


def test_is_a_frozen_value_with_a_name():
    assert RandomisedResponse(1) == RandomisedResponse(1.0, 2)
    assert RandomisedResponse.name == "randomised-response"
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        RandomisedResponse(0.5).truth = 0.7
