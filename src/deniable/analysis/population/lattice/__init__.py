"""Whole-number records and whole-number noise: ε̃ as an enclosure."""

from deniable.analysis.population.lattice.analysis import lattice as lattice
from deniable.analysis.population.lattice.counting import count as count

__all__ = ["count", "lattice"]
