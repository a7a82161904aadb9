"""ε̃ of large lists without a draw: x is hidden among swaps of pairs of others.

The mathematics: docs/explanation/hidden-among-swaps.md.
"""

from deniable.population.swaps.cells import corners
from deniable.population.swaps.engine import (
    FEWEST_MEMBERS,
    Members,
    count_pairs_at_distances,
    shift_epsilons,
    split_pairs,
    upper_bound,
)

__all__ = [
    "FEWEST_MEMBERS",
    "Members",
    "corners",
    "count_pairs_at_distances",
    "shift_epsilons",
    "split_pairs",
    "upper_bound",
]
