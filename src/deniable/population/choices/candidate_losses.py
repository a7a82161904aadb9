"""What the exponential mechanism adds up: each record's part of each candidate's loss."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from deniable.errors import InvalidArgument
from deniable.population.work.array_api import Floats


def loss_table(records: ArrayLike, candidates: ArrayLike) -> Floats:
    """Distances ‖w − x‖, the records' parts of the geometric median's loss.

    Parameters
    ----------
    records : array_like of float, shape (n_records, n_dimensions)
        X, a record a row.
    candidates : array_like of float, shape (n_candidates, n_dimensions)
        W, what may be chosen.

    Returns
    -------
    ndarray of float, shape (n_candidates, n_records)

    Raises
    ------
    InvalidArgument
        If dimensions differ, nothing is given or a number is not finite.

    Examples
    --------
    >>> loss_table([[0.0, 0.0], [3.0, 4.0]], [[0.0, 0.0]]).tolist()
    [[0.0, 5.0]]
    """
    x, w = _points(records, "records"), _points(candidates, "candidates")
    if x.shape[1] != w.shape[1]:
        raise InvalidArgument(
            f"Expected records and candidates of one dimension, got {x.shape[1]} and {w.shape[1]}."
        )
    return np.asarray(cdist(w, x))


def _points(value: ArrayLike, what: str) -> Floats:
    points = np.asarray(value, np.float64)
    if points.ndim != 2 or not points.size:
        raise InvalidArgument(f"Expected {what} as rows of numbers, got shape {points.shape}.")
    if not np.isfinite(points).all():
        raise InvalidArgument(f"Expected finite {what}, got one that is missing or infinite.")
    return points
