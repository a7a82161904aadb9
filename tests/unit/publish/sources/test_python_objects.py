"""A Python object is exactly what the plan declares, or no value."""

import datetime
import decimal

import numpy as np
import pandas as pd
import pytest

from deniable.publish.sources import Kind, convert_values, declared_type

DAY = datetime.date(2024, 2, 29)
NOON = datetime.datetime(2024, 2, 29, 12)
LATER = datetime.timezone(datetime.timedelta(hours=9))


def found(kind, values):
    return convert_values(pd.Series(values, dtype=object), kind).to_pylist()


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (Kind.INTEGER, 5, 5), (Kind.INTEGER, 5.0, 5), (Kind.INTEGER, decimal.Decimal(5), 5),
        (Kind.INTEGER, np.int8(5), 5), (Kind.NUMBER, 5, 5.0), (Kind.NUMBER, np.float32(0.5), 0.5),
        (Kind.TEXT, "a", "a"), (Kind.TEXT, np.str_("a"), "a"), (Kind.BOOLEAN, np.True_, True),
        (Kind.DATE, DAY, DAY), (Kind.TIMESTAMP, NOON, NOON),
        (Kind.TIMESTAMP, pd.Timestamp(NOON), NOON),
        (Kind.TIMESTAMP, NOON.replace(tzinfo=LATER), datetime.datetime(2024, 2, 29, 3)),
        (Kind.TIMESTAMP, pd.Timestamp(NOON, tz="Asia/Tokyo"), datetime.datetime(2024, 2, 29, 3)),
    ],
)  # fmt: skip
def test_values_of_the_kind(kind, value, expected):
    nothing = [None, float("nan"), pd.NA, pd.NaT]
    assert found(kind, [value, *nothing]) == [expected, *[None] * len(nothing)]
    assert found(kind, []) == []


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Kind.INTEGER, 5.5), (Kind.INTEGER, decimal.Decimal("5.5")), (Kind.INTEGER, 2**63),
        (Kind.NUMBER, 2**53 + 1), (Kind.NUMBER, np.longdouble(1) / 3), (Kind.TEXT, b"a"),
        (Kind.DATE, NOON), (Kind.DATE, pd.Timestamp(NOON)), (Kind.DATE, 5),
        (Kind.TIMESTAMP, 5), (Kind.TIMESTAMP, pd.Timestamp(1)),
        (Kind.TIMESTAMP, pd.Timestamp(1, tz="UTC")),
    ],
)  # fmt: skip
def test_values_that_would_be_changed(kind, value):
    """Arrow takes most of them, for others: 5.5 as 5, noon as its day, b"a" as "a"."""
    assert found(kind, [value]) == [None]


class Hostile:
    """Somebody's object, whose own code fails."""

    def __eq__(self, _):
        raise RuntimeError

    __hash__ = None
    __float__ = __int__ = __index__ = __str__ = __eq__


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.OTHER])
def test_one_object_is_no_value_and_leaves_the_others_alone(kind):
    good = {Kind.INTEGER: 7, Kind.NUMBER: 0.5, Kind.TEXT: "a", Kind.BOOLEAN: True, Kind.DATE: DAY,
            Kind.TIMESTAMP: NOON}[kind]  # fmt: skip
    for bad in (object(), Hostile(), [good], "\udc00", 10**400, b"\xff", ("a", 1)):
        assert found(kind, [good, bad, good]) == [good, None, good]


def test_decimals_are_the_float_that_prints_so():
    values = [decimal.Decimal("0.1"), decimal.Decimal("0.10000000000000000001")]
    assert found(Kind.NUMBER, values) == [0.1, None]


def test_types_of_kinds():
    assert [str(declared_type(kind)) for kind in (Kind.INTEGER, Kind.TEXT, Kind.DATE)] == [
        "int64", "large_string", "date32[day]",
    ]  # fmt: skip
