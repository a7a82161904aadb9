r"""Releases of samples that hold unusually many of one type, weighted back to all samples.

Samples are drawn with Pr ∝ Pr[C] e^(τ C_t). With M = E e^(τ C_t), release and list have

.. math:: \frac{p}{p_\tau} = w = \frac{M}{E[e^{\tau C_t} \mid y, list]}
          \le M e^{-\tau N_t m} \quad\text{(Jensen)},

so D(in‖out) = E_τ[X(ε)], X(ε) = w (m/π − e^ε (1 − m)/(1 − π))_+, and X is bounded: with
A = 1/π + e^ε/(1 − π), m_ε the m at which the bracket vanishes and κ = τ N_t,

.. math:: X \le M A (m - m_\epsilon) e^{-\kappa m}
          \le \frac{M A}{\kappa} e^{-\kappa m_\epsilon - 1}.

D(out‖in) is D(in‖out) of the records that are left out: they are a uniform sample of N − n, and
their sum is a constant less that of the sample, with symmetric noise.

What is chosen beside the sum is a part of y: it is drawn given the true counts, and W has the
factor Pr[choice | C_l], in both directions of the sample's own counts.
"""

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.numerics.effort import Generator
from deniable.population.question import Floats
from deniable.population.type_sums.counts import CountTables, Ints
from deniable.population.type_sums.noise import ColumnNoise
from deniable.population.type_sums.posterior import (
    AllVectors,
    Lists,
    RandomLists,
    fraction_seen,
    seen_slope,
)
from deniable.population.type_sums.selected import NOTHING_SELECTED, Selected

_CELLS = 1_500_000
"""Draws times list times types that are held at once: arrays of some 12 MB."""
_LENGTHS = (13, 31, 61, 127, 251, 509, 1021)
"""Of lists: primes, so that every lattice has as many points."""
_LATTICE = 0.2
"""About the variance of a mean over a lattice, as a share of one over as many independent draws."""
_FEW_VECTORS = 1024
"""Up to so many vectors of counts all of them are listed."""
_STEEPER = 1.5
"""Factor on the tilt with the least bound: more draws fall where X is not 0."""
_FAR_VARIANCE = 1 / 8
"""What a list may add to the variance of m, as a share, where a release is far from the
threshold."""
_LARGEST_LOG = 600.0
"""Of weights: larger ones are cut, which makes a draw count for more than it should."""
_NEAR = 0.6
"""Releases whose normal approximation of ln p_in/p_out is above this share of ε get long lists."""


@attrs.frozen(eq=False)
class TiltedRelease:
    """One type, one direction: samples of `size`, tilted towards that type.

    Parameters
    ----------
    tables : CountTables
        The law of the counts of all samples.
    values : float array, shape (n_types, n_columns)
        What each record of a type adds.
    noise : ColumnNoise
        On every number of the sum.
    kind : int
        The type t.
    tilt : float
        τ > 0.
    near, far : Lists
        What is told besides a release near the threshold, and far from it: which of them depends
        on the release alone, as the law of a list may.
    selected : Selected
        What is chosen beside the sum: a part of the release.
    """

    tables: CountTables
    values: Floats
    noise: ColumnNoise
    kind: int
    tilt: float
    epsilon: float
    near: Lists
    far: Lists
    selected: Selected = NOTHING_SELECTED

    @classmethod
    def of(
        cls,
        tables: CountTables,
        values: Floats,
        noise: ColumnNoise,
        kind: int,
        epsilon: float,
        added_variance: float,
        selected: Selected = NOTHING_SELECTED,
    ) -> "TiltedRelease":
        """Tilted so that draws fall where ln p_in/p_out is about ε, and X stays bounded.

        `added_variance` is what a list may add to the variance of m, as a share.
        """
        seen = fraction_seen(tables, *selected.columns(values, noise), kind)
        own = math.sqrt(max(float(tables.covariance()[kind, kind]), 1e-12))
        # As if normal: C_t moves by 1, so ε = z μ with μ = √f/s, and e^(τ²s²/2 − τ z s √f) is
        # least at τ = z √f/s = ε.
        many = int(tables.counts[kind])
        apart = max(1 - (many - 1) / max(tables.population - 1, 1), 1e-9)
        shift = apart * math.sqrt(seen) / max(own, 0.5)
        distance = min(max(epsilon / shift + shift / 2, 0.5), 9.0)
        tilt = _STEEPER * distance * math.sqrt(seen) / max(own, 0.3)
        # e^(τ(C_t − mean)) stays a float: any τ > 0 gives a bound.
        off = np.abs(tables.of_one(kind)[0] - tables.mean[kind]).max()
        tilt = min(tilt, _LARGEST_LOG / max(float(off), 1.0))
        exact = AllVectors.of(tables, values, noise, _FEW_VECTORS)
        if exact is not None:
            return cls(tables, values, noise, kind, tilt, epsilon, exact, exact, selected)
        lengths = (_length(seen, added_variance), _length(seen, max(added_variance, _FAR_VARIANCE)))
        long, short = (RandomLists(tables, values, noise, each) for each in lengths)
        return cls(tables, values, noise, kind, tilt, epsilon, long, short, selected)

    @property
    def share(self) -> float:
        """π = n/N."""
        return self.tables.shares[0]

    @property
    def block_draws(self) -> int:
        """How many draws are held at once."""
        numbers = len(self.tables.counts) + self.selected.numbers
        return int(np.clip(_CELLS // (self.near.length * numbers), 64, 65536))

    def log_norm(self) -> float:
        """ln M of e^(τ(C_t − its mean))."""
        counts, chances = self.tables.of_one(self.kind)
        return math.log(float(np.exp(self.tilt * (counts - self._centre)) @ chances))

    @property
    def _centre(self) -> float:
        return float(self.tables.mean[self.kind])

    def draw(self, rng: Generator, n_draws: int) -> tuple[Floats, Floats]:
        """w m/π and w (1 − m)/(1 − π) of independent draws; shape (n_draws,) each."""
        counts, chances = self.tables.of_one(self.kind)
        weights = np.exp(self.tilt * (counts - self._centre)) * chances
        norm = float(weights.sum())
        ladder = np.cumsum(weights / norm)
        own = counts[np.minimum(np.searchsorted(ladder, rng.random(n_draws)), len(counts) - 1)]
        truth = self.tables.draw_others(rng, self.kind, own)
        centre = truth @ self.values
        releases = centre + self.noise.draw(rng, n_draws)
        choices = self.selected.draw(rng, truth)
        draws = np.empty((2, n_draws))
        near = self._is_near(releases)
        for lists, some in ((self.near, near), (self.far, ~near)):
            if some.any():
                listed, logs = lists.weigh(
                    rng, releases[some], truth[some], self.kind, self.tilt / 2
                )
                logs = logs + self.selected.log_prob(listed, [each[some] for each in choices])
                draws[:, some] = self._weigh_lists(listed[:, :, self.kind], logs, norm)
        return draws[0], draws[1]

    def _weigh_lists(self, mine: Ints, logs: Floats, norm: float) -> Floats:
        """From the list's counts of this type and ln W: both ends of X."""
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        many = int(self.tables.counts[self.kind])
        steep = np.exp(np.minimum(self.tilt * (mine - self._centre), _LARGEST_LOG))
        back = norm / (weights * steep).sum(axis=1) / many
        # Both sums of non-negative terms: 1 − m would lose its digits where m is nearly 1.
        inside, outside = ((weights * some).sum(axis=1) for some in (mine, many - mine))
        return np.stack([back * inside / self.share, back * outside / self.tables.shares[1]])

    def _is_near(self, releases: Floats) -> NDArray[np.bool_]:
        """Where ln p_in/p_out is about ε or more, as if all were normal; where choices may tell."""
        if self.selected.selections:
            return np.ones(len(releases), np.bool_)
        off = releases - self.tables.mean @ self.values
        moved = off @ seen_slope(self.tables, self.values, self.noise, self.kind)
        zero = self._zero(_NEAR * self.epsilon) - self.share
        return np.asarray(moved >= zero * int(self.tables.counts[self.kind]))

    def _zero(self, epsilon: float) -> float:
        """The m at which p_in = e^ε p_out."""
        odds = self.share * math.exp(epsilon)
        return odds / (self.tables.shares[1] + odds)

    def bound(self, epsilon: float) -> float:
        """The largest X(ε) that is possible, rounded up."""
        (pi, rest), many = self.tables.shares, int(self.tables.counts[self.kind])
        # A (m − m_ε) = m/π − e^ε (1 − m)/(1 − π), largest times e^(−κm) at m_ε + 1/κ.
        slope = 1 / pi + math.exp(epsilon) / rest
        zero = self._zero(epsilon)
        kappa = self.tilt * many
        step = min(1 / kappa, rest / (rest + pi * math.exp(epsilon)))
        log = self.log_norm() - self.tilt * (many * (zero + step) - self._centre)
        return slope * step * math.exp(min(log, 700.0)) * (1 + 1e-9)


def _length(seen: float, added_variance: float) -> int:
    """The shortest list that adds a share of `added_variance` to the variance of m, about."""
    wanted = _LATTICE * (1 - seen) / seen / added_variance
    return next((length for length in _LENGTHS if length >= wanted), _LENGTHS[-1])
