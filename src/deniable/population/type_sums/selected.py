"""What is chosen beside a sum: drawn, and its probability given how many of each type there are."""

import itertools
import math
from collections.abc import Sequence

import attrs
import numpy as np

from deniable.mechanisms import Gaussian, SelectionNoise
from deniable.numerics.effort import Generator
from deniable.population.question import Floats, Selection
from deniable.population.type_sums.counts import Ints
from deniable.population.type_sums.noise import ColumnNoise

_SEEN = 2.0
"""Standard deviation, in scales, of the noise with which a choice shows a score about as well."""
_OUTCOMES = 1024
"""Choices that are looked at one by one, at most."""
MOST_FLIPPED = 32
"""Candidates of permute-and-flip at most: each round is an integral over half as many nodes."""


@attrs.frozen(eq=False)
class Selected:
    """Choices of a plan, given the counts of a sample or of the records left out.

    Parameters
    ----------
    selections : sequence of Selection
        Each with noise of its own.
    left_out : int array, shape (n_types,), or None
        N_k, where the counts that are handed in are of the records left out.
    """

    selections: Sequence[Selection] = ()
    left_out: Ints | None = None

    @property
    def numbers(self) -> int:
        """How many scores a sample has in all, and what they take to be weighed."""
        return sum(
            each.moves[0].size * (1 if each.mechanism.noise is SelectionNoise.GUMBEL else 16)
            for each in self.selections
        )

    def draw(self, rng: Generator, counts: Ints) -> list[Ints]:
        """Of each selection what is chosen; (n_draws, n_types) -> (n_draws, cells, number)."""
        return [_draw_choices(each, rng, self._sampled_counts(counts)) for each in self.selections]

    def log_prob(self, counts: Ints, choices: Sequence[Ints]) -> Floats:
        """ln Pr of the choices; counts (n_draws or 1, n_list, n_types) -> (n_draws, n_list)."""
        total = np.zeros(())
        for each, choice in zip(self.selections, choices, strict=True):
            total = total + _log_prob(each, self._sampled_counts(counts), choice[:, None])
        return np.asarray(total)

    def outcomes(self) -> list[Ints] | None:
        """Everything that may be chosen, of each selection (n_outcomes, cells, number).

        None where that is too much.
        """
        each, many = [], 1
        for selection in self.selections:
            cells, candidates = selection.moves.shape[1:]
            number = selection.mechanism.number
            many *= math.perm(candidates, number) ** cells
            if many > _OUTCOMES:
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


NOTHING_SELECTED = Selected()
"""Beside a sum that is released alone."""


def _draw_choices(selection: Selection, rng: Generator, counts: Ints) -> Ints:
    """Rounds of fresh noise: with Gumbel noise these are the largest of one draw."""
    scores, scale = selection.scores(counts), selection.mechanism.scale
    gumbel = selection.mechanism.noise is SelectionNoise.GUMBEL
    choices = []
    for _ in range(selection.mechanism.number):
        noise = rng.gumbel(size=scores.shape) if gumbel else rng.exponential(size=scores.shape)
        best = np.argmax(scores / scale + noise, axis=-1)
        choices.append(best)
        np.put_along_axis(scores, best[..., None], -np.inf, axis=-1)
    return np.stack(choices, axis=-1)


def _log_prob(selection: Selection, counts: Ints, choices: Ints) -> Floats:
    """ln Pr of ordered choices, added up over cells; shapes are broadcast."""
    scores = selection.scores(counts) / selection.mechanism.scale
    shape = np.broadcast_shapes(scores.shape[:-1], choices.shape[:-1])
    left = scores
    if selection.mechanism.number > 1:
        left = np.broadcast_to(scores, (*shape, scores.shape[-1])).copy()
    gumbel = selection.mechanism.noise is SelectionNoise.GUMBEL
    total = np.zeros(shape)
    for number in range(selection.mechanism.number):
        law = _gumbel_law(left) if gumbel else _flipped_law(left)
        at = np.broadcast_to(choices[..., number], shape)[..., None]
        full = np.broadcast_to(law, (*shape, law.shape[-1]))
        total += np.take_along_axis(full, at, axis=-1)[..., 0]
        if left is not scores:
            np.put_along_axis(left, at, -np.inf, axis=-1)
    return np.asarray(total.sum(axis=-1))


def _gumbel_law(scores: Floats) -> Floats:
    """ln of e^x_i/Σ e^x_j."""
    off = scores - scores.max(axis=-1, keepdims=True)
    return np.asarray(off - np.log(np.exp(off).sum(axis=-1, keepdims=True)))


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
