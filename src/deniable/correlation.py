"""What a mechanism reveals about correlated records, between bounds that hold every rounding."""

from typing import TYPE_CHECKING

from deniable.errors.public_names import named_exports
from deniable.judge.correlation import (
    AllOrNothing,
    JointSum,
    MarkovSum,
    wasserstein_infinity,
    wasserstein_mechanism,
)

__all__ = [
    "AllOrNothing",
    "JointSum",
    "MarkovSum",
    "wasserstein_infinity",
    "wasserstein_mechanism",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = named_exports(__name__, __all__)
