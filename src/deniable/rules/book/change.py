"""How a list differs from the one before it: who stays, who leaves and who joins.

Whether a person is counted stays as it was. With known numbers of leavers and joiners, the people
of all editions fall into groups by the lists that they are on, atoms like others; where at most so
many changed, each way in which they can have is one such division. An attacker who knows how likely
each way is has a mean of the beliefs in single ways; so the extremes over ways bound it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import attrs

from deniable.errors import InvalidArgument, NotApplicable, PlanError, validate

MOST_WAYS = 1_000  # Ways in which connected lists can have changed, some milliseconds each

Division: TypeAlias = Mapping[frozenset[str], int]
"""How many people are on exactly these lists of a family."""


@attrs.frozen
class ListChange:
    """How many people left and joined; or `at_most` so many of both together."""

    left: int = 0
    joined: int = 0
    at_most: int | None = None

    @classmethod
    def read(cls, value: Any) -> ListChange:
        """Read what a file of rules says of a change."""
        if not isinstance(value, Mapping):
            return cls(at_most=validate.integer(value, "change", least=0))
        keys = set(value)
        if keys == {"same"} and value["same"] is True:
            return cls()
        if keys == {"at_most"}:
            return cls(at_most=validate.integer(value["at_most"], "at_most", least=0))
        if not keys or not keys <= {"left", "joined"}:
            raise InvalidArgument(
                "Expected a number of people, { left = …, joined = … }, { at_most = … } or "
                f"{{ same = true }} as change, got {validate.format_value(dict(value))}."
            )
        return cls(**{key: validate.integer(each, key, least=0) for key, each in value.items()})

    def as_json(self) -> dict[str, int]:
        """Write what a file of rules would say."""
        if self.at_most is None:
            return {"left": self.left, "joined": self.joined}
        return {"at_most": self.at_most}

    def options(self, before: int, after: int) -> Iterator[tuple[int, int]]:
        """Yield how many can have left and joined a list of so many, which has `after` people.

        With `after` 0, nobody says how many it has.
        """
        pairs = [(self.left, self.joined)]
        if self.at_most is not None:
            some = range(self.at_most + 1)
            pairs = [(left, joined) for left in some for joined in some[: len(some) - left]]
        for left, joined in pairs:
            people = before - left + joined
            if left <= before and people and after in (0, people):
                yield left, joined


@attrs.frozen
class ListedPeople:
    """People of whom the adversary knows that they are listed.

    `members` are named where lists share people; `parts` are the lists that make up this one. One
    that `follows` another has the same people but for a `change`, and size 0 where that says it; it
    follows None where nothing is said, and "" if its people are on no earlier list.
    """

    name: str
    size: int
    members: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    follows: str | None = None
    change: ListChange | None = None


def divisions(family: Sequence[ListedPeople]) -> list[Division]:
    """Return every way in which lists that follow each other can share people, first to last."""
    first, *later = family
    ways: list[Division] = [{frozenset({first.name}): first.size}]
    for each in later:
        after: dict[frozenset[tuple[frozenset[str], int]], Division] = {}
        for way in ways:
            for more in _followed(way, each):
                after[frozenset(more.items())] = more
                if len(after) > MOST_WAYS:
                    raise too_many(each.name)
        ways = list(after.values())
        if not ways:
            raise PlanError(
                f'Expected a change by which [[list]] "{each.name}" can follow '
                f'"{each.follows}", got one that their sizes contradict. Look at sizes and change.'
            )
    return ways


def too_many(name: str) -> NotApplicable:
    """Return the error that there are too many ways to try them all."""
    return NotApplicable(
        f"Expected at most {MOST_WAYS:,} ways in which lists can have changed, got more at "
        f'"{name}". Give sizes, the numbers of who left and joined, or a smaller change.'
    )


def _followed(way: Division, each: ListedPeople) -> Iterator[Division]:
    """Divide once more: who left is of any group before, who joined of any other, or nobody's."""
    assert each.change is not None, "a list that follows another says how"
    inside = [group for group in way if each.follows in group]
    outside = [group for group in way if each.follows not in group]
    before = sum(way[group] for group in inside)
    for left, joined in each.change.options(before, each.size):
        leaving = _spread(left, [way[group] for group in inside])
        joining = _spread(joined, [*(way[group] for group in outside), joined])
        for leave, (*join, fresh) in itertools.product(leaving, joining):
            more = {frozenset({each.name}): fresh}
            for groups, moves, goes in ((inside, leave, False), (outside, join, True)):
                for group, moved in zip(groups, moves, strict=True):
                    listed = group | {each.name}
                    on, off = (moved, way[group] - moved)[:: 1 if goes else -1]
                    more[listed], more[group] = on, off
            yield {group: people for group, people in more.items() if people}


def _spread(people: int, limits: Sequence[int]) -> list[tuple[int, ...]]:
    """All ways in which so many people come from groups of limited size."""
    if not limits:
        return [] if people else [()]
    first, *others = limits
    return [
        (some, *rest)
        for some in range(min(people, first) + 1)
        for rest in _spread(people - some, others)
    ]
