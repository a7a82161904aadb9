"""What is asked about one release: validated once, trusted by every engine."""

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument, validate
from deniable.population.question.parent_set import Floats, Source, floats, numbers

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
