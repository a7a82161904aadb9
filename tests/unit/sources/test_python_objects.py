"""A Python object is exactly what the plan declares, or it ends the column."""

import datetime
import decimal

import numpy as np
import pandas as pd
import pytest

from deniable.sources.kinds import Kind
from deniable.sources.python_objects import declared_type, declared_values

DAY = datetime.date(2024, 2, 29)
NOON = datetime.datetime(2024, 2, 29, 12)
LATER = datetime.timezone(datetime.timedelta(hours=9))


def found(kind, values):
    return declared_values(pd.Series(values, dtype=object), kind).to_pylist()


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
    with pytest.raises((ValueError, TypeError, OverflowError)):
        found(kind, [value])


def test_types_of_kinds():
    assert [str(declared_type(kind)) for kind in (Kind.INTEGER, Kind.TEXT, Kind.DATE)] == [
        "int64", "large_string", "date32[day]",
    ]  # fmt: skip
