"""One of finitely many candidates, chosen by the exponential mechanism."""

from deniable.population.choices.engine import (
    Exponential,
    by_enumeration,
    by_exchange,
    by_sampling,
    enumeration_operations,
    worst_case,
)
from deniable.population.choices.enumeration import allowed_operations
from deniable.population.choices.loss_function import (
    MOST_CALLS,
    Listed,
    Loss,
    Losses,
    LossFunction,
    OwnLoss,
    sample_losses,
)
from deniable.population.choices.output_laws import OutputLaws
from deniable.population.choices.sampling import inclusion, tilts
from deniable.population.choices.scores import Scores, adjacent_epsilon, of_distances, of_table

__all__ = [
    "MOST_CALLS",
    "Exponential",
    "Listed",
    "Loss",
    "LossFunction",
    "Losses",
    "OutputLaws",
    "OwnLoss",
    "Scores",
    "adjacent_epsilon",
    "allowed_operations",
    "by_enumeration",
    "by_exchange",
    "by_sampling",
    "enumeration_operations",
    "inclusion",
    "of_distances",
    "of_table",
    "sample_losses",
    "tilts",
    "worst_case",
]
