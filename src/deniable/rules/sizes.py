"""List sizes as they are asked for: a number, some numbers, or a range."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from deniable import _validate
from deniable.errors import InvalidArgument

_MOST_SIZES = 10_000
"""List sizes in one answer: some milliseconds each."""
_MOST_MEMBERS = 10**6
"""Members of one list, for which every bound is tried."""
_RANGE = re.compile(r"(\d{1,7})\.\.(\d{1,7})")
_DECIMAL = re.compile(r"\d{1,18}")


def list_sizes(members: int | str | Iterable[int]) -> tuple[bool, Sequence[int]]:
    """Whether several sizes were asked for, and which."""
    if isinstance(members, str):
        if match := _RANGE.fullmatch(members.strip()):
            first, last = int(match[1]), int(match[2])
            if first > last:
                raise InvalidArgument(
                    f"Expected members A..B with A <= B, got {members}. Put the smaller first."
                )
            if last - first >= _MOST_SIZES:
                raise InvalidArgument(
                    f"Expected at most {_MOST_SIZES} sizes of lists, got {last - first + 1}. Ask "
                    "for them in parts."
                )
            return True, [_size(size) for size in range(first, last + 1)]
        parts = members.split(",")
        if not all(_DECIMAL.fullmatch(part.strip()) for part in parts):
            raise InvalidArgument(
                'Expected members as a number, a list such as "10,20" or a range such as '
                f'"2..1000", got {_validate.format_value(members)}.'
            )
        sizes = [_size(int(part)) for part in parts]
        return len(sizes) > 1, sizes
    if isinstance(members, Iterable):
        sizes = [_size(size) for size in members]
        if not sizes or len(sizes) > _MOST_SIZES:
            raise InvalidArgument(f"Expected 1 to {_MOST_SIZES} sizes of lists, got {len(sizes)}.")
        return True, sizes
    return False, [_size(members)]


def _size(value: Any) -> int:
    size = _validate.integer(value, "members", least=1)
    if size > _MOST_MEMBERS:
        raise InvalidArgument(
            f"Expected at most {_MOST_MEMBERS} members of a list, got "
            f"{_validate.format_value(size)}."
        )
    return size
