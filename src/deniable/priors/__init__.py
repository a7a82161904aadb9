"""What an adversary may believe before the release: distributions and families of them.

A distribution over subsets is called `…Prior` and stands in a file of its own; a family, a set
of them, is called `…Priors`. The families that guarantees name are imported at once, the
distributions and the families of explicit mechanisms, which need NumPy, when they are used.
"""

from typing import TYPE_CHECKING

from deniable.errors.public_names import lazy_exports
from deniable.priors.adversaries import (
    BoundedPriors,
    CorrelatedPriors,
    OneOutOfPriors,
    SampledPriors,
)

__all__ = [
    "AllPriors",
    "BoundedPriors",
    "BoundedProductPriors",
    "BoundedSizeConditionedPriors",
    "CorrelatedPriors",
    "Family",
    "GroupedPrior",
    "MarkovPrior",
    "MixturePrior",
    "OneOutOfAnyPriors",
    "OneOutOfPrior",
    "OneOutOfPriors",
    "PairPriors",
    "PopulationPriors",
    "Prior",
    "ProductPrior",
    "ProductPriors",
    "SampledPrior",
    "SampledPriors",
    "SinglePriors",
    "SizeConditionedPrior",
    "SizeConditionedPriors",
    "TablePrior",
    "UniformPrior",
    "UniformPriors",
    "UniformSizedPrior",
]

if TYPE_CHECKING:
    from deniable.priors.families import (
        AllPriors,
        BoundedProductPriors,
        BoundedSizeConditionedPriors,
        Family,
        OneOutOfAnyPriors,
        PairPriors,
        PopulationPriors,
        ProductPriors,
        SinglePriors,
        SizeConditionedPriors,
        UniformPriors,
    )
    from deniable.priors.markov import MarkovPrior
    from deniable.priors.mixture import GroupedPrior, MixturePrior
    from deniable.priors.one_out_of import OneOutOfPrior
    from deniable.priors.product import ProductPrior, SampledPrior
    from deniable.priors.protocol import Prior
    from deniable.priors.size_conditioned import SizeConditionedPrior
    from deniable.priors.table import TablePrior
    from deniable.priors.uniform import UniformPrior, UniformSizedPrior
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        __all__,
        {
            "AllPriors": "deniable.priors.families",
            "BoundedProductPriors": "deniable.priors.families",
            "BoundedSizeConditionedPriors": "deniable.priors.families",
            "Family": "deniable.priors.families",
            "GroupedPrior": "deniable.priors.mixture",
            "MarkovPrior": "deniable.priors.markov",
            "MixturePrior": "deniable.priors.mixture",
            "OneOutOfAnyPriors": "deniable.priors.families",
            "OneOutOfPrior": "deniable.priors.one_out_of",
            "PairPriors": "deniable.priors.families",
            "Prior": "deniable.priors.protocol",
            "ProductPrior": "deniable.priors.product",
            "ProductPriors": "deniable.priors.families",
            "SampledPrior": "deniable.priors.product",
            "PopulationPriors": "deniable.priors.families",
            "SinglePriors": "deniable.priors.families",
            "SizeConditionedPrior": "deniable.priors.size_conditioned",
            "SizeConditionedPriors": "deniable.priors.families",
            "TablePrior": "deniable.priors.table",
            "UniformPrior": "deniable.priors.uniform",
            "UniformPriors": "deniable.priors.families",
            "UniformSizedPrior": "deniable.priors.uniform",
        },
    )
