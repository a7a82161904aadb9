"""What an adversary may believe before the release: one distribution a file, and families.

The two families that every guarantee names are imported at once, the distributions, which need
NumPy, when they are used.
"""

from typing import TYPE_CHECKING

from deniable._late import late_names
from deniable.priors.bounded import BoundedPrior as BoundedPrior
from deniable.priors.unrestricted import UnrestrictedPrior as UnrestrictedPrior

if TYPE_CHECKING:
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

_LATE = {
    "GroupedPrior": "deniable.priors.grouped",
    "MarkovPrior": "deniable.priors.markov",
    "MixturePrior": "deniable.priors.mixture",
    "OneOutOfM": "deniable.priors.one_out_of_m",
    "ProductPrior": "deniable.priors.product",
    "Prior": "deniable.priors.protocol",
    "SampledPrior": "deniable.priors.sampled",
    "SizeConditionedPrior": "deniable.priors.size_conditioned",
    "TablePrior": "deniable.priors.table",
    "UniformSized": "deniable.priors.uniform_sized",
    "UniformSubsets": "deniable.priors.uniform_subsets",
}
__getattr__ = late_names(__name__, _LATE)


def __dir__() -> list[str]:
    return sorted([*globals(), *_LATE])
