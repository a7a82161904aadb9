"""What a mechanism reveals about correlated records, between ends that hold every rounding."""

from deniable.correlation.all_or_nothing import AllOrNothing as AllOrNothing
from deniable.correlation.joint_sum import JointSum as JointSum
from deniable.correlation.markov_sum import MarkovSum as MarkovSum
from deniable.correlation.wasserstein import wasserstein_infinity as wasserstein_infinity
from deniable.correlation.wasserstein import wasserstein_mechanism as wasserstein_mechanism
