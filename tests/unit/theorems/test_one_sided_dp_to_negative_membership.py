import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, OneSidedDP, PureDP, Side
from deniable.priors import BoundedPrior, UnrestrictedPrior
from deniable.theorems.one_sided_dp_to_negative_membership import (
    one_sided_dp_to_negative_membership,
)
from deniable.theorems.pure_dp_to_negative_membership import pure_dp_to_negative_membership

OUT = Adjacency.ADD_REMOVE


@pytest.mark.parametrize("adversary", [UnrestrictedPrior(), BoundedPrior(0.2, 0.7)], ids=str)
@pytest.mark.parametrize("epsilon", [0.0, 0.4, 3.0, math.inf])
def test_it_needs_no_more_than_half_of_dp(adversary, epsilon):
    found = one_sided_dp_to_negative_membership(OneSidedDP(epsilon, Side.NEGATIVE), adversary)
    assert found == pure_dp_to_negative_membership(PureDP(epsilon, OUT), adversary)


def test_the_other_half_says_nothing():
    with pytest.raises(NotApplicable, match="Expected the negative half"):
        one_sided_dp_to_negative_membership(OneSidedDP(1.0), UnrestrictedPrior())
