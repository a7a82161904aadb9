import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, ApproxDP
from deniable.theorems.approx_dp_to_privacy_loss_tail import (
    approx_dp_to_exceedance,
    approx_dp_to_privacy_loss_tail,
)


def test_the_loss_grows_by_ln_1_minus_delta_over_exceedance():
    found = approx_dp_to_privacy_loss_tail(ApproxDP(1.0, 0.01, Adjacency.ADD_REMOVE), 0.02)
    assert found.epsilon == pytest.approx(1 + math.log(2))
    assert (found.exceedance, found.adjacency) == (0.02, Adjacency.ADD_REMOVE)


@pytest.mark.parametrize("exceedance", [0.01, 0.005, 0.0])
def test_no_loss_is_passed_more_rarely_than_delta(exceedance):
    with pytest.raises(NotApplicable, match=r"exceedance > delta, .*Raise the exceedance"):
        approx_dp_to_privacy_loss_tail(ApproxDP(1.0, 0.01), exceedance)


def test_no_epsilon_stays_none():
    assert approx_dp_to_privacy_loss_tail(ApproxDP(math.inf, 0.01), 0.1).epsilon == math.inf


@pytest.mark.parametrize(
    ("epsilon", "delta", "loss", "exceedance"),
    [
        (1.0, 0.01, 0.5, 1.0),
        (1.0, 0.01, 1.0, 1.0),
        (1.0, 0.0, 0.5, 1.0),
        (1.0, 0.0, 1.0, 0.0),
        (1.0, 0.0, 1.5, 0.0),
        (1.0, 0.01, math.inf, 0.01),
        (math.inf, 0.01, math.inf, 1.0),
        (1.0, 0.5, 1.0 + 1e-9, 1.0),
    ],
)
def test_exceedance_at_the_edges(epsilon, delta, loss, exceedance):
    assert approx_dp_to_exceedance(ApproxDP(epsilon, delta), loss) == exceedance


def test_the_two_invert_each_other():
    dp = ApproxDP(0.7, 1e-6)
    loss = approx_dp_to_privacy_loss_tail(dp, 1e-4).epsilon
    assert approx_dp_to_exceedance(dp, loss) == pytest.approx(1e-4, rel=1e-10)
