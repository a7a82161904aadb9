import pytest

from deniable.errors import NotApplicable
from deniable.notions import ZCDP, Adjacency, GaussianDP
from deniable.theorems.gaussian_dp_to_zcdp import gaussian_dp_to_zcdp


@pytest.mark.parametrize(("mu", "rho"), [(0.0, 0.0), (1.0, 0.5), (0.5, 0.125)])
def test_half_the_square(mu, rho):
    for adjacency in Adjacency:
        assert gaussian_dp_to_zcdp(GaussianDP(mu, adjacency)) == ZCDP(rho, adjacency)


def test_slack_and_too_large_shifts_are_refused():
    with pytest.raises(NotApplicable, match="slack"):
        gaussian_dp_to_zcdp(GaussianDP(1.0, slack=0.1))
    with pytest.raises(NotApplicable, match="finite"):
        gaussian_dp_to_zcdp(GaussianDP(1e200))
