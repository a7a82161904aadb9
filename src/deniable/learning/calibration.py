"""The least noise multiplier for a requirement, with the one that is certainly too small."""

from typing import TypeAlias

import attrs

from deniable.notions import (
    Advantage,
    ApproxDP,
    AttackSuccess,
    PredictiveValue,
    PrivacyLossTail,
)

Requirement: TypeAlias = PrivacyLossTail | ApproxDP | Advantage | AttackSuccess | PredictiveValue


@attrs.frozen
class LeastNoise:
    """`noise_multiplier` is enough by proof; anything below `necessary` is too little by proof."""

    noise_multiplier: float
    necessary: float


def least_noise_multiplier(
    requirement: Requirement, *, sample_rate: float, steps: int
) -> LeastNoise:
    """The least noise multiplier that meets a requirement, with add-or-remove adjacency."""
    raise NotImplementedError
