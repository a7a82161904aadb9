import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, GaussianDP
from deniable.theorems.add_remove_gaussian_dp_to_replace_one_gaussian_dp import (
    add_remove_gaussian_dp_to_replace_one_gaussian_dp,
)


def test_the_shift_and_the_slack_double():
    one = GaussianDP(0.3, Adjacency.ADD_REMOVE, slack=0.01)
    twice = add_remove_gaussian_dp_to_replace_one_gaussian_dp(one)
    assert twice == GaussianDP(0.6, slack=0.02)


def test_a_replace_one_guarantee_is_refused():
    with pytest.raises(NotApplicable, match="Expected an add-remove guarantee"):
        add_remove_gaussian_dp_to_replace_one_gaussian_dp(GaussianDP(0.3))
