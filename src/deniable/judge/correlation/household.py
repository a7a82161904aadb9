"""The most that any ε-DP mechanism reveals about one member of a household with a stated law."""

import itertools
import math
from collections.abc import Collection

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog

from deniable.errors import InvalidArgument, validate
from deniable.judge.correlation.sums import others
from deniable.priors import _arrays

MOST_MEMBERS = 10
"""Unknowns of a linear program: 2^10 probabilities of one output."""
LARGEST_EPSILON = 30.0
"""Beyond it the coefficients are too far apart for a solver in floating point."""


def worst_household_epsilon(
    law: ArrayLike, epsilon: float, member: int = 0, known: Collection[int] | None = None
) -> float:
    r"""Return the largest ε' about one member over all ε-DP mechanisms, for one joint law.

    .. math:: \varepsilon' = \max_M \max_y \left|\ln \frac{\Pr[y \mid i\ \text{in}, x_S]}
              {\Pr[y \mid i\ \text{out}, x_S]}\right|

    Every function f >= 0 of the household's memberships that changes by a factor of at most e^ε
    with each of them is proportional to the probability of one output of some ε-DP mechanism. So
    the maximum is a linear program in the values of f, which is solved in floating point.

    Parameters
    ----------
    law : array_like of float, shape (2, 2, …)
        Pr[X = x], one axis a member, at most 10; index 1 means that the member is in the data.
    epsilon : float
        The add-remove ε of one person, 0 <= ε <= 30.
    member : int
        The person in question, an axis of the law.
    known : collection of int, optional
        The members whose memberships S the adversary knows; by default the worst over all sets.

    Returns
    -------
    float
        ε', exact up to the solver's tolerance, some 1e-9; 0 where the membership is certain.

    Raises
    ------
    InvalidArgument
        If the law does not sum to 1, has an axis of another length or more than 10 axes.

    References
    ----------
    Own (what-households-do-to-a-guarantee.md); yang-2015, Definition 4, for the adversaries.

    Examples
    --------
    >>> couple = [[0.5, 0.0], [0.0, 0.5]]
    >>> round(worst_household_epsilon(couple, 1.0), 6)
    2.0
    """
    shape = np.shape(law)
    if not 1 <= len(shape) <= MOST_MEMBERS or set(shape) != {2}:
        raise InvalidArgument(
            f"Expected a law with 1 to {MOST_MEMBERS} axes of length 2, got shape {shape}."
        )
    if validate.non_negative(epsilon, "epsilon") > LARGEST_EPSILON:
        raise InvalidArgument(f"Expected epsilon <= {LARGEST_EPSILON:g}, got epsilon={epsilon}.")
    table = _arrays.law(np.reshape(np.asarray(law), -1), "law").reshape(shape)
    at = _arrays.position(member, len(shape), "record")
    rest = [axis for axis in range(len(shape)) if axis != at]
    sets = (
        [others(known, at, len(shape))]
        if known is not None
        else [each for n in range(len(shape)) for each in itertools.combinations(rest, n)]
    )
    factors = [1.0]
    for known_others in sets:
        ordered = np.moveaxis(table, [at, *known_others], range(1 + len(known_others)))
        for block in np.moveaxis(ordered.reshape(2, 2 ** len(known_others), -1), 1, 0):
            if (block.sum(axis=1) > 0).all():
                absent, present = block / block.sum(axis=1, keepdims=True)
                factors += [_factor(present, absent, epsilon), _factor(absent, present, epsilon)]
    return math.log(max(factors))


def _factor(above: NDArray[np.float64], below: NDArray[np.float64], epsilon: float) -> float:
    """The largest ratio of E f(one, ·) under one law to E f(other, ·) under the other law."""
    # f(one, r) = e^ε f(other, r) is allowed at every r: the person's own factor comes on top.
    own, states = math.exp(epsilon), len(above)
    if states == 1:
        return own
    changes = [(r, r ^ (1 << bit)) for r in range(states) for bit in range(states.bit_length() - 1)]
    neighbours = np.zeros((len(changes), states))
    for row, (one, other) in zip(neighbours, changes, strict=True):
        row[one], row[other] = 1.0, -own
    zeros = np.zeros(len(changes))
    least = linprog(-above, neighbours, zeros, below[None], [1.0]).fun
    return math.inf if least is None else -own * float(least)
