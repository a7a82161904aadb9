"""One release of a sum of records with Gaussian noise, in units of the noise."""

from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable import _validate
from deniable.errors import InvalidArgument
from deniable.population.bounds import gaussian_shifts
from deniable.population.vector_sums.guide import Guide
from deniable.population.vector_sums.lists import Target

_CELLS = 16_000_000
"""Records times candidates times draws of a block of work, about a second."""
_PILOT_CELLS = 8_000_000
"""Records times draws of a pilot."""


def points(value: Any) -> NDArray[np.float64]:
    """Finite records as rows; one number a record becomes one column."""
    rows = np.asarray(value, np.float64)
    rows = rows[:, None] if rows.ndim == 1 else rows
    if rows.ndim != 2 or not rows.size or not np.all(np.isfinite(rows)):
        raise InvalidArgument(
            f"Expected finite records of shape (N, d), got shape {rows.shape}. "
            "Drop or impute what is missing."
        )
    return rows


def smaller(size: Any, population: int) -> int:
    """A sample size n with 1 <= n < N."""
    n = _validate.integer(size, "size", least=1)
    if n >= population:
        raise InvalidArgument(f"Expected size < {population}, the number of records, got size={n}.")
    return n


@attrs.frozen(eq=False)
class Release:
    """Publishes Σ_{i∈D} y_i + N(0, I), D a uniform subset of `size` records.

    Centring the records moves all releases alike and changes no divergence.

    Parameters
    ----------
    points : array_like of float, shape (N, d)
        The records' contributions, divided by the noise's standard deviation and centred.
    size : int
        n, with 1 <= n < N.
    """

    most_candidates: ClassVar[int] = 1024

    points: NDArray[np.float64]
    size: int

    @classmethod
    def of(cls, values: Any, size: int, sigma: float) -> "Release":
        """The release of Σ values + N(0, σ²I).

        Examples
        --------
        >>> Release.of([1.0, 2.0, 6.0], 2, 0.5).points.ravel().tolist()
        [-4.0, -2.0, 6.0]
        """
        rows = points(values)
        scaled = (rows - rows.mean(axis=0)) / _validate.positive(sigma, "sigma")
        return cls(scaled, smaller(size, len(rows)))

    @property
    def population(self) -> int:
        """N."""
        return len(self.points)

    @property
    def pilot_draws(self) -> int:
        """Fewer where each of them is much work."""
        return min(max(_PILOT_CELLS // self.population, 200), 2000)

    @property
    def dimension(self) -> int:
        """d."""
        return int(self.points.shape[1])

    def target(self, record: int) -> Target:
        """One record and the others."""
        others = np.delete(self.points, record, axis=0)
        share = (self.size - 0.5) / len(others)
        guide = Guide.towards(others, share, np.eye(self.dimension))
        return Target(self.points[record], others, self.size, guide)

    def block_draws(self, candidates: int) -> int:
        """How many draws make about a second of work."""
        return min(max(_CELLS // (self.population * candidates), 64), 4096)

    def fingerprint(self) -> bytes:
        """Everything that determines the draws."""
        return repr((self.size, self.points.shape)).encode() + self.points.tobytes()

    def directions(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The likelihood-ratio direction of every record and the length of its shift.

        As if releases were normal: a_x = C⁻¹(y_x − mean of the others) with C the covariance
        of the release, and μ_x = √((y_x − mean)ᵀ a_x). A heuristic: it ranks and plans.
        """
        shifts = self.points * (self.population / max(self.population - 1, 1))
        slopes = np.asarray(np.linalg.solve(self.covariance(), shifts.T).T, np.float64)
        return slopes, gaussian_shifts(self.points, self.size, 1.0)

    def covariance(self) -> NDArray[np.float64]:
        """Of the release: of the sum of a uniform n-subset, plus the noise's."""
        # n/N (1 − n/N) N/(N − 1) Σ (y − ȳ)(y − ȳ)ᵀ + I
        share = self.size / self.population
        scale = share * (1 - share) * self.population / max(self.population - 1, 1)
        spread: NDArray[np.float64] = self.points.T @ self.points
        return scale * spread + np.eye(self.dimension)
