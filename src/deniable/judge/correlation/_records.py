"""Positions of records, checked."""

from collections.abc import Collection
from typing import Any

from deniable.errors import InvalidArgument, validate


def position(value: Any, n_records: int, what: str = "record") -> int:
    """The position of one of so many records, from 0."""
    result = validate.integer(value, what, least=0)
    if result >= n_records:
        raise InvalidArgument(f"Expected {what} < {n_records}, got {what}={result}.")
    return result


def others(values: Collection[Any], record: int, n_records: int) -> tuple[int, ...]:
    """Distinct positions of other records, in order."""
    positions = sorted(position(value, n_records, "known") for value in values)
    if record in positions or len(set(positions)) < len(positions):
        raise InvalidArgument(
            f"Expected distinct known records other than record={record}, got {positions}."
        )
    return tuple(positions)
