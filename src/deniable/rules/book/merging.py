"""Editions of one book as one file of rules: which list of a later edition is which earlier one."""

from collections.abc import Sequence

import attrs

from deniable.errors import PlanError
from deniable.rules.book.change import ListedPeople
from deniable.rules.files import SPELLINGS, CountedTable, RulesFile, has_two_spellings
from deniable.rules.tables import PublishedCell

Published = tuple[str, RulesFile, Sequence[PublishedCell]]
"""An edition: its name, its lists and tables, and what was published."""


@attrs.define
class Merged:
    """Lists, tables and cells of all editions so far, under names that differ.

    `current` has the newest list of each name, as editions call it; `newest` the lists of the last
    edition, which may be earlier ones.
    """

    lists: dict[str, ListedPeople] = attrs.Factory(dict)
    tables: list[CountedTable] = attrs.Factory(list)
    cells: list[PublishedCell] = attrs.Factory(list)
    current: dict[str, str] = attrs.Factory(dict)
    newest: frozenset[str] = frozenset()

    def join(self, edition: Published, *, number: int, prefix: str) -> None:
        """Take in one more edition, which `number` others precede."""
        name, rules, cells = edition
        own: dict[str, str] = {}
        for each in rules.lists:  # a list and its parts may stand in any order
            same = self.lists.get(self.current.get(each.name, ""))
            if same is not None and each.follows is None and not each.parts:
                if (same.size, same.members) != (each.size, each.members):
                    raise PlanError(
                        f'Expected [[list]] "{each.name}" with the people that it has in the book, '
                        f"{same.size:,}, got {each.size:,} or others. If people left or joined, "
                        f'add follows = "{each.name}" and change.'
                    )
                own[each.name] = same.name
                continue
            # Members say themselves who was listed before, unless lists had sizes alone.
            unknown = not each.members or any(
                not (other.members or other.parts) for other in self.lists.values()
            )
            if number and each.follows is None and not each.parts and unknown:
                raise PlanError(
                    f'Expected [[list]] "{each.name}" to say which list of the book it follows, '
                    "got nothing. Add follows and change, or follows = false if none of its people "
                    "is on an earlier list."
                )
            own[each.name] = each.name if each.name not in self.lists else f"{each.name} ({name})"
        for each in rules.lists:
            if (new := own[each.name]) in self.lists:
                continue
            follows = each.follows
            if follows:
                known = own if follows in own and follows != each.name else self.current
                if follows not in known:
                    raise PlanError(
                        f'Expected [[list]] "{each.name}" to follow a list of the book or another '
                        f'of its own file, got "{follows}".'
                    )
                follows = known[follows]
            parts = tuple(own[part] for part in each.parts)
            self.lists[new] = attrs.evolve(each, name=new, follows=follows, parts=parts)
        for table in rules.tables:
            self.tables.append(
                attrs.evolve(
                    table,
                    name=f"{prefix}{table.name}",
                    lists=tuple(own[each] for each in table.lists),
                    rule=table.rule or rules.rule,
                    edition=number,
                )
            )
        self.cells += [
            attrs.evolve(
                cell, table=f"{prefix}{cell.table}", lists=tuple(own[each] for each in cell.lists)
            )
            for cell in cells
        ]
        self.current |= own
        self.newest = frozenset(own.values())


def merge(earlier: Sequence[Published], last: Published | None = None) -> Merged:
    """Merge the editions of a book, and perhaps one that is about to be published."""
    merged = Merged()
    for number, edition in enumerate([*earlier, *([] if last is None else [last])]):
        name = "" if number == len(earlier) else edition[0]
        merged.join(edition, number=number, prefix=f"{name}: " if name else "")
        if has_two_spellings(person for each in merged.lists.values() for person in each.members):
            where = f' in edition "{name}". Begin another book with one spelling' if name else ""
            raise PlanError(
                f"Expected one spelling of each person in all editions, got {SPELLINGS}{where}."
            )
    return merged
