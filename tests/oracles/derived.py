"""Derived columns row by row in Python: datetime, isocalendar, whole numbers and fractions."""

import datetime
import math
import operator
from fractions import Fraction

_OPERATORS = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge,
    "in": lambda value, listed: value in listed,
    "not in": lambda value, listed: value not in listed,
}  # fmt: skip


def canonical(value):
    """A cell as queries see it: no NaN, one zero."""
    if isinstance(value, float):
        return None if math.isnan(value) else value + 0.0
    return value


def part(value, word: str):
    """A calendar part; the hour of a day is none."""
    if value is None:
        return None
    week = value.isocalendar()
    match word:
        case "year":
            return value.strftime("%Y").rjust(4, "0")
        case "quarter":
            return f"{value.year:04}-Q{[1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4][value.month - 1]}"
        case "month":
            return value.isoformat()[:7]
        case "week":
            return f"{week.year:04}-W{week.week:02}"
        case "weekday":
            return str(week.weekday)
    return value.isoformat()[11:13]


def days(first, second):
    """Complete days between two days or moments."""
    if first is None or second is None:
        return None
    moments = [
        each
        if isinstance(each, datetime.datetime)
        else datetime.datetime(each.year, each.month, each.day)
        for each in (first, second)
    ]
    return int(
        Fraction((moments[1] - moments[0]) // datetime.timedelta(microseconds=1), 86400 * 10**6)
    )


def band(value, bounds, labels):
    """The label of a band, by exact comparisons."""
    if value is None or math.isinf(value) or not bounds[0] <= value <= bounds[-1]:
        return None
    return labels[min(sum(Fraction(value) >= Fraction(each) for each in bounds), len(labels)) - 1]


def arithmetic(operation: str, one, other):
    """In whole numbers of 64 bits where both are whole and it is no ratio, else in floats."""
    if one is None or other is None:
        return None
    if operation != "ratio" and isinstance(one, int) and isinstance(other, int):
        exact = {"sum": one + other, "difference": one - other, "product": one * other}[operation]
        return exact if -(2**63) <= exact < 2**63 else None
    one, other = float(one), float(other)
    if not (math.isfinite(one) and math.isfinite(other)) or (operation == "ratio" and other == 0):
        return None
    a, b = Fraction(one), Fraction(other)
    exact = {"sum": lambda: a + b, "difference": lambda: a - b, "product": lambda: a * b,
             "ratio": lambda: a / b}[operation]()  # fmt: skip
    try:
        rounded = exact.numerator / exact.denominator  # to the nearest, ties to even
    except OverflowError:
        return None
    return rounded + 0.0 if math.isfinite(rounded) else None


def truth(value, word: str, given):
    """Whether a condition is true."""
    return None if value is None else _OPERATORS[word](value, given)
