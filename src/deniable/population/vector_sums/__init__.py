"""A crowd that hides the truth: certified brackets of ε̃ in any dimension.

The theorem and its proof: docs/explanation/hidden-in-a-crowd.md.
"""

from deniable.population.vector_sums.function_query import crowd_bounds_of_query
from deniable.population.vector_sums.result import CrowdResult
from deniable.population.vector_sums.search import crowd_bounds, crowd_search

__all__ = ["CrowdResult", "crowd_bounds", "crowd_bounds_of_query", "crowd_search"]
