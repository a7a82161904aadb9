import pytest

from deniable.errors import NotApplicable
from deniable.notions import Identifiability, PositiveMembership
from deniable.priors.one_of_worlds import OneOfWorlds
from deniable.theorems.identifiability_to_positive_membership import (
    identifiability_to_positive_membership,
)
from deniable.theorems.positive_membership_to_identifiability import (
    positive_membership_to_identifiability,
)


@pytest.mark.parametrize("worlds", [2, 3, 8, 1000])
@pytest.mark.parametrize("rho", [0.3, 0.5, 0.9, 1.0])
def test_there_and_back(worlds, rho):
    if rho * worlds >= 1:
        there = identifiability_to_positive_membership(Identifiability(rho, worlds, 1e-6))
        back = positive_membership_to_identifiability(there)
        assert (back.worlds, back.exceedance) == (worlds, 1e-6)
        assert rho <= back.rho == pytest.approx(rho, rel=1e-14)


def test_guessing_stays_possible():
    found = positive_membership_to_identifiability(PositiveMembership(1.0, OneOfWorlds(4)))
    assert found.rho == 0.25


def test_other_families():
    with pytest.raises(NotApplicable, match="1-out-of-m"):
        positive_membership_to_identifiability(PositiveMembership(2.0))
