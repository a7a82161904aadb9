"""Sums over records of few types: ε̃ at any N, as records of one type are exchangeable.

The mathematics: docs/explanation/records-of-few-types.md.
"""

from deniable.population.type_sums.engine import (
    MOST_TYPES,
    bracket,
    estimate,
    without_noise,
)
from deniable.population.type_sums.noise import ColumnNoise

__all__ = ["MOST_TYPES", "ColumnNoise", "bracket", "estimate", "without_noise"]
