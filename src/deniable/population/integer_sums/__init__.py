"""Whole-number records and whole-number noise: ε̃ as an enclosure.

The steps with their error bounds: docs/explanation/how-whole-sums-are-enclosed.md.
"""

from deniable.population.integer_sums.engine import bracket as bracket
from deniable.population.integer_sums.ones import one_and_zero as one_and_zero
from deniable.population.integer_sums.ones import without_noise as without_noise
from deniable.population.integer_sums.release import least_epsilons as least_epsilons
