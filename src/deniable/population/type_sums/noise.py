"""Independent noise on every column of a sum, each with a scale of its own."""

import math
from typing import Any, TypeAlias

import attrs
import numpy as np

from deniable.errors import InvalidArgument, validate
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian
from deniable.numerics.effort import Generator
from deniable.population.question import Floats

Mechanism: TypeAlias = Gaussian | DiscreteLaplace | DiscreteGaussian

_NEVER = 45.0
"""−ln of probabilities that are left out: 3e-20."""
_LEAST_VARIANCE = 1e-3
"""Of noise that is nearly none, so that matrices can be inverted; it guides and proves nothing."""


def _scales(value: Any) -> Floats:
    scales = np.atleast_1d(np.asarray(value, np.float64))
    for each in scales:
        validate.positive(float(each), "scale")
    return scales


@attrs.frozen(eq=False)
class ColumnNoise:
    """Noise of one kind, of these scales.

    Parameters
    ----------
    kind : type
        `Gaussian`, `DiscreteLaplace` or `DiscreteGaussian`.
    scales : array_like of float, shape (n_columns,)
        Of each column's noise, > 0.

    Examples
    --------
    >>> noise = ColumnNoise(DiscreteLaplace, [1.0, 2.0])
    >>> noise.log_density(np.array([[0.0, 0.0], [1.0, -2.0]])).tolist()
    [-0.0, -2.0]
    """

    kind: type[Gaussian] | type[DiscreteLaplace] | type[DiscreteGaussian]
    scales: Floats = attrs.field(converter=_scales)

    @classmethod
    def of(cls, noise: "Mechanism | ColumnNoise", columns: int) -> "ColumnNoise":
        """The same noise on every column; or noise of each column's own, which must be of them."""
        if not isinstance(noise, ColumnNoise):
            return cls(type(noise), np.full(columns, noise.scale))
        if len(noise.scales) != columns:
            raise InvalidArgument(
                f"Expected a scale for each of {columns} columns, got {len(noise.scales)}."
            )
        return noise

    @property
    def name(self) -> str:
        """As the mechanism's."""
        return self.kind.name

    @property
    def variances(self) -> Floats:
        """About the variance of each column's noise."""
        if self.kind is not DiscreteLaplace:
            return np.asarray(np.square(self.scales), np.float64)
        spread = 2 * np.exp(-1 / self.scales) / np.square(np.expm1(-1 / self.scales))
        return np.asarray(np.maximum(spread, _LEAST_VARIANCE), np.float64)

    def log_density(self, off: Floats) -> Floats:
        """ln of the density or probability, less a constant; (..., n_columns) -> (...)."""
        if self.kind is DiscreteLaplace:
            return np.asarray(-(np.abs(off) / self.scales).sum(axis=-1))
        return np.asarray(-np.square(off / self.scales).sum(axis=-1) / 2)

    def draw(self, rng: Generator, n_draws: int) -> Floats:
        """For an analysis of made-up samples, as nothing is released here; (n_draws, n_columns)."""
        shape = (n_draws, len(self.scales))
        if self.kind is Gaussian:
            return np.asarray(self.scales * rng.standard_normal(shape), np.float64)
        if self.kind is DiscreteLaplace:
            chance = np.broadcast_to(-np.expm1(-1 / self.scales), (2, *shape))
            both = rng.geometric(chance)
            return np.asarray(both[0] - both[1], np.float64)
        columns = [_discrete_gaussian(rng, float(scale), n_draws) for scale in self.scales]
        return np.stack(columns, axis=1)

    def normal(self, along: Floats) -> float:
        """Standard deviation of the normal noise on a·y; 0 for whole noise."""
        return float(np.linalg.norm(along * self.scales)) if self.kind is Gaussian else 0.0

    def characteristic(self, theta: Floats, along: Floats) -> Floats:
        """E e^{iθ a·Z}, a real number, at each θ; (n_frequencies,)."""
        if self.kind is Gaussian:
            return np.asarray(np.exp(-np.square(theta * self.normal(along)) / 2))
        factor = np.ones(len(theta))
        for each, scale in zip(along, self.scales, strict=True):
            x = theta * each
            if self.kind is DiscreteLaplace:
                # ((1 − q)/|1 − q e^{ix}|)², q = e^(−1/b).
                q = math.exp(-1 / scale)
                factor /= 1 + 4 * q * np.square(np.sin(x / 2) / math.expm1(-1 / scale))
            else:
                factor *= _discrete_gaussian_waves(x, float(scale))
        return factor

    def reach(self, along: Floats) -> float:
        """How far a·Z goes, but for a share of e^−45."""
        if self.kind is Gaussian:
            return 10 * self.normal(along)
        total = float(np.abs(along) @ self.scales)
        if self.kind is DiscreteGaussian:
            return 10 * total + float(np.abs(along).sum())
        return (_NEVER + 5) * total


def _discrete_gaussian(rng: Generator, scale: float, n_draws: int) -> Floats:
    """By rejection from discrete Laplace noise of scale ⌊σ⌋ + 1 (canonne-kamath-steinke-2020)."""
    t, drawn, wanted = math.floor(scale) + 1, np.empty(n_draws), np.arange(n_draws)
    while len(wanted):
        both = rng.geometric(-math.expm1(-1 / t), (2, len(wanted)))
        k = np.asarray(both[0] - both[1], np.float64)
        keep = np.exp(-np.square(np.abs(k) - scale**2 / t) / (2 * scale**2))
        accepted = rng.random(len(wanted)) < keep
        drawn[wanted[accepted]] = k[accepted]
        wanted = wanted[~accepted]
    return drawn


def _discrete_gaussian_waves(x: Floats, scale: float) -> Floats:
    """E cos xZ: a short sum over Z, or over the periods of x by Poisson's formula."""
    if scale < 1:
        k = np.arange(math.ceil(10 * scale) + 10)
        chances = DiscreteGaussian(scale).pmf(k) * np.where(k > 0, 2.0, 1.0)
        return np.asarray(np.cos(np.outer(x, k)) @ (chances / chances.sum()))
    near = np.mod(x + np.pi, 2 * np.pi) - np.pi
    periods = 2 * np.pi * np.arange(-3, 4)
    waves = np.exp(-np.square(scale * (near[:, None] + periods)) / 2).sum(axis=1)
    return np.asarray(waves / np.exp(-np.square(scale * periods) / 2).sum())
