"""A crowd that hides the truth: certified brackets of ε̃ in any dimension.

The theorem and its proof: docs/explanation/hidden-in-a-crowd.md.
"""

from deniable.population.vector_sums.betting import WEIGHTS, best_stakes, bisection
from deniable.population.vector_sums.engine import bracket, pairwise

__all__ = ["WEIGHTS", "best_stakes", "bisection", "bracket", "pairwise"]
