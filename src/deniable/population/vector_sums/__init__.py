"""A crowd that hides the truth: certified brackets of ε̃ in any dimension.

The theorem and its proof: docs/explanation/hidden-in-a-crowd.md.
"""

from deniable.population.vector_sums.engine import bracket, pairwise
from deniable.population.vector_sums.running_interval import HALVINGS
from deniable.population.vector_sums.search import quiet

__all__ = ["HALVINGS", "bracket", "pairwise", "quiet"]
