"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.publish.survey.approximate import NoisySums as NoisySums
from deniable.publish.survey.approximate import approximate_mean as approximate_mean
from deniable.publish.survey.approximate import approximate_quantile as approximate_quantile
from deniable.publish.survey.counts import population_interval as population_interval
from deniable.publish.survey.design import MOST_SAMPLED as MOST_SAMPLED
from deniable.publish.survey.design import MOST_UNITS as MOST_UNITS
from deniable.publish.survey.design import SIMPLE_RANDOM as SIMPLE_RANDOM
from deniable.publish.survey.design import SimpleRandomSample as SimpleRandomSample
from deniable.publish.survey.intervals import has_population as has_population
from deniable.publish.survey.intervals import with_population as with_population
from deniable.publish.survey.noise_tails import noise_tail as noise_tail
from deniable.publish.survey.sums import MeanNoise as MeanNoise
from deniable.publish.survey.sums import mean_interval as mean_interval
from deniable.publish.survey.sums import total_interval as total_interval
