"""Any function of a data set as a target: which neighbour it saw is the bit.

How an answer is read: a number for each of its parts, and what that number would lose.
"""

import hashlib
import inspect
import io
import math
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from decimal import Decimal
from types import NoneType
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.auditing.exact import (
    LARGEST_FLOAT,
    Exact,
    characters_of,
    codes_of,
    digest_code,
    float_code,
    integer_code,
    words_of,
    words_of_integers,
)
from deniable.auditing.runs import (
    Answers,
    Bits,
    ForeignTarget,
    check_call,
    foreign_code,
    global_generators,
)
from deniable.errors import InvalidArgument, validate
from deniable.numerics.effort import Generator

_PLAIN, _LONGEST = "biuf", 8
"""Kinds of arrays that are read at once, where a number has 8 bytes at most."""

_TYPES = frozenset(
    {NoneType, bool, int, float, complex, Decimal, str, bytes, np.ndarray, list, tuple, dict}
)
"""What an answer may be made of, and scalars of NumPy; what a type of another library or an object
would show beside its values is not known, and two that differ might be taken for one."""


class Reading:
    """One answer: `values` and `codes` of its parts, whole numbers among them, and its `shape`."""

    def __init__(self, answer: Any) -> None:
        self.values: list[float] = []
        self.codes: list[int] = []
        self.integers: list[int | None] = []
        self.texts: list[bytes] = []
        self._shape: list[bytes] = []
        self._read(answer)

    @property
    def shape(self) -> int:
        """A code of kinds, lengths and keys."""
        return digest_code(*self._shape)

    def _read(self, answer: Any) -> None:
        if type(answer) not in _TYPES and not isinstance(answer, np.generic):
            raise _unknown(type(answer).__name__)
        match answer:
            case np.generic():
                self._note("scalar", answer.dtype.str)
                if _is_plain(answer) and answer == answer:  # faster, and nothing is lost
                    self._read(answer.item())
                else:
                    self._array(np.asarray(answer))
            case np.ndarray():
                self._array(answer)
            case bool():
                code = int(codes_of(np.array([answer]))[0])
                self._part("bool", float(answer), code, int(answer))
            case int():
                self._part("int", _float(answer), integer_code(answer), answer)
            case float():
                integer = int(answer) if abs(answer) < LARGEST_FLOAT and answer % 1 == 0 else None
                self._part("float", answer, float_code(answer), integer)
            case complex():
                self._note("complex")
                self._read(answer.real)
                self._read(answer.imag)
            case Decimal():
                code = digest_code(repr(answer).encode())
                self._part("decimal", _float(answer), code, _digits(answer))
            case str():
                self._text(answer)
            case dict():
                # By key, whatever their order; the order of the keys belongs to the shape.
                self._note("dict", *(f"{type(key)} {key!r}" for key in answer))
                for key in sorted(answer, key=repr):
                    self._read(answer[key])
            case list() | tuple():
                self._note(type(answer).__name__, str(len(answer)))
                for part in answer:
                    self._read(part)
            case bytes():
                self._word("bytes", answer, len(answer), answer)
            case None:
                self._word("None", b"None", None, b"")

    def _array(self, answer: NDArray[Any]) -> None:
        kind = answer.dtype.kind
        self._note("array", repr(answer.shape), answer.dtype.str)
        if kind in "mM":
            answer = answer.astype(np.int64)
        elif kind == "c":
            answer = np.stack([answer.real, answer.imag], axis=-1)
        if _is_plain(answer):
            flat = answer.ravel()
            with np.errstate(invalid="ignore"):
                self.values += flat.astype(np.float64).tolist()
            self.codes += codes_of(flat).tolist()
            self.integers += _integers(flat)
            self.texts += [b""] * flat.size
        elif kind in "SUO":
            for each in answer.ravel().tolist():
                self._read(each)
        else:
            raise _unknown(f"an array of {answer.dtype}")

    def _text(self, answer: str) -> None:
        """A text that is a number, as a noisy count is after it was formatted, is a number, too."""
        content = answer.encode("utf-8", "surrogatepass")
        try:
            value = float(answer)
            number = Decimal(answer.strip()) if math.isfinite(value) else None
        except (ValueError, ArithmeticError):
            number = None
        if number is None:
            self._word("str", content, len(answer), content)
        else:
            self._part("number", value, digest_code(b"str", content), _digits(number), content)

    def _word(self, kind: str, content: bytes, integer: int | None, text: bytes) -> None:
        # Bytes of a number that stands for a word: 48 bits are exact in a float64, and two words
        # out of a million meet with a chance of 0.002. Attacks on values look at the codes instead.
        short = hashlib.sha256(content).digest()[:6]
        code = digest_code(kind.encode(), content)
        self._part(kind, float(int.from_bytes(short, "big")), code, integer, text)

    def _part(
        self, kind: str, value: float, code: int, integer: int | None, text: bytes = b""
    ) -> None:
        self._note(kind)
        self.texts.append(text)
        self.values.append(value)
        self.codes.append(code)
        self.integers.append(integer)

    def _note(self, *label: str) -> None:
        self._shape += [each.encode("utf-8", "surrogatepass") for each in label]


def answers_of(rows: Sequence[Any], container: str = "") -> Answers:
    """Answers of runs, one after the other; (n_runs,) -> signals (n_runs, 1, n)."""
    # Answers are numbers, texts, bytes, None, NumPy's arrays and scalars, and lists, tuples and
    # dicts of these; `container` is what can be seen of the object in which all of them came.
    readings = [Reading(row) for row in rows]
    widths = sorted({len(each.values) for each in readings})
    if len(widths) != 1 or widths == [0]:
        raise wrong_widths(widths)
    shapes = [digest_code(container.encode(), str(each.shape).encode()) for each in readings]
    codes = np.array(
        [[shape, *each.codes] for shape, each in zip(shapes, readings, strict=True)], dtype=np.int64
    )
    words = words_of_integers([integer for each in readings for integer in each.integers])
    texts = characters_of([each.texts for each in readings])
    exact = Exact(codes[:, None], words.reshape(len(rows), 1, widths[0], -1), texts)
    return Answers(_without_nan(np.array([each.values for each in readings]))[:, None], exact)


def answers_at_once(answer: Any, number: int) -> Answers:
    """Return so many answers along the first axis, each read by itself, as `answers_of` does."""
    if type(answer) is np.ndarray:
        shape = answer.shape
    else:
        shape = (len(answer),) if type(answer) in (list, tuple) else ()
    if not shape:
        Reading(answer)  # refuses what is of another type
    if not shape or shape[0] != number:
        raise InvalidArgument(
            f"Expected as many answers along the first axis as draws={number}, got shape {shape}. "
            "Answer one row a draw, or do without the keyword draws."
        )
    container = f"{type(answer).__name__} {getattr(answer, 'dtype', '')!r}"
    if not isinstance(answer, np.ndarray) or not _is_plain(answer) or not answer.size:
        return answers_of(list(answer), container)
    flat = answer.reshape(number, -1)
    kinds = digest_code(container.encode(), answer.dtype.str.encode(), repr(shape[1:]).encode())
    codes = np.concatenate([np.full((number, 1), kinds), codes_of(flat)], axis=1)
    with np.errstate(invalid="ignore"):
        signals = _without_nan(flat.astype(np.float64))
    return Answers(signals[:, None], Exact(codes[:, None], words_of(flat)[:, None]))


def wrong_widths(widths: Sequence[int]) -> InvalidArgument:
    """Answers of different lengths, or of none."""
    return InvalidArgument(
        f"Expected as many numbers, 1 or more, from every run of the mechanism, got "
        f"{' and '.join(map(str, widths)) or 'none'}. Fill up with a number of your choice."
    )


def _unknown(kind: str) -> InvalidArgument:
    return InvalidArgument(
        "Expected an answer of numbers, strings, bytes, NumPy arrays, or lists, tuples and dicts "
        f"of these, got {kind}. Return values, such as list(items), table.to_dict('list') or "
        "tensor.numpy()."
    )


def _without_nan(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """NaN as an infinity: attacks that reckon ask whether a number is finite, and codes differ."""
    return np.where(np.isnan(values), np.inf, values)


def _is_plain(values: NDArray[Any] | np.generic) -> bool:
    return values.dtype.kind in _PLAIN and values.dtype.itemsize <= _LONGEST


def _integers(values: NDArray[Any]) -> list[int | None]:
    """Whole numbers of a plain array, and None for what is none."""
    if values.dtype.kind != "f":
        return [int(value) for value in values.tolist()]
    with np.errstate(invalid="ignore"):  # a narrow NaN may be a signalling one
        floats = values.astype(np.float64)
    integer = (np.abs(floats) < LARGEST_FLOAT) & (floats == np.rint(floats))
    if not integer.any():
        return [None] * len(values)
    pairs = zip(values.tolist(), integer.tolist(), strict=True)
    return [int(value) if is_whole else None for value, is_whole in pairs]


def _digits(value: Decimal) -> int | None:
    """The digits of a decimal number as a whole one: 150 for 1.50, and for 1.5E+2."""
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        return None
    # Zeros at the end of a decimal number that are written out: more than a float64 can have.
    zeros = min(max(exponent, 0), 400)
    return int(Decimal((sign, digits, 0))) * int(10**zeros)


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number beyond 1.8e308
        return math.inf if value > 0 else -math.inf
    except ValueError:  # a signalling NaN of decimal numbers
        return math.nan


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
    """How many records there are, one after the other."""
    try:
        if isinstance(data, Set | Mapping):
            raise TypeError
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


def _arguments(
    mechanism: MechanismFunction, data: Any, generator: Generator | None
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of a call: the data, and the generator where one is taken."""
    if name := next((name for name in GENERATORS if takes(mechanism, name)), None):
        return (data,), {name: generator}
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [
        name
        for name, each in _parameters(mechanism).items()
        if each.default is each.empty and each.kind in by_place and name != "draws"
    ]
    return ((data, generator) if len(needed) >= 2 else (data,)), {}


def called(mechanism: MechanismFunction, data: Any, generator: Generator, **options: int) -> Any:
    """The answer, with the generator where the function takes one."""
    given, named = _arguments(mechanism, data, generator)
    with foreign_code():
        return mechanism(*given, **named, **options)


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
    """A mechanism on one of two neighbours: `without` where the bit is 0, `including` where 1.

    ``mechanism(data, rng)``, or ``mechanism(data)`` if it is not random, returns numbers, texts,
    bytes, NumPy arrays, or lists, tuples and dicts of these, always as many; nothing that can be
    seen of them is lost. With a keyword ``draws`` it gives so many independent answers at once,
    along the first axis.
    """

    records = 1
    """One bit a run."""

    mechanism: MechanismFunction
    without: Any
    including: Any

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

    records = 1
    """One bit a run."""

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
    if inspect.isclass(mechanism) and not issubclass(mechanism, (*_TYPES, np.generic)):
        raise InvalidArgument(
            f"Expected a function, got the class {mechanism.__qualname__}. Take an object's method."
        )
    given, named = _arguments(mechanism, None, None)
    draws = {"draws": 1} if size is None and takes(mechanism, "draws") else {}
    check_call(mechanism, "f(data, rng), or f(data) without randomness", *given, **named, **draws)
    if neighbours is None and data is None:
        neighbours = getattr(mechanism, "neighbours", None)
    if neighbours is not None:
        if data is not None or other is not None or size is not None:
            raise InvalidArgument("Expected neighbours, or data, got both. Leave one out.")
        without, including = validate.pair(neighbours, "neighbours", "data sets")
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


class _Contents(pickle.Pickler):
    """Pickles what data hold, without what pandas keeps beside a table that was read."""

    def reducer_override(self, value: Any) -> Any:
        """Copy tables and indexes of pandas: what they computed of their values stays behind."""
        if isinstance(value, Iterator):  # the next run would find less in it, or nothing
            raise TypeError
        if hasattr(type(value), "iloc") or hasattr(type(value), "get_indexer"):
            return value.copy(deep=True).__reduce_ex__(pickle.HIGHEST_PROTOCOL)
        return NotImplemented


def _digest(data: Any) -> str:
    content = io.BytesIO()
    try:
        _Contents(content, pickle.HIGHEST_PROTOCOL).dump(data)
    except Exception as error:
        raise InvalidArgument(
            "Expected data that can be read again and compared after a run, got an iterator or "
            f"what cannot be pickled ({type(error).__name__}). Hand over values such as lists, "
            "arrays or tables, and let the mechanism open files and connections."
        ) from error
    return hashlib.sha256(content.getbuffer()).hexdigest()[:32]
