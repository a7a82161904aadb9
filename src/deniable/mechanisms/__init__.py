"""Mechanisms as frozen values of public parameters: the law of the output, and its guarantee.

Noise that is released is in whole numbers: grid steps for vectors, score units for selections;
`Mechanism` lists what a release uses. The others are here to be analysed. `draws` simulates with
a caller's generator; what leaves the house is drawn in `pipeline/noise/sampler.py` only.
"""

from typing import TypeAlias

from deniable.mechanisms.counting import CountBeliefs as CountBeliefs
from deniable.mechanisms.counting import NoisyCount as NoisyCount
from deniable.mechanisms.discrete_gaussian import DiscreteGaussian as DiscreteGaussian
from deniable.mechanisms.discrete_laplace import DiscreteLaplace as DiscreteLaplace
from deniable.mechanisms.exponential import ExponentialMechanism as ExponentialMechanism
from deniable.mechanisms.gaussian import Gaussian as Gaussian
from deniable.mechanisms.k_max import KMax as KMax
from deniable.mechanisms.laplace import Laplace as Laplace
from deniable.mechanisms.noisy_top_k import NoisyTopK as NoisyTopK
from deniable.mechanisms.noisy_top_k import SelectionNoise as SelectionNoise
from deniable.mechanisms.randomised_response import RandomisedResponse as RandomisedResponse
from deniable.mechanisms.randomised_response import dominating_laws as dominating_laws
from deniable.mechanisms.stochastic_matrix import StochasticMatrix as StochasticMatrix

Mechanism: TypeAlias = DiscreteLaplace | DiscreteGaussian | NoisyTopK
