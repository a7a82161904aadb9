"""The public grid: values become whole numbers of a power of two that bounds alone decide."""

import math

import attrs

STEPS = 24
"""The largest bound is at most 2^STEPS grid steps away from 0."""


@attrs.frozen
class Grid:
    """Multiples of 2^exponent.

    Examples
    --------
    >>> Grid.of(0.0, 50.0).step, Grid.of(0.0, 50.0).units(12.5)
    (3.814697265625e-06, 3276800)
    """

    exponent: int

    @classmethod
    def of(cls, low: float, high: float) -> "Grid":
        """The finest power of two with max(|low|, |high|) at most 2^24 steps."""
        mantissa, exponent = math.frexp(max(abs(low), abs(high)))
        return cls(max(exponent - (mantissa == 0.5) - STEPS, -1022))

    @property
    def step(self) -> float:
        """Distance between grid points, in the unit of the values."""
        return math.ldexp(1.0, self.exponent)

    def units(self, value: float) -> int:
        """Nearest grid point as a whole number of steps; monotone, and what the engine computes.

        `floor(value / step + 1/2)` in float64: both sides run the same IEEE operations, so a
        value that was clipped to [low, high] stays within [units(low), units(high)].
        """
        return math.floor(value / self.step + 0.5)

    def value(self, units: int) -> float:
        """A whole number of steps in the unit of the values."""
        return math.ldexp(float(units), self.exponent)
