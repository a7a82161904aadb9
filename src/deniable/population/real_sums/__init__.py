"""ε̃ of sums of real numbers under continuous noise, by Fourier inversion with bounded errors.

The steps with their error bounds: docs/explanation/how-real-sums-are-enclosed.md.
"""

from deniable.population.real_sums.engine import bracket as bracket

__all__ = ["bracket"]
