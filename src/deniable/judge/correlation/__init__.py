"""Correlated records: what a mechanism reveals about one of them, exactly."""

from deniable.judge.correlation.household import worst_household_epsilon
from deniable.judge.correlation.sums import AllOrNothing, JointSum, MarkovSum
from deniable.judge.correlation.wasserstein import wasserstein_infinity, wasserstein_mechanism

__all__ = [
    "AllOrNothing",
    "JointSum",
    "MarkovSum",
    "wasserstein_infinity",
    "wasserstein_mechanism",
    "worst_household_epsilon",
]
