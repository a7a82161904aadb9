"""ε̃ of sums of real numbers under continuous noise, by Fourier inversion with bounded errors.

The steps with their error bounds: docs/explanation/how-real-sums-are-enclosed.md.
"""

from deniable.population.real_sums.cells import Cell, bound_cell
from deniable.population.real_sums.engine import bracket

__all__ = ["Cell", "bound_cell", "bracket"]
