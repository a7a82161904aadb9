import math

from deniable.notions import PrivacyLossTail
from deniable.priors import BoundedPrior
from deniable.theorems.privacy_loss_tail_to_positive_membership import (
    privacy_loss_tail_to_positive_membership,
)


def test_gamma_is_that_of_pure_dp_with_the_exceedance_beside_it():
    tail = PrivacyLossTail(0.5, 1e-6)
    found = privacy_loss_tail_to_positive_membership(tail, BoundedPrior(0.5, 0.5))
    assert math.isclose(found.gamma, (math.exp(0.5) + 1) / 2)
    assert found.exceedance == 1e-6
    assert found.spec.endswith(",1e-06@0.5-0.5")
