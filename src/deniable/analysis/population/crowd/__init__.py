"""A crowd that hides the truth: certified brackets of ε̃ in any dimension."""

from deniable.analysis.population.crowd.function_query import crowd_bounds_of_query
from deniable.analysis.population.crowd.result import CrowdResult
from deniable.analysis.population.crowd.search import crowd_bounds, crowd_search

__all__ = ["CrowdResult", "crowd_bounds", "crowd_bounds_of_query", "crowd_search"]
