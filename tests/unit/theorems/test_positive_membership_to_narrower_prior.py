import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, PositiveMembership
from deniable.priors import BoundedPrior, UnrestrictedPrior
from deniable.priors.correlated_prior import CorrelatedPrior
from deniable.priors.one_of_worlds import OneOfWorlds
from deniable.priors.sampled_entities import SampledEntities
from deniable.theorems.positive_membership_to_narrower_prior import (
    positive_membership_to_narrower_prior,
)


@pytest.mark.parametrize(
    ("adversary", "adjacency"),
    [
        (BoundedPrior(0.25, 0.5), Adjacency.REPLACE_ONE),
        (BoundedPrior(0.3, 0.3), Adjacency.ADD_REMOVE),
        (OneOfWorlds(4), Adjacency.REPLACE_ONE),
        (OneOfWorlds(3), Adjacency.REPLACE_ONE),
        (SampledEntities(0.5), Adjacency.ADD_REMOVE),
    ],
    ids=str,
)
def test_what_is_inside_inherits(adversary, adjacency):
    wide = PositiveMembership(2.0, BoundedPrior(0.25, 0.5), 1e-6, adjacency)
    found = positive_membership_to_narrower_prior(wide, adversary)
    assert found == PositiveMembership(2.0, adversary, 1e-6, adjacency)


@pytest.mark.parametrize(
    ("adversary", "adjacency"),
    [
        (UnrestrictedPrior(), Adjacency.REPLACE_ONE),
        (BoundedPrior(0.2, 0.3), Adjacency.REPLACE_ONE),
        (OneOfWorlds(5), Adjacency.REPLACE_ONE),
        (OneOfWorlds(4), Adjacency.ADD_REMOVE),
        (SampledEntities(0.6), Adjacency.ADD_REMOVE),
        (SampledEntities(0.5), Adjacency.REPLACE_ONE),
        (CorrelatedPrior(), Adjacency.REPLACE_ONE),
    ],
    ids=str,
)
def test_what_is_outside_does_not(adversary, adjacency):
    wide = PositiveMembership(2.0, BoundedPrior(0.25, 0.5), adjacency=adjacency)
    with pytest.raises(NotApplicable, match="Expected"):
        positive_membership_to_narrower_prior(wide, adversary)


def test_other_families_have_no_parts():
    with pytest.raises(NotApplicable, match="within an interval"):
        positive_membership_to_narrower_prior(
            PositiveMembership(2.0, OneOfWorlds(4)), BoundedPrior(0.25, 0.25)
        )
