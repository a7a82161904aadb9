"""How any answer is read: a number for each of its parts, and what that number would lose."""

import dataclasses
import datetime
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

_START = datetime.datetime(1970, 1, 1)
_TICK = datetime.timedelta(microseconds=1)


class Reading:
    """One answer: `values` and `codes` of its parts, whole numbers among them, and its `shape`."""

    def __init__(self, answer: Any) -> None:
        self.values: list[float] = []
        self.codes: list[int] = []
        self.integers: list[int | None] = []
        self._shape: list[bytes] = []
        self._read(answer)

    @property
    def shape(self) -> int:
        """A code of kinds, lengths and keys."""
        return digest_code(*self._shape)

    def _read(self, answer: Any) -> None:
        match answer:
            case bool() | np.bool_():
                self._part("bool", float(answer), _one(np.bool_(answer)), int(answer))
            case np.generic():
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
                self._other(answer, bytes(answer), len(answer))
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
            self._other(answer, str(getattr(answer, "__qualname__", answer)).encode())
        elif (columns := _columns(answer)) is not None:
            self._sequence(answer, list(columns.values()), repr(list(columns)))
        elif hasattr(answer, "as_py"):
            self._sequence(answer, [answer.as_py()], str(answer.type))
        elif hasattr(answer, "toarray"):  # a sparse matrix
            self._sequence(answer, [answer.toarray()])
        elif (values := _listed(answer)) is not None:
            dtype = getattr(answer, "dtype", getattr(answer, "type", ""))
            categories = _listed(getattr(dtype, "categories", None))
            label = f"{dtype} {categories!r} {getattr(answer, 'name', '')!r}"
            # Labels of rows in pandas, unless they are their numbers.
            index = answer.index if hasattr(answer, "iloc") else None
            labels = (
                None if index is None or type(index).__name__ == "RangeIndex" else index.tolist()
            )
            self._sequence(answer, values if labels is None else [values, labels], label)
        elif (fields := _fields(answer)) is not None:
            self._note(_kind(answer))
            self._mapping(fields)
        else:
            self._other(answer, repr(answer).encode("utf-8", "surrogatepass"))

    def _array(self, answer: NDArray[Any]) -> None:
        kind, masked = answer.dtype.kind, isinstance(answer, np.ma.MaskedArray)
        self._note("array", repr(answer.shape))
        if _is_plain(answer) and not masked:
            flat = np.asarray(answer).ravel()
            self._note(kind.replace("u", "i"), str(flat.size))
            with np.errstate(invalid="ignore"):
                self.values += flat.astype(np.float64).tolist()
            self.codes += codes_of(flat).tolist()
            self.integers += _integers(flat)
        elif kind in "cmMV" or (kind == "f" and not masked):  # lists would lose something
            self._note(repr(answer.dtype))
            for each in np.asarray(answer).ravel():
                self._read(each)
            if masked:
                self._read(np.ma.getmaskarray(answer))
        else:
            for each in answer.ravel().tolist():
                self._read(each)

    def _scalar(self, answer: np.generic) -> None:
        """NumPy's scalars, as Python's where these are the same."""
        kind, size = answer.dtype.kind, answer.dtype.itemsize
        if kind in "SUO" or (kind in "iuf" and size <= _LONGEST):
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
            self._other(answer, content, len(answer))
            return
        self._part(_kind(answer), float(answer), digest_code(b"str", content), _digits(number))

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
        code = digest_code(_kind(answer).encode(), repr(answer).encode())
        self._part(_kind(answer), float(ticks), code, ticks)

    def _rational(self, answer: Any) -> None:
        integer = _digits(answer) if isinstance(answer, Decimal) else int(answer.numerator)
        code = digest_code(b"number", repr(answer).encode())
        self._part(_kind(answer), _float(answer), code, integer)

    def _other(self, answer: Any, content: bytes, integer: int | None = None) -> None:
        kind = _kind(answer)
        short = hashlib.sha256(content).digest()[:_CODE_BYTES]
        value = float(answer) if hasattr(answer, "__float__") else int.from_bytes(short, "big")
        self._part(kind, float(value), digest_code(kind.encode(), content), integer)

    def _mapping(self, answer: Mapping[Any, Any]) -> None:
        """By key, whatever their order; the order of the keys belongs to the shape."""
        self._note("mapping", _kind(answer), *(_key(key) for key in answer))
        for key in sorted(answer, key=repr):
            self._read(answer[key])

    def _sequence(self, answer: Any, parts: Sequence[Any], label: str = "") -> None:
        self._note("sequence", _kind(answer), str(len(parts)), label)
        for part in parts:
            self._read(part)

    def _part(self, kind: str, value: float, code: int, integer: int | None) -> None:
        self._shape.append(kind.encode())
        self.values.append(value)
        self.codes.append(code)
        self.integers.append(integer)

    def _note(self, *label: str) -> None:
        self._shape += [each.encode("utf-8", "surrogatepass") for each in label]


def answers_of(rows: Sequence[Any]) -> Answers:
    """Answers of runs, one after the other; (n_runs,) -> signals (n_runs, 1, n).

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
    codes = np.array([[each.shape, *each.codes] for each in readings], dtype=np.int64)
    words = words_of_integers([integer for each in readings for integer in each.integers])
    exact = Exact(codes[:, None], words.reshape(len(rows), 1, widths[0], -1))
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
    if isinstance(rows, list) or not _is_plain(rows) or not rows.size:
        return answers_of(list(rows))
    flat = rows.reshape(number, -1)
    kinds = digest_code(rows.dtype.kind.replace("u", "i").encode(), repr(shape[1:]).encode())
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
        integer = (np.abs(values) < LARGEST_FLOAT) & (values == np.rint(values))
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
        return {"": None, **getattr(answer, "__dict__", {})}
    return None
