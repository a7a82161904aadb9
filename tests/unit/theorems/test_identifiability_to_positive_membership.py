import math

import pytest

from deniable.notions import Identifiability, PositiveMembership
from deniable.priors.one_of_worlds import OneOfWorlds
from deniable.theorems.identifiability_to_positive_membership import (
    identifiability_to_positive_membership,
)


@pytest.mark.parametrize(
    ("rho", "worlds", "gamma"), [(0.5, 2, 1.0), (0.75, 2, 2.0), (0.5, 4, 2.0), (0.125, 4, 1.0)]
)
def test_either_term(rho, worlds, gamma):
    found = identifiability_to_positive_membership(Identifiability(rho, worlds))
    assert found == PositiveMembership(gamma, OneOfWorlds(worlds))


def test_certainty_and_exceptions():
    found = identifiability_to_positive_membership(Identifiability(1.0, 3, 1e-6))
    assert found == PositiveMembership(math.inf, OneOfWorlds(3), 1e-6)
