"""Sums over records of few types: ε̃ at any N, as records of one type are exchangeable.

The mathematics: docs/explanation/records-of-few-types.md.
"""

from deniable.population.type_sums.counts import CountTables
from deniable.population.type_sums.engine import (
    MOST_TYPES,
    bracket,
    certain_lower_bound,
    estimate,
    without_noise,
)
from deniable.population.type_sums.every_output import enclose as every_output
from deniable.population.type_sums.every_output import upper_bounds as exchanged
from deniable.population.type_sums.noise import MOST_FLIPPED, ColumnNoise, Selected
from deniable.population.type_sums.projection import lower_bound, lower_bound_of_cell
from deniable.population.type_sums.search import NoisySum, TiltedRelease, upper_bounds

__all__ = [
    "MOST_FLIPPED",
    "MOST_TYPES",
    "ColumnNoise",
    "CountTables",
    "NoisySum",
    "Selected",
    "TiltedRelease",
    "bracket",
    "certain_lower_bound",
    "estimate",
    "every_output",
    "exchanged",
    "lower_bound",
    "lower_bound_of_cell",
    "upper_bounds",
    "without_noise",
]
