"""Cases' and controls' frequencies as a normal pair, and what observations make of it."""

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.gwas.published.text_table import Floats

_LEAST = 1e-300
"""Below it a variance is 0, and nothing is left to learn."""

Pair = tuple[Floats, Floats]


@attrs.frozen
class Normal:
    """Means and covariances of cases' and controls' frequencies.

    Parameters
    ----------
    cases, controls : ndarray of float, shape (n_variants, n_references)
        Means.
    of_cases, of_controls, of_both : ndarray of float, same shape
        Variances, and the covariance.
    log_chance : ndarray of float, same shape
        Logarithm of the density of what was observed.
    """

    cases: Floats
    controls: Floats
    of_cases: Floats
    of_controls: Floats
    of_both: Floats
    log_chance: Floats

    @classmethod
    def before(cls, p: Floats, sizes: Pair, people: NDArray[np.int64]) -> "Normal":
        r"""Before anything is read: two samples of a population of which the reference is one too.

        .. math:: \operatorname{Var} = \frac{p(1-p)}{2}\left(\frac 1 n + \frac 1 k\right),\quad
                  \operatorname{Cov} = \frac{p(1-p)}{2k}
        """
        one = p * (1 - p) / 2
        reference = one / np.maximum(people, 1)[:, None]
        cases, controls = sizes
        return cls(p, p, one / cases + reference, one / controls + reference, reference, 0 * p)

    def mean(self, weights: Pair) -> Floats:
        """Of a weighted sum."""
        return weights[0] * self.cases + weights[1] * self.controls

    def variance(self, weights: Pair) -> Floats:
        """Of a weighted sum."""
        a, b = weights
        found = a * a * self.of_cases + 2 * a * b * self.of_both + b * b * self.of_controls
        return np.maximum(found, 0.0)


@attrs.frozen
class Observation:
    """A weighted sum of both frequencies, seen with an error of known variance.

    NaN is no observation.
    """

    in_cases: Floats
    in_controls: Floats
    value: Floats
    error: Floats


def updated(normal: Normal, observations: Sequence[Observation]) -> Normal:
    """The law given what was observed: the usual step of a normal pair, once an observation."""
    for seen in observations:
        a, b = seen.in_cases, seen.in_controls
        with_cases = a * normal.of_cases + b * normal.of_both
        with_controls = a * normal.of_both + b * normal.of_controls
        whole = np.maximum(a * with_cases + b * with_controls, 0.0) + seen.error
        surprise = seen.value - normal.mean((a, b))
        known = np.isfinite(surprise) & np.isfinite(whole) & (whole > _LEAST)
        safe = np.where(known, whole, 1.0)
        surprise = np.where(known, surprise, 0.0)
        k, j = np.where(known, with_cases / safe, 0.0), np.where(known, with_controls / safe, 0.0)
        chance = -0.5 * (surprise**2 / safe + np.log(safe))
        normal = Normal(
            normal.cases + k * surprise,
            normal.controls + j * surprise,
            np.maximum(normal.of_cases - k * with_cases, 0.0),
            np.maximum(normal.of_controls - j * with_controls, 0.0),
            normal.of_both - k * with_controls,
            normal.log_chance + np.where(known, chance, 0.0),
        )
    return normal


def mixed(
    normal: Normal, difference: Observation, sign: Floats, weights: Pair
) -> tuple[Floats, Floats]:
    """Mean and variance of a weighted sum once a difference is seen, perhaps without its sign.

    Parameters
    ----------
    normal : Normal
        Before it is seen.
    difference : Observation
        Its size.
    sign : ndarray of float, shape (n_variants,)
        1, −1, or 0 where it is unknown: then both are tried, each weighed by its density.
    weights : (ndarray, ndarray)
        Of the sum.
    """
    up = updated(normal, [difference])
    down = updated(normal, [attrs.evolve(difference, value=-difference.value)])
    known = sign[:, None]
    odds = np.clip(down.log_chance - up.log_chance, -700.0, 700.0)
    share = np.where(known > 0, 1.0, np.where(known < 0, 0.0, 1 / (1 + np.exp(odds))))
    means, variances = zip(
        *((each.mean(weights), each.variance(weights)) for each in (up, down)), strict=True
    )
    mean = share * means[0] + (1 - share) * means[1]
    within = share * variances[0] + (1 - share) * variances[1]
    return mean, within + share * (1 - share) * (means[0] - means[1]) ** 2
