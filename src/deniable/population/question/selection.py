r"""A noisy choice among candidates whose scores are sums over the sample.

What an exchange of two records does to it. Let a score of candidate i move by u_i. Whatever the
scores, a round that chooses i among the candidates R that are left changes its probability by a
factor between

.. math:: e^{(u_i - \max_R u)/s} \quad\text{and}\quad e^{(u_i - \min_R u)/s} .

For Gumbel noise that is the quotient of two normalisers. With exponential noise (permute-and-flip)
i wins if its own noise E_i > t, a threshold that the others' scores and noise decide; a move
changes t by u_j − u_i for some j, and Pr[E > t] = e^(−t⁺/s). Rounds have fresh noise, so their
logarithms add up: over k rounds without replacement to at most

.. math:: \tfrac1s \Bigl(\sum_{i \in \text{the } k \text{ largest}} u_i - k \min u\Bigr)
          \quad\text{and}\quad
          \tfrac1s \Bigl(k \max u - \sum_{i \in \text{the } k \text{ smallest}} u_i\Bigr)

upwards and downwards. Where nobody has more than one row that is (k + 1)/s; Δ = 1 alone gives 2k/s.
"""

from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument
from deniable.mechanisms import NoisyTopK, SelectionNoise
from deniable.population.question.parent_set import Floats

_CELLS = 2**22
"""Differences of scores that are held at once: 32 MB."""


def _moves(value: Any) -> NDArray[np.int64]:
    moves = np.asarray(value, np.int64)
    if moves.ndim != 3 or not moves.size:
        raise InvalidArgument(
            f"Expected what records add to scores, of shape (types, cells, candidates), got "
            f"shape {moves.shape}."
        )
    return moves


@attrs.frozen(eq=False)
class Selection:
    r"""The candidates with the largest noisy scores in every cell, best first.

    Parameters
    ----------
    moves : array_like of int, shape (n_types, cells, candidates)
        What a record of each type adds.
    absolute : bool
        Whether a score is −\|sum\|, as for a quantile, and not the sum.
    mechanism : NoisyTopK
        How many are chosen, and by which noise.

    Raises
    ------
    InvalidArgument
        If `moves` has another shape, or there are fewer candidates than are chosen.
    """

    moves: NDArray[np.int64] = attrs.field(converter=_moves)
    absolute: bool
    mechanism: NoisyTopK

    def __attrs_post_init__(self) -> None:
        if self.mechanism.number > self.moves.shape[2]:
            raise InvalidArgument(
                f"Expected at least number={self.mechanism.number} candidates, got "
                f"{self.moves.shape[2]}."
            )

    @property
    def constant(self) -> bool:
        """Whether all records add the same, so that the choice tells nothing of any."""
        return bool((self.moves == self.moves[:1]).all())

    @property
    def rounds(self) -> int:
        """Rounds that choose among two or more."""
        return min(self.mechanism.number, int(self.moves.shape[2]) - 1)

    def of_types(self, first: NDArray[np.int64]) -> "Selection":
        """The same of these types alone."""
        return attrs.evolve(self, moves=self.moves[first])

    def scores(self, counts: NDArray[np.int64]) -> Floats:
        """Of samples with these counts; (..., n_types) -> (..., cells, candidates)."""
        many, *shape = self.moves.shape
        flat = self.moves.reshape(many, -1).astype(np.float64)
        sums = (counts @ flat).reshape(*counts.shape[:-1], *shape)
        return np.asarray(-np.abs(sums) if self.absolute else sums)

    def losses(self) -> Floats:
        """Most that ln Pr of what is chosen moves when two types are exchanged; (types, types)."""
        losses = np.zeros((len(self.moves),) * 2)
        for rows, moved in self._exchanges():
            if self.absolute:
                up = down = self.rounds * _range(moved, absolute=True)
            else:
                up = _largest(moved, self.rounds) - self.rounds * moved.min(axis=-1)
                down = self.rounds * moved.max(axis=-1) + _largest(-moved, self.rounds)
            losses[rows] = np.maximum(up.sum(axis=-1), down.sum(axis=-1))
        return losses / self.mechanism.scale

    def rho(self) -> Floats:
        """Of zero-concentrated DP between samples with two types exchanged; (types, types).

        For Gumbel noise, whose rounds have ranges r and cost r²/8 each.
        """
        if self.mechanism.noise is not SelectionNoise.GUMBEL:
            return np.asarray(np.square(self.losses()) / 2)
        rho = np.zeros((len(self.moves),) * 2)
        for rows, moved in self._exchanges():
            spread = _range(moved, absolute=self.absolute) / self.mechanism.scale
            rho[rows] = self.rounds * np.square(spread).sum(axis=-1) / 8
        return rho

    def _exchanges(self) -> Iterator[tuple[slice, Floats]]:
        """Differences of all types from some; (rows, types, cells, candidates)."""
        # A candidate that no type moves differently from another is the same candidate here.
        many, cells, _ = self.moves.shape
        kinds = self.moves
        if self.mechanism.number == 1:
            kinds = np.unique(self.moves.reshape(many * cells, -1), axis=1).reshape(many, cells, -1)
        block = max(_CELLS // kinds.size, 1)
        for start in range(0, many, block):
            rows = slice(start, start + block)
            yield rows, (kinds[rows, None] - kinds[None]).astype(np.float64)


def _range(moved: Floats, *, absolute: bool) -> Floats:
    """How far apart two scores move at most; where only |sums| count, each goes either way."""
    if not absolute:
        return np.asarray(moved.max(axis=-1) - moved.min(axis=-1))
    return _largest(np.abs(moved), 2) if moved.shape[-1] > 1 else np.zeros(moved.shape[:-1])


def _largest(moved: Floats, number: int) -> Floats:
    """Sum of the largest on the last axis."""
    if number == 1:
        return np.asarray(moved.max(axis=-1))
    first = max(moved.shape[-1] - number, 0)
    return np.asarray(np.sort(moved, axis=-1)[..., first:].sum(axis=-1))
