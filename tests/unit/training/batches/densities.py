"""A second way to what allocation tells: densities of ln R on even grids, in floats.

With f and g the densities of ln z and ln w for independent ratios z, w > 0, that of ln(z + w) is

    h(l) = ∫ f(l − ln(1 + e^−v)) g(l − ln(1 + e^v)) dv,      v = ln z − ln w,

and that of ln(z w) their convolution. Densities are analytic, so that a sum over equal nodes
converges geometrically; and all terms are positive, so that tails of 10⁻¹² keep as many digits as
the middle. Between nodes ln f is a spline of degree 5. Where `moments` needs hundreds of digits
(much or little noise, many steps, many epochs) this takes a second. Nothing here is shared with the
laws that are tested: they are rounded to atoms, in convex order, and these are not rounded at all.
"""

import functools
import math

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline, make_interp_spline
from scipy.special import logsumexp

Floats = NDArray[np.float64]

NODES = 6.0
"""Nodes in the width of a density where it is narrowest."""
_RARE = -54.0
"""ln of what is cut off, of a density under Q and under P: far below δ = 10⁻¹²."""
_MOST_NODES = 8000
_LEAST_NODES = 200
_NO_DENSITY = -1e4
"""ln of a density beyond its ends."""


class Density:
    """The density of ln z, as a spline of its logarithm; E z = `mean`."""

    def __init__(self, logs: Floats, log_f: Floats, mean: float) -> None:
        weighed = np.maximum(log_f, log_f + logs - math.log(mean))
        kept = np.flatnonzero(weighed > weighed.max() + _RARE)
        kept = slice(max(kept[0] - 3, 0), kept[-1] + 4)
        self.logs, self.log_f, self.mean = logs[kept], log_f[kept], mean
        self.spline: BSpline = make_interp_spline(self.logs, self.log_f, 5)
        bend = -self.spline.derivative(2)(self.logs)[6:-6]
        inside = (weighed[kept] > weighed.max() - 40)[6:-6]
        self.width = 1 / math.sqrt(bend[inside].max())
        """A standard deviation, where ln f is bent most."""

    @property
    def step(self) -> float:
        return float(self.logs[1] - self.logs[0])

    def at(self, logs: Floats) -> Floats:
        """ln f."""
        out = np.full(logs.shape, _NO_DENSITY)
        inside = (logs >= self.logs[0]) & (logs <= self.logs[-1])
        out[inside] = self.spline(logs[inside])
        return out

    def on(self, step: float) -> "Density":
        """The same on nodes this far apart, multiples of the step."""
        first, last = math.ceil(self.logs[0] / step), math.floor(self.logs[-1] / step)
        logs = np.arange(first, last + 1) * step
        return Density(logs, self.at(logs), self.mean)


def grid(low: float, high: float, width: float, nodes: float) -> Floats:
    count = int(np.clip((high - low) / width * nodes, _LEAST_NODES, _MOST_NODES))
    return np.linspace(low, high, count)


def of_one(sigma: float, nodes: float) -> Density:
    """ln z ~ N(−1/(2σ²), 1/σ²) under Q."""
    reach = math.sqrt(-2 * _RARE) + 1
    logs = grid(-0.5 / sigma**2 - reach / sigma, 0.5 / sigma**2 + reach / sigma, 1 / sigma, nodes)
    log_f = -(((logs + 0.5 / sigma**2) * sigma) ** 2) / 2 + math.log(sigma / math.sqrt(2 * math.pi))
    return Density(logs, log_f, 1.0)


def added(first: Density, second: Density, nodes: float) -> Density:
    """The density of ln(z + w)."""
    low = np.logaddexp(first.logs[0], second.logs[0])
    high = np.logaddexp(first.logs[-1], second.logs[-1])
    mean = first.mean + second.mean
    logs = grid(low, high, min(first.width, second.width) / math.sqrt(2), 2 * nodes)
    farthest = first.logs[-1] - second.logs[0], second.logs[-1] - first.logs[0]
    same = first is second
    step = min(first.width, second.width) / (nodes / 2)
    # Of equal laws v and −v give as much, so that half of the nodes do.
    count = int(farthest[0] / step) + 1
    least = 0 if same else -int(farthest[1] / step) - 1
    log_h = np.full(logs.shape, _NO_DENSITY)
    v = np.arange(least, count + 1) * step
    weight = np.where(v == 0, 1.0, 2.0 if same else 1.0) * step
    to_first, to_second, log_weight = np.logaddexp(0, -v), np.logaddexp(0, v), np.log(weight)
    for start in range(0, len(logs), 64):
        rows = logs[start : start + 64, None]
        # Columns of which one row at least is inside both.
        kept = (rows[-1] - to_first >= first.logs[0]) & (rows[0] - to_first <= first.logs[-1])
        kept &= (rows[-1] - to_second >= second.logs[0]) & (rows[0] - to_second <= second.logs[-1])
        if kept.any():
            terms = first.at(rows - to_first[kept]) + second.at(rows - to_second[kept])
            log_h[start : start + 64] = logsumexp(terms + log_weight[kept], axis=1)
    return Density(logs, log_h, mean)


def multiplied(first: Density, second: Density, nodes: float) -> Density:
    """The density of ln(z w), with each mass under Q tilted to what P gives."""
    step = min(first.width, second.width) / nodes
    a, b = first.on(step), second if second is first else second.on(step)
    b = a if second is first else b
    # Both are tilted by e^(l/2), halfway between Q and P, so that floats reach both tails.
    tilt_a, tilt_b = (each.log_f + each.logs / 2 for each in (a, b))
    top_a, top_b = tilt_a.max(), tilt_b.max()
    with np.errstate(under="ignore"):
        product = np.convolve(np.exp(tilt_a - top_a), np.exp(tilt_b - top_b))
    logs = a.logs[0] + b.logs[0] + np.arange(len(product)) * step
    log_h = np.log(np.maximum(product, 1e-290)) + top_a + top_b + math.log(step) - logs / 2
    return Density(logs, log_h, first.mean * second.mean)


def repeated(one: Density, times: int, combine, nodes: float) -> Density:
    total = None
    while True:
        if times & 1:
            total = one if total is None else combine(total, one, nodes)
        times >>= 1
        if not times:
            return total
        one = combine(one, one, nodes)


class Densities:
    """δ of random allocation over so many epochs, in both directions."""

    def __init__(self, sigma: float, steps: int, epochs: int, nodes: float = NODES) -> None:
        summed = repeated(of_one(sigma, nodes), steps, added, nodes)
        epoch = Density(summed.logs - math.log(steps), summed.log_f, 1.0)
        self.law = repeated(epoch, epochs, multiplied, nodes)

    @functools.cached_property
    def total(self) -> float:
        """1, if all went well."""
        return self._integral(lambda logs: np.ones_like(logs), self.law.logs[0], self.law.logs[-1])

    def _integral(self, value, low: float, high: float) -> float:
        """∫ value f, by Gauss and Legendre in each of many equal parts."""
        low, high = max(low, float(self.law.logs[0])), min(high, float(self.law.logs[-1]))
        if low >= high:
            return 0.0
        parts = np.linspace(low, high, int((high - low) / self.law.width * 2) + 2)
        x, weight = np.polynomial.legendre.leggauss(12)
        half = np.diff(parts)[:, None] / 2
        logs = parts[:-1, None] + half * (1 + x)
        return float((value(logs) * np.exp(self.law.at(logs)) * weight * half).sum())

    def remove(self, epsilon: float) -> float:
        """E (R − k)₊ at k = e^ε."""
        return self._integral(
            lambda logs: np.exp(logs) * -np.expm1(epsilon - logs), epsilon, math.inf
        )

    def add(self, epsilon: float) -> float:
        """E (1 − k R)₊."""
        return self._integral(lambda logs: -np.expm1(epsilon + logs), -math.inf, -epsilon)
