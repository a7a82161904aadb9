"""The mechanisms that a release uses."""

from typing import TypeAlias

from deniable.pipeline.noise.gaussian import DiscreteGaussian
from deniable.pipeline.noise.laplace import DiscreteLaplace
from deniable.pipeline.noise.noisy_top_k import NoisyTopK
from deniable.pipeline.noise.zero_sum import ZeroSumNoise

Mechanism: TypeAlias = DiscreteLaplace | DiscreteGaussian | NoisyTopK | ZeroSumNoise
"""The interface of a mechanism that a release uses."""
