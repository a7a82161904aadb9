r"""What δ grows by where real noise stands for whole noise.

Let φ be the normal or Laplace density of scale s; then the discrete noise has Pr[k] <= φ(k) on
whole numbers (for the normal density by Poisson summation, for Laplace because tanh x <= x). With
g = p_in − e^ε p_out of the densities, the discrete hockey stick is at most Σ g⁺(k) over whole k.
For one coordinate the trapezoid rule gives

.. math:: \left|\sum_k g^+(k) - \int g^+\right| \le \tfrac18 \mathrm{Var}((g^+)')
          \le \tfrac18 \mathrm{Var}(g') \le \tfrac18 (1 + e^\epsilon) \mathrm{Var}(\varphi')

where the second step holds because between two zeros of g its slope varies by at least both slopes
there. Var(φ') is 4 φ_{0,1}(1)/s² < 0.968/s² for the normal density and 2/s² for Laplace.
Coordinates are replaced one by one: each time the bound holds for any values of the others, whole
or real, whose factors add up to at most 1 + 1e-8 from a scale of 4 on. So with κ = Σ_j c/s_j²,
c = 0.121 or 0.25,

.. math:: \delta_{whole}(\epsilon) \le \delta_{real}(\epsilon) + (1 + e^\epsilon) \kappa .

With δ = 0 nothing is lost: at whole numbers discrete and real Laplace mixtures have the same
ratios.
"""

import math

import numpy as np
from numpy.typing import NDArray

from deniable.mechanisms.discrete_gaussian import DiscreteGaussian
from deniable.mechanisms.discrete_laplace import DiscreteLaplace

MOST_LOST = 0.25
"""Share of δ that may go to the step from whole to real noise; above it that is not taken."""
_VARIATION = {DiscreteGaussian: 0.121, DiscreteLaplace: 0.25}
"""c above, dimensionless: an eighth of the variation of the density's slope at scale 1."""
_OUTWARDS = 1.001
"""For the other coordinates' factors, at most (1 + 1e-8) each, and for rounding."""
_SMOOTH = 4.0
"""Least scale, in steps, at which real noise stands for whole noise."""


def delta_increase(
    scales: NDArray[np.float64],
    noise: type[DiscreteGaussian] | type[DiscreteLaplace],
    demand: float,
) -> float:
    """(1 + e^ε) κ, what δ grows by at most where real noise stands for whole noise."""
    if scales.min() < _SMOOTH or demand > 700:
        return math.inf
    kappa = _VARIATION[noise] * float((1 / scales**2).sum())
    return (1 + math.exp(demand)) * kappa * _OUTWARDS
