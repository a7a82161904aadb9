"""How any answer is read: a number for each of its parts, and what that number would lose."""

import dataclasses
import datetime
import enum
import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence, Set
from decimal import Decimal
from numbers import Rational
from typing import Any

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
from deniable.auditing.runs import Answers
from deniable.errors import InvalidArgument

_CODE_BYTES = 6
"""Bytes of a number that stands for a word: 48 bits are exact in a float64, and two words out of
a million meet with a chance of 0.002. Attacks on values look at the codes instead."""

_PLAIN, _LONGEST = "biuf", 8
"""Kinds of arrays that are read at once, where a number has 8 bytes at most."""

_MOST_ZEROS = 400
"""Zeros at the end of a decimal number that are written out: more than a float64 can have."""

_VALUES = (bool, int, float, complex, str, bytes, list, tuple, dict, np.ndarray, np.generic)
"""What an object may hold that is read beside its text."""

_START = datetime.datetime(1970, 1, 1)
_TICK = datetime.timedelta(microseconds=1)


class Reading:
    """One answer: `values` and `codes` of its parts, whole numbers among them, and its `shape`."""

    def __init__(self, answer: Any, within: frozenset[int] = frozenset()) -> None:
        self.values: list[float] = []
        self.codes: list[int] = []
        self.integers: list[int | None] = []
        self.texts: list[bytes] = []
        self._shape: list[bytes] = []
        self._within = set(within)
        self._read(answer)

    @property
    def shape(self) -> int:
        """A code of kinds, lengths and keys."""
        return digest_code(*self._shape)

    def _read(self, answer: Any) -> None:
        match answer:
            case bool():
                self._part("bool", float(answer), _one(np.bool_(answer)), int(answer))
            case np.generic():
                self._note(_kind(answer))
                self._scalar(answer)
            case int():
                integer = int(answer)
                self._part(_name(answer, int), _float(integer), integer_code(integer), integer)
            case float():
                self._float(answer)
            case complex():
                self._note("complex", _name(answer, complex))
                self._float(answer.real)
                self._float(answer.imag)
            case str():
                self._text(answer)
            case bytes() | bytearray() | memoryview():
                self._note(repr((getattr(answer, "format", ""), getattr(answer, "shape", ""))))
                self._other(answer, bytes(answer), len(answer), text=bytes(answer))
            case datetime.date() | datetime.time() | datetime.timedelta():
                self._moment(answer)
            case Rational() | Decimal():
                self._rational(answer)
            case np.ndarray():
                self._array(answer)
            case Mapping():
                self._mapping(answer)
            case Set():
                self._sequence(answer, sorted(answer, key=repr))
            case Sequence():
                fields = getattr(answer, "_fields", ())
                self._sequence(answer, answer, repr(fields))
            case _:
                self._object(answer)

    def _object(self, answer: Any) -> None:
        """Tables, columns and tensors of other packages, objects with fields, and all others."""
        if isinstance(answer, Iterator):
            raise InvalidArgument(
                f"Expected an answer that can be looked at again, got {type(answer).__name__}. "
                "Answer with a list."
            )
        if answer is None or hasattr(answer, "__qualname__"):  # a function's address says nothing
            names = [getattr(answer, each, answer) for each in ("__module__", "__qualname__")]
            self._other(answer, repr(names if answer is not None else None).encode())
        elif (columns := _columns(answer)) is not None:
            index = getattr(getattr(answer, "columns", None), "names", "")
            self._sequence(answer, list(columns.values()), f"{list(columns)!r} {index!r}")
        elif hasattr(answer, "as_py"):
            self._sequence(answer, [answer.as_py()], str(answer.type))
        elif hasattr(answer, "toarray"):  # a sparse matrix
            self._sequence(answer, [answer.toarray()])
        elif (values := _listed(answer)) is not None:
            dtype = getattr(answer, "dtype", getattr(answer, "type", ""))
            categories = _listed(getattr(dtype, "categories", None))
            label = f"{dtype} {categories!r} {getattr(answer, 'name', '')!r}"
            # Labels of rows in pandas; those that are numbers in a row are told by their ends.
            index = answer.index if hasattr(answer, "iloc") else None
            if index is not None and type(index).__name__ == "RangeIndex":
                self._note(repr(index))
            elif index is not None:
                self._note(_kind(index), f"{index.dtype} {index.names!r}")
                values = [values, index.tolist()]
            self._sequence(answer, values, label)
        elif (fields := _fields(answer)) is not None and id(answer) not in self._within:
            self._note(_kind(answer))
            self._within.add(id(answer))
            self._mapping(fields)
            self._within.remove(id(answer))
        else:  # one part, as a text may hide what the object holds
            attributes = {} if id(answer) in self._within else _shown_values(answer)
            inner = Reading(attributes, frozenset(self._within | {id(answer)}))
            content = f"{answer!r}{[inner.shape, *inner.codes] if attributes else ''}"
            self._other(answer, content.encode("utf-8", "surrogatepass"))

    def _array(self, answer: NDArray[Any]) -> None:
        kind, masked = answer.dtype.kind, isinstance(answer, np.ma.MaskedArray)
        self._note(_kind(answer), repr(answer.shape), answer.dtype.str, repr(answer.dtype))
        if masked:
            self._note(repr(getattr(answer, "fill_value", None)))
        if _is_plain(answer) and not masked:
            flat = np.asarray(answer).ravel()
            with np.errstate(invalid="ignore"):
                self.values += flat.astype(np.float64).tolist()
            self.codes += codes_of(flat).tolist()
            self.integers += _integers(flat)
            self.texts += [b""] * flat.size
        elif kind in "cmMV" or (kind == "f" and not masked):  # lists would lose something
            for each in np.asarray(answer).ravel():
                self._read(each)
            if masked:
                self._read(np.ma.getmaskarray(answer))
        else:
            for each in answer.ravel().tolist():
                self._read(each)

    def _scalar(self, answer: np.generic) -> None:
        """NumPy's scalars, by the values of Python's where these are the same."""
        kind, size = answer.dtype.kind, answer.dtype.itemsize
        if kind in "bSUO" or (kind in "iuf" and size <= _LONGEST):
            if kind == "f" and answer != answer:
                self._part("float", math.nan, _one(answer), None)
            else:
                self._read(answer.item())
        elif kind == "c":
            self._note("complex", "complex")
            self._scalar(answer.real)
            self._scalar(answer.imag)
        elif kind == "f":  # longer than a float64: printed so that it reads back
            integer = int(answer) if np.isfinite(answer) and answer == np.rint(answer) else None
            code = digest_code(b"float", repr(answer).encode())
            self._part("long float", float(answer), code, integer)
        elif kind in "mM":
            ticks = int(answer.view(np.int64))
            self._note(repr(answer.dtype))
            self._part(kind, _float(ticks), integer_code(ticks), ticks)
        else:
            self._note(repr(answer.dtype))
            self._sequence(answer, answer.item() if answer.dtype.names else [answer.tobytes()])

    def _float(self, answer: float) -> None:
        integer = int(answer) if abs(answer) < LARGEST_FLOAT and answer.is_integer() else None
        self._part(_name(answer, float), float(answer), float_code(answer), integer)

    def _text(self, answer: str) -> None:
        """A text that is a number, as a noisy count is after it was formatted, is a number, too."""
        content = str.__str__(answer).encode("utf-8", "surrogatepass")
        try:
            value = float(answer)
            number = Decimal(answer.strip()) if math.isfinite(value) else None
        except (ValueError, ArithmeticError):
            number = None
        if number is None:
            self._other(answer, content, len(answer), text=content)
            return
        code = digest_code(b"str", content)
        self._part(_kind(answer), float(answer), code, _digits(number), content)

    def _moment(self, answer: Any) -> None:
        """Days and times by their microseconds, and by all that is printed of them."""
        if answer != answer:  # "not a time" of pandas
            self._other(answer, b"")
            return
        match answer:
            case datetime.timedelta():
                since = answer
            case datetime.time():
                since = datetime.datetime.combine(_START, answer.replace(tzinfo=None)) - _START
            case datetime.datetime():
                since = datetime.datetime(*answer.timetuple()[:6], answer.microsecond) - _START
            case _:
                since = datetime.datetime(answer.year, answer.month, answer.day) - _START
        ticks = since // _TICK
        self._note(_traits(answer))
        code = digest_code(_kind(answer).encode(), repr(answer).encode())
        self._part(_kind(answer), float(ticks), code, ticks)

    def _rational(self, answer: Any) -> None:
        integer = _digits(answer) if isinstance(answer, Decimal) else int(answer.numerator)
        code = digest_code(b"number", repr(answer).encode())
        self._part(_kind(answer), _float(answer), code, integer)

    def _other(
        self, answer: Any, content: bytes, integer: int | None = None, text: bytes = b""
    ) -> None:
        kind = _kind(answer)
        short = hashlib.sha256(content).digest()[:_CODE_BYTES]
        value = float(answer) if hasattr(answer, "__float__") else int.from_bytes(short, "big")
        self._part(kind, float(value), digest_code(kind.encode(), content), integer, text)

    def _mapping(self, answer: Mapping[Any, Any]) -> None:
        """By key, whatever their order; the order of the keys belongs to the shape."""
        self._note("mapping", _kind(answer), _traits(answer), *(_key(key) for key in answer))
        for key in sorted(answer, key=repr):
            self._read(answer[key])

    def _sequence(self, answer: Any, parts: Sequence[Any], label: str = "") -> None:
        self._note("sequence", _kind(answer), _traits(answer), str(len(parts)), label)
        for part in parts:
            self._read(part)

    def _part(
        self, kind: str, value: float, code: int, integer: int | None, text: bytes = b""
    ) -> None:
        self._shape.append(kind.encode())
        self.texts.append(text)
        self.values.append(value)
        self.codes.append(code)
        self.integers.append(integer)

    def _note(self, *label: str) -> None:
        self._shape += [each.encode("utf-8", "surrogatepass") for each in label]


def answers_of(rows: Sequence[Any], container: str = "") -> Answers:
    """Answers of runs, one after the other; (n_runs,) -> signals (n_runs, 1, n).

    Parameters
    ----------
    rows : sequence
        The answers.
    container : str
        What can be seen of the object in which all of them came.

    Raises
    ------
    InvalidArgument
        If they have not as many parts, 1 or more.

    Examples
    --------
    >>> answers_of([{"mean": 2.5, "counts": [1, 2]}]).signals.tolist()
    [[[1.0, 2.0, 2.5]]]
    """
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
    """So many answers along the first axis, each of them by itself; as `answers_of`."""
    if isinstance(answer, np.ndarray) and not isinstance(answer, np.ma.MaskedArray):
        rows: Any = answer
    elif (columns := _columns(answer)) is not None:
        rows = list(zip(*(_listed(column) for column in columns.values()), strict=True))
    else:
        listed = None if isinstance(answer, Mapping | str | bytes) else _listed(answer)
        rows = listed if listed is not None else np.asarray(answer)
    shape = (len(rows),) if isinstance(rows, list) else rows.shape
    if not shape or shape[0] != number:
        raise InvalidArgument(
            f"Expected {number} answers along the first axis for draws={number}, got shape "
            f"{shape}. Answer one row a draw, or do without the keyword draws."
        )
    containers = [answer, *(_columns(answer) or {}).values()]
    container = " ".join(f"{_kind(each)} {getattr(each, 'dtype', '')!r}" for each in containers)
    if isinstance(rows, list) or not _is_plain(rows) or not rows.size:
        return answers_of(list(rows), container)
    flat = rows.reshape(number, -1)
    kinds = digest_code(container.encode(), rows.dtype.str.encode(), repr(shape[1:]).encode())
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


def _without_nan(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """NaN as an infinity: attacks that reckon ask whether a number is finite, and codes differ."""
    return np.where(np.isnan(values), np.inf, values)


def _is_plain(values: NDArray[Any]) -> bool:
    return values.dtype.kind in _PLAIN and values.dtype.itemsize <= _LONGEST


def _one(value: np.generic) -> int:
    return int(codes_of(np.array([value]))[0])


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
    zeros = min(max(exponent, 0), _MOST_ZEROS)
    return int(Decimal((sign, digits, 0))) * int(10**zeros)


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number beyond 1.8e308
        return math.inf if value > 0 else -math.inf
    except ValueError:  # a signalling NaN of decimal numbers
        return math.nan


def _kind(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _name(value: Any, plain: type) -> str:
    return plain.__name__ if type(value) is plain else _kind(value)


def _key(key: Any) -> str:
    return f"{_kind(key)} {key!r}"


def _traits(answer: Any) -> str:
    """What a container shows of itself beside its parts."""
    names = ("default_factory", "maxlen", "typecode", "unit", "attrs", "schema")
    seen = [getattr(answer, each) for each in names if hasattr(type(answer), each)]
    return repr([getattr(each, "__qualname__", each) for each in seen])


def _columns(answer: Any) -> dict[Any, Any] | None:
    """Columns of a table of pandas, polars or Arrow by place, name and type; None of others."""
    if hasattr(answer, "iloc") and hasattr(answer, "columns"):
        names, columns = list(answer.columns), [answer.iloc[:, i] for i in range(answer.shape[1])]
    elif hasattr(answer, "get_columns"):
        columns = answer.get_columns()
        names = [column.name for column in columns]
    elif hasattr(answer, "column_names") and hasattr(answer, "to_pylist"):
        names, columns = answer.column_names, answer.columns
    else:
        return None
    return {
        (i, repr(name)): each for i, (name, each) in enumerate(zip(names, columns, strict=True))
    }


def _listed(answer: Any) -> list[Any] | None:
    """Values of a column, a tensor or a sequence; None of anything else."""
    for name in ("to_pylist", "tolist", "to_list"):
        if hasattr(answer, name):
            values = getattr(answer, name)()
            return values if isinstance(values, list) else [values]
    if isinstance(answer, Sequence):
        return list(answer)
    return list(answer.to_numpy()) if hasattr(answer, "to_numpy") else None


def _fields(answer: Any) -> dict[str, Any] | None:
    """What an object holds whose text would not show it; None of others."""
    if dataclasses.is_dataclass(answer):
        return {each.name: getattr(answer, each.name) for each in dataclasses.fields(answer)}
    if hasattr(answer, "__attrs_attrs__"):
        return {each.name: getattr(answer, each.name) for each in answer.__attrs_attrs__}
    if getattr(type(answer), "__repr__", None) is object.__repr__:
        return {"": None, **_attributes(answer)}
    return None


def _attributes(answer: Any) -> dict[str, Any]:
    slots = [getattr(kind, "__slots__", ()) for kind in type(answer).__mro__]
    names = [each for slot in slots for each in ([slot] if isinstance(slot, str) else slot)]
    attributes = {each: getattr(answer, each) for each in names if hasattr(answer, each)}
    return attributes | getattr(answer, "__dict__", {})


def _shown_values(answer: Any) -> dict[str, Any]:
    """Values beside an object's text; other objects within may say their place in memory."""
    if isinstance(answer, enum.Enum):
        return {}
    return {name: x for name, x in _attributes(answer).items() if isinstance(x, _VALUES)}
