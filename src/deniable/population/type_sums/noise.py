"""Independent noise on every column of a sum, each with a scale of its own."""

import itertools
import math
from collections.abc import Sequence
from typing import TypeAlias

import attrs
import numpy as np
from scipy.special import log_softmax

from deniable.errors import InvalidArgument, validate
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, SelectionNoise
from deniable.numerics.effort import Generator
from deniable.population.question import Floats, Ints, Selection

CommonNoise: TypeAlias = Gaussian | DiscreteLaplace | DiscreteGaussian

NEVER = 45.0  # −ln of probabilities that are left out: 3e-20
_LEAST_VARIANCE = 1e-3  # Least variance of noise, to invert matrices; it guides, proves nothing


@attrs.frozen(eq=False)
class ColumnNoise:
    """Noise of one kind, of these scales.

    >>> noise = ColumnNoise(DiscreteLaplace, [1.0, 2.0])
    >>> noise.log_density(np.array([[0.0, 0.0], [1.0, -2.0]])).tolist()
    [-0.0, -2.0]
    """

    # `Gaussian`, `DiscreteLaplace` or `DiscreteGaussian`.
    kind: type[Gaussian] | type[DiscreteLaplace] | type[DiscreteGaussian]
    scales: Floats  # (n_columns,): of each column's noise, > 0

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "scales", np.atleast_1d(np.asarray(self.scales, np.float64)))
        for each in self.scales:
            validate.positive(float(each), "scale")

    @classmethod
    def of(cls, noise: "CommonNoise | ColumnNoise", columns: int) -> "ColumnNoise":
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
        """Return the mechanism's name."""
        return self.kind.name

    @property
    def variances(self) -> Floats:
        """Estimate the variance of each column's noise."""
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
        """Draw noise for the analysis of made-up samples: no release; (n_draws, n_columns)."""
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
        return (NEVER + 5) * total


def _discrete_gaussian(rng: Generator, scale: float, n_draws: int) -> Floats:
    """Reject from discrete Laplace noise of scale ⌊σ⌋ + 1 (canonne-kamath-steinke-2020)."""
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


_SEEN = 2.0  # Deviation, in scales, of noise with which a choice shows a score about as well
MOST_FLIPPED = 32  # Candidates of permute-and-flip: a round is an integral over half as many


@attrs.frozen(eq=False)
class Selected:
    """Choices of a plan, given the counts of a sample or of the records left out."""

    selections: Sequence[Selection] = ()  # Each with noise of its own
    # (n_types,): N_k, where the counts that are handed in are of the records left out.
    left_out: Ints | None = None

    @property
    def numbers(self) -> int:
        """How many scores a sample has in all, and what they take to be weighed."""
        return sum(
            each.moves[0].size * (1 if each.mechanism.noise is SelectionNoise.GUMBEL else 16)
            for each in self.selections
        )

    def draw(self, rng: Generator, counts: Ints) -> list[Ints]:
        """Draw what each selection takes; (n_draws, n_types) -> (n_draws, cells, number).

        Rounds of fresh noise: with Gumbel noise these are the largest of one draw.
        """
        drawn = []
        for each in self.selections:
            scores, scale = each.scores(self._sampled_counts(counts)), each.mechanism.scale
            gumbel, choices = each.mechanism.noise is SelectionNoise.GUMBEL, []
            for _ in range(each.mechanism.number):
                shape = scores.shape
                noise = rng.gumbel(size=shape) if gumbel else rng.exponential(size=shape)
                best = np.argmax(scores / scale + noise, axis=-1)
                choices.append(best)
                np.put_along_axis(scores, best[..., None], -np.inf, axis=-1)
            drawn.append(np.stack(choices, axis=-1))
        return drawn

    def log_prob(self, counts: Ints, choices: Sequence[Ints]) -> Floats:
        """ln Pr of the choices; counts (n_draws or 1, n_list, n_types) -> (n_draws, n_list)."""
        added = np.zeros(())
        for each, choice in zip(self.selections, choices, strict=True):
            ordered, number = choice[:, None], each.mechanism.number
            scores = each.scores(self._sampled_counts(counts)) / each.mechanism.scale
            shape = np.broadcast_shapes(scores.shape[:-1], ordered.shape[:-1])
            left = scores
            if number > 1:
                left = np.broadcast_to(scores, (*shape, scores.shape[-1])).copy()
            gumbel, total = each.mechanism.noise is SelectionNoise.GUMBEL, np.zeros(shape)
            for rank in range(number):
                law = log_softmax(left, axis=-1) if gumbel else _flipped_law(left)
                at = np.broadcast_to(ordered[..., rank], shape)[..., None]
                full = np.broadcast_to(law, (*shape, law.shape[-1]))
                total += np.take_along_axis(full, at, axis=-1)[..., 0]
                if left is not scores:
                    np.put_along_axis(left, at, -np.inf, axis=-1)
            added = added + total.sum(axis=-1)  # over the cells
        return np.asarray(added)

    def outcomes(self) -> list[Ints] | None:
        """Everything that may be chosen, of each selection (n_outcomes, cells, number).

        None where that is too much.
        """
        each, many = [], 1
        for selection in self.selections:
            cells, candidates = selection.moves.shape[1:]
            number = selection.mechanism.number
            many *= math.perm(candidates, number) ** cells
            if many > 1024:  # Choices that are looked at one by one, at most
                return None
            ordered = itertools.permutations(range(candidates), number)
            each.append(list(itertools.product(ordered, repeat=cells)))
        together = list(itertools.product(*each))
        return [np.array(choices, np.int64) for choices in zip(*together, strict=True)]

    def columns(self, values: Floats, noise: ColumnNoise) -> tuple[Floats, ColumnNoise]:
        """Scores as if they were sums with normal noise: it guides and proves nothing."""
        if not self.selections:
            return values, noise
        columns = [each.moves.reshape(len(values), -1) for each in self.selections]
        spreads = [
            np.full(moves.shape[1], _SEEN * each.mechanism.scale)
            for each, moves in zip(self.selections, columns, strict=True)
        ]
        scales = np.concatenate([np.sqrt(noise.variances), *spreads])
        return np.hstack([values, *columns]), ColumnNoise(Gaussian, scales)

    def _sampled_counts(self, counts: Ints) -> Ints:
        return counts if self.left_out is None else self.left_out - counts


NOTHING_SELECTED = Selected()  # No selection, beside a sum that is released alone


def _flipped_law(scores: Floats) -> Floats:
    r"""ln of q_i ∫ Π_{j ≠ i} (1 − u q_j) du over [0, 1], by Gauss and Legendre's exact sum."""
    off = scores - scores.max(axis=-1, keepdims=True)
    q = np.exp(off)
    nodes, weights = np.polynomial.legendre.leggauss(math.ceil(q.shape[-1] / 2))
    total = np.zeros(q.shape)
    for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
        kept = 1 - node * q
        total += weight * kept.prod(axis=-1, keepdims=True) / kept
    return np.asarray(off + np.log(total))
