"""What holds without listing a subset: the noise alone, exchanges, mixtures, an estimate."""

from deniable.population.bounds.gaussian_curve import (
    delta_upper,
    direction,
    epsilon_upper,
    epsilons,
    estimates,
    gaussian_shifts,
)
from deniable.population.bounds.pairwise import (
    MANY,
    laplace_epsilon_of_exchanges,
    mixture_bounds,
    pairwise_bounds,
    pairwise_of_record,
)
from deniable.population.bounds.sensitivity import (
    AdditiveNoise,
    epsilon_at,
    epsilon_of_exchanges,
    gaussian_tails,
    is_change_exact,
    largest_change,
    noise_alone,
)

__all__ = [
    "MANY",
    "AdditiveNoise",
    "delta_upper",
    "direction",
    "epsilon_at",
    "epsilon_of_exchanges",
    "epsilon_upper",
    "epsilons",
    "estimates",
    "gaussian_shifts",
    "gaussian_tails",
    "is_change_exact",
    "laplace_epsilon_of_exchanges",
    "largest_change",
    "mixture_bounds",
    "noise_alone",
    "pairwise_bounds",
    "pairwise_of_record",
]
