"""Any function of a data set as a target: which neighbour it saw is the bit."""

import hashlib
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable import _validate
from deniable.auditing._calls import Mechanism, called, numbers, takes
from deniable.auditing._reached import digest, follow
from deniable.auditing.neighbours import length, removed, replaced, taken
from deniable.auditing.runs import Bits, Signals
from deniable.errors import InvalidArgument
from deniable.priors.protocol import Generator


@attrs.frozen(eq=False)
class MechanismTarget:
    """A mechanism on one of two neighbours.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(data)`` or ``mechanism(data, rng)``; with a keyword ``draws`` it gives so many
        independent answers at once, along the first axis. What it answers is turned into numbers:
        nested sequences, mappings (by key) and arrays flat, a word into a number of its own.
    without, including : object
        The data set where the bit is 0, and where it is 1.
    """

    mechanism: Mechanism
    without: Any
    including: Any

    @property
    def records(self) -> int:
        """One bit a run."""
        return 1

    @property
    def key(self) -> str:
        """The function's name, a digest of what it does, and one of both data sets."""
        return f"{_name(self.mechanism)} {_digest((self.without, self.including))}"

    def draw(self, members: Bits, generator: Generator) -> Signals:
        """One answer a run; (n_runs, 1) -> (n_runs, 1, n)."""
        data = (self.without, self.including)
        with follow(generator, self.mechanism), _left_alone(data):
            if takes(self.mechanism, "draws"):
                return self._at_once(members, generator)
            rows = [
                numbers(called(self.mechanism, data[int(bit)], generator)) for bit in members[:, 0]
            ]
        return _stacked(rows)

    def _at_once(self, members: Bits, generator: Generator) -> Signals:
        parts: list[tuple[Bits, NDArray[np.float64]]] = []
        for bit, data in enumerate((self.without, self.including)):
            where = members[:, 0] == bool(bit)
            n = int(where.sum())
            if n == 0:  # a short block may have one kind of run
                continue
            rows = np.asarray(called(self.mechanism, data, generator, draws=n))
            if rows.ndim == 0 or len(rows) != n:
                raise InvalidArgument(
                    f"Expected {n} answers along the first axis for draws={n}, got shape "
                    f"{rows.shape}. Answer one row a draw, or do without the keyword draws."
                )
            numeric = rows.dtype.kind in "biuf"
            flat = (
                rows.reshape(n, -1).astype(np.float64)
                if numeric and rows.size
                else (_stacked([numbers(row) for row in rows])[:, 0])
            )
            parts.append((where, flat))
        widths = sorted({part.shape[1] for _, part in parts})
        if len(widths) != 1:
            raise _shapes(widths)
        result = np.empty((len(members), 1, widths[0]))
        for where, part in parts:
            result[where, 0] = part
        return result


@attrs.frozen(eq=False)
class SampleTarget:
    """A mechanism on uniform samples of a parent set, in half of which a record is.

    With the record it is joined by a uniform (size − 1)-subset of the others, without it the data
    are a uniform `size`-subset of the others: the two laws whose distance is population privacy
    ([lowy-2024]_). The bit is fair whatever size/N, as ε̃ speaks of the two laws alone.

    Parameters
    ----------
    mechanism : callable
        As for `MechanismTarget`; called with a sequence or array of records.
    parent : sequence or array
        The N records of the parent set.
    size : int
        Records of a sample, 1 <= size < N.
    record : int
        The record's place in the parent set, from 0.

    Raises
    ------
    InvalidArgument
        If size or record are out of range.
    """

    mechanism: Mechanism
    parent: Any
    size: int
    record: int = 0

    def __attrs_post_init__(self) -> None:
        n = length(self.parent)
        if not 1 <= _validate.integer(self.size, "size", least=1) < n:
            raise InvalidArgument(f"Expected size < {n}, the parent set, got size={self.size}.")
        if _validate.integer(self.record, "record", least=0) >= n:
            raise InvalidArgument(f"Expected record < {n}, got record={self.record}.")

    @property
    def records(self) -> int:
        """One bit a run."""
        return 1

    @property
    def key(self) -> str:
        """The function's name, its code, a digest of the parent set, size and record."""
        return f"{_name(self.mechanism)} {_digest(self.parent)} {self.size} {self.record}"

    def draw(self, members: Bits, generator: Generator) -> Signals:
        """One sample and one answer a run; (n_runs, 1) -> (n_runs, 1, n)."""
        rows = []
        with follow(generator, self.mechanism), _left_alone(self.parent):
            for bit in members[:, 0]:
                chosen = self.sample(generator, member=bool(bit))
                rows.append(numbers(called(self.mechanism, taken(self.parent, chosen), generator)))
        return _stacked(rows)

    def sample(self, generator: Generator, *, member: bool) -> NDArray[np.int64]:
        """Places of a sample, in the order of the parent set."""
        others = np.delete(np.arange(length(self.parent)), self.record)
        chosen = generator.choice(others, size=self.size - member, replace=False)
        return np.sort(np.append(chosen, self.record)) if member else np.sort(chosen)


def mechanism_target(
    mechanism: Mechanism,
    data: Any = None,
    *,
    neighbours: tuple[Any, Any] | None = None,
    record: int = -1,
    other: Any = None,
    size: int | None = None,
) -> MechanismTarget | SampleTarget:
    """A mechanism as a target, on the neighbours that the arguments describe.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(data)`` or ``mechanism(data, rng)``. Where nothing else is said, its attribute
        ``neighbours`` holds two data sets.
    data : sequence, array or data frame, optional
        A data set; with `size` a parent set.
    neighbours : pair, optional
        Both data sets: without the record, and with it.
    record : int
        The record's place in `data`; the last by default.
    other : object, optional
        What replaces the record; without it the record is removed.
    size : int, optional
        Records of a sample of the parent set: then the bit is about population privacy.

    Raises
    ------
    InvalidArgument
        If there are no neighbours, or the arguments contradict each other.

    Examples
    --------
    >>> def noisy_count(data, rng):
    ...     return len(data) + rng.laplace()
    >>> target = mechanism_target(noisy_count, [1.0, 2.0, 3.0])
    >>> target.draw(np.array([[True], [False]]), np.random.default_rng(1)).shape
    (2, 1, 1)
    """
    if not callable(mechanism):
        raise InvalidArgument(f"Expected a function of a data set, got {type(mechanism).__name__}.")
    if neighbours is None and data is None:
        neighbours = getattr(mechanism, "neighbours", None)
    if neighbours is not None:
        if data is not None or other is not None or size is not None:
            raise InvalidArgument("Expected neighbours, or data, got both. Leave one out.")
        without, including = _validate.pair(neighbours, "neighbours")
        return MechanismTarget(mechanism, without, including)
    if data is None:
        raise InvalidArgument(
            "Expected two data sets that a mechanism is to tell apart, got none. Give data or "
            "neighbours, or set FUNCTION.neighbours = (without, including) in its module."
        )
    if size is not None:
        if other is not None:
            raise InvalidArgument("Expected size, or another record, got both. Leave one out.")
        return SampleTarget(mechanism, data, size, record % length(data))
    pair = removed(data, record) if other is None else replaced(data, other, record)
    return MechanismTarget(mechanism, *pair)


@contextmanager
def _left_alone(data: Any) -> Iterator[None]:
    """Refuse a mechanism that changes its data: later runs would not be about the same."""
    before = _digest(data)
    yield
    if _digest(data) != before:
        raise InvalidArgument(
            "Expected a mechanism that leaves its data as they are, got data that changed. Let it "
            "work on a copy."
        )


def _stacked(rows: list[NDArray[np.float64]]) -> Signals:
    widths = sorted({len(row) for row in rows})
    if len(widths) != 1 or widths == [0]:
        raise _shapes(widths)
    return np.stack(rows)[:, None, :]


def _shapes(widths: list[int]) -> InvalidArgument:
    return InvalidArgument(
        f"Expected as many numbers, 1 or more, from every run of the mechanism, got "
        f"{' and '.join(map(str, widths)) or 'none'}. Fill up with a number of your choice."
    )


def _name(mechanism: Mechanism) -> str:
    kind = type(mechanism)
    return (
        f"{getattr(mechanism, '__module__', kind.__module__)}:"
        f"{getattr(mechanism, '__qualname__', kind.__qualname__)} {digest(mechanism)}"
    )


def _digest(data: Any) -> str:
    try:
        content = pickle.dumps(data)
    except (pickle.PicklingError, AttributeError, TypeError):
        content = repr(data).encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest()[:32]
