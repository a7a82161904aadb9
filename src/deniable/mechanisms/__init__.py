"""Mechanisms as frozen values of public parameters: the law of the output, and its guarantee.

Everything is in whole numbers: grid steps for vectors, score units for selections. Nothing here
draws noise.
"""

from typing import TypeAlias

from deniable.mechanisms.discrete_gaussian import DiscreteGaussian as DiscreteGaussian
from deniable.mechanisms.discrete_laplace import DiscreteLaplace as DiscreteLaplace
from deniable.mechanisms.noisy_top_k import NoisyTopK as NoisyTopK
from deniable.mechanisms.noisy_top_k import SelectionNoise as SelectionNoise

Mechanism: TypeAlias = DiscreteLaplace | DiscreteGaussian | NoisyTopK
