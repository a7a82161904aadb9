"""The mechanisms that a release uses."""

from typing import TypeAlias

from deniable.mechanisms.gaussian import DiscreteGaussian
from deniable.mechanisms.laplace import DiscreteLaplace
from deniable.mechanisms.noisy_top_k import NoisyTopK

Mechanism: TypeAlias = DiscreteLaplace | DiscreteGaussian | NoisyTopK
"""What a release uses."""
