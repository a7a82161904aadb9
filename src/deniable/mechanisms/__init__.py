"""Mechanisms as frozen values of public parameters: the law of the output, and its guarantee.

Noise that is released is in whole numbers: grid steps for vectors, score units for selections;
`Mechanism` lists what a release uses. The others are here to be analysed. `draws` simulates with
a caller's generator; what is released is drawn in `pipeline/noise/sampler.py` only.
"""

from typing import TYPE_CHECKING, TypeAlias

from deniable.errors.public_names import named_exports
from deniable.mechanisms.counting import CountBeliefs, NoisyCount
from deniable.mechanisms.exponential import ExponentialMechanism
from deniable.mechanisms.gaussian import DiscreteGaussian, Gaussian
from deniable.mechanisms.k_max import KMax
from deniable.mechanisms.laplace import DiscreteLaplace, Laplace
from deniable.mechanisms.noisy_top_k import NoisyTopK, SelectionNoise
from deniable.mechanisms.randomised_response import RandomisedResponse, dominating_laws
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.mechanisms.thresholds import KeyNoise as KeyNoise
from deniable.mechanisms.thresholds import KeyThreshold, exposure, least_threshold

__all__ = [
    "CountBeliefs",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "ExponentialMechanism",
    "Gaussian",
    "KMax",
    "KeyThreshold",
    "Laplace",
    "Mechanism",
    "NoisyCount",
    "NoisyTopK",
    "RandomisedResponse",
    "SelectionNoise",
    "StochasticMatrix",
    "dominating_laws",
    "exposure",
    "least_threshold",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = named_exports(__name__, __all__)

Mechanism: TypeAlias = DiscreteLaplace | DiscreteGaussian | NoisyTopK
"""What a release uses."""
