"""How much a crowd may do within a time limit: decisions that are counted, not seconds.

The same limit then gives the same answer on every machine that keeps the nominal pace. A slower
one is stopped by the clock, and says what it knows by then.
"""

import attrs

PACE = 1.5e7
"""Decisions a second, one record of one sample each: a core takes 20 to 35 ns for one, and half
of it is left to whatever else runs there."""


@attrs.define
class Budget:
    """Decisions that may still be made.

    Parameters
    ----------
    left : float
        How many; below 0 where the last round took more than there was.
    parent : Budget, optional
        What this is a part of, and what is spent here is spent there.

    Examples
    --------
    >>> budget = Budget.of(2.0)
    >>> budget.spend(10_000_000)
    >>> half = budget.share(0.5)
    >>> half.spend(1_000_000)
    >>> budget.left, half.left
    (19000000.0, 9000000.0)
    """

    left: float
    parent: "Budget | None" = None

    @classmethod
    def of(cls, seconds: float) -> "Budget":
        """Of a time limit."""
        return cls(PACE * seconds)

    def share(self, part: float) -> "Budget":
        """So much of what is left, for a part of the work."""
        return Budget(max(self.left, 0.0) * part, self)

    def spend(self, decisions: float) -> None:
        """Take note of work that was done."""
        self.left -= decisions
        if self.parent is not None:
            self.parent.spend(decisions)

    def rounds(self, cost: float, most: int) -> int:
        """How often work of this cost can be done, at most so often."""
        return most if cost * most <= self.left else max(int(self.left // cost), 0)
