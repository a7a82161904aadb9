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
    from deniable.population.api.count import count
    from deniable.population.api.discrete import discrete_gaussian, discrete_laplace
    from deniable.population.api.exponential import exponential
    from deniable.population.api.gaussian import gaussian
    from deniable.population.api.joint import joint
    from deniable.population.api.laplace import laplace
    from deniable.population.api.noise_curve import noise_curve
    from deniable.population.api.query import query
    from deniable.population.api.selections import quantile_losses, top_losses
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        __all__,
        {
            "count": "deniable.population.api.count",
            "discrete_gaussian": "deniable.population.api.discrete",
            "discrete_laplace": "deniable.population.api.discrete",
            "exponential": "deniable.population.api.exponential",
            "gaussian": "deniable.population.api.gaussian",
            "joint": "deniable.population.api.joint",
            "laplace": "deniable.population.api.laplace",
            "noise_curve": "deniable.population.api.noise_curve",
            "query": "deniable.population.api.query",
            "quantile_losses": "deniable.population.api.selections",
            "top_losses": "deniable.population.api.selections",
        },
    )
