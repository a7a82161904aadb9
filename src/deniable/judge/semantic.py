"""Semantic privacy: how far a release moves a belief, against the same with record i absent.

After output y a belief b becomes b_0, proportional to b(T) A(T)(y), or b_i, proportional to
b(T) A(T∖i)(y), had record i been replaced by the default: absence. The distance is total
variation, over all beliefs b, records i and outputs y (kasiviswanathan-smith-2014).
"""

import numpy as np
from numpy.typing import NDArray

from deniable.judge.neighbours import every_subset, fill_unknown, iterate_additions
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.numerics.rounding import directed, upper

_ROUNDING = 2.0**-50
"""How far off a quotient of two quotients of floats is, relatively: 3 half-ulps, and room."""


def semantic(matrix: StochasticMatrix) -> float | None:
    r"""The largest distance over every belief, rounded up; None unless every law is known.

    b_i is b_0 reweighted by r(T) = A(T∖i)(y)/A(T)(y), and over all beliefs

    .. math:: \max_b \mathrm{TV}(b_0, b_i) = \frac{\sqrt{r_{max}} - \sqrt{r_{min}}}
              {\sqrt{r_{max}} + \sqrt{r_{min}}}
              = \tanh\left(\tfrac14 \ln\frac{r_{max}}{r_{min}}\right),

    attained on two subsets. r = 1 wherever i is out. A distance of 1 where some r is 0 or
    infinite, which includes outputs that absence makes impossible.

    Examples
    --------
    >>> from deniable.priors.universe import Universe
    >>> flip = StochasticMatrix(Universe(("a",)), ("no", "yes"), [[0.75, 0.25], [0.25, 0.75]])
    >>> round(semantic(flip), 6)  # tanh(ln(3)/4)
    0.267949
    """
    if not every_subset(matrix):
        return None
    worst = 0.0
    for pairs in iterate_additions(fill_unknown(matrix)):
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ratios = np.divide(pairs.second, pairs.first, order="C")
        worst = max(worst, largest_move(ratios))
    return worst


def largest_move(factors: NDArray[np.float64]) -> float:
    """How far reweighting by such factors, and by 1, moves a law at most, rounded up.

    The last axis runs over outputs, of which each is taken by itself; NaN (zero over zero) is no
    factor. Each factor may be off by a unit in its last place.
    """
    flat = np.where(np.isnan(factors), 1.0, factors).reshape(-1, factors.shape[-1])
    high, low = np.maximum(flat.max(axis=0), 1.0), np.minimum(flat.min(axis=0), 1.0)
    with np.errstate(divide="ignore", over="ignore"):
        return distance_of(float((high / low).max()))


def distance_of(spread: float) -> float:
    """tanh(¼ ln R) = (√R − 1)/(√R + 1) for a spread R of factors from floats, rounded up."""
    if spread == 1:
        return 0.0
    with directed() as r:
        root = r.sqrt(r(spread) * (1 + r(_ROUNDING)))
        return min(upper((root - 1) / (root + 1)), 1.0)
