"""What someone learns who knows a parent set, not who was sampled: one function a mechanism.

Each takes public arguments and gives a `PopulationAnswer`. A guarantee of this kind concerns one
parent set and one release, and does not compose: `joint` analyses several releases together.
"""

from typing import TYPE_CHECKING

from deniable._door import lazy_exports

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
    from deniable.population.doors.count import count
    from deniable.population.doors.discrete import discrete_gaussian, discrete_laplace
    from deniable.population.doors.exponential import exponential
    from deniable.population.doors.gaussian import gaussian
    from deniable.population.doors.joint import joint
    from deniable.population.doors.laplace import laplace
    from deniable.population.doors.noise_curve import noise_curve
    from deniable.population.doors.query import query
    from deniable.population.doors.selections import quantile_losses, top_losses
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        __all__,
        {
            "count": "deniable.population.doors.count",
            "discrete_gaussian": "deniable.population.doors.discrete",
            "discrete_laplace": "deniable.population.doors.discrete",
            "exponential": "deniable.population.doors.exponential",
            "gaussian": "deniable.population.doors.gaussian",
            "joint": "deniable.population.doors.joint",
            "laplace": "deniable.population.doors.laplace",
            "noise_curve": "deniable.population.doors.noise_curve",
            "query": "deniable.population.doors.query",
            "quantile_losses": "deniable.population.doors.selections",
            "top_losses": "deniable.population.doors.selections",
        },
    )
