"""One of finitely many candidates, chosen by the exponential mechanism."""

from deniable.population.choices.engine import by_enumeration as by_enumeration
from deniable.population.choices.engine import by_exchange as by_exchange
from deniable.population.choices.engine import by_sampling as by_sampling
from deniable.population.choices.engine import enumeration_operations as enumeration_operations
from deniable.population.choices.engine import worst_case as worst_case
from deniable.population.choices.enumeration import allowed_operations as allowed_operations
from deniable.population.choices.loss_function import MOST_CALLS as MOST_CALLS
from deniable.population.choices.loss_function import Loss as Loss
from deniable.population.choices.loss_function import Losses as Losses
from deniable.population.choices.loss_function import LossFunction as LossFunction
from deniable.population.choices.loss_function import OwnLoss as OwnLoss
from deniable.population.choices.scores import Scores as Scores
from deniable.population.choices.scores import adjacent_epsilon as adjacent_epsilon
from deniable.population.choices.scores import of_distances as of_distances
from deniable.population.choices.scores import of_table as of_table
