r"""Whether the curves of groups differ: the log-rank test with noise in its variance.

In each bin, with M = Σ m_g at risk, D = Σ d_g events and p_g = m_g/M,

.. math:: U_g = \sum (d_g - p_g D), \quad
          V_{gh} = \sum \frac{D (M - D)}{M - 1} p_g (1[g = h] - p_h),

where a bin with M <= 1 adds nothing to V. The noise adds W = J C J′ with J the derivative of U,

.. math:: \frac{\partial U_g}{\partial d_h} = 1[g = h] - p_g, \quad
          \frac{\partial U_g}{\partial m_h} = -\frac{D}{M} (1[g = h] - p_g),

and χ² = U′(V + W)⁻¹U, of all groups but the last, has about G - 1 degrees of freedom if all curves
are the same. Without W far more than 5 % are rejected then.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.numerics.rounding import directed, upper
from deniable.survival.curve import Censored, quadratic_form, twice_at_risk
from deniable.survival.table import Group, Layout


@attrs.frozen
class LogRank:
    """The test's numbers; χ² and its p-value are None where the groups cannot be compared."""

    differences: tuple[Fraction, ...]
    by_sampling: tuple[tuple[Fraction, ...], ...]
    by_noise: tuple[tuple[float, ...], ...]
    chi_squared: float | None
    p_value: float | None


def log_rank(
    layout: Layout, groups: Sequence[Group], censored: Censored, covariances: Sequence[float]
) -> LogRank:
    """Compare the groups, whose cells have noise of these covariances."""
    number = range(layout.groups)
    at_risk = [twice_at_risk(group, censored) for group in groups]
    u = [Fraction(0) for _ in number]
    v = [[Fraction(0) for _ in number] for _ in number]
    for place in range(layout.bins):
        both, events = sum(m[place] for m in at_risk), sum(g.events[place] for g in groups)
        if not both:
            continue
        shares = [Fraction(m[place], both) for m in at_risk]
        m = Fraction(both, 2)
        pairs = events * (m - events) / (m - 1) if m > 1 else Fraction(0)
        for g in number:
            u[g] += groups[g].events[place] - shares[g] * events
            for h in number:
                v[g][h] += pairs * shares[g] * ((g == h) - shares[h])
    w = quadratic_form(_derivative(layout, groups, at_risk, censored), covariances)
    total = [[float(v[g][h]) + float(w[g, h]) for h in number[:-1]] for g in number[:-1]]
    solved = _solve(total, [float(each) for each in u[:-1]])
    chi_squared = None
    if solved is not None:
        chi_squared = max(sum(float(x) * y for x, y in zip(u, solved, strict=False)), 0.0)
    return LogRank(
        tuple(u),
        tuple(map(tuple, v)),
        tuple(tuple(float(each) for each in row) for row in w),
        chi_squared,
        None if chi_squared is None else chi_squared_tail(chi_squared, layout.groups - 1),
    )


def _derivative(
    layout: Layout, groups: Sequence[Group], at_risk: Sequence[Sequence[int]], censored: Censored
) -> NDArray[np.float64]:
    """J, of shape (groups, cells)."""
    result = np.zeros((layout.groups, layout.cells))
    left = 0.5 if censored == "half" else 1.0  # of one who is censored in this bin
    for g in range(layout.groups):
        for h in range(layout.groups):
            passed = 0.0
            for place in range(layout.bins):
                both = sum(m[place] for m in at_risk)
                if not both:
                    break
                events = sum(group.events[place] for group in groups)
                apart = (g == h) - at_risk[g][place] / both
                term = -(2 * events / both) * apart
                result[g, layout.censored(h, place)] = passed + left * term
                passed += term
                result[g, layout.event(h, place)] = apart + passed
            else:
                place = layout.bins
            for later in range(place, layout.bins):  # nobody is at risk any more
                result[g, layout.event(h, later)] = passed
                result[g, layout.censored(h, later)] = passed
            result[g, layout.beyond(h)] = passed
    return result


def _solve(matrix: list[list[float]], right: list[float]) -> list[float] | None:
    """Solve by elimination in a fixed order of operations; None where the matrix is singular."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for place in range(size):
        pivot = max(range(place, size), key=lambda row: abs(rows[row][place]))
        rows[place], rows[pivot] = rows[pivot], rows[place]
        if not abs(rows[place][place]) > 0 or not math.isfinite(rows[place][place]):
            return None
        for row in range(place + 1, size):
            factor = rows[row][place] / rows[place][place]
            rows[row] = [
                low - factor * high for low, high in zip(rows[row], rows[place], strict=True)
            ]
    result = [0.0] * size
    for place in reversed(range(size)):
        rest = sum(rows[place][other] * result[other] for other in range(place + 1, size))
        result[place] = (rows[place][size] - rest) / rows[place][place]
    return result


def chi_squared_tail(value: float, degrees: int) -> float:
    """Return the probability that a chi-squared number is larger, rounded up.

    >>> round(chi_squared_tail(3.841458820694124, 1), 6), round(chi_squared_tail(5.991465, 2), 6)
    (0.05, 0.05)
    """
    with directed() as r:
        return min(upper((r(value) / 2).gamma_upper(r(degrees) / 2, regularized=1)), 1.0)
