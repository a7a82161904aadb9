"""A part's share of the budget, and the least noise that keeps to it.

All arithmetic here is ours and exact or rounded outwards, so that a certificate can be checked
where no sampler is installed. `pipeline/noise/sampler.py` lets OpenDP's own map confirm it before
a draw.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.errors.late import late
from deniable.numerics.rounding import directed, least, upper
from deniable.pipeline.noise import DiscreteLaplace

if TYPE_CHECKING:
    from deniable.pipeline import noise as mechanisms
    from deniable.pipeline.noise import Mechanism
else:  # a release with Laplace noise loads no other
    mechanisms = late("deniable.pipeline.noise")


@attrs.frozen
class VectorPart:
    """Whole numbers that get noise added to each coordinate, one a cell and bin.

    A `step` is the published unit of one whole number. Neighbours lie `l1` and `l2`, rounded up,
    apart in whole numbers, and differ in at most `moved` coordinates. Where it is `endless`, later
    releases add coordinates, which the sensitivities cover; data may then follow what was released,
    and only ρ adds up along such a series; no curve is used. Where they are `unknown`, nobody knows
    beforehand which coordinates there are: those that occur in the table. `coordinates` is 0 until
    noise is drawn, and how many they are is no more public than the numbers: only what passes a
    threshold is published (`mechanisms.thresholds`).
    """

    label: str
    step: float
    coordinates: int
    l1: int
    l2: float
    moved: int
    endless: bool = False
    unknown: bool = False
    partition: int = 0


@attrs.frozen
class SelectionPart:
    """Whole-number scores of candidates, of which the best `number` are chosen in every cell.

    A `step` is the ranks or rows that one score unit stands for; `sensitivity` is the sum over the
    cells of the largest change of any score between neighbours, which is `monotone` where all
    scores move the same way.
    """

    label: str
    step: float
    cells: int
    candidates: int
    number: int
    sensitivity: int
    monotone: bool


@attrs.frozen
class PublicPart:
    """A number that neighbours share, such as the number of entities under replace-one.

    It takes no share of the budget and gets no noise; its mechanism is None.
    """

    label: str


Part: TypeAlias = VectorPart | SelectionPart | PublicPart


NoisyPart: TypeAlias = VectorPart | SelectionPart

LEAST_SCALE = 2.0**-10
"""No scale is smaller: there noise differs from 0 with a probability below 1e-400."""

MOST_ZERO_SUM_SCALE = 2.0**40
"""Noise that adds up to zero has no larger scale: no number of it comes near the end of 64 bits."""

MOST_SENSITIVE = 2**63 - 1
"""The largest distance, in whole numbers, that OpenDP's 64-bit metrics hold."""

_MARGIN = 2.0**-40
"""How far below the first scale the least one may lie: far more than its few roundings up."""


def _epsilon(value: float | None) -> float | None:
    return None if value is None else validate.positive(value, "epsilon")


def _rho(value: float | None) -> float | None:
    return None if value is None else validate.positive(value, "rho")


@attrs.frozen
class Share:
    """One part's share of the budget: ε of pure DP or ρ of zero-concentrated DP, finite and > 0.

    >>> Share(rho=0.125)
    Share(epsilon=None, rho=0.125)
    """

    epsilon: float | None = attrs.field(default=None, converter=_epsilon)
    rho: float | None = attrs.field(default=None, converter=_rho)

    def __attrs_post_init__(self) -> None:
        if (self.epsilon is None) == (self.rho is None):
            raise InvalidArgument(
                f"Expected exactly one of epsilon and rho, got epsilon={self.epsilon}, "
                f"rho={self.rho}."
            )

    @property
    def amount(self) -> float:
        """The number that the loss may not pass."""
        return self.epsilon or self.rho or 0.0


def calibrate_mechanism(part: NoisyPart, share: Share) -> Mechanism:
    """The mechanism with the least scale whose loss, rounded up, stays within the share.

    Discrete Laplace or exponential noise for ε, discrete Gaussian or Gumbel noise for ρ, with a
    scale of `LEAST_SCALE` or more, also where nothing is sensitive. The cells of a partition get
    Laplace noise that adds up to zero, which is less.
    """

    def holds(scale: float) -> bool:
        return claimed_loss(_mechanism(part, share, scale), part) <= share.amount

    match part:
        case VectorPart():
            distance = 0 if share.epsilon is None else part.l1  # Gaussian noise takes l2, a float
        case SelectionPart():  # scores that move against each other count twice
            distance = part.sensitivity * (1 if part.monotone else 2)
    if distance > MOST_SENSITIVE:
        raise InvalidArgument(
            f"Expected a sensitivity of at most {MOST_SENSITIVE} whole numbers, got {distance} "
            f"at {part.label}. Narrow the bounds or the limits on rows."
        )
    # The exact least scale, rounded up: ε falls with the scale, ρ with its square.
    with directed() as r:
        ratio = r(claimed_loss(_mechanism(part, share, 1.0), part)) / r(share.amount)
        scale = upper(r.sqrt(ratio) if share.epsilon is None else ratio)
    if not math.isfinite(scale):
        raise InvalidArgument(f"Expected a share that finite noise can keep to, got {share}.")
    scale = max(scale, LEAST_SCALE)
    while not holds(scale):
        scale = math.nextafter(scale, math.inf)
    if scale > LEAST_SCALE:
        scale = least(holds, max(scale * (1 - _MARGIN), LEAST_SCALE), scale)
    return _mechanism(part, share, scale)


def claimed_loss(mechanism: Mechanism, part: NoisyPart) -> float:
    """The ε, or the ρ for Gaussian and Gumbel noise, of a mechanism on a part, rounded up."""
    match mechanism, part:
        case DiscreteLaplace(), VectorPart():
            return mechanism.epsilon(part.l1)
        case mechanisms.DiscreteGaussian(), VectorPart():
            return mechanism.rho(part.l2)
        case mechanisms.ZeroSumNoise(), VectorPart() if mechanism.cells == part.partition:
            return mechanism.epsilon(part.l1)
        case mechanisms.NoisyTopK(), SelectionPart():
            gumbel = mechanism.noise is mechanisms.SelectionNoise.GUMBEL
            return (mechanism.rho if gumbel else mechanism.epsilon)(part.sensitivity, part.monotone)
    raise mismatch(mechanism, part)


def mismatch(mechanism: Mechanism, part: NoisyPart) -> InvalidArgument:
    """The error for a mechanism and a part that do not belong together."""
    return InvalidArgument(f"Expected a mechanism that fits the part, got {mechanism} for {part}.")


def _mechanism(part: NoisyPart, share: Share, scale: float) -> Mechanism:
    match part:
        case VectorPart():
            if share.epsilon is None:
                return mechanisms.DiscreteGaussian(scale)
            if part.partition and scale <= MOST_ZERO_SUM_SCALE:
                return mechanisms.ZeroSumNoise(part.partition, scale)
            return DiscreteLaplace(scale)
        case SelectionPart():
            noise = (
                mechanisms.SelectionNoise.GUMBEL
                if share.epsilon is None
                else mechanisms.SelectionNoise.EXPONENTIAL
            )
            return mechanisms.NoisyTopK(scale, part.number, noise)
