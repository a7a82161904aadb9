"""How an answer is read: a number for each of its parts, and what that number would lose."""

import hashlib
import math
from collections.abc import Sequence
from decimal import Decimal
from types import NoneType
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
        short = hashlib.sha256(content).digest()[:_CODE_BYTES]
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
            f"Expected {number} answers along the first axis for draws={number}, got shape "
            f"{shape}. Answer one row a draw, or do without the keyword draws."
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
        "Expected an answer of numbers, texts, bytes, NumPy arrays, or lists, tuples and dicts of "
        f"these, got {kind}. Return arrays, such as table.to_dict('list') or tensor.numpy()."
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
    zeros = min(max(exponent, 0), _MOST_ZEROS)
    return int(Decimal((sign, digits, 0))) * int(10**zeros)


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number beyond 1.8e308
        return math.inf if value > 0 else -math.inf
    except ValueError:  # a signalling NaN of decimal numbers
        return math.nan
