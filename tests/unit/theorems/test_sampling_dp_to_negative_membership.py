import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, SamplingDP
from deniable.priors.sampled_entities import SampledEntities
from deniable.theorems.sampling_dp_to_negative_membership import sampling_dp_to_negative_membership

OUT = Adjacency.ADD_REMOVE


@pytest.mark.parametrize(
    ("beta", "ratio", "gamma"),
    [(0.5, 1.5, 2.0), (0.75, 2.0, 2.0), (0.75, 3.0, 3.0), (0.5, 1.0, 1.0)],
)
def test_either_term(beta, ratio, gamma):
    found = sampling_dp_to_negative_membership(SamplingDP(beta, math.log(ratio)))
    assert found.gamma == pytest.approx(gamma, rel=1e-14)
    assert (found.adversary, found.adjacency) == (SampledEntities(beta), OUT)


@pytest.mark.parametrize("epsilon", [math.log(2) * 1.001, 1.0, math.inf])
def test_absence_may_become_certain(epsilon):
    assert sampling_dp_to_negative_membership(SamplingDP(0.5, epsilon)).gamma == math.inf


def test_refusals():
    with pytest.raises(NotApplicable, match="delta = 0"):
        sampling_dp_to_negative_membership(SamplingDP(0.5, 1.0, 0.1))
