"""What is asked about one release: validated once, trusted by every engine."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument, validate
from deniable.mechanisms import NoisyTopK, SelectionNoise
from deniable.population.question.parent_set import Floats, Source, floats, numbers

# --- A noisy choice among candidates whose scores are sums over the sample.
#
# What an exchange of two records does to it. Let a score of candidate i move by u_i. Whatever the
# scores, a round that chooses i among the candidates R that are left changes its probability by a
# factor between
#
# .. math:: e^{(u_i - \max_R u)/s} \quad\text{and}\quad e^{(u_i - \min_R u)/s} .
#
# For Gumbel noise that is the quotient of two normalisers. With exponential noise
# (permute-and-flip) i wins if its own noise E_i > t, a threshold that the others' scores and noise
# decide; a move changes t by u_j − u_i for some j, and Pr[E > t] = e^(−t⁺/s). Rounds have fresh
# noise, so their logarithms add up: over k rounds without replacement to at most
#
# .. math:: \tfrac1s \Bigl(\sum_{i \in \text{the } k \text{ largest}} u_i - k \min u\Bigr)
#           \quad\text{and}\quad
#           \tfrac1s \Bigl(k \max u - \sum_{i \in \text{the } k \text{ smallest}} u_i\Bigr)
#
# upwards and downwards. Where nobody has more than one row that is (k + 1)/s; Δ = 1 alone gives
# 2k/s.


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


# --- What is asked about one release: validated once, trusted by every engine.


Records: TypeAlias = str | Sequence[int]
"""Which records are meant: "worst" of all, "all" of them, or those at some positions."""
_RecordSelection: TypeAlias = Literal["worst", "all"] | tuple[int, ...]
_WORDS = ("worst", "all")


class ParentSet(Protocol):
    """What a mechanism makes of each record of a parent set."""

    @property
    def population(self) -> int:
        """N, how many records there are."""
        ...


Data = TypeVar("Data", bound=ParentSet, covariant=True)


@attrs.frozen(eq=False)
class Summands:
    """What each record adds to a sum.

    Parameters
    ----------
    values : array_like of float, shape (n_records,) or (n_records, n_columns)
        Finite, at most 1e100 in size; kept as (n_records, n_columns).
    """

    values: Floats = attrs.field(converter=numbers)

    @property
    def population(self) -> int:
        """N."""
        return len(self.values)

    @property
    def columns(self) -> int:
        """How many numbers a record has."""
        return int(self.values.shape[1])

    @property
    def present(self) -> Floats:
        """The values that some record has: all of them."""
        return self.values

    @property
    def constant(self) -> bool:
        """Whether all records are the same, and nothing can be learnt."""
        return not np.ptp(self.values, axis=0).any()


@attrs.frozen
class Ones:
    """Zeros and ones, known by how many there are.

    Parameters
    ----------
    ones, population : int
        K of the N records count, 0 <= K <= N, N >= 2.
    """

    ones: int
    population: int

    def __attrs_post_init__(self) -> None:
        everyone = validate.integer(self.population, "population", least=2)
        counted = validate.integer(self.ones, "ones", least=0)
        if counted > everyone:
            raise InvalidArgument(
                f"Expected 0 <= ones <= {everyone}, the population, got ones={counted}."
            )
        object.__setattr__(self, "ones", counted)
        object.__setattr__(self, "population", everyone)

    @property
    def constant(self) -> bool:
        """Whether all records are the same, and nothing can be learnt."""
        return self.ones in (0, self.population)


def rows_of(value: Source) -> Floats:
    """Finite records, one a row, for a function of one's own; shape (n_records, …)."""
    rows = numbers(value) if isinstance(value, str | Path) else floats(value)
    if rows.ndim == 0:
        raise InvalidArgument("Expected records, a row each, got a single number.")
    if not rows.size or not np.all(np.isfinite(rows)):
        raise InvalidArgument("Expected finite records, one a row.")
    return rows


@attrs.frozen(eq=False)
class SampleFunction:
    """Any function of the sampled records.

    Parameters
    ----------
    function : callable
        The sampled rows, in the order of the parent set, to d finite numbers.
    rows : array_like of float, shape (n_records, …)
        The parent set, a record a row.
    """

    function: Callable[[NDArray[Any]], ArrayLike]
    rows: Floats = attrs.field(converter=rows_of)

    @property
    def population(self) -> int:
        """N."""
        return len(self.rows)


def sample_size(size: Any, population: int) -> int:
    """n, a whole number with 1 <= n < N."""
    n = validate.integer(size, "size", least=1)
    if n >= population:
        raise InvalidArgument(
            f"Expected 1 <= size < {population}, the number of records, got size={n}. "
            "A sample leaves at least one record out."
        )
    return n


def _delta(value: Any) -> float:
    delta = validate.normal(validate.probability(value, "delta"), "delta")
    if delta == 1:
        raise InvalidArgument("Expected 0 <= delta < 1, got delta=1.0.")
    return delta


def _records(value: Any) -> _RecordSelection:
    if isinstance(value, str):
        return "all" if validate.one_of(value, _WORDS, "records") == "all" else "worst"
    if not isinstance(value, Iterable):
        raise InvalidArgument(
            f"Expected records to be worst, all or positions, got {validate.format_value(value)}."
        )
    return tuple(validate.integer(each, "records", least=0) for each in value)


@attrs.frozen(eq=False)
class Question(Generic[Data]):
    """ε̃ of which records, for a sample of which size from which parent set, at which δ.

    Parameters
    ----------
    data : Summands, Ones, SampleFunction or another ParentSet
        What the mechanism makes of each record.
    size : int
        n of the uniform sample, 1 <= n < N.
    delta : float
        In [0, 1).
    records : "worst", "all" or sequence of int
        "worst" asks for the maximum over all records; "all" and positions, each once, for an
        interval of each.
    began : float
        When the question was put, on the monotonic clock.

    Raises
    ------
    InvalidArgument
        If a number is out of its range or a record does not exist.

    Examples
    --------
    >>> question = Question(Summands([0.0, 1.0, 5.0]), 2, 0.01, records=[2])
    >>> question.population, question.targets.tolist(), question.share
    (3, [2], 0.6666666666666666)
    """

    data: Data
    size: int
    delta: float = attrs.field(default=0.0, converter=_delta)
    records: _RecordSelection = attrs.field(default="worst", converter=_records)
    began: float = attrs.field(factory=time.monotonic)

    def __attrs_post_init__(self) -> None:
        many = self.data.population
        object.__setattr__(self, "size", sample_size(self.size, many))
        if isinstance(self.records, str):
            return
        if not self.records or max(self.records) >= many:
            raise InvalidArgument(
                f"Expected records from 0 to {many - 1}, at least one, got {list(self.records)}."
            )
        if len(set(self.records)) < len(self.records):
            raise InvalidArgument(f"Expected every record once, got {list(self.records)}.")

    @property
    def population(self) -> int:
        """N."""
        return self.data.population

    @property
    def share(self) -> float:
        """n/N, an attacker's prior."""
        return self.size / self.population

    @property
    def targets(self) -> NDArray[np.int64]:
        """Positions of the records to look at; all of them for "worst" and "all"."""
        if isinstance(self.records, str):
            return np.arange(self.population)
        return np.array(self.records, np.int64)
