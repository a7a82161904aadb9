"""What an adversary may believe before the release: one distribution a file, and families.

The two families that every guarantee names are imported at once, the distributions, which need
NumPy, when they are used.
"""

from typing import TYPE_CHECKING

from deniable._door import door
from deniable.priors.bounded import BoundedPrior
from deniable.priors.unrestricted import UnrestrictedPrior

__all__ = [
    "BoundedPrior",
    "GroupedPrior",
    "MarkovPrior",
    "MixturePrior",
    "OneOutOfM",
    "Prior",
    "ProductPrior",
    "SampledPrior",
    "SizeConditionedPrior",
    "TablePrior",
    "UniformSized",
    "UniformSubsets",
    "UnrestrictedPrior",
]

if TYPE_CHECKING:
    from deniable.priors.grouped import GroupedPrior
    from deniable.priors.markov import MarkovPrior
    from deniable.priors.mixture import MixturePrior
    from deniable.priors.one_out_of_m import OneOutOfM
    from deniable.priors.product import ProductPrior
    from deniable.priors.protocol import Prior
    from deniable.priors.sampled import SampledPrior
    from deniable.priors.size_conditioned import SizeConditionedPrior
    from deniable.priors.table import TablePrior
    from deniable.priors.uniform_sized import UniformSized
    from deniable.priors.uniform_subsets import UniformSubsets
else:
    __getattr__, __dir__ = door(
        __name__,
        __all__,
        {
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
        },
    )
