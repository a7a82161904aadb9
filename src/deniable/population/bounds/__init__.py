"""What holds without listing a subset: the noise alone, exchanges, mixtures, an estimate."""

from deniable.population.bounds.pairwise import (
    laplace_epsilon_of_exchanges as laplace_epsilon_of_exchanges,
)
from deniable.population.bounds.pairwise import mixture_bounds as mixture_bounds
from deniable.population.bounds.pairwise import pairwise_bounds as pairwise_bounds
from deniable.population.bounds.pairwise import pairwise_of_record as pairwise_of_record
from deniable.population.bounds.sensitivity import AdditiveNoise as AdditiveNoise
from deniable.population.bounds.sensitivity import delta_upper as delta_upper
from deniable.population.bounds.sensitivity import direction as direction
from deniable.population.bounds.sensitivity import epsilon_at as epsilon_at
from deniable.population.bounds.sensitivity import epsilon_of_exchanges as epsilon_of_exchanges
from deniable.population.bounds.sensitivity import epsilon_upper as epsilon_upper
from deniable.population.bounds.sensitivity import epsilons as epsilons
from deniable.population.bounds.sensitivity import estimates as estimates
from deniable.population.bounds.sensitivity import gaussian_shifts as gaussian_shifts
from deniable.population.bounds.sensitivity import gaussian_tails as gaussian_tails
from deniable.population.bounds.sensitivity import is_change_exact as is_change_exact
from deniable.population.bounds.sensitivity import largest_change as largest_change
