"""Correlated records: what a mechanism reveals about one of them, exactly."""

from deniable.judge.correlation.household import worst_household_epsilon
from deniable.judge.correlation.joint_sum import AllOrNothing, JointSum
from deniable.judge.correlation.markov_sum import MarkovSum
from deniable.judge.correlation.wasserstein import wasserstein_infinity, wasserstein_mechanism

__all__ = [
    "AllOrNothing",
    "JointSum",
    "MarkovSum",
    "wasserstein_infinity",
    "wasserstein_mechanism",
    "worst_household_epsilon",
]
