"""Where significance begins in the plane of allele counts, exactly; public numbers only.

x of 2R alleles in cases and y of 2S in controls are significant if the allelic χ² reaches c,

    2N (xS − yR)² >= c R S (x + y)(2N − x − y),   0 < x + y < 2N.

Comparisons are made in float64 where its error cannot matter and in whole numbers where it can.
"""

import math
from fractions import Fraction

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import validate
from deniable.gwas.scores.adjacency import sizes

Integers = NDArray[np.int64]

_MARGIN = 1e-12
"""Far above the relative error of the five products and sums below, which is less than 1e-15."""


def _threshold(value: float) -> float:
    return validate.positive(value, "threshold")


@attrs.frozen
class Line:
    """The public numbers that decide significance.

    Parameters
    ----------
    cases, controls : int
        R and S, each >= 1.
    threshold : float
        c > 0, in units of the allelic χ².

    Raises
    ------
    InvalidArgument
        If a number is out of range.
    """

    cases: int
    controls: int
    threshold: float = attrs.field(converter=_threshold)

    def __attrs_post_init__(self) -> None:
        sizes(self.cases, self.controls)

    @property
    def individuals(self) -> int:
        """N = R + S."""
        return self.cases + self.controls

    @property
    def level(self) -> float:
        """c, or a number above every χ² where c is larger still; no χ² exceeds 2N."""
        return min(self.threshold, 4.0 * self.individuals)

    def reached(self, x: Integers, y: Integers) -> NDArray[np.bool_]:
        """Whether the allelic χ² of each pair of allele counts is at least c, exactly.

        A variant of which everybody has the same two alleles is not significant.
        """
        # 2N (xS − yR)² >= c R S t (2N − t), t = x + y, in floats; where both sides are close, in
        # whole numbers.
        total = x + y
        rest = 2 * self.individuals - total
        imbalance = (x * self.controls - y * self.cases).astype(np.float64)
        left = 2.0 * self.individuals * imbalance**2
        right = self.level * float(self.cases * self.controls) * (total * rest)
        found = (left >= right) & (total > 0) & (rest > 0)
        (close,) = np.nonzero((np.abs(left - right) <= _MARGIN * right) & (total > 0) & (rest > 0))
        if len(close):
            pairs, back = np.unique(np.stack([x[close], y[close]]), axis=1, return_inverse=True)
            exact = [self._reached(a, b) for a, b in pairs.T.tolist()]
            found[close] = np.array(exact)[back.ravel()]
        return found

    def _reached(self, x: int, y: int) -> bool:
        r, s, total = self.cases, self.controls, x + y
        right = Fraction(self.level) * (r * s * total * (2 * (r + s) - total))
        return 2 * (r + s) * (x * s - y * r) ** 2 >= right


@attrs.frozen
class Outline:
    """The ellipse of insignificance by rows y = 0 … 2S and columns x = 0 … 2R.

    Parameters
    ----------
    line : Line
        What decides significance.
    highest : array of int64, shape (2S + 1,)
        For each y the greatest x that is not significant for its cases; never falling.
    bends : tuple of int
        Where x = `highest`[y] has the slopes 2, 1 and ½, to within 1.
    """

    line: Line
    highest: Integers
    bends: tuple[int, ...]

    @property
    def lowest(self) -> Integers:
        """For each y the least x that is not significant for its controls."""
        return np.asarray(2 * self.line.cases - self.highest[::-1])

    def greatest_below(self, x: Integers) -> Integers:
        """The greatest y beside which x is significant for its cases; −1 where none is."""
        return np.searchsorted(self.highest, x, side="left") - 1

    def least_beside(self, x: Integers) -> Integers:
        """The least y beside which x is not significant for its cases."""
        return np.searchsorted(self.highest, x, side="left")


def outline(line: Line) -> Outline:
    """The ellipse's outline, from a floating-point guess that is corrected exactly."""
    r, s = line.cases, line.controls
    y = np.arange(2 * s + 1)
    # A guess from the arc's formula, then exact steps until x is the last that is not significant.
    flat = y * r // s
    x = np.clip(np.floor(_upper_arc(line, y.astype(np.float64))).astype(np.int64), flat, 2 * r)
    while (high := line.reached(x, y) & (x > flat)).any():
        x = x - high
    while (low := (x < 2 * r) & ~line.reached(np.minimum(x + 1, 2 * r), y)).any():
        x = x + low
    return Outline(line, x, _bends(line))


def _kappa(line: Line) -> float:
    return line.level * line.cases * line.controls / (2 * line.individuals)


def _upper_arc(line: Line, y: NDArray[np.float64]) -> NDArray[np.float64]:
    """The larger x with (xS − yR)² = κ (x + y)(2N − x − y); about."""
    n, r, s, kappa = line.individuals, line.cases, line.controls, _kappa(line)
    # (S² + κ)x² − 2(SRy + κ(N − y))x + R²y² − κy(2N − y) = 0
    half = s * r * y + kappa * (n - y)
    constant = (r * y) ** 2 - kappa * y * (2 * n - y)
    root = np.sqrt(np.maximum(half**2 - (s * s + kappa) * constant, 0.0))
    return np.asarray((half + root) / (s * s + kappa))


def _bends(line: Line) -> tuple[int, ...]:
    """Rows where the upper arc rises by 2, 1 and ½ a row.

    In t = x + y and l = xS − yR the arc is l = √κ √(N² − (t − N)²), of slope −√κ tan φ at
    t = N + N sin φ; x rises by m a row where dl/dt = (mS − R)/(m + 1).
    """
    n, r, s = line.individuals, line.cases, line.controls
    width = math.sqrt(_kappa(line))
    rows = []
    for slope in (2.0, 1.0, 0.5):
        angle = math.atan2(-(slope * s - r) / (slope + 1), width)
        t, imbalance = n + n * math.sin(angle), width * n * math.cos(angle)
        rows.append(min(max(round((t * s - imbalance) / n), 0), 2 * s))
    return tuple(rows)
