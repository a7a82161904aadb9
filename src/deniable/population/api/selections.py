"""Losses of what a plan chooses: a quantile, and the most frequent categories."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.errors import InvalidArgument, validate
from deniable.population.choices import Losses
from deniable.population.question import floats


def quantile_losses(candidates: ArrayLike, quantile: float) -> Losses:
    r"""How far each candidate's rank in a sample is from a quantile, for `exponential`.

    .. math:: \ell(c, D) = |(1 - q) \#\{x < c\} - q \#\{x > c\}|

    Exchanging one record moves it by at most 1, the `sensitivity` to give. With Gumbel noise,
    which plans use where δ > 0, the plan's quantile is the exponential mechanism on it.

    Parameters
    ----------
    candidates : array_like, shape (n_candidates,)
        What is chosen from.
    quantile : float
        q in (0, 1).

    Returns
    -------
    callable
        The sampled rows of one column to shape (n_candidates,).

    Raises
    ------
    InvalidArgument
        If q is not in (0, 1), or there is no candidate; by the function, if a record has several
        numbers, of which the quantile would be moved by more than 1.

    Examples
    --------
    >>> from deniable import population
    >>> ages, among = [20.0, 30.0, 35.0, 61.0, 80.0], [0.0, 33.0, 66.0, 99.0]
    >>> found = population.exponential(
    ...     ages, among, 3, losses=population.quantile_losses(among, 0.5), sensitivity=1.0,
    ...     epsilon=1.0,
    ... )
    >>> found.subsets, 0 < found.population_epsilon.upper < 1
    (10, True)
    """
    q = validate.open_probability(quantile, "quantile")
    points = floats(candidates, "candidates")
    if points.ndim != 1 or not points.size or not np.all(np.isfinite(points)):
        raise InvalidArgument("Expected candidates, a list of finite numbers, at least one.")

    def losses(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        if rows.size != len(rows):
            raise InvalidArgument(
                f"Expected one number a record for a quantile, got {rows[0].size}. Choose a column."
            )
        values = np.sort(rows, axis=None)
        below = np.searchsorted(values, points, side="left")
        above = values.size - np.searchsorted(values, points, side="right")
        return np.asarray(np.abs((1 - q) * below - q * above))

    return losses


def top_losses(values: Sequence[Any] | NDArray[Any], keys: Sequence[Any]) -> NDArray[np.float64]:
    """A table of losses whose mean is less the more a category is in the sample, for `exponential`.

    −1 where a record is of the category, else 0. Exchanging one record moves the mean of n by at
    most 1/n, the `sensitivity` to give. It is the plan's `top` with number 1 and Gumbel noise.

    Parameters
    ----------
    values : sequence
        The category of each record of the parent set.
    keys : sequence
        The categories to choose from.

    Returns
    -------
    array of float, shape (n_records, n_keys)

    Raises
    ------
    InvalidArgument
        If there is no record or no key.

    Examples
    --------
    >>> from deniable import population
    >>> table = population.top_losses(["a", "b", "a", "c"], ["a", "b"])
    >>> found = population.exponential(losses=table, size=2, sensitivity=1 / 2, epsilon=1.0)
    >>> found.subsets, 0 < found.population_epsilon.upper < 1
    (6, True)
    """
    if np.ndim(values) != 1 or np.ndim(keys) != 1 or not len(values) or not len(keys):
        raise InvalidArgument("Expected lists of records and of keys, at least one of each.")
    return -np.array([[float(each == key) for key in keys] for each in values])
