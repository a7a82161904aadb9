"""What mechanisms share: a scale that is checked, and the type of generators that simulate."""

from typing import TYPE_CHECKING

from deniable.errors import validate
from deniable.numerics.rounding import Ball

if TYPE_CHECKING:
    from deniable.numerics.effort import Generator
else:  # a type; what a release draws needs nothing of simulations
    from numpy.random import Generator  # noqa: TID251

__all__ = ["Generator", "loss_range", "positive_scale"]


def positive_scale(value: float) -> float:
    """The spread of some noise, finite and > 0."""
    return validate.positive(value, "scale")


def loss_range(scale: float, sensitivity: float, monotone: bool) -> Ball:
    """How far apart the losses of one choice by noisy scores are: Δ/s, or 2Δ/s if not monotone."""
    moved = validate.non_negative(sensitivity, "sensitivity")
    return Ball(moved) * (1 if monotone else 2) / Ball(scale)
