r"""What is known of the densities of noisy sums between grid points h apart.

- *Laplace noise:* e^t p(t) increases and e^(−t) p(t) decreases.
- *Gaussian noise:* ln p(t) + t²/2 is convex, being a cumulant generating function. It lies below
  its chords, and above the chords of the neighbouring cells.
"""

import math
from typing import Protocol

import attrs
import numpy as np
from numpy.typing import NDArray

SPACING = 1 / 256
"""h to begin with, in units of the noise: ε̃ is known to about 2h; under Gaussian noise a finer grid
tells more."""
ROUNDING = 1e-9
"""Of a log-density, and relative of a sum over cells: a thousand times what 2^21 terms make."""

Floats = NDArray[np.float64]


@attrs.frozen(eq=False)
class LogDensity:
    """Ends of ln p at t = first·h, (first + 1)·h, …; each of shape (n_targets, n_points)."""

    first: int
    low: Floats
    high: Floats
    spacing: float = SPACING

    @property
    def t(self) -> Floats:
        """The points, in units of the noise."""
        return self.spacing * np.arange(
            self.first, self.first + self.low.shape[1], dtype=np.float64
        )


class Between(Protocol):
    """What is known of densities between grid points under one noise."""

    def sharpen(self, p: LogDensity) -> LogDensity:
        """The same points, each with what the others tell of it."""
        ...

    def masses(self, p: LogDensity) -> tuple[Floats, Floats]:
        """Ends of the mass of each cell; shape (n_targets, n_points − 1)."""
        ...

    def ratio(self, p: LogDensity, q: LogDensity) -> Floats:
        """At least ln(p/q) on each cell."""
        ...


@attrs.frozen
class LaplaceCells:
    """e^t p(t) increases and e^(−t) p(t) decreases."""

    def sharpen(self, p: LogDensity) -> LogDensity:
        """ln p moves by at most the distance."""
        t, low, high = p.t, p.low, p.high
        # ln p(t) >= max_{s <= t} ln p(s) − (t − s) and likewise from the right; <= with min and +.
        low = np.maximum(
            np.maximum.accumulate(low + t, axis=1) - t,
            np.maximum.accumulate((low - t)[:, ::-1], axis=1)[:, ::-1] + t,
        )
        high = np.minimum(
            np.minimum.accumulate(high - t, axis=1) + t,
            np.minimum.accumulate((high + t)[:, ::-1], axis=1)[:, ::-1] - t,
        )
        return LogDensity(p.first, low - ROUNDING, high + ROUNDING, p.spacing)

    def masses(self, p: LogDensity) -> tuple[Floats, Floats]:
        """From either end the density moves by a factor of at most e^s at distance s."""
        # ∫_0^h e^(±s) ds from the end that tells more.
        low = np.exp(np.maximum(p.low[:, :-1], p.low[:, 1:])) * -math.expm1(-p.spacing)
        high = np.exp(np.minimum(p.high[:, :-1], p.high[:, 1:])) * math.expm1(p.spacing)
        return low, high

    def ratio(self, p: LogDensity, q: LogDensity) -> Floats:
        """On (a, b): ln(e^b p(b)) − ln(e^a q(a)), and ln(e^(−a) p(a)) − ln(e^(−b) q(b))."""
        rising = p.high[:, 1:] - q.low[:, :-1]
        falling = p.high[:, :-1] - q.low[:, 1:]
        return np.minimum(rising, falling) + p.spacing


@attrs.frozen
class GaussianCells:
    """c(t) = ln p(t) + t²/2 is convex."""

    def sharpen(self, p: LogDensity) -> LogDensity:
        """Nothing more is known."""
        return p

    def masses(self, p: LogDensity) -> tuple[Floats, Floats]:
        """By chords of ln p, which are off by what t²/2 bends."""
        # ln p <= chord + h²/8, and ∫ of an exponential over a cell is below the trapezoid.
        densities = np.exp(p.high)
        high = p.spacing * (densities[:, :-1] + densities[:, 1:]) / 2 * math.exp(p.spacing**2 / 8)
        # ln p >= the line from a known end; ∫ of an exponential is above h times its middle.
        half = p.t**2 / 2
        from_left, from_right = _lines(p)
        left = (p.low[:, :-1] + from_left - half[1:]) / 2
        right = (p.low[:, 1:] + from_right - half[:-1]) / 2
        return p.spacing * np.exp(np.maximum(left, right)), high

    def ratio(self, p: LogDensity, q: LogDensity) -> Floats:
        """A chord of p's c less a line below q's c, at both ends; t²/2 cancels."""
        half = p.t**2 / 2
        from_left, from_right = _lines(q)
        high, low = p.high + half, q.low + half
        left = np.maximum(high[:, :-1] - low[:, :-1], high[:, 1:] - from_left)
        right = np.maximum(high[:, 1:] - low[:, 1:], high[:, :-1] - from_right)
        return np.asarray(np.fmin(known(left), known(right)))


def _lines(q: LogDensity) -> tuple[Floats, Floats]:
    """Lower bounds of c at the far end of each cell, by the chord of the cell before and after."""
    # c(b) >= 2c(a) − c(a − h), and c(a) >= 2c(b) − c(b + h).
    half = q.t**2 / 2
    low, high = q.low + half, q.high + half
    nothing = np.full((len(low), 1), -np.inf)
    left = np.concatenate([nothing, 2 * low[:, 1:-1] - high[:, :-2]], axis=1)
    right = np.concatenate([2 * low[:, 1:-1] - high[:, 2:], nothing], axis=1)
    return np.nan_to_num(left, nan=-np.inf), np.nan_to_num(right, nan=-np.inf)


def known(ratio: Floats) -> Floats:
    """ln of a quotient, infinite where either density is not known."""
    return np.nan_to_num(ratio, nan=np.inf, posinf=np.inf, neginf=-np.inf)
