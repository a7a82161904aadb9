"""What an adversary may believe before the release: one distribution a file, and families."""

from deniable.priors.bounded import BoundedPrior as BoundedPrior
from deniable.priors.grouped import GroupedPrior as GroupedPrior
from deniable.priors.markov import MarkovPrior as MarkovPrior
from deniable.priors.mixture import MixturePrior as MixturePrior
from deniable.priors.one_out_of_m import OneOutOfM as OneOutOfM
from deniable.priors.product import ProductPrior as ProductPrior
from deniable.priors.protocol import Prior as Prior
from deniable.priors.sampled import SampledPrior as SampledPrior
from deniable.priors.size_conditioned import SizeConditionedPrior as SizeConditionedPrior
from deniable.priors.table import TablePrior as TablePrior
from deniable.priors.uniform_sized import UniformSized as UniformSized
from deniable.priors.uniform_subsets import UniformSubsets as UniformSubsets
from deniable.priors.unrestricted import UnrestrictedPrior as UnrestrictedPrior
