import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, BayesianDP
from deniable.priors.correlated_prior import CorrelatedPrior
from deniable.theorems.bayesian_dp_to_positive_membership import bayesian_dp_to_positive_membership

OUT = Adjacency.ADD_REMOVE


def test_the_exponential():
    found = bayesian_dp_to_positive_membership(BayesianDP(math.log(3), OUT))
    assert (found.adversary, found.adjacency) == (CorrelatedPrior(), OUT)
    assert found.gamma == pytest.approx(3.0, rel=1e-15)
    assert bayesian_dp_to_positive_membership(BayesianDP(math.inf, OUT)).gamma == math.inf


def test_membership_must_be_a_value():
    with pytest.raises(NotApplicable, match="got replace-one"):
        bayesian_dp_to_positive_membership(BayesianDP(1.0))


def test_independent_records_say_nothing_of_correlated_ones():
    with pytest.raises(NotApplicable, match="got one over independent records"):
        bayesian_dp_to_positive_membership(BayesianDP(1.0, OUT, independent=True))
