import pytest

from deniable.errors import NotApplicable
from deniable.notions import NegativeMembership
from deniable.priors import BoundedPrior
from deniable.priors.one_of_worlds import OneOfWorlds
from deniable.theorems.negative_membership_to_narrower_prior import (
    negative_membership_to_narrower_prior,
)


def test_what_is_inside_inherits():
    found = negative_membership_to_narrower_prior(NegativeMembership(2.0), OneOfWorlds(3))
    assert found == NegativeMembership(2.0, OneOfWorlds(3))


def test_what_is_outside_does_not():
    wide = NegativeMembership(2.0, BoundedPrior(0.25, 0.5))
    with pytest.raises(NotApplicable, match="Expected beliefs within"):
        negative_membership_to_narrower_prior(wide, BoundedPrior(0.25, 0.6))
