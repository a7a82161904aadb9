import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, OneSidedDP, PureDP, Side
from deniable.theorems.one_sided_dp_to_max_posterior import one_sided_dp_to_max_posterior
from deniable.theorems.pure_dp_to_max_posterior import pure_dp_to_max_posterior

OUT = Adjacency.ADD_REMOVE


@pytest.mark.parametrize("prior", [0.0, 0.05, 0.5, 1.0])
def test_it_needs_no_more_than_half_of_dp(prior):
    found = one_sided_dp_to_max_posterior(OneSidedDP(1.0), prior)
    assert found == pure_dp_to_max_posterior(PureDP(1.0, OUT), prior)


def test_the_other_half_says_nothing():
    with pytest.raises(NotApplicable, match="Expected the positive half"):
        one_sided_dp_to_max_posterior(OneSidedDP(1.0, Side.NEGATIVE), 0.5)
