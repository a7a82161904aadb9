"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.judge.correlation.household import worst_household_epsilon as worst_household_epsilon
from deniable.judge.correlation.sums import AllOrNothing as AllOrNothing
from deniable.judge.correlation.sums import JointSum as JointSum
from deniable.judge.correlation.sums import MarkovSum as MarkovSum
from deniable.judge.correlation.wasserstein import wasserstein_infinity as wasserstein_infinity
from deniable.judge.correlation.wasserstein import wasserstein_mechanism as wasserstein_mechanism
from deniable.notions.households import Households as Households
from deniable.theorems.households import household_epsilon as household_epsilon
from deniable.theorems.households import person_epsilon as person_epsilon
