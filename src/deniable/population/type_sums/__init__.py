"""Sums over records of few types: ε̃ at any N, as records of one type are exchangeable.

The mathematics: docs/explanation/records-of-few-types.md.
"""

from deniable.population.type_sums.engine import (
    MOST_TYPES,
    bracket,
    certain_lower_bound,
    estimate,
    without_noise,
)
from deniable.population.type_sums.every_output import enclose as every_output
from deniable.population.type_sums.every_output import upper_bounds as exchanged
from deniable.population.type_sums.noise import ColumnNoise
from deniable.population.type_sums.selected import MOST_FLIPPED, Selected

__all__ = [
    "MOST_FLIPPED",
    "MOST_TYPES",
    "ColumnNoise",
    "Selected",
    "bracket",
    "certain_lower_bound",
    "estimate",
    "every_output",
    "exchanged",
    "without_noise",
]
