"""What someone learns who knows a parent set, not who was sampled: one function a mechanism.

Each takes public arguments and gives a `PopulationAnswer`. A guarantee of this kind concerns one
parent set and one release, and does not compose: `joint` analyses several releases together.
"""

from typing import TYPE_CHECKING

from deniable.errors.public_names import lazy_exports

__all__ = [
    "count",
    "discrete_gaussian",
    "discrete_laplace",
    "exponential",
    "gaussian",
    "joint",
    "laplace",
    "noise_curve",
    "quantile_losses",
    "query",
    "top_losses",
]

if TYPE_CHECKING:
    from deniable.population.api.discrete import count, discrete_gaussian, discrete_laplace
    from deniable.population.api.exponential import exponential
    from deniable.population.api.gaussian import gaussian, laplace
    from deniable.population.api.joint import joint, query
    from deniable.population.api.noise_curve import noise_curve
    from deniable.population.api.sums_and_selections import quantile_losses, top_losses
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        __all__,
        {
            "count": "deniable.population.api.discrete",
            "discrete_gaussian": "deniable.population.api.discrete",
            "discrete_laplace": "deniable.population.api.discrete",
            "exponential": "deniable.population.api.exponential",
            "gaussian": "deniable.population.api.gaussian",
            "joint": "deniable.population.api.joint",
            "laplace": "deniable.population.api.gaussian",
            "noise_curve": "deniable.population.api.noise_curve",
            "query": "deniable.population.api.joint",
            "quantile_losses": "deniable.population.api.sums_and_selections",
            "top_losses": "deniable.population.api.sums_and_selections",
        },
    )
