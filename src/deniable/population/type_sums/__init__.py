"""Sums over records of few types: ε̃ at any N, as records of one type are exchangeable.

The mathematics: docs/explanation/records-of-few-types.md.
"""

from deniable.population.type_sums.engine import MOST_TYPES as MOST_TYPES
from deniable.population.type_sums.engine import bracket as bracket
from deniable.population.type_sums.engine import certain_lower_bound as certain_lower_bound
from deniable.population.type_sums.engine import estimate as estimate
from deniable.population.type_sums.engine import without_noise as without_noise
from deniable.population.type_sums.every_output import every_output as every_output
from deniable.population.type_sums.every_output import exchanged as exchanged
from deniable.population.type_sums.noise import MOST_FLIPPED as MOST_FLIPPED
from deniable.population.type_sums.noise import ColumnNoise as ColumnNoise
from deniable.population.type_sums.noise import Selected as Selected
