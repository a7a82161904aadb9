"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.population.api.discrete import count as count
from deniable.population.api.discrete import discrete_gaussian as discrete_gaussian
from deniable.population.api.discrete import discrete_laplace as discrete_laplace
from deniable.population.api.exponential import exponential as exponential
from deniable.population.api.gaussian import gaussian as gaussian
from deniable.population.api.gaussian import laplace as laplace
from deniable.population.api.joint import joint as joint
from deniable.population.api.joint import query as query
from deniable.population.api.noise_curve import noise_curve as noise_curve
from deniable.population.api.sums_and_selections import quantile_losses as quantile_losses
from deniable.population.api.sums_and_selections import top_losses as top_losses
