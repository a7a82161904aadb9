"""Whole-number records and whole-number noise: ε̃ as an enclosure.

The steps with their error bounds: docs/explanation/how-whole-sums-are-enclosed.md.
"""

from deniable.population.whole_sums.analysis import lattice as lattice
from deniable.population.whole_sums.counting import count as count

__all__ = ["count", "lattice"]
