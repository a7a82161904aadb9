"""Whole-number records and whole-number noise: ε̃ as an enclosure.

The steps with their error bounds: docs/explanation/how-whole-sums-are-enclosed.md.
"""

from deniable.population.whole_sums.engine import bracket

__all__ = ["bracket"]
