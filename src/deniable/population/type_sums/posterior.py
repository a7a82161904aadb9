r"""What somebody who knows the types learns from a release, and who is told a list besides.

Given the counts C of a sample, each of the N_t records of a type is as likely to be in it as any
other: Pr[in | C] = C_t/N_t. So for a release y, with p the law of y and a list of vectors of
counts of which one is the true one,

.. math:: m = \frac{1}{N_t} \frac{\sum_l W_l C_{t,l}}{\sum_l W_l}, \quad
          W_l = \frac{\Pr[C_l]\,\phi(y - V^\top C_l)}{q_y(C_l)}, \quad
          \frac{p_{in}}{p} = \frac{m}{\pi}, \quad \frac{p_{out}}{p} = \frac{1 - m}{1 - \pi},

where q_y is a law that is positive everywhere and may depend on y. The release alone tells no more
than release and list (data processing), whatever the length of the list; a list of all vectors,
each once, tells no more than the release.

The others of a list are no independent draws of q_y but a shifted lattice. Let F_y be the map
from [0, 1)^(K−1) to vectors that turns uniform numbers into draws of q_y, and u a uniform point
among those that F_y maps to the truth: its density is Pr[C] φ/q_y(C) = W at C = F_y(u). What is
told is the set u + G, G a finite group of shifts modulo 1. Given the set, each of its points is
the true one with a chance ∝ its W, as above. Lattices cover the cube evenly, so m
comes near its limit with far fewer vectors (sloan-joe-1994).
"""

from typing import Protocol

import attrs
import numpy as np
from scipy.special import expit, logit

from deniable.mechanisms import DiscreteLaplace
from deniable.numerics.effort import Generator
from deniable.population.question import Floats
from deniable.population.type_sums.counts import CountTables, Ints
from deniable.population.type_sums.noise import ColumnNoise

_WIDER = 1.15
"""How much wider than its normal approximation the law of the others in a list is."""
_LEAST_SCALE = 0.15
"""Of the logistic law rounded to whole numbers; narrower ones hit one number only."""
_LOGISTIC = np.sqrt(3) / np.pi
"""The scale of a logistic law of variance 1."""


class Lists(Protocol):
    """What is told besides a release."""

    @property
    def length(self) -> int:
        """How many vectors of counts a list has."""

    def weigh(
        self, rng: Generator, releases: Floats, truth: Ints, kind: int, tilt: float
    ) -> tuple[Ints, Floats]:
        """Vectors of counts (n_draws or 1, n_list, n_types), and ln W (n_draws, n_list)."""


@attrs.frozen(eq=False)
class AllVectors:
    """A list of all vectors of counts, where they are few: the release itself, no more."""

    vectors: Ints
    logs: Floats
    centres: Floats
    noise: ColumnNoise

    @classmethod
    def of(
        cls, tables: CountTables, values: Floats, noise: ColumnNoise, most: int
    ) -> "AllVectors | None":
        """None where there are more than `most`."""
        vectors = tables.vectors(most)
        if vectors is None:
            return None
        return cls(vectors, tables.log_weight(vectors), vectors @ values, noise)

    @property
    def length(self) -> int:
        """All of them."""
        return len(self.vectors)

    def weigh(
        self, _: Generator, releases: Floats, __: Ints, ___: int, ____: float
    ) -> tuple[Ints, Floats]:
        """All of them, whatever is true."""
        if self.noise.kind is DiscreteLaplace:
            off = releases[:, None, :] - self.centres[None]
            return self.vectors[None], self.logs + self.noise.log_density(off)
        # −|y − c|²/2σ², less what is the same for all c.
        near = self.centres / np.square(self.noise.scales)
        fixed = self.logs - (near * self.centres).sum(axis=1) / 2
        return self.vectors[None], fixed + releases @ near.T


@attrs.frozen(eq=False)
class RandomLists:
    """The true vector among others that a normal approximation of the posterior proposes."""

    tables: CountTables
    values: Floats
    noise: ColumnNoise
    length: int

    def weigh(
        self, rng: Generator, releases: Floats, truth: Ints, kind: int, tilt: float
    ) -> tuple[Ints, Floats]:
        """The truth first: its place does not matter, as the sums are symmetric in the list."""
        middles, lower, free, slack = self._guide(releases, kind, tilt)
        n_draws, n_types = truth.shape
        counts = np.empty((n_draws, self.length, n_types), np.int64)
        units = np.empty((n_draws, self.length, len(free)))
        log_q = np.zeros((n_draws, self.length))
        steps = _lattice(self.length, len(free))
        # One count after the other: a logistic law around its mean given those before it,
        # Pr[c] = sinh(1/2s)/(cosh((c − mean)/s) + cosh(1/2s)).
        for i, k in enumerate(free):
            mean = middles[:, i, None] + units[:, :, :i] @ lower[i, :i]
            scale = max(_WIDER * _LOGISTIC * lower[i, i], _LEAST_SCALE)
            off = truth[:, k] - mean[:, 0]
            edges = expit((off - 0.5) / scale), expit((off + 0.5) / scale)
            place = edges[0] + rng.random(n_draws) * (edges[1] - edges[0])
            others = np.clip(np.mod(place[:, None] + steps[1:, i], 1.0), 1e-16, 1 - 1e-16)
            counts[:, 0, k] = truth[:, k]
            counts[:, 1:, k] = np.rint(mean[:, 1:] + scale * logit(others))
            log_q += _log_logistic((counts[:, :, k] - mean) / scale, 1 / (2 * scale))
            units[:, :, i] = (counts[:, :, k] - mean) / lower[i, i]
        counts[:, :, slack] = self.tables.size - counts[:, :, free].sum(axis=-1)
        off = releases[:, None, :] - counts @ self.values
        return counts, self.tables.log_weight(counts) + self.noise.log_density(off) - log_q

    def _guide(
        self, releases: Floats, kind: int, tilt: float
    ) -> tuple[Floats, Floats, list[int], int]:
        """Posterior means (n_draws, n_free) and a Cholesky factor, as if counts were normal."""
        order = np.argsort(-self.tables.counts, kind="stable")
        slack = int(next(k for k in order if k != kind))
        free = [kind, *(k for k in range(len(order)) if k not in (kind, slack))]
        covariance = self.tables.covariance()[np.ix_(free, free)]
        slope = self.values[free] - self.values[slack]
        least = np.eye(len(free)) * 1e-6
        precision = np.linalg.inv(covariance + least) + slope / self.noise.variances @ slope.T
        posterior = np.linalg.inv(precision)
        off = releases - self.tables.mean @ self.values
        push = off / self.noise.variances @ slope.T
        push[:, 0] += tilt
        middles = self.tables.mean[free] + push @ posterior
        lower = np.asarray(np.linalg.cholesky(posterior + least), np.float64)
        return middles, lower, free, slack


def seen_slope(tables: CountTables, values: Floats, noise: ColumnNoise, kind: int) -> Floats:
    """How a type's expected count follows the release, as if all were normal; (n_columns,)."""
    covariance = tables.covariance()
    release_covariance = values.T @ covariance @ values + np.diag(noise.variances)
    return np.asarray(np.linalg.solve(release_covariance, covariance[kind] @ values))


def fraction_seen(tables: CountTables, values: Floats, noise: ColumnNoise, kind: int) -> float:
    """Share of the variance of a type's count that the release shows, as if all were normal."""
    covariance = tables.covariance()
    along = covariance[kind] @ values
    own = max(float(covariance[kind, kind]), 1e-12)
    seen = along @ seen_slope(tables, values, noise, kind) / own
    return float(np.clip(seen, 1e-9, 1 - 1e-12))


def _lattice(length: int, dimension: int) -> Floats:
    """A rank-1 lattice, the origin first; shape (length, dimension)."""
    generator = round(length * 0.3819660112501051) | 1
    powers = [pow(generator, j, length) for j in range(dimension)]
    return np.asarray(np.mod(np.outer(np.arange(length), powers) / length, 1.0))


def _log_logistic(z: Floats, half: float) -> Floats:
    """ln sinh h − ln(cosh z + cosh h), without overflow."""
    a = np.abs(z)
    tail = np.exp(-2 * a) + np.exp(half - a) + np.exp(-half - a)
    return np.asarray(np.log(2 * np.sinh(half)) - a - np.log1p(tail))
