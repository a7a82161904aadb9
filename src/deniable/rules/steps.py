"""Steps of a rule that leave no choice: hide, round, code.

A step publishes a count as another whole number or as the mark "*". But for hiding, it has a
`value` and never swaps the order of two counts, so that the counts that become a number between
two others are an interval, `counts`. It moves a count by no more than its `reach`; codes, whose
reach is 0, besides publish all counts beyond a limit as the limit.
"""

from typing import Any, TypeAlias

import attrs

from deniable import _validate
from deniable.errors import InvalidArgument

HIDDEN = "*"
"""The mark of a count that is not shown."""

HALVES = ("up", "down", "even")

Counts: TypeAlias = tuple[int | None, int | None]
"""The least and the largest of some counts; None where there is no bound."""


def _base(value: Any) -> int:
    return _validate.integer(value, "base", least=1)


def _halves(word: Any) -> str:
    return _validate.one_of(word, HALVES, "halves")


def _count(value: Any) -> int:
    return _validate.integer(value, "a count", least=0)


@attrs.frozen
class Hide:
    """Publish "*" in place of the counts lower…upper.

    Parameters
    ----------
    lower, upper : int
        The least and the largest count that is hidden, at least 0.

    Examples
    --------
    >>> Hide(1, 7)
    Hide(lower=1, upper=7)
    """

    lower: int = attrs.field(converter=_count)
    upper: int = attrs.field(converter=_count)

    def __attrs_post_init__(self) -> None:
        if self.upper < self.lower:
            raise InvalidArgument(
                f"Expected hide A B with A <= B, got {self.lower} {self.upper}. "
                "Put the smaller count first."
            )

    reach = 0

    def as_json(self) -> dict[str, Any]:
        """As it is written in a file of rules."""
        return {"hide": [self.lower, self.upper]}


@attrs.frozen
class Round:
    """Publish the nearest multiple of a base.

    Parameters
    ----------
    base : int
        At least 1.
    halves : {"up", "down", "even"}
        Where a count in the middle goes, which only an even base has: up, down, or to the
        multiple that is an even number of bases.

    Examples
    --------
    >>> [Round(10, "even").value(count) for count in (5, 15, 25)]
    [0, 20, 20]
    """

    base: int = attrs.field(converter=_base)
    halves: str = attrs.field(default="up", converter=_halves)

    @property
    def reach(self) -> int:
        """Half a base."""
        return self.base // 2

    def value(self, count: int) -> int:
        """The nearest multiple."""
        below, rest = divmod(count, self.base)
        if 2 * rest == self.base:
            up = self.halves == "up" or (self.halves == "even" and below % 2 == 1)
        else:
            up = 2 * rest > self.base
        return (below + up) * self.base

    def counts(self, lower: int, upper: int) -> Counts | None:
        """Counts that are rounded to a multiple in [lower, upper]."""
        first, last = -(-lower // self.base), upper // self.base
        if first > last:
            return None
        return self._least(first), self._largest(last)

    def _least(self, multiple: int) -> int:
        """The least count that goes to this multiple."""
        least = multiple * self.base - self.base // 2
        return least if self.value(least) == multiple * self.base else least + 1

    def _largest(self, multiple: int) -> int:
        largest = multiple * self.base + self.base // 2
        return largest if self.value(largest) == multiple * self.base else largest - 1

    def as_json(self) -> dict[str, Any]:
        """As it is written in a file of rules."""
        return {"round": self.base, "halves": self.halves}


@attrs.frozen
class RoundDown:
    """Publish the largest multiple of a base that is not above the count.

    Parameters
    ----------
    base : int
        At least 1.
    """

    base: int = attrs.field(converter=_base)

    @property
    def reach(self) -> int:
        """One less than the base."""
        return self.base - 1

    def value(self, count: int) -> int:
        """The multiple at or below."""
        return count // self.base * self.base

    def counts(self, lower: int, upper: int) -> Counts | None:
        """Counts that are rounded down to a multiple in [lower, upper]."""
        first, last = -(-lower // self.base), upper // self.base
        return None if first > last else (first * self.base, (last + 1) * self.base - 1)

    def as_json(self) -> dict[str, Any]:
        """As it is written in a file of rules."""
        return {"round_down": self.base}


@attrs.frozen
class Midpoint:
    """Publish the middle of 1…b, b+1…2b, …, and 0 as it is.

    Parameters
    ----------
    base : int
        Counts in one group; of an even number the lower of the two in the middle.

    Examples
    --------
    >>> [Midpoint(6).value(count) for count in (0, 1, 6, 7)]
    [0, 3, 3, 9]
    """

    base: int = attrs.field(converter=_base)

    @property
    def reach(self) -> int:
        """Half a base."""
        return self.base // 2

    def value(self, count: int) -> int:
        """The middle of the count's group; 0 where a step before went below it."""
        return 0 if count <= 0 else -(-count // self.base) * self.base - self.base // 2

    def counts(self, lower: int, upper: int) -> Counts | None:
        """Counts whose published middle, or 0, is in [lower, upper]."""
        first = max(-(-(lower + self.base // 2) // self.base), 1)
        last = (upper + self.base // 2) // self.base
        zero = lower <= 0 <= upper
        if first > last:
            return (None, 0) if zero else None
        return (None if zero else (first - 1) * self.base + 1), last * self.base

    def as_json(self) -> dict[str, Any]:
        """As it is written in a file of rules."""
        return {"midpoint": self.base}


@attrs.frozen
class Top:
    """Publish every count above a limit as the limit: "20" then says 20 or more.

    Parameters
    ----------
    limit : int
        The largest number that is published, at least 0.
    """

    limit: int = attrs.field(converter=_count)
    reach = 0

    def value(self, count: int) -> int:
        """The count or the limit, whichever is less."""
        return min(count, self.limit)

    def counts(self, lower: int, upper: int) -> Counts | None:
        """Counts that are published as a number in [lower, upper]."""
        if lower > self.limit:
            return None
        return lower, (None if upper >= self.limit else upper)

    def as_json(self) -> dict[str, Any]:
        """As it is written in a file of rules."""
        return {"top": self.limit}


@attrs.frozen
class Bottom:
    """Publish every count below a limit as the limit: "5" then says 5 or fewer.

    Parameters
    ----------
    limit : int
        The least number that is published, at least 0.
    """

    limit: int = attrs.field(converter=_count)
    reach = 0

    def value(self, count: int) -> int:
        """The count or the limit, whichever is more."""
        return max(count, self.limit)

    def counts(self, lower: int, upper: int) -> Counts | None:
        """Counts that are published as a number in [lower, upper]."""
        if upper < self.limit:
            return None
        return (None if lower <= self.limit else lower), upper

    def as_json(self) -> dict[str, Any]:
        """As it is written in a file of rules."""
        return {"bottom": self.limit}


SureStep: TypeAlias = Round | RoundDown | Midpoint | Top | Bottom
