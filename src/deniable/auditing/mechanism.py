"""Any function of a data set as a target: which neighbour it saw is the bit."""

import hashlib
import inspect
import pickle
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.auditing._reading import answers_at_once, answers_of, wrong_widths
from deniable.auditing.exact import Exact
from deniable.auditing.runs import Answers, Bits, ForeignTarget, global_generators
from deniable.errors import InvalidArgument, validate
from deniable.numerics.effort import Generator


def removed(data: Any, record: int = -1) -> tuple[Any, Any]:
    """Add-remove neighbours: the data without a record, and with it."""
    return take_places(data, np.delete(np.arange(length(data)), _place(data, record))), data


def replaced(data: Any, other: Any, record: int = -1) -> tuple[Any, Any]:
    """Replace-one neighbours: the data with a record replaced by another, and as it is."""
    place = _place(data, record)
    if isinstance(data, np.ndarray) or hasattr(data, "iloc"):
        changed = data.copy()
        (changed if isinstance(data, np.ndarray) else changed.iloc)[place] = other
        return changed, data
    items = list(data)
    items[place] = other
    return type(data)(items) if isinstance(data, tuple) else items, data


def length(data: Any) -> int:
    """How many records there are."""
    try:
        return len(data)
    except TypeError:
        raise InvalidArgument(
            f"Expected data with records in a row, got {type(data).__name__}. Give both "
            "neighbours instead."
        ) from None


def _place(data: Any, record: int) -> int:
    n = length(data)
    if not -n <= record < n:
        raise InvalidArgument(f"Expected a record of {n}, from 0, got record={record}.")
    return record % n


def take_places(data: Any, places: NDArray[np.int64]) -> Any:
    """The records at these places, as data of the same kind."""
    if isinstance(data, np.ndarray):
        return data[places]
    if hasattr(data, "iloc"):
        return data.iloc[places]
    items = [data[int(place)] for place in places]
    return tuple(items) if isinstance(data, tuple) else items


MechanismFunction: TypeAlias = Callable[..., Any]

GENERATORS = ("rng", "generator", "random_state")
"""Names of a parameter that takes NumPy's generator."""


def called(mechanism: MechanismFunction, data: Any, generator: Generator, **options: int) -> Any:
    """The answer, with the generator where the function takes one."""
    for name in GENERATORS:
        if takes(mechanism, name):
            return mechanism(data, **{name: generator}, **options)
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [
        name
        for name, each in _parameters(mechanism).items()
        if each.default is each.empty and each.kind in by_place and name != "draws"
    ]
    if len(needed) >= 2:
        return mechanism(data, generator, **options)
    return mechanism(data, **options)


def _parameters(mechanism: MechanismFunction) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(mechanism).parameters
    except (TypeError, ValueError):  # built-in functions may not tell
        return {}


def takes(mechanism: MechanismFunction, name: str) -> bool:
    """Whether there is an argument of this name."""
    parameter = _parameters(mechanism).get(name)
    return parameter is not None and parameter.kind in (
        parameter.KEYWORD_ONLY,
        parameter.POSITIONAL_OR_KEYWORD,
    )


@attrs.frozen(eq=False)
class MechanismTarget(ForeignTarget):
    """A mechanism on one of two neighbours.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(data, rng)``, or ``mechanism(data)`` if it is not random. It returns numbers,
        texts, bytes, NumPy arrays, or lists, tuples and dicts of these, always as many; nothing
        that can be seen of them is lost. With a keyword ``draws`` it gives so many independent
        answers at once, along the first axis.
    without, including : object
        The data set where the bit is 0, and where it is 1.
    """

    mechanism: MechanismFunction
    without: Any
    including: Any

    @property
    def records(self) -> int:
        """One bit a run."""
        return 1

    @property
    def key(self) -> str:
        """The function's name, and a digest of both data sets."""
        return f"outputs-3 {_name(self.mechanism)} {_digest((self.without, self.including))}"

    def draw(self, members: Bits, generator: Generator) -> Answers:
        """One answer a run; (n_runs, 1) -> signals (n_runs, 1, n)."""
        data = (self.without, self.including)
        with global_generators(generator), _left_alone(data):
            if not takes(self.mechanism, "draws"):
                return answers_of(
                    [called(self.mechanism, data[int(bit)], generator) for bit in members[:, 0]]
                )
            numbers = [int((members[:, 0] == bool(bit)).sum()) for bit in range(2)]
            parts = [  # a short block may have one kind of run
                answers_at_once(called(self.mechanism, side, generator, draws=n), n)
                for side, n in zip(data, numbers, strict=True)
                if n
            ]
        widths = sorted({part.signals.shape[2] for part in parts})
        if len(widths) != 1:
            raise wrong_widths(widths)
        signals = np.concatenate([part.signals for part in parts])
        exact = Exact.joined([part.exact for part in parts])
        place = np.argsort(np.argsort(members[:, 0], kind="stable"), kind="stable")
        return Answers(signals[place], exact[place])


@attrs.frozen(eq=False)
class SampleTarget(ForeignTarget):
    """A mechanism on uniform samples of a parent set, in half of which a record is.

    With the record it is joined by a uniform (size − 1)-subset of the others, without it the data
    are a uniform `size`-subset of the others: the two laws whose distance is population privacy
    ([lowy-2024]_). The bit is fair whatever size/N, as ε̃ speaks of the two laws alone.

    The mechanism is called with a sequence or array of 1 <= `size` < N records of `parent`.
    """

    mechanism: MechanismFunction
    parent: Any
    size: int
    record: int = 0

    def __attrs_post_init__(self) -> None:
        n = length(self.parent)
        if not 1 <= validate.integer(self.size, "size", least=1) < n:
            raise InvalidArgument(f"Expected size < {n}, the parent set, got size={self.size}.")
        if validate.integer(self.record, "record", least=0) >= n:
            raise InvalidArgument(f"Expected record < {n}, got record={self.record}.")

    @property
    def records(self) -> int:
        """One bit a run."""
        return 1

    @property
    def key(self) -> str:
        """The function's name, a digest of the parent set, size and record."""
        return f"outputs-3 {_name(self.mechanism)} {_digest(self.parent)} {self.size} {self.record}"

    def draw(self, members: Bits, generator: Generator) -> Answers:
        """One sample and one answer a run; (n_runs, 1) -> signals (n_runs, 1, n)."""
        rows = []
        with global_generators(generator), _left_alone(self.parent):
            for bit in members[:, 0]:
                places = self.sample(generator, member=bool(bit))
                rows.append(called(self.mechanism, take_places(self.parent, places), generator))
            return answers_of(rows)

    def sample(self, generator: Generator, *, member: bool) -> NDArray[np.int64]:
        """Places of a sample, in the order of the parent set."""
        others = np.delete(np.arange(length(self.parent)), self.record)
        places = generator.choice(others, size=self.size - member, replace=False)
        return np.sort(np.append(places, self.record)) if member else np.sort(places)


def mechanism_target(
    mechanism: MechanismFunction,
    data: Any = None,
    *,
    neighbours: tuple[Any, Any] | None = None,
    record: int = -1,
    other: Any = None,
    size: int | None = None,
) -> MechanismTarget | SampleTarget:
    """A mechanism as a target, on the neighbours that the arguments describe."""
    # Arguments as for `audit`; where there are none, the function's attribute `neighbours` holds
    # both data sets.
    if not callable(mechanism):
        raise InvalidArgument(f"Expected a function of a data set, got {type(mechanism).__name__}.")
    if neighbours is None and data is None:
        neighbours = getattr(mechanism, "neighbours", None)
    if neighbours is not None:
        if data is not None or other is not None or size is not None:
            raise InvalidArgument("Expected neighbours, or data, got both. Leave one out.")
        without, including = validate.pair(neighbours, "neighbours")
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


def _name(mechanism: MechanismFunction) -> str:
    kind = type(mechanism)
    module = getattr(mechanism, "__module__", kind.__module__)
    return f"{module}:{getattr(mechanism, '__qualname__', kind.__qualname__)}"


def _digest(data: Any) -> str:
    try:
        content = pickle.dumps(data)
    except (pickle.PicklingError, AttributeError, TypeError):
        content = repr(data).encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest()[:32]
