"""Pure DP bounds by what factor a belief about a value grows, and what that asks for."""

import math

from deniable._rounding import directed, lower, upper
from deniable.notions import Adjacency, PosteriorRatio, PureDP
from deniable.theorems._records import check_every_size


def pure_dp_to_posterior_ratio(guarantee: PureDP) -> PosteriorRatio:
    """Beliefs about a value grow by r = e^ε at most; under add-remove, by r = e^2ε.

    Between two values of one entity lie a removal and an addition.

    Raises
    ------
    NotApplicable
        If the guarantee is of data of one size.

    References
    ----------
    kazan-reiter-2024 (r* = r gives ε = ½ ln r).

    Examples
    --------
    >>> add_remove = PureDP(math.log(2) / 2, Adjacency.ADD_REMOVE)
    >>> round(pure_dp_to_posterior_ratio(add_remove).ratio, 9)
    2.0
    """
    check_every_size(guarantee)
    if math.isinf(guarantee.epsilon):
        return PosteriorRatio(math.inf)
    with directed() as r:
        return PosteriorRatio(upper(r.exp(steps(guarantee.adjacency) * r(guarantee.epsilon))))


def pure_dp_for_posterior_ratio(
    target: PosteriorRatio, adjacency: Adjacency = Adjacency.REPLACE_ONE
) -> PureDP:
    """The largest ε that keeps it: ln r, or ½ ln r under add-remove, rounded down."""
    if math.isinf(target.ratio):
        return PureDP(math.inf, adjacency)
    with directed() as r:
        epsilon = lower(r.log(r(target.ratio)) / steps(adjacency))
        return PureDP(max(epsilon, 0.0), adjacency)


def steps(adjacency: Adjacency) -> int:
    """How many neighbours lie between two values of one entity."""
    return 1 if adjacency is Adjacency.REPLACE_ONE else 2
