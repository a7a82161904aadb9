import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, NegativeMembership, PureDP
from deniable.priors import BoundedPrior
from deniable.priors.correlated_prior import CorrelatedPrior
from deniable.theorems.pure_dp_to_negative_membership import (
    pure_dp_for_negative_membership,
    pure_dp_to_negative_membership,
)
from deniable.theorems.pure_dp_to_positive_membership import pure_dp_to_positive_membership

OUT = Adjacency.ADD_REMOVE


@pytest.mark.parametrize("ends", [(0.0, 1.0), (0.2, 0.7), (0.25, 0.25), (0.0, 0.0), (1.0, 1.0)])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 2.0, math.inf])
def test_theorem_2_with_the_interval_reflected(ends, epsilon):
    low, high = ends
    found = pure_dp_to_negative_membership(PureDP(epsilon, OUT), BoundedPrior(low, high))
    mirror = pure_dp_to_positive_membership(PureDP(epsilon), BoundedPrior(1 - high, 1 - low))
    assert found.adjacency is OUT
    assert found.gamma == pytest.approx(mirror.gamma, rel=1e-14)


@pytest.mark.parametrize("ends", [(0.0, 1.0), (0.2, 0.7), (0.25, 0.25), (0.5, 1.0), (0.0, 0.5)])
@pytest.mark.parametrize("gamma", [1.0, 1.5, 4.0])
def test_the_largest_budget(ends, gamma):
    adversary = BoundedPrior(*ends)
    budget = pure_dp_for_negative_membership(NegativeMembership(gamma, adversary))
    assert pure_dp_to_negative_membership(budget, adversary).gamma <= gamma
    more = PureDP(budget.epsilon * (1 + 1e-12) + 1e-12)
    assert pure_dp_to_negative_membership(more, adversary).gamma > gamma


def test_edges():
    assert pure_dp_for_negative_membership(NegativeMembership(math.inf)).epsilon == math.inf
    certain = NegativeMembership(2.0, BoundedPrior(1.0, 1.0), OUT)
    assert pure_dp_for_negative_membership(certain).adjacency is OUT
    with pytest.raises(NotApplicable, match="within an interval"):
        pure_dp_to_negative_membership(PureDP(1.0), CorrelatedPrior())
