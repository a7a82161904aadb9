r"""The curve of a group of whole people, and how it moves with each of them.

N_k people are observed when bin k begins. Of these m_k count as being at risk in it: all but half
of those who are censored in it (`half`, the life table), or all of them (`end`: Kaplan-Meier of
times that are rounded up to the grid). With d_k events,

.. math:: S_k = \prod_{j \le k} \left(1 - \frac{d_j}{m_j}\right), \quad
          H_k = \sum_{j \le k} \frac{d_j}{m_j}, \quad
          V_k = \sum_{j \le k} \frac{d_j}{m_j (m_j - d_j)},

and S_k^2 V_k is the variance of S_k by sampling (Greenwood). With noise of covariance C in the
cells the covariance of the curve is Σ_kl = S_k S_l V_min(k,l) + g_k′ C g_l, where g_k is the
gradient of S_k. In V and g a share d_j/m_j counts as 1 - 1/2m_j at most, so that neither is
infinite where everybody at risk has the event.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.survival.table import Group

Censored: TypeAlias = Literal["half", "end"]
"""The time at which people who are censored in a bin leave: in its middle, or at its end."""
RULES: tuple[Censored, ...] = ("half", "end")


def twice_at_risk(group: Group, censored: Censored) -> list[int]:
    """Return 2 m_k of each bin, a whole number."""
    half = censored == "half"
    observed = group.observed
    return [2 * n - c * half for n, c in zip(observed, group.censored, strict=False)]


def survival(group: Group, censored: Censored) -> list[Fraction | None]:
    """Return S at each time of the grid; None from where nobody is at risk."""
    result, value = list[Fraction | None](), Fraction(1)
    for d, m in zip(group.events, twice_at_risk(group, censored), strict=True):
        value = value * (1 - Fraction(2 * d, m)) if m else value
        result.append(value if m else None)
    return result


def cumulative_hazard(group: Group, censored: Censored) -> list[Fraction | None]:
    """Return H at each time of the grid; None from where nobody is at risk."""
    result, value = list[Fraction | None](), Fraction(0)
    for d, m in zip(group.events, twice_at_risk(group, censored), strict=True):
        value += Fraction(2 * d, m) if m else 0
        result.append(value if m else None)
    return result


@attrs.frozen(eq=False)
class Spread:
    """The variation of a group's curve over its bins in which somebody is at risk.

    `gradients` are of shape (bins, cells of the group), in the order of the layout; `values` and
    `variances` are S and V with the shares of `capped` events.
    """

    values: NDArray[np.float64]
    variances: NDArray[np.float64]
    gradients: NDArray[np.float64]

    @classmethod
    def of(cls, group: Group, censored: Censored) -> Spread:
        """Return it for a table of whole people."""
        at_risk = twice_at_risk(group, censored)
        bins, width = sum(m > 0 for m in at_risk), 2 * len(at_risk) + 1
        own = range(bins)
        events = [min(2 * d, m - 1) for d, m in zip(group.events, at_risk, strict=True)]
        # d/m(m − d) of each bin; their sums are V. And 1/(m − d).
        terms = [2 * events[k] / (at_risk[k] * (at_risk[k] - events[k])) for k in own]
        direct = [2 / (at_risk[k] - events[k]) for k in own]
        shares = (1 - events[k] / at_risk[k] for k in own)
        values = np.array([*itertools.accumulate(shares, lambda one, other: one * other)])
        sums = [*itertools.accumulate(terms, initial=0.0)]
        left = 0.5 if censored == "half" else 1.0  # of one who is censored in this bin
        gradients = np.zeros((bins, width))
        for k in own:
            # One more person at risk in the bins before takes away the sum of their terms.
            gradients[k] = -sums[k + 1]
            for i in range(k + 1):
                gradients[k, i] = direct[i] - sums[i + 1]
                gradients[k, width - 1 - i] = -sums[i] - left * terms[i]
            gradients[k] *= -values[k]
        return cls(values, np.array(sums[1:]), gradients)

    def noise(self, covariances: Sequence[float]) -> NDArray[np.float64]:
        """Return g_k′ C g_l, where cells that are h apart have the covariance at place h."""
        return quadratic_form(self.gradients, covariances)

    def covariance_with(self, noise: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return Σ, by sampling and by this noise."""
        places = np.arange(len(self.values))
        earlier = self.variances[np.minimum.outer(places, places)]
        return np.multiply.outer(self.values, self.values) * earlier + noise


def quadratic_form(
    vectors: NDArray[np.float64], covariances: Sequence[float]
) -> NDArray[np.float64]:
    """Return A C A′ for the rows of A, in an order of operations that every machine keeps."""
    around = np.array(covariances)
    cells = np.arange(vectors.shape[1])
    apart = around[np.abs(np.subtract.outer(cells, cells))]
    return _product(_product(vectors, apart), vectors.T)


def _product(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """A matrix product, added up from the first place to the last."""
    result = np.zeros((len(left), right.shape[1]))
    for place in range(left.shape[1]):
        result += np.multiply.outer(left[:, place], right[place])
    return result
