"""A rule on lists of one length, from the side of being in or from the side of being out."""

from collections.abc import Iterator

import attrs

from deniable.rules.rule import Column, Mark, Rule


@attrs.frozen
class Channel:
    """The stochastic matrix of a rule for the counts 0…members.

    Parameters
    ----------
    rule : Rule
        What is done to the count.
    members : int
        How many people the list has.
    mirrored : bool
        Whether the people who are out are counted: the count x stands for m − x. So the
        smallest belief that someone is in is 1 less the largest that someone is out.
    """

    rule: Rule
    members: int
    mirrored: bool = False
    _columns: dict[Mark, Column] = attrs.field(factory=dict, init=False, eq=False, repr=False)
    _marks: dict[int, tuple[Mark, ...]] = attrs.field(
        factory=dict, init=False, eq=False, repr=False
    )
    """What was computed before."""

    def opposite(self) -> "Channel":
        """The same from the other side."""
        return Channel(self.rule, self.members, not self.mirrored)

    def publish(self, count: int) -> tuple[Mark, ...]:
        """The marks that a count can be published as."""
        if count not in self._marks:
            true = self.members - count if self.mirrored else count
            self._marks[count] = tuple(self.rule.publish(true))
        return self._marks[count]

    def column(self, output: Mark) -> Column:
        """The probability of a mark at each count."""
        if output not in self._columns:
            column = self.rule.column(output, members=self.members)
            self._columns[output] = mirrored(column) if self.mirrored else column
        return self._columns[output]

    def downwards(self, high: int, low: int) -> Iterator[tuple[int, tuple[Mark, ...]]]:
        """Yield counts from the largest on with their marks, without those that add no mark."""
        count = high
        while count >= low:
            marks = self.publish(count)
            yield count, marks
            if len(marks) == 1:  # nothing new down to the next count with another mark
                runs = self.column(marks[0]).runs
                count = next(run[0] for run in runs if run[0] <= count <= run[1] and run[2] == 1)
            count -= 1

    def near(self, count: int) -> set[Mark]:
        """All marks of both a count up to this one and a count above it; and others.

        Such a mark stands for counts within the rule's reach, or for all beyond the limit of a
        code, or for hidden ones.
        """
        reach = 2 * self.rule.reach + 1
        low, high = max(count - reach, 0), min(count + reach, self.members)
        marks = self.rule.far_marks()
        for _, published in self.downwards(high, low):
            marks.update(published)
        return marks


def mirrored(column: Column) -> Column:
    """Return the column of m − x."""
    m = column.members
    runs = tuple((m - high, m - low, weight) for low, high, weight in reversed(column.runs))
    return Column(column.output, m, runs)
