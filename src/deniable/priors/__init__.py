"""What an adversary may believe before the release: one family of priors a file."""

from deniable.priors.bounded import BoundedPrior as BoundedPrior
from deniable.priors.unrestricted import UnrestrictedPrior as UnrestrictedPrior
