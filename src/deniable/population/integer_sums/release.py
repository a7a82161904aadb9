"""From enclosed laws of the sum to the least ε of its noisy release, for one δ."""

from typing import TypeAlias

import attrs
import numpy as np

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.numerics.rounding import UNIT
from deniable.population.integer_sums import gaussian, laplace
from deniable.population.integer_sums.hockey_stick import least_epsilons
from deniable.population.integer_sums.laws import TINY, Floats, SumLaws

Noise: TypeAlias = DiscreteLaplace | DiscreteGaussian

_SHARE = 1e-18
"""Share of δ that the noise left out may have, which matters where e^ε comes near its inverse."""
_SMALL = 5.0
"""ε up to which noise left out at a share of δ does not widen the interval."""
_NARROW = 1e-9
"""Width, as a share of ε, beyond which a larger ε is found with all the noise that float64 has."""


def least_epsilons_of(
    laws: SumLaws, noise: Noise, delta: float, span: int, step: int = 1
) -> tuple[Floats, Floats]:
    """Enclosure of the least ε for each target, δ in (0, 1); columns are `step` apart.

    `below` and `above` must bound the probabilities themselves (rate 0); `span` is the distance
    of the least sum from the largest, in steps. Ends above about 690 are wide: odds of
    probabilities that float64 holds.
    """
    spread = _expand_steps(laws, step)
    missing = (np.exp(laws.below) + np.exp(laws.above)) * (1 + 1e-9)
    if isinstance(noise, DiscreteLaplace):
        low, high = laplace.noisy_law(spread, 1 / noise.scale)
        lower, upper = least_epsilons(low, high, missing, delta)
        # No output tells sums apart by more than their distance does.
        return lower, np.minimum(upper, float(span) * step / noise.scale * (1 + 4 * UNIT))
    lower, upper = _with_gaussian(spread, noise, tail_probability(delta), missing, delta)
    wide = np.flatnonzero((upper > _SMALL) & (upper > lower * (1 + _NARROW)))
    if len(wide):
        some = SumLaws(spread.low[:, wide], spread.high[:, wide], laws.below, laws.above)
        again = _with_gaussian(some, noise, TINY, missing[:, wide], delta)
        lower[wide] = np.maximum(lower[wide], again[0])
        upper[wide] = np.minimum(upper[wide], again[1])
    return lower, upper


def tail_probability(delta: float) -> float:
    """The probability of discrete Gaussian noise that is not looked at first."""
    return max(delta * _SHARE, TINY)


def _with_gaussian(
    laws: SumLaws, noise: DiscreteGaussian, outside: float, missing: Floats, delta: float
) -> tuple[Floats, Floats]:
    low, high = gaussian.noisy_law(laws, noise, outside)
    return least_epsilons(low, high, missing + outside, delta)


def _expand_steps(laws: SumLaws, step: int) -> SumLaws:
    """The same laws on every whole number."""
    if step == 1:
        return laws
    widened = []
    for logs in (laws.low, laws.high):
        wide = np.full((*logs.shape[:2], (logs.shape[2] - 1) * step + 1), -np.inf)
        wide[:, :, ::step] = logs
        widened.append(wide)
    return attrs.evolve(laws, low=widened[0], high=widened[1])
