"""What float64 would lose of an answer: which outputs are equal, and whole numbers of any size."""

import hashlib
import struct
from collections.abc import Sequence
from typing import Any, Self, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument

Codes: TypeAlias = NDArray[np.int64]
Words: TypeAlias = NDArray[np.int64]
TextBytes: TypeAlias = NDArray[np.uint8]

WORD = 53
"""Bits of a word: as many as a float64 holds exactly."""
NOT_WHOLE = -(2**63)
"""The first word of what is no whole number; no word of one is so far from 0."""
LARGEST_FLOAT = 2.0**106
"""Floats from here on are not taken for whole numbers: their last 53 bits are 0 anyway."""

_CODE_BYTES = 8
"""Bytes of a code. Floats are told apart by their bits and 64-bit integers by their value; other
outputs by a digest, in which two out of a million meet with a chance of 3e-8."""
_MASK = 2**WORD - 1
"""A number with all bits of a word."""
_TEXT_BYTES, _LEAST_BYTES = 128, 4
"""Bytes of texts that are looked at from either end, of all parts of a run and of one at least."""


def digest_code(*parts: bytes) -> int:
    """A signed 64-bit number that differs between rows of parts, but for a chance of 2^-64."""
    content = hashlib.blake2b(digest_size=_CODE_BYTES)
    for part in parts:
        content.update(len(part).to_bytes(_CODE_BYTES, "big") + part)
    return int.from_bytes(content.digest(), "big", signed=True)


_FLOAT, _INTEGER, _UNSIGNED, _NARROW, _BOOLEAN = (
    digest_code(kind) for kind in (b"float", b"integer", b"unsigned", b"narrow NaN", b"boolean")
)
"""What the bits of a value are combined with, so that 1.0, 1 and True differ."""


@attrs.frozen(eq=False)
class Exact:
    """Outputs without the rounding of float64.

    Codes, (n_runs, n_records, 1 + n_signals), are first of the shape of an answer: kinds, lengths,
    keys; then a number for each part, the same if and only if the parts are. Words, (n_runs,
    n_records, n_signals, n_words), are w_0 + 2^53 w_1 + 2^106 w_2 + ..., all of one sign, for each
    part that is a whole number; for others the first word is `NOT_WHOLE`. Texts, (n_runs,
    n_records, n_characters), are the first and the last bytes of each part that is a text or bytes,
    and 0 for others.
    """

    codes: Codes
    words: Words
    texts: TextBytes | None = None

    def __attrs_post_init__(self) -> None:
        """Refuse arrays of different runs, records or parts."""
        *runs, codes = self.codes.shape
        if len(runs) != 2 or self.words.ndim != 4 or self.words.shape[:3] != (*runs, codes - 1):
            raise InvalidArgument(
                "Expected codes of shape (n_runs, n_records, 1 + n) and words of shape (n_runs, "
                f"n_records, n, n_words), got {self.codes.shape} and {self.words.shape}."
            )

    @classmethod
    def of(cls, signals: NDArray[np.float64]) -> Self:
        """Return the words of numbers that are published as floats; (n_runs, n_records, n)."""
        shapes = np.zeros((*signals.shape[:2], 1), dtype=np.int64)
        return cls(np.concatenate([shapes, codes_of(signals)], axis=2), words_of(signals))

    @classmethod
    def joined(cls, parts: Sequence["Exact"]) -> Self:
        """Runs after runs; missing words are 0."""
        most = max(each.words.shape[3] for each in parts)
        width = max(0 if each.texts is None else each.texts.shape[2] for each in parts)
        texts = [
            np.zeros((*each.codes.shape[:2], width), np.uint8) if each.texts is None else each.texts
            for each in parts
        ]
        return cls(
            np.concatenate([each.codes for each in parts]),
            np.concatenate([with_words(each.words, most) for each in parts]),
            np.concatenate(texts) if width else None,
        )

    def __getitem__(self, runs: slice | NDArray[np.int64]) -> "Exact":
        """Some of the runs."""
        texts = None if self.texts is None else self.texts[runs]
        return Exact(self.codes[runs], self.words[runs], texts)


def with_words(words: Words, number: int) -> Words:
    """The first so many words, with 0 for those that are missing."""
    missing = number - words.shape[-1]
    if missing <= 0:
        return words[..., :number]
    return np.concatenate([words, np.zeros((*words.shape[:-1], missing), np.int64)], axis=-1)


def characters_of(rows: Sequence[Sequence[bytes]]) -> TextBytes | None:
    """First and last bytes of the texts of each run, (n_runs, 1, n); None where there is none."""
    if not any(map(any, rows)):
        return None
    width = max(_TEXT_BYTES // len(rows[0]), _LEAST_BYTES)
    pieces = [
        each[:width].ljust(width, b"\0") + each[-width:].rjust(width, b"\0")
        for row in rows
        for each in row
    ]
    return np.frombuffer(b"".join(pieces), np.uint8).reshape(len(rows), 1, -1)


def codes_of(values: NDArray[Any]) -> Codes:
    """Codes of numbers of at most 64 bits, the same for each type that holds a value."""
    kind = values.dtype.kind
    if kind == "b":
        return values.astype(np.int64) ^ _BOOLEAN
    if kind == "i":
        return values.astype(np.int64) ^ _INTEGER
    if kind == "u":
        wide = values.astype(np.uint64)
        return wide.view(np.int64) ^ np.where(wide >> np.uint64(63), _UNSIGNED, _INTEGER)
    native = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))
    size = native.dtype.itemsize
    with np.errstate(invalid="ignore"):
        codes = native.astype(np.float64).view(np.int64) ^ _FLOAT
    if size < _CODE_BYTES and (odd := np.isnan(native)).any():
        bits = native.view(f"u{size}").astype(np.int64)
        codes = np.where(odd, (bits << 3 | size) ^ _NARROW, codes)
    return codes.reshape(values.shape)


def float_code(value: float) -> int:
    """The code of a float, as `codes_of` has it."""
    bits: int = struct.unpack("<q", struct.pack("<d", value))[0]
    return bits ^ _FLOAT


def integer_code(value: int) -> int:
    """The code of a whole number of any size, as `codes_of` has it up to 64 bits."""
    if -(2**63) <= value < 2**63:
        return value ^ _INTEGER
    if 0 <= value < 2**64:
        return (value - 2**64) ^ _UNSIGNED
    return digest_code(b"integer", hex(value).encode())


def words_of(values: NDArray[Any]) -> Words:
    """Whole numbers of an array of numbers of at most 64 bits; (...) -> (..., n_words)."""
    if values.dtype.kind == "f":
        with np.errstate(invalid="ignore"):  # a narrow NaN may be a signalling one
            floats = values.astype(np.float64)
        is_integer = (np.abs(floats) < LARGEST_FLOAT) & (floats == np.rint(floats))
        high = np.trunc(np.where(is_integer, floats, 0.0) / 2.0**WORD)
        low = np.where(is_integer, np.where(is_integer, floats, 0.0) - high * 2.0**WORD, 0.0)
        words = np.stack([low.astype(np.int64), high.astype(np.int64)], axis=-1)
        words[..., 0] = np.where(is_integer, words[..., 0], NOT_WHOLE)
    else:
        negative = values < 0
        bits = values.astype(np.int64).view(np.uint64)
        size = np.where(negative, ~bits + np.uint64(1), bits)
        parts = [(size & np.uint64(_MASK)), (size >> np.uint64(WORD))]
        signs = np.where(negative, -1, 1)
        words = np.stack([part.astype(np.int64) * signs for part in parts], axis=-1)
    return words if words[..., 1].any() else words[..., :1]


def words_of_integers(values: Sequence[int | None]) -> Words:
    """Return whole numbers of any size, and None for no value, as words; (n,) -> (n, n_words)."""
    known = [value for value in values if value is not None]
    most = max(max(known, default=0).bit_length(), min(known, default=0).bit_length())
    if most <= WORD:
        short = [NOT_WHOLE if value is None else value for value in values]
        return np.array(short, dtype=np.int64).reshape(-1, 1)
    words = np.zeros((len(values), -(-most // WORD)), dtype=np.int64)
    for i, value in enumerate(values):
        if value is None:
            words[i, 0] = NOT_WHOLE
            continue
        sign, size = (-1, -value) if value < 0 else (1, value)
        for j in range(-(-size.bit_length() // WORD)):
            words[i, j] = sign * ((size >> WORD * j) & _MASK)
    return words


def remainders(words: Words, modulus: int) -> NDArray[np.int64]:
    """Return remainders of whole numbers, and the modulus for no value; (..., n_words) -> (...)."""
    rest = np.zeros(words.shape[:-1], dtype=np.int64)
    for place in range(words.shape[-1]):
        # a word has 53 bits, and 10 are those of the largest modulus
        rest += words[..., place] % modulus * pow(2, WORD * place, modulus)
    return np.where(words[..., 0] == NOT_WHOLE, modulus, rest % modulus)
