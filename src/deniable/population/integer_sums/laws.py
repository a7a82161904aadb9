"""Enclosed laws of subset sums: what every later step starts from."""

import attrs
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TINY = 1e-300
"""More than numbers that underflow add up to."""


@attrs.frozen(eq=False)
class SumLaws:
    """low <= ln Pr[S = first + j] <= high with a record in (row 0) and out (row 1).

    Parameters
    ----------
    low, high : float arrays, shape (2, n_targets, n_sums)
        -inf where nothing is known to be there, or certainly nothing is.
    below, above : float arrays, shape (2, n_targets)
        ln of a bound on Σ Pr[S = s] e^(rate·distance of s from the nearest column) over the sums
        outside the columns, on each side, for the rate that was asked for.
    """

    low: Floats
    high: Floats
    below: Floats
    above: Floats
