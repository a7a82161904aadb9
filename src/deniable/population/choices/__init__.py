"""One of finitely many candidates, chosen by the exponential mechanism."""

from deniable.population.choices.adjacent_subsets import adjacent_epsilon
from deniable.population.choices.engine import (
    Exponential,
    enumerated,
    exchanged,
    few_samples,
    sampled,
    worst_case,
)
from deniable.population.choices.loss_function import Loss, LossFunction, OwnLoss
from deniable.population.choices.scores import Scores, of_distances, of_table

__all__ = [
    "Exponential",
    "Loss",
    "LossFunction",
    "OwnLoss",
    "Scores",
    "adjacent_epsilon",
    "enumerated",
    "exchanged",
    "few_samples",
    "of_distances",
    "of_table",
    "sampled",
    "worst_case",
]
