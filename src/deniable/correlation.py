"""What a mechanism reveals about correlated records, between bounds that hold every rounding."""

from typing import TYPE_CHECKING

from deniable.errors.public_names import named_exports
from deniable.judge.correlation import (
    AllOrNothing,
    JointSum,
    MarkovSum,
    wasserstein_infinity,
    wasserstein_mechanism,
    worst_household_epsilon,
)
from deniable.priors import Households
from deniable.theorems.households import household_epsilon, person_epsilon

__all__ = [
    "AllOrNothing",
    "Households",
    "JointSum",
    "MarkovSum",
    "household_epsilon",
    "person_epsilon",
    "wasserstein_infinity",
    "wasserstein_mechanism",
    "worst_household_epsilon",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = named_exports(__name__, __all__)
