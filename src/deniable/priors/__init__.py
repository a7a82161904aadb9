"""What an adversary may believe before the release: distributions and families of them.

A distribution over subsets is called `…Prior` and stands in a file of its own; a family, a set
of them, is called `…Priors`. The families that guarantees name are imported at once, the
distributions, which need NumPy, when they are used; `families` has those of `verify`.
"""

from typing import TYPE_CHECKING

from deniable._door import door
from deniable.priors.adversaries import (
    BoundedPriors,
    CorrelatedPriors,
    OneOutOfPriors,
    SampledPriors,
)

__all__ = [
    "BoundedPriors",
    "CorrelatedPriors",
    "GroupedPrior",
    "MarkovPrior",
    "MixturePrior",
    "OneOutOfPrior",
    "OneOutOfPriors",
    "Prior",
    "ProductPrior",
    "SampledPrior",
    "SampledPriors",
    "SizeConditionedPrior",
    "TablePrior",
    "UniformPrior",
    "UniformSizedPrior",
]

if TYPE_CHECKING:
    from deniable.priors.grouped import GroupedPrior
    from deniable.priors.markov import MarkovPrior
    from deniable.priors.mixture import MixturePrior
    from deniable.priors.one_out_of import OneOutOfPrior
    from deniable.priors.product import ProductPrior
    from deniable.priors.protocol import Prior
    from deniable.priors.sampled import SampledPrior
    from deniable.priors.size_conditioned import SizeConditionedPrior
    from deniable.priors.table import TablePrior
    from deniable.priors.uniform import UniformPrior
    from deniable.priors.uniform_sized import UniformSizedPrior
else:
    __getattr__, __dir__ = door(
        __name__,
        __all__,
        {
            "GroupedPrior": "deniable.priors.grouped",
            "MarkovPrior": "deniable.priors.markov",
            "MixturePrior": "deniable.priors.mixture",
            "OneOutOfPrior": "deniable.priors.one_out_of",
            "ProductPrior": "deniable.priors.product",
            "Prior": "deniable.priors.protocol",
            "SampledPrior": "deniable.priors.sampled",
            "SizeConditionedPrior": "deniable.priors.size_conditioned",
            "TablePrior": "deniable.priors.table",
            "UniformPrior": "deniable.priors.uniform",
            "UniformSizedPrior": "deniable.priors.uniform_sized",
        },
    )
