"""Two outputs that a reader can tell apart are never one to an audit; equal ones stay equal.

Answers are numbers, texts, bytes, arrays, and lists, tuples and dicts of these; others are refused,
since an audit cannot know what a reader sees of them. A mechanism answers one thing without the
record and another with it, and has no noise. Whatever the difference, the claim is false and every
run shows it.
"""

import array
import collections
import dataclasses
import datetime
import enum
import fractions
import math
import struct
import uuid
from decimal import Decimal

import attrs
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from deniable import audit
from deniable.auditing.mechanism import answers_at_once, answers_of
from deniable.errors import InvalidArgument
from tests.cases.effort import one_in, usual
from tests.cases.refusals import refuses

UTC, LAST = datetime.UTC, 2**53


@dataclasses.dataclass
class Point:
    x: int
    y: int = dataclasses.field(default=0, repr=False)


@attrs.frozen
class Secret:
    x: int
    y: int = attrs.field(default=0, repr=False)


class Plain:
    def __init__(self, x):
        self.x = x


class Colour(enum.IntEnum):
    RED = 1


class Number(int):
    pass


Pair = collections.namedtuple("Pair", "a b")
Other = collections.namedtuple("Other", "a c")


def nan(payload, form="<d"):
    size = struct.calcsize(form)
    quiet = {8: 0x7FF8 << 48, 4: 0x7FC0 << 16}[size]
    return struct.unpack(form, (quiet + payload).to_bytes(size, "little"))[0]


def frame(**columns):
    return pd.DataFrame(columns)


def nans(*bits, dtype):
    return np.array(bits, dtype=f"u{np.dtype(dtype).itemsize}").view(dtype)


PAIRS = {
    "integers of two widths": (np.array([1], "i4"), np.array([1], "i8")),
    "scalars of two widths": (np.int32(1), np.int64(1)),
    "a scalar and python's": (np.int64(5), 5),
    "a float and python's": (np.float64(0.5), 0.5),
    "narrow floats that are exact": (np.float32(0.5), 0.5),
    "half precision": (np.float16(0.5), np.float32(0.5)),
    "arrays of narrow floats": (np.array([0.5], "f4"), np.array([0.5])),
    "signed and unsigned": (np.int8(5), np.uint8(5)),
    "order of bytes": (np.array([5], "<i4"), np.array([5], ">i4")),
    "texts of numpy": (np.str_("a"), "a"),
    "truths of numpy": (np.True_, True),
    "bytes of numpy": (np.bytes_(b"a"), b"a"),
    "widths of texts": (np.array(["a"], "U5"), np.array(["a"], "U6")),
    "objects and texts": (np.array(["a"], object), np.array(["a"])),
    "an array of nothing around": (np.array(1), np.int64(1)),
    "narrow complex numbers": (np.complex64(1), np.complex128(1)),
    "units in arrays": (np.array([1], "M8[s]"), np.array([1], "M8[ms]")),
    "last bit at 2^53": (LAST, LAST + 1),
    "last bit at 2^64": (2**64, 2**64 + 1),
    "last bit at 2^63": (2**63 - 1, 2**63),
    "below all 64 bits": (-(2**63), -(2**63) - 1),
    "unsigned and signed": (2**64 - 1, -1),
    "beyond all floats": (10**400, 10**400 + 1),
    "thousands of digits": (10**5000, 10**5000 + 1),
    "numpy's integers": (np.int64(LAST), np.int64(LAST + 1)),
    "unsigned integers": (np.uint64(2**64 - 2), np.uint64(2**64 - 1)),
    "array of integers": (np.array([1, LAST]), np.array([1, LAST + 1])),
    "unsigned array": (np.array([2**64 - 1], "u8"), np.array([-1], "i8")),
    "array of objects": (np.array([2**70], object), np.array([2**70 + 1], object)),
    "integers beside floats": ([0.5, LAST], [0.5, LAST + 1]),
    "a whole number and a float": (1, 1.0),
    "a whole number and a truth": (1, True),
    "a whole number and a text": (1, "1"),
    "a text and bytes": ("a", b"a"),
    "none and its name": (None, "None"),
    "zeros": (0.0, -0.0),
    "zeros in an array": (np.array([0.0]), np.array([-0.0])),
    "narrow zeros": (np.float32(0.0), np.float32(-0.0)),
    "last bit of a float": (1.0, math.nextafter(1.0, 2)),
    "least floats": (5e-324, 1e-323),
    "a least float and 0": (5e-324, 0.0),
    "infinities": (math.inf, -math.inf),
    "infinity and not a number": (math.inf, math.nan),
    "payloads": (nan(1), nan(2)),
    "signs of not a number": (math.nan, -math.nan),
    "narrow payloads": (nans(0x7FC00001, dtype="f4"), nans(0x7FC00002, dtype="f4")),
    "signalling or not": (nans(0x7F800001, dtype="f4"), nans(0x7FC00001, dtype="f4")),
    "payloads of half precision": (nans(0x7E01, dtype="f2")[0], nans(0x7E02, dtype="f2")[0]),
    "narrow and wide": (np.float32(0.1), 0.1),
    "complex": (complex(1, 0.0), complex(1, -0.0)),
    "complex numbers of numpy": (np.complex64(1 + 2j), np.complex64(1 + 3j)),
    "complex and two numbers": (1 + 2j, [1.0, 2.0]),
    "decimals": (Decimal("0.1"), Decimal("0.10000000000000000000000000000001")),
    "zeros of decimals": (Decimal("1.5"), Decimal("1.50")),
    "not a number among decimals": (Decimal("NaN"), Decimal("sNaN")),
    "huge decimals": (Decimal("1e999999"), Decimal("2e999999")),
    "texts of one number": ("1", "1.0"),
    "spaces": ("1", " 1"),
    "signs": ("1", "+1"),
    "digits of another script": ("1", "\u0661"),
    "underscores": ("10", "1_0"),
    "long texts of numbers": (str(2**60), str(2**60 + 1)),
    "texts that are no numbers": ("nan", "NaN"),
    "case": ("a", "A"),
    "combining marks": ("\u00e9", "e\u0301"),
    "lone surrogates": ("\ud800", "\ud801"),
    "at the end of long texts": ("x" * 10_000 + "a", "x" * 10_000 + "b"),
    "nothing at the end": ("a", "a\0"),
    "nothing at the end of bytes": (b"a", b"a\0"),
    "order": ([1, 2], [2, 1]),
    "nesting": ([[1, 2], [3]], [[1], [2, 3]]),
    "list and tuple": ([1, 2], (1, 2)),
    "list and array": ([1, 2], np.array([1, 2])),
    "shapes": (np.zeros((2, 3)), np.zeros((3, 2))),
    "an empty list beside": ([1, []], [1, ()]),
    "keys": ({"a": 1}, {"b": 1}),
    "types of keys": ({1: 1}, {"1": 1}),
    "equal keys": ({1: 1}, {1.0: 1}),
    "order of keys": ({"a": 1, "b": 1}, {"b": 1, "a": 1}),
    "whose key": ({"a": 1, "b": 2}, {"a": 2, "b": 1}),
    "moments of numpy": (np.datetime64(1, "ns"), np.datetime64(2, "ns")),
    "units": (np.datetime64(1, "ns"), np.datetime64(1, "us")),
    "units of durations": (np.timedelta64(1, "s"), np.timedelta64(1, "m")),
    "no moment": (np.datetime64("NaT", "ns"), None),
    "arrays of moments": (np.array([1], "M8[ns]"), np.array([2], "M8[ns]")),
    "the middle of an array": tuple(np.insert(np.zeros(2000), 1000, x) for x in (1, 2)),
}


def audited(pair, **options):
    answer = audit(
        lambda data: pair[data], neighbours=(0, 1), claimed="pure-dp:1", runs=400, **options
    )
    return answer.verdict, {each.name for each in answer.findings}


def codes(value):
    return answers_of([value]).exact.codes.tolist()


@pytest.mark.parametrize("name", PAIRS)
def test_two_outputs_are_two(name):
    assert codes(PAIRS[name][0]) != codes(PAIRS[name][1])


@pytest.mark.parametrize("name", one_in(3, list(PAIRS)[::8]))
def test_an_audit_tells_them_apart(name):
    assert audited(PAIRS[name]) == ("violated", {"exact"})


EQUAL = {
    "views": (np.arange(6)[::2], np.array([0, 2, 4])),
    "order in memory": (np.zeros((2, 3)), np.asfortranarray(np.zeros((2, 3)))),
    "lists made anew": ([1, "a", {"b": 2.5}], [1, "a", {"b": 2.5}]),
}


@pytest.mark.parametrize("name", EQUAL)
def test_equal_outputs_are_one(name):
    assert codes(EQUAL[name][0]) == codes(EQUAL[name][1])


def test_an_audit_of_equal_outputs_accuses_nobody():
    assert audited(([1, "a"], [1, "a"])) == ("inconclusive", {"not-random"})


OTHERS = [
    *(Point(1), Secret(1), Plain(1), Colour.RED, Number(1), Pair(1, 2), object(), math.exp),
    *({1, 2}, frozenset({1}), range(2), collections.deque([1]), collections.defaultdict(int, a=1)),
    *(array.array("i", [1]), memoryview(b"ab"), bytearray(b"a"), fractions.Fraction(1, 3)),
    *(datetime.date(2020, 1, 1), datetime.timedelta(1), uuid.UUID(int=1)),
    *(np.matrix([[1]]), np.ma.array([1, 2], mask=[0, 1]), np.void(b"ab"), np.longdouble(1)),
    *(np.array([0.1], np.longdouble), np.array([(1, 2.0)], "i8,f8"), np.array([{1}], object)),
    *(pd.Timestamp(1), pd.NaT, pd.NA, pd.Series([1]), frame(x=[1]), pl.Series([1])),
    *(pl.DataFrame({"x": [1]}), pa.table({"x": [1]}), pa.scalar(1), sparse.csr_array([[0, 1]])),
    *(iter([1]), map(str, [1]), [1, {"a": (Plain(1),)}]),
]


@pytest.mark.parametrize("answer", OTHERS, ids=lambda each: type(each).__name__)
def test_what_an_audit_may_not_know_how_to_look_at_is_refused(answer):
    with refuses(InvalidArgument, "return-arrays"):
        answers_of([answer])


@pytest.mark.parametrize(
    "pair",
    [
        ([LAST, 0.5], [LAST + 1, 0.5]),
        ([2**63, -1], [2**63 + 1, -1]),
        ([1, "a"], ["1", "a"]),
        (np.array([1, LAST]), np.array([1, LAST + 1])),
        (np.array([1, LAST], "u8"), np.array([1, LAST + 1], "u8")),
        (np.array([0.0]), np.array([-0.0])),
        (np.array([5], "i4"), np.array([5], "i8")),
        (np.array([5], "<i4"), np.array([5], ">i4")),
        (np.array([0.5], "f4"), np.array([0.5])),
    ],
    ids=repr,
)
def test_answers_at_once_are_two(pair):
    def times(each, draws):
        if isinstance(each, np.ndarray):
            return np.repeat(each[None], draws, axis=0)
        return [each] * draws

    one, other = (answers_at_once(times(each, 3), 3).exact.codes for each in pair)
    assert (one == one[:1]).all()
    assert (one != other).any(axis=2).all()
    answer = audit(
        lambda data, draws: times(pair[data], draws),
        neighbours=(0, 1),
        claimed="pure-dp:1",
        runs=200,
    )
    assert answer.verdict == "violated"


LEAVES = st.one_of(
    st.integers(),
    st.integers(2**53 - 2, 2**53 + 2),
    st.integers(2**63 - 2, 2**64 + 2),
    st.floats(),
    st.floats(width=32).map(np.float32),
    st.booleans(),
    st.text(max_size=4),
    st.binary(max_size=4),
    st.none(),
    st.decimals(),
    st.complex_numbers(),
)
OUTPUTS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3),
        st.lists(inner, min_size=1, max_size=3).map(tuple),
        st.dictionaries(st.text(max_size=2), inner, min_size=1, max_size=3),
    ),
    max_leaves=5,
)


def seen(value):
    """All that a reader sees, by code that shares nothing with the package's."""
    match value:
        case float() | np.float32():
            return (type(value).__name__, struct.pack("<d", value))
        case complex():
            return ("complex", struct.pack("<dd", value.real, value.imag))
        case list() | tuple():
            return (type(value).__name__, tuple(map(seen, value)))
        case dict():
            return ("dict", tuple((key, seen(part)) for key, part in value.items()))
        case _:
            return (type(value).__name__, repr(value))


@given(OUTPUTS, OUTPUTS)
@settings(max_examples=usual(40, 200), deadline=None)
def test_codes_are_equal_where_a_reader_sees_the_same_and_nowhere_else(one, other):
    for a, b in ((one, other), (one, one)):
        assert (codes(a) == codes(b)) == (seen(a) == seen(b))
