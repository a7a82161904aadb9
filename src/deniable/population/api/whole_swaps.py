"""Whole vectors of large lists, whatever the columns and their noise: by swaps of others."""

import math

import numpy as np
from numpy.typing import NDArray

from deniable.numerics.bound import Bound, Evidence
from deniable.population import swaps
from deniable.population.api.whole_members import CertifiedBound, IntegerVectors


def by_swaps(
    data: IntegerVectors, scales: NDArray[np.float64], delta: float, *, squares: bool
) -> CertifiedBound | None:
    """Without a draw; None where the list is too small, or δ = 0.

    Parameters
    ----------
    data : IntegerVectors
        Whose columns vary.
    scales : array of float, shape (d,)
        Of the noise, in whole steps.
    delta : float
        In [0, 1).
    squares : bool
        Whether the noise is discrete Gaussian, and not Laplace.
    """
    if not delta or data.population < swaps.FEWEST_MEMBERS:
        return None
    members = swaps.Members(data.values, data.counts, data.size, scales, squares)
    most = swaps.upper_bound(members, delta)
    if math.isinf(most):
        return None
    return CertifiedBound(Bound(0.0, most, Evidence.ENCLOSURE), "swaps")
