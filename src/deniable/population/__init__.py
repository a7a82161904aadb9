"""What someone learns who knows a parent set, not who was sampled: one function a mechanism.

Each takes public arguments and gives a `PopulationAnswer`. A guarantee of this kind concerns one
parent set and one release, and does not compose: `joint` analyses several releases together.
"""

from deniable.errors.public_names import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
