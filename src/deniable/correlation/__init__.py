"""What a mechanism reveals about correlated records, between ends that hold every rounding."""

from typing import TYPE_CHECKING

from deniable._door import lazy_exports
from deniable.correlation.all_or_nothing import AllOrNothing
from deniable.correlation.joint_sum import JointSum
from deniable.correlation.markov_sum import MarkovSum
from deniable.correlation.wasserstein import wasserstein_infinity, wasserstein_mechanism

__all__ = [
    "AllOrNothing",
    "JointSum",
    "MarkovSum",
    "wasserstein_infinity",
    "wasserstein_mechanism",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__, __all__)
