"""A mapping that nobody changes, and that can be copied, pickled and compared."""

from collections.abc import Hashable, Iterator, Mapping
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class FrozenMap(Mapping[Key, Value]):
    """What a mapping held when this was made."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[Key, Value]) -> None:
        self._items = dict(items)

    def __getitem__(self, key: Key) -> Value:
        """What stands at a key."""
        return self._items[key]

    def __iter__(self) -> Iterator[Key]:
        """Its keys, in the order in which they were given."""
        return iter(self._items)

    def __len__(self) -> int:
        """How many keys it has."""
        return len(self._items)

    def __hash__(self) -> int:
        """The same for equal mappings, whose keys may stand in another order."""
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        """As a dict is written."""
        return repr(self._items)
