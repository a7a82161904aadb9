"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.priors.adversaries import BoundedPriors as BoundedPriors
from deniable.priors.adversaries import CorrelatedPriors as CorrelatedPriors
from deniable.priors.adversaries import OneOutOfPriors as OneOutOfPriors
from deniable.priors.adversaries import SampledPriors as SampledPriors
from deniable.priors.families import AllPriors as AllPriors
from deniable.priors.families import BoundedProductPriors as BoundedProductPriors
from deniable.priors.families import BoundedSizeConditionedPriors as BoundedSizeConditionedPriors
from deniable.priors.families import Family as Family
from deniable.priors.families import OneOutOfAnyPriors as OneOutOfAnyPriors
from deniable.priors.families import PairPriors as PairPriors
from deniable.priors.families import PopulationPriors as PopulationPriors
from deniable.priors.families import ProductPriors as ProductPriors
from deniable.priors.families import SinglePriors as SinglePriors
from deniable.priors.families import SizeConditionedPriors as SizeConditionedPriors
from deniable.priors.families import UniformPriors as UniformPriors
from deniable.priors.markov import MarkovPrior as MarkovPrior
from deniable.priors.mixture import GroupedPrior as GroupedPrior
from deniable.priors.mixture import MixturePrior as MixturePrior
from deniable.priors.one_out_of import OneOutOfPrior as OneOutOfPrior
from deniable.priors.product import ProductPrior as ProductPrior
from deniable.priors.product import SampledPrior as SampledPrior
from deniable.priors.protocol import Prior as Prior
from deniable.priors.size_conditioned import SizeConditionedPrior as SizeConditionedPrior
from deniable.priors.table import TablePrior as TablePrior
from deniable.priors.uniform import UniformPrior as UniformPrior
from deniable.priors.uniform import UniformSizedPrior as UniformSizedPrior
