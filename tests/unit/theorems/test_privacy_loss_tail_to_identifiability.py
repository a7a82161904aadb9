import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, PrivacyLossTail
from deniable.theorems.privacy_loss_tail_to_identifiability import (
    privacy_loss_tail_to_identifiability,
)


def test_rho_is_that_of_pure_dp_with_the_exceedance_beside_it():
    found = privacy_loss_tail_to_identifiability(PrivacyLossTail(2.0, 1e-6), 3)
    assert math.isclose(found.rho, 1 / (1 + 2 * math.exp(-2)))
    assert (found.worlds, found.exceedance) == (3, 1e-6)


def test_an_add_remove_tail_is_refused():
    with pytest.raises(NotApplicable, match="Expected a replace-one guarantee"):
        privacy_loss_tail_to_identifiability(PrivacyLossTail(2.0, 1e-6, Adjacency.ADD_REMOVE), 3)
