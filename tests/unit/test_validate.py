import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from deniable import _validate
from deniable.errors import InvalidArgument

NOT_NUMBERS = ["1", b"1", True, False, None, 1j, [1], math.nan, Decimal("NaN"), 10**400]
ONE_NUMBER = [
    _validate.number,
    _validate.finite,
    _validate.non_negative,
    _validate.positive,
    _validate.at_least_one,
    _validate.probability,
    _validate.open_probability,
]


@pytest.mark.parametrize("check", ONE_NUMBER)
@pytest.mark.parametrize("value", NOT_NUMBERS, ids=lambda value: str(value)[:8])
def test_what_is_no_number(check, value):
    with pytest.raises(InvalidArgument, match=r"^Expected it to be a number, got "):
        check(value, "it")


@pytest.mark.parametrize("value", [2, 2.0, np.float64(2), np.int64(2), Fraction(2), Decimal(2)])
def test_numbers_become_floats(value):
    assert type(_validate.number(value, "it")) is float
    assert _validate.number(value, "it") == 2.0


@pytest.mark.parametrize(
    ("check", "value", "message"),
    [
        (_validate.finite, math.inf, "it to be finite, got it=inf"),
        (_validate.non_negative, -1e-300, "it >= 0, got it=-1e-300"),
        (_validate.non_negative, math.inf, "it to be finite"),
        (_validate.positive, 0, "it > 0, got it=0.0"),
        (_validate.positive, math.inf, "it to be finite"),
        (_validate.at_least_one, 1 - 2.0**-53, "it >= 1, got it=0.99"),
        (_validate.probability, 1 + 2.0**-52, "0 <= it <= 1, got it=1.00"),
        (_validate.probability, -0.1, "0 <= it <= 1"),
        (_validate.open_probability, 0, "0 < it < 1"),
        (_validate.open_probability, 1, "0 < it < 1"),
    ],
)
def test_out_of_range(check, value, message):
    with pytest.raises(InvalidArgument, match=message):
        check(value, "it")


def test_in_range():
    assert _validate.number(-math.inf, "it") == -math.inf
    assert _validate.finite(-3, "it") == -3.0
    assert _validate.positive(5e-324, "it") == 5e-324
    assert _validate.at_least_one(math.inf, "it") == math.inf
    assert _validate.open_probability(0.5, "it") == 0.5


@pytest.mark.parametrize("check", [_validate.probability, _validate.non_negative])
def test_negative_zero_is_zero(check):
    assert math.copysign(1, check(-0.0, "it")) == 1.0


def test_whole_numbers():
    assert _validate.integer(3.0, "it", least=2) == 3
    assert type(_validate.integer(np.int64(3), "it", least=2)) is int
    assert _validate.integer(2**60 + 1, "it", least=2) == 2**60 + 1
    with pytest.raises(InvalidArgument, match=r"it to be a whole number, got it=2\.5"):
        _validate.integer(2.5, "it", least=2)
    with pytest.raises(InvalidArgument, match="it >= 2, got it=1"):
        _validate.integer(1, "it", least=2)
    with pytest.raises(InvalidArgument, match="it to be finite"):
        _validate.integer(math.inf, "it", least=2)


def test_pairs():
    assert _validate.pair([1, 2], "it") == (1, 2)
    for value in (None, 1, "12", b"12", (1,), (1, 2, 3), []):
        with pytest.raises(InvalidArgument, match=r"^Expected it to be two numbers, got "):
            _validate.pair(value, "it")


def test_intervals():
    assert _validate.interval(0, 1, "it") == (0.0, 1.0)
    assert _validate.interval(0.5, 0.5, "it") == (0.5, 0.5)
    with pytest.raises(InvalidArgument, match=r"got it=\[0.7, 0.3\]. Put the lower end first."):
        _validate.interval(0.7, 0.3, "it")
    with pytest.raises(InvalidArgument, match="0 <= it high <= 1"):
        _validate.interval(0.7, 1.3, "it")


def test_words():
    assert _validate.one_of("a", iter(["a", "b"]), "it") == "a"
    for value in ("c", None, ["a"]):
        with pytest.raises(InvalidArgument, match="it to be one of a, b, got "):
            _validate.one_of(value, ["a", "b"], "it")
