"""What a mechanism reveals about correlated records, between ends that hold every rounding."""

from typing import TYPE_CHECKING

from deniable.correlation.all_or_nothing import AllOrNothing
from deniable.correlation.joint_sum import JointSum
from deniable.correlation.markov_sum import MarkovSum
from deniable.correlation.wasserstein import wasserstein_infinity, wasserstein_mechanism
from deniable.errors.public_names import lazy_exports

__all__ = [
    "AllOrNothing",
    "JointSum",
    "MarkovSum",
    "wasserstein_infinity",
    "wasserstein_mechanism",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__, __all__)
