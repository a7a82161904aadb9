"""One of finitely many candidates, chosen by the exponential mechanism."""

from deniable.population.choices.adjacent_subsets import adjacent_epsilon
from deniable.population.choices.costs import allowed_operations
from deniable.population.choices.engine import (
    Exponential,
    by_enumeration,
    by_exchange,
    by_sampling,
    enumeration_operations,
    worst_case,
)
from deniable.population.choices.loss_function import (
    MOST_CALLS,
    Loss,
    Losses,
    LossFunction,
    OwnLoss,
)
from deniable.population.choices.scores import Scores, of_distances, of_table

__all__ = [
    "MOST_CALLS",
    "Exponential",
    "Loss",
    "LossFunction",
    "Losses",
    "OwnLoss",
    "Scores",
    "adjacent_epsilon",
    "allowed_operations",
    "by_enumeration",
    "by_exchange",
    "by_sampling",
    "enumeration_operations",
    "of_distances",
    "of_table",
    "worst_case",
]
