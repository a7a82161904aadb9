"""Whole-number records and whole-number noise: ε̃ as an enclosure.

The steps with their error bounds: docs/explanation/how-whole-sums-are-enclosed.md.
"""

from deniable.population.integer_sums.engine import bracket
from deniable.population.integer_sums.multiset import SumLaws
from deniable.population.integer_sums.ones import one_and_zero, without_noise
from deniable.population.integer_sums.release import least_epsilons, least_epsilons_of

__all__ = [
    "SumLaws",
    "bracket",
    "least_epsilons",
    "least_epsilons_of",
    "one_and_zero",
    "without_noise",
]
