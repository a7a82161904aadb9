import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from deniable.errors import InvalidArgument, validate
from tests.cases.refusals import refuses

NOT_NUMBERS = ["1", b"1", True, False, None, 1j, [1], math.nan, Decimal("NaN"), 10**400]
ONE_NUMBER = [
    validate.number,
    validate.finite,
    validate.non_negative,
    validate.positive,
    validate.at_least_one,
    validate.probability,
    validate.open_probability,
]


@pytest.mark.parametrize("check", ONE_NUMBER)
@pytest.mark.parametrize("value", NOT_NUMBERS, ids=lambda value: str(value)[:8])
def test_what_is_no_number(check, value):
    with refuses(InvalidArgument, "not-a-number: it"):
        check(value, "it")


@pytest.mark.parametrize("value", [2, 2.0, np.float64(2), np.int64(2), Fraction(2), Decimal(2)])
def test_numbers_become_floats(value):
    assert type(validate.number(value, "it")) is float
    assert validate.number(value, "it") == 2.0


@pytest.mark.parametrize(
    ("check", "value", "message"),
    [
        (validate.finite, math.inf, "not-finite: it | it=inf"),
        (validate.non_negative, -1e-300, "below-least: it | 0 | it=-1e-300"),
        (validate.non_negative, math.inf, "not-finite: it"),
        (validate.positive, 0, "not-above-0: it | it=0.0"),
        (validate.positive, math.inf, "not-finite: it"),
        (validate.at_least_one, 1 - 2.0**-53, "below-least: it | 1 | it=0.99"),
        (validate.probability, 1 + 2.0**-52, "not-from-0-to-1: it | it=1.00"),
        (validate.probability, -0.1, "not-from-0-to-1: it"),
        (validate.open_probability, 0, "not-between-0-and-1: it"),
        (validate.open_probability, 1, "not-between-0-and-1: it"),
    ],
)
def test_out_of_range(check, value, message):
    with refuses(InvalidArgument, message):
        check(value, "it")


def test_in_range():
    assert validate.number(-math.inf, "it") == -math.inf
    assert validate.finite(-3, "it") == -3.0
    assert validate.positive(5e-324, "it") == 5e-324
    assert validate.at_least_one(math.inf, "it") == math.inf
    assert validate.open_probability(0.5, "it") == 0.5


@pytest.mark.parametrize("check", [validate.probability, validate.non_negative])
def test_negative_zero_is_zero(check):
    assert math.copysign(1, check(-0.0, "it")) == 1.0


def test_whole_numbers():
    assert validate.integer(3.0, "it", least=2) == 3
    assert type(validate.integer(np.int64(3), "it", least=2)) is int
    assert validate.integer(2**60 + 1, "it", least=2) == 2**60 + 1
    with refuses(InvalidArgument, "not-whole: it | it=2.5"):
        validate.integer(2.5, "it", least=2)
    with refuses(InvalidArgument, "below-least: it | 2 | it=1"):
        validate.integer(1, "it", least=2)
    with refuses(InvalidArgument, "not-finite: it"):
        validate.integer(math.inf, "it", least=2)


def test_pairs():
    assert validate.pair([1, 2], "it") == (1, 2)
    for value in (None, 1, "12", b"12", (1,), (1, 2, 3), []):
        with refuses(InvalidArgument, "not-two-numbers: it"):
            validate.pair(value, "it")


def test_intervals():
    assert validate.interval(0, 1, "it") == (0.0, 1.0)
    assert validate.interval(0.5, 0.5, "it") == (0.5, 0.5)
    with refuses(InvalidArgument, "ends-swapped: it | 0.7 | 0.3"):
        validate.interval(0.7, 0.3, "it")
    with refuses(InvalidArgument, "not-from-0-to-1: it high"):
        validate.interval(0.7, 1.3, "it")


def test_words():
    assert validate.one_of("a", iter(["a", "b"]), "it") == "a"
    for value in ("c", None, ["a"]):
        with refuses(InvalidArgument, "not-one-of: it | a, b"):
            validate.one_of(value, ["a", "b"], "it")
