import math

from deniable.notions import PrivacyLossTail
from deniable.theorems.privacy_loss_tail_to_max_posterior import (
    privacy_loss_tail_to_max_posterior,
)


def test_the_cap_is_that_of_pure_dp_with_the_exceedance_beside_it():
    found = privacy_loss_tail_to_max_posterior(PrivacyLossTail(1.0, 1e-6), 0.5)
    assert math.isclose(found.posterior, 1 / (1 + math.exp(-1)))
    assert found.spec == f"max-posterior:{found.posterior!r},1e-06@0-0.5"
