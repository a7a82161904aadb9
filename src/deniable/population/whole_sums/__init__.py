"""Whole-number records and whole-number noise: ε̃ as an enclosure."""

from deniable.population.whole_sums.analysis import lattice as lattice
from deniable.population.whole_sums.counting import count as count

__all__ = ["count", "lattice"]
