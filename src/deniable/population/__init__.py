"""What an attacker learns who knows a parent set but not who was sampled, by mechanism.

Each takes public arguments and gives a `PopulationAnswer`. A guarantee of this kind concerns one
parent set and one release, and does not compose: `joint` analyses several releases together.
"""

from deniable.errors.public_names import lazy_exports

DRAWN_BY = {
    "PopulationAnswer.plot": "deniable.population.pages.page:record_bounds_chart",
    "PopulationAnswer.plot_distances": "deniable.population.pages.page:risk_chart",
    "PopulationAnswer.page": "deniable.population.pages.page:risk_page",
    "NoiseCurve.plot": "deniable.population.pages.page:noise_curve_chart",
}
"""What draws the answers of this package."""

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__, public=True)
