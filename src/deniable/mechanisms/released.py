"""The mechanisms that a release uses."""

from typing import TypeAlias

from deniable.mechanisms.gaussian import DiscreteGaussian
from deniable.mechanisms.laplace import DiscreteLaplace
from deniable.mechanisms.noisy_top_k import NoisyTopK
from deniable.mechanisms.zero_sum import ZeroSumNoise

Mechanism: TypeAlias = DiscreteLaplace | DiscreteGaussian | NoisyTopK | ZeroSumNoise
"""What a release uses."""
