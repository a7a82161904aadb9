"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.publish.survey.approximate import NoisySums as NoisySums
from deniable.publish.survey.approximate import approximate_mean as approximate_mean
from deniable.publish.survey.approximate import approximate_quantile as approximate_quantile
from deniable.publish.survey.counts import population_interval as population_interval
from deniable.publish.survey.intervals import Approximate as Approximate
from deniable.publish.survey.intervals import Sampled as Sampled
from deniable.publish.survey.intervals import with_population as with_population
from deniable.publish.survey.intervals import within as within
from deniable.publish.survey.noise_tails import noise_tail as noise_tail
from deniable.publish.survey.sums import MeanNoise as MeanNoise
from deniable.publish.survey.sums import mean_interval as mean_interval
from deniable.publish.survey.sums import total_interval as total_interval
