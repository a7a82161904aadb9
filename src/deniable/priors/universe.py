"""The universe: entities and their positions, subsets and their row numbers."""

from collections.abc import Iterable
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import InvalidArgument

MOST_LISTED = 24
"""Universes with more entities do not list their subsets: 2^24 rows are 400 MB."""


def _entities(value: Any) -> tuple[str, ...]:
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise InvalidArgument(f"Expected entities to be a list of names, got {value!r}.")
    names = tuple(value)
    if not names:
        raise InvalidArgument("Expected one entity or more, got none.")
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str) or not name or "," in name:
            raise InvalidArgument(f"Expected entities to be names without commas, got {name!r}.")
        if name in seen:
            raise InvalidArgument(f"Expected entities with distinct names, got {name!r} twice.")
        seen.add(name)
    return names


@attrs.frozen
class Universe:
    """Everyone who may be in the data, in a fixed order.

    A subset is a row of membership flags, or a row number: the whole number whose bit i is set
    exactly if entity i is in.

    Parameters
    ----------
    entities : iterable of str
        Distinct, non-empty names without commas; at least one.

    Raises
    ------
    InvalidArgument
        If a name is empty, holds a comma or stands twice, or there is none.

    Examples
    --------
    >>> universe = Universe(("ann", "bob"))
    >>> universe.subsets().astype(int).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    >>> universe.row(["bob"]), universe.name(3)
    (2, 'ann,bob')
    """

    entities: tuple[str, ...] = attrs.field(converter=_entities)
    _positions: dict[str, int] = attrs.field(init=False, repr=False, eq=False)

    @_positions.default
    def _numbered(self) -> dict[str, int]:
        return {name: position for position, name in enumerate(self.entities)}

    @property
    def size(self) -> int:
        """How many entities there are."""
        return len(self.entities)

    def position(self, name: str) -> int:
        """Return where the entity of that name stands, from 0.

        Raises
        ------
        InvalidArgument
            If there is no such entity.
        """
        try:
            return self._positions[name]
        except (KeyError, TypeError):
            raise InvalidArgument(f"Expected an entity of the universe, got {name!r}.") from None

    def subsets(self) -> NDArray[np.bool_]:
        """All subsets as membership flags in the order of their row numbers.

        Returns
        -------
        ndarray of bool, shape (2**size, size)
            Row r holds entity i if and only if bit i of r is set.

        Raises
        ------
        InvalidArgument
            If there are more than 24 entities.
        """
        return subsets(self.size)

    def row(self, names: Iterable[str]) -> int:
        """The row number of the subset with exactly these entities."""
        if isinstance(names, str):
            raise InvalidArgument(f"Expected names of entities, got {names!r}.")
        result = 0
        for name in names:
            result |= 1 << self.position(name)
        return result

    def name(self, row: int) -> str:
        """The entities of a row number with commas between them; "" for the empty set.

        Raises
        ------
        InvalidArgument
            If `row` is not in [0, 2**size).
        """
        if not 0 <= row < 1 << self.size:
            raise InvalidArgument(f"Expected a row in [0, {1 << self.size}), got {row}.")
        return ",".join(name for i, name in enumerate(self.entities) if row >> i & 1)


def subsets(size: int) -> NDArray[np.bool_]:
    """All subsets of `size` positions, (2**size, size), in the order of their row numbers."""
    if size > MOST_LISTED:
        raise InvalidArgument(
            f"Expected at most {MOST_LISTED} entities to list all subsets of, got {size}."
        )
    rows = np.arange(1 << size, dtype=np.uint32)
    result = np.empty((1 << size, size), dtype=np.bool_)
    for position in range(size):
        result[:, position] = rows >> np.uint32(position) & np.uint32(1)
    return result
