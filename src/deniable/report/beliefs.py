"""The numbers of the belief picture: limits by prior, the target, and the worst prior."""

import math

import attrs

from deniable.certificate.model import Certificate
from deniable.priors import BoundedPriors
from deniable.theorems.analysis import (
    AdvantageTarget,
    AttackSuccessTarget,
    GammaTarget,
    IdentifiabilityTarget,
    MaxPosteriorTarget,
    Target,
    posterior_lower,
    posterior_upper,
)

_STEPS = 100
"""Points of a curve: smooth at the size it is drawn."""
_READABLE = 0.05
"""Prior of the example where the band holds it: 5 in 100."""
_SEGMENT = 0.1
"""Half length of the mark at a claimed posterior, as a belief."""
_NEAR_ZERO = 0.1
"""Upper end of a band below which the picture is drawn on that band."""
_TABLE = (0.01, 0.05, 0.1, 0.5)
"""Priors that the table under the picture shows, besides the band's ends."""

Point = tuple[float, float]


@attrs.frozen
class BeliefPicture:
    """Posterior against prior.

    Parameters
    ----------
    extent : (prior, posterior)
        Where the axes end: 1, or less where the band lies near 0.
    limits : tuple of (prior, lowest, highest posterior)
        On a regular grid of priors.
    band : BoundedPriors
        What the adversary may believe before.
    target : tuple of (prior, posterior)
        The line that the plan asked for, or nothing where it asked for a budget.
    worst : (prior, posterior)
        The marked point.
    worst_reason : str
        Why that one.
    """

    extent: Point
    limits: tuple[tuple[float, float, float], ...]
    band: BoundedPriors
    target: tuple[Point, ...]
    worst: Point
    worst_reason: str


def belief_picture(certificate: Certificate) -> BeliefPicture:
    """Everything that the chart of posterior against prior shows."""
    loss, band = certificate.guarantee.loss, certificate.adversary
    worst, reason = worst_prior(certificate.target, band, loss)
    extent = _extent(certificate.target, band, loss)
    grid = [extent[0] * step / _STEPS for step in range(_STEPS + 1)]
    return BeliefPicture(
        extent=extent,
        limits=tuple((p, posterior_lower(loss, p), posterior_upper(loss, p)) for p in grid),
        band=band,
        target=target_line(certificate.target, band),
        worst=(worst, posterior_upper(loss, worst)),
        worst_reason=reason,
    )


def target_line(target: Target, band: BoundedPriors) -> tuple[Point, ...]:
    """The limit that the plan asked for, over the priors that it speaks about."""
    match target:
        case GammaTarget():
            g, width = target.value, band.high - band.low
            if math.isclose(band.low, band.high):
                return _segment(band.low, min(g * band.low, (g - 1 + band.low) / g))
            grid = [band.low + width * step / _STEPS for step in range(_STEPS)] + [band.high]
            return tuple((p, min(g * p, (g - 1 + p) / g)) for p in grid)
        case MaxPosteriorTarget():
            return ((band.low, target.value), (band.high, target.value))
        case AttackSuccessTarget():
            return _segment(0.5, target.value)
        case AdvantageTarget():
            return _segment(0.5, (1 + target.value) / 2)
        case IdentifiabilityTarget():
            return _segment(1 / target.worlds, target.value)
        case _:
            return ()


def worst_prior(target: Target, band: BoundedPriors, loss: float) -> tuple[float, str]:
    """Where the limit comes nearest to the target, or else where a belief can rise most."""
    match target:
        case GammaTarget() if (end := _worst_end(band, loss)) is not None:
            return end, "here the release comes nearest to the target"
        case MaxPosteriorTarget() if 0 < band.high < 1:
            return band.high, "here the release comes nearest to the target"
        case AttackSuccessTarget() | AdvantageTarget():
            return 0.5, "the target speaks about this prior"
        case IdentifiabilityTarget():
            return 1 / target.worlds, "the target speaks about this prior"
        case _:
            return steepest_prior(band, loss), "here a belief can rise by most"


def steepest_prior(band: BoundedPriors, loss: float) -> float:
    """The prior in the band whose belief can rise by most, 1/(1 + e^(ℓ/2)) if it is inside."""
    return min(max(1 / (1 + math.exp(min(loss, 700.0) / 2)), band.low), band.high)


def readable_prior(band: BoundedPriors) -> float:
    """5 in 100 where the band holds it, else the band's nearest number that reads well."""
    nearest = min(max(_READABLE, band.low), band.high)
    if nearest in (0.0, 1.0):  # certainty stays as it is and shows nothing
        return _READABLE
    for total in (100, 1000):
        up = math.ceil(round(nearest * total, 9)) / total
        if band.low <= up <= band.high and up < 1:
            return up
    return nearest


def table_priors(band: BoundedPriors) -> tuple[float, ...]:
    """1, 5, 10 and 50 in 100 and the ends of the band, in order."""
    # Ends that differ by a rounding are one.
    both = (band.low,) if math.isclose(band.low, band.high) else (band.low, band.high)
    limits = (end for end in both if 0 < end < 1)
    return tuple(sorted({*_TABLE, *limits}))


def _extent(target: Target, band: BoundedPriors, loss: float) -> Point:
    elsewhere = isinstance(target, AttackSuccessTarget | AdvantageTarget | IdentifiabilityTarget)
    if elsewhere or not 0 < band.high < _NEAR_ZERO:
        return 1.0, 1.0
    prior = _round_number(2 * band.high)
    limits = [posterior for _, posterior in target_line(target, band)]
    return prior, _round_number(max([posterior_upper(loss, prior), prior, *limits]))


def _round_number(least: float) -> float:
    """The least of 1, 2 or 5 times a power of ten that is no smaller; at most 1."""
    power = 10.0 ** math.floor(math.log10(least))
    return min(1.0, *(n * power for n in (1, 2, 5, 10) if n * power >= least * (1 - 1e-9)))


def _worst_end(band: BoundedPriors, loss: float) -> float | None:
    """The end of the band at which γ(p) of tramer-2015 is largest; None on [0, 1]."""
    e = math.exp(min(loss, 700.0))
    fall, rise = (e - 1) * band.high + 1, e / ((e - 1) * band.low + 1)
    worst = band.high if fall >= rise else band.low
    return worst if 0 < worst < 1 else None


def _segment(prior: float, posterior: float) -> tuple[Point, ...]:
    return (
        (max(prior - _SEGMENT, 0.0), posterior),
        (min(prior + _SEGMENT, 1.0), posterior),
    )
