import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, ApproxDP
from deniable.theorems.add_remove_approx_dp_to_replace_one_approx_dp import (
    add_remove_approx_dp_to_replace_one_approx_dp,
)

OUT = Adjacency.ADD_REMOVE


@pytest.mark.parametrize(
    ("epsilon", "delta", "doubled", "grown"),
    [
        (0.0, 0.25, 0.0, 0.5),
        (1.0, 0.0, 2.0, 0.0),
        (1.0, 0.5, 2.0, 1.0),
        (math.inf, 0.1, math.inf, 0.1),
    ],
)
def test_two_steps(epsilon, delta, doubled, grown):
    found = add_remove_approx_dp_to_replace_one_approx_dp(ApproxDP(epsilon, delta, OUT))
    assert found == ApproxDP(doubled, grown)


def test_delta_grows_with_epsilon():
    found = add_remove_approx_dp_to_replace_one_approx_dp(ApproxDP(math.log(3), 1e-6, OUT))
    assert found.delta == pytest.approx(4e-6, rel=1e-12)


def test_replace_one_is_there_already():
    with pytest.raises(NotApplicable, match="add-remove"):
        add_remove_approx_dp_to_replace_one_approx_dp(ApproxDP(1.0, 0.0))
