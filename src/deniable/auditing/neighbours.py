"""Neighbours of a data set: a list, a tuple, an array or a data frame."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument


def removed(data: Any, record: int = -1) -> tuple[Any, Any]:
    """Add-remove neighbours: the data without a record, and with it.

    Examples
    --------
    >>> removed([3, 1, 4], 0)
    ([1, 4], [3, 1, 4])
    """
    return taken(data, np.delete(np.arange(length(data)), _place(data, record))), data


def replaced(data: Any, other: Any, record: int = -1) -> tuple[Any, Any]:
    """Replace-one neighbours: the data with a record replaced by another, and as it is.

    Examples
    --------
    >>> replaced([3, 1, 4], 9, 0)
    ([9, 1, 4], [3, 1, 4])
    """
    place = _place(data, record)
    if isinstance(data, np.ndarray):
        changed = data.copy()
        changed[place] = other
        return changed, data
    if hasattr(data, "iloc"):
        changed = data.copy()
        changed.iloc[place] = other
        return changed, data
    items = list(data)
    items[place] = other
    return type(data)(items) if isinstance(data, tuple) else items, data


def length(data: Any) -> int:
    """How many records there are."""
    try:
        return len(data)
    except TypeError:
        raise InvalidArgument(
            f"Expected data with records in a row, got {type(data).__name__}. Give both "
            "neighbours instead."
        ) from None


def _place(data: Any, record: int) -> int:
    n = length(data)
    if not -n <= record < n:
        raise InvalidArgument(f"Expected a record of {n}, from 0, got record={record}.")
    return record % n


def taken(data: Any, places: NDArray[np.int64]) -> Any:
    """The records at these places, as data of the same kind."""
    if isinstance(data, np.ndarray):
        return data[places]
    if hasattr(data, "iloc"):
        return data.iloc[places]
    items = [data[int(place)] for place in places]
    return tuple(items) if isinstance(data, tuple) else items
