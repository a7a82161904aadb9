"""How far neighbouring tables move a vector of whole numbers, exactly.

What one entity adds to a vector lies in the convex hull of 0, `positive` e_j and -`negative` e_j
over the coordinates j, and it may add any of these corners: with k rows of values in [lo, hi],
each in one coordinate, `positive` is k max(hi, 0) and `negative` k max(-lo, 0); scaled to L1
norm at most C, each is C or, where no value has that sign, 0. A norm is convex, so its maximum
over one entity's vectors (add-remove), or over differences of two (replace-one), is found at
corners, and is attained.
"""

import attrs

from deniable.errors import InvalidArgument
from deniable.notions import Adjacency
from deniable.numerics.rounding import directed, upper
from deniable.pipeline.noise import VectorPart
from deniable.publish.query.scope import Protection

LIMIT = 2**62
"""Totals are clamped to plus and minus this, so no sensitivity needs to pass it."""


@attrs.frozen
class Sensitivity:
    """Norms of the largest move, `l2` rounded up, and how many coordinates can move."""

    l1: int
    l2: float
    moved: int

    def part(self, label: str, step: float, coordinates: int, *, partition: int = 0) -> VectorPart:
        """The part of a release that has this sensitivity."""
        return VectorPart(
            label, step, coordinates, self.l1, self.l2, self.moved, partition=partition
        )


MOST_ZERO_SUM = 100
"""Cells of counts whose noise adds up to zero: with more the noise of one is hardly less, and some
√(πK) tries of K numbers are drawn, 20 ms for a hundred."""


def partition(protection: Protection, coordinates: int) -> int:
    """Return the number of cells that hold each entity exactly once; 0 if they need not.

    These are the disjoint cells whose rows are counted, and last one of all other entities. If only
    one is counted, noise that adds up to zero has the law of independent noise.
    """
    one_each = protection.rows == 1 and protection.max_contribution is None
    if not (protection.public_total and one_each and 2 <= coordinates < MOST_ZERO_SUM):
        return 0
    return coordinates + 1


def of_values(
    low: int, high: int, protection: Protection, coordinates: int, step: float = 1.0
) -> Sensitivity:
    """Sums of one whole number in [low, high] a row, each row in one coordinate."""
    if protection.max_contribution is None:
        owned = rows(protection)
        negative, positive = owned * max(-low, 0), owned * max(high, 0)
    else:
        owned = contribution_units(protection.max_contribution, step)
        negative, positive = owned * (low < 0), owned * (high > 0)
    most = max(negative, positive)
    if protection.adjacency is Adjacency.ADD_REMOVE:
        return _check(most, most * most, min(owned, coordinates))
    if coordinates == 1:
        return _check(negative + positive, (negative + positive) ** 2, 1)
    opposite, apart = (negative + positive) ** 2, 2 * most * most
    return _check(2 * most, max(opposite, apart), min(2 * owned, coordinates))


def of_entities(protection: Protection, coordinates: int) -> Sensitivity:
    """Entities counted once in each coordinate where they own a row."""
    owned = rows(protection)
    moved = min(owned if protection.adjacency is Adjacency.ADD_REMOVE else 2 * owned, coordinates)
    return _check(moved, moved, moved)


def of_truncation(protection: Protection, most_rows: int | None) -> Sensitivity:
    """What was kept and what was removed, of rows or (most_rows None) of entities.

    Entities: one adds (0, 0), (1, 0) or (0, 1), so that adding one moves 1, and exchanging (1, 0)
    for (0, 1) moves 1 in each of the two. Rows: with k the limit and m = most_rows, an entity of r
    rows adds the point of a path that goes from (0, 0) to (k, 0) and on to (k, m - k). Both its
    numbers grow with r, so two points differ by at most (k, m - k), which are its ends: under
    either adjacency m in L1 and √(k² + (m-k)²) in L2, attained by no rows and m of them.
    """
    owned = rows(protection)
    if most_rows is None:
        moved = 1 if protection.adjacency is Adjacency.ADD_REMOVE else 2
        return _check(moved, moved, moved)
    return _check(most_rows, owned**2 + (most_rows - owned) ** 2, 2)


def rows(protection: Protection) -> int:
    """Most rows of one entity."""
    if protection.rows is None:
        raise InvalidArgument(
            "Expected a number of rows per entity, got none. Set rows_per_entity in [limits]."
        )
    return protection.rows


def contribution_units(max_contribution: float, step: float) -> int:
    """`max_contribution` in whole steps, rounded down; what an entity's vector is scaled to."""
    units = max_contribution / step
    if not 1 <= units <= LIMIT:
        raise InvalidArgument(
            f"Expected max_contribution between {step} and {LIMIT * step}, got "
            f"max_contribution={max_contribution}."
        )
    return int(units)


def _check(l1: int, squared_l2: int, moved: int) -> Sensitivity:
    if l1 > LIMIT:
        raise InvalidArgument(
            f"Expected a sensitivity of at most 2^62 grid steps, got {l1}. Lower rows_per_entity."
        )
    if moved < 1:
        raise InvalidArgument("Expected at least one public cell, got none. List the keys.")
    with directed() as r:
        return Sensitivity(l1, upper(r.sqrt(r(squared_l2))), moved)
