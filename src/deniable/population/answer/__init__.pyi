"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.population.answer.answer import NoiseParameter as NoiseParameter
from deniable.population.answer.answer import PopulationAnswer as PopulationAnswer
from deniable.population.answer.answer import RecordBound as RecordBound
from deniable.population.answer.answer import RecordBounds as RecordBounds
from deniable.population.answer.answer import Searched as Searched
from deniable.population.answer.answer import answer as answer
from deniable.population.answer.least_noise import LADDER as LADDER
from deniable.population.answer.least_noise import SHARES as SHARES
from deniable.population.answer.least_noise import TOLERANCE as TOLERANCE
from deniable.population.answer.least_noise import Search as Search
from deniable.population.answer.least_noise import Tried as Tried
from deniable.population.answer.least_noise import least_sampled_scale as least_sampled_scale
from deniable.population.answer.least_noise import target_epsilon as target_epsilon
