"""How many of each type a uniform sample holds: tables of log-weights, exact up to rounding.

The counts C of a uniform n-sample are multivariate hypergeometric, Pr[C] ∝ Π_k binom(N_k, C_k).
A window of each count is held. By Bernstein's inequality the counts outside it have less than
`OUTSIDE` of the mass, which every upper bound takes off δ.
"""

import attrs
import numpy as np

from deniable.numerics.effort import Generator
from deniable.population.question import Floats, Ints

OUTSIDE = 1e-35  # Probability of all counts outside the windows, for up to 10^5 types
_DEVIATIONS, _MORE = 40.0, 80.0  # Half a window: standard deviations, and records besides


@attrs.frozen(eq=False)
class CountTables:
    """ln of binom(N_k, c) π^c (1 − π)^(N_k − c), less a constant of each type."""

    counts: Ints  # (n_types,): N_k, each at least 1
    size: int  # n
    first: Ints  # (n_types,): the least count of each window
    logs: tuple[Floats, ...]  # −inf outside of what is possible

    @classmethod
    def of(cls, counts: Ints, size: int) -> "CountTables":
        """Return the tables of a uniform sample of n."""
        everyone, first, logs = int(counts.sum()), [], []
        share, odds = size / everyone, size / (everyone - size)
        for many in counts.tolist():
            half = _DEVIATIONS * np.sqrt(many * share * (1 - share)) + _MORE
            low = max(0, size - (everyone - many), int(np.floor(many * share - half)))
            high = min(many, size, int(np.ceil(many * share + half)))
            # Sums of ln (N − c)/(c + 1) π/(1 − π) from the mean outwards, where they are small.
            start = min(max(round(many * size / everyone), low), high)
            up = np.arange(start, high, dtype=np.float64)
            down = np.arange(start, low, -1, dtype=np.float64)
            rising = np.cumsum(np.log((many - up) / (up + 1) * odds))
            falling = np.cumsum(np.log(down / (many - down + 1) / odds))
            logs.append(np.concatenate([falling[::-1], [0.0], rising]))
            first.append(low)
        return cls(counts, size, np.array(first), tuple(logs))

    @property
    def population(self) -> int:
        """N."""
        return int(self.counts.sum())

    @property
    def shares(self) -> tuple[float, float]:
        """n/N and 1 − n/N, each right to one rounding; their difference from 1 would not be."""
        return self.size / self.population, (self.population - self.size) / self.population

    @property
    def mean(self) -> Floats:
        """The expected count of each type."""
        return np.asarray(self.size / self.population * self.counts)

    def covariance(self) -> Floats:
        """Return the counts' covariance: n/N (1 − n/N) N/(N − 1) (diag(N_k) − N_j N_k/N)."""
        everyone, (share, rest) = self.population, self.shares
        parts = self.counts.astype(np.float64)
        spread = np.diag(parts) - np.outer(parts, parts) / everyone
        return np.asarray(share * rest * everyone / max(everyone - 1, 1) * spread)

    def log_weight(self, counts: Ints) -> Floats:
        """ln Pr of each vector of counts, less a constant; (..., n_types) -> (...)."""
        total = np.zeros(counts.shape[:-1])
        for k, table in enumerate(self.logs):
            at = counts[..., k] - self.first[k]
            inside = (at >= 0) & (at < len(table))
            total += np.where(inside, table[np.where(inside, at, 0)], -np.inf)
        return total

    def of_one(self, kind: int) -> tuple[Ints, Floats]:
        """The counts of one type that are possible, and their probabilities."""
        others = self.population - int(self.counts[kind])
        own = np.arange(self.first[kind], self.first[kind] + len(self.logs[kind]))
        rest = self.size - own
        own = own[(rest >= 0) & (rest <= others)]
        pair = CountTables.of(np.array([self.counts[kind], others]), self.size)
        logs = pair.log_weight(np.stack([own, self.size - own], axis=-1))
        weights = np.exp(logs - logs.max())
        return own, weights / weights.sum()

    def vectors(self, most: int) -> Ints | None:
        """All vectors of counts, if there are at most so many; shape (n_vectors, n_types)."""
        vectors = np.zeros((1, 0), np.int64)
        for k, table in enumerate(self.logs):
            column = np.arange(self.first[k], self.first[k] + len(table))
            if len(vectors) * len(column) > 64 * most:
                return None
            left = np.repeat(vectors, len(column), axis=0)
            vectors = np.hstack([left, np.tile(column, len(vectors))[:, None]])
            used, beyond = vectors.sum(axis=1), int(self.counts[k + 1 :].sum())
            vectors = vectors[(used <= self.size) & (used + beyond >= self.size)]
        return vectors if len(vectors) <= most else None

    def draw_others(self, rng: Generator, kind: int, own: Ints) -> Ints:
        """Uniform samples with these counts of one type; shape (n_draws, n_types)."""
        drawn = np.empty((len(own), len(self.counts)), np.int64)
        drawn[:, kind] = own
        left, beyond = self.size - own, self.population - int(self.counts[kind])
        for k, many in enumerate(self.counts):
            if k == kind:
                continue
            beyond -= int(many)
            some = rng.hypergeometric(int(many), beyond, left) if beyond else left
            drawn[:, k], left = some, left - some
        return drawn
