import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, BayesianDP, PositiveMembership
from deniable.priors.correlated_prior import CorrelatedPrior
from deniable.theorems.positive_membership_to_bayesian_dp import positive_membership_to_bayesian_dp

OUT = Adjacency.ADD_REMOVE


def test_the_logarithm():
    family = CorrelatedPrior(downward_scalable=True)
    found = positive_membership_to_bayesian_dp(PositiveMembership(3.0, family, adjacency=OUT))
    assert found == BayesianDP(found.epsilon, OUT)
    assert found.epsilon == pytest.approx(math.log(3), rel=1e-15)
    limitless = PositiveMembership(math.inf, family, adjacency=OUT)
    assert positive_membership_to_bayesian_dp(limitless).epsilon == math.inf


@pytest.mark.parametrize(
    ("guarantee", "message"),
    [
        (PositiveMembership(2.0, CorrelatedPrior(), adjacency=OUT), "downward scalable"),
        (PositiveMembership(2.0, adjacency=OUT), "downward scalable"),
        (PositiveMembership(2.0, CorrelatedPrior(True)), "got replace-one"),
        (PositiveMembership(2.0, CorrelatedPrior(True), 0.1, OUT), "no exception"),
    ],
    ids=str,
)
def test_refusals(guarantee, message):
    with pytest.raises(NotApplicable, match=message):
        positive_membership_to_bayesian_dp(guarantee)
