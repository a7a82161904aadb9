"""The two tables of a subject's theorems: what they give at their edges, what they refuse.

A row of edges is a theorem, what it is given, and what it gives; a row of refusals ends in the
error and what its message says.
"""

import math

import attrs
import pytest

TOLERANCE = 1e-14
"""Relative: results are rounded outwards by an ulp; how far is what the laws of rounding test."""


def edges(*rows):
    """Each row is run: the notion's numbers agree to 14 digits, 0 and ∞ and the rest exactly."""
    return pytest.mark.parametrize(
        ("theorem", "given", "expected"),
        [(theorem, given, expected) for theorem, *given, expected in rows],
        ids=_names(rows),
    )


def refusals(*rows):
    """Each row is run: the error is of that class and its message matches."""
    return pytest.mark.parametrize(
        ("theorem", "given", "error", "message"),
        [(theorem, given, error, message) for theorem, *given, error, message in rows],
        ids=_names(rows),
    )


def agree(found, expected):
    """Whether both are the same notion with the same numbers."""
    if isinstance(expected, float):
        return isinstance(found, float) and math.isclose(found, expected, rel_tol=TOLERANCE)
    if not attrs.has(type(expected)):
        return type(found) is type(expected) and found == expected
    return type(found) is type(expected) and all(
        agree(getattr(found, field.name), getattr(expected, field.name))
        for field in attrs.fields(type(expected))
    )


def _names(rows):
    return [f"{row[0].__name__}-{place}" for place, row in enumerate(rows)]
