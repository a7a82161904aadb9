import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import ZCDP, Adjacency, PureDP
from deniable.theorems.pure_dp_to_zcdp import pure_dp_to_zcdp


@pytest.mark.parametrize(("epsilon", "rho"), [(0.0, 0.0), (1.0, 0.5), (2.0, 2.0)])
def test_half_the_square(epsilon, rho):
    for adjacency in Adjacency:
        assert pure_dp_to_zcdp(PureDP(epsilon, adjacency)) == ZCDP(rho, adjacency)


@pytest.mark.parametrize("epsilon", [math.inf, 1e200])
def test_no_bound(epsilon):
    with pytest.raises(NotApplicable, match="finite"):
        pure_dp_to_zcdp(PureDP(epsilon))
