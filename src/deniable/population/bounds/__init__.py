"""What holds without listing a subset: the noise alone, exchanges, mixtures, an estimate."""

from deniable.population.bounds.alone import noise_alone
from deniable.population.bounds.estimate import direction, estimates, gaussian_shifts
from deniable.population.bounds.exchanges_of_extremes import laplace_epsilon_of_exchanges
from deniable.population.bounds.gaussian_curve import delta_upper, epsilon_upper, epsilons
from deniable.population.bounds.mixture import mixture_bounds
from deniable.population.bounds.pairwise import MANY, pairwise_bounds
from deniable.population.bounds.sensitivity import (
    Noise,
    epsilon_at,
    epsilon_of_exchanges,
    is_change_exact,
    largest_change,
)
from deniable.population.bounds.tails import gaussian_tails

__all__ = [
    "MANY",
    "Noise",
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
]
