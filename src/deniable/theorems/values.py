"""How far a release moves a belief about one person's value: by a factor, or by a difference."""

import math

from deniable.notions import Adjacency, PosteriorGain, PosteriorRatio, PureDP
from deniable.numerics.rounding import directed, upper
from deniable.theorems._records import check_every_size
from deniable.theorems._reweighting import moved_by, spread_of
from deniable.theorems._theorem import theorem


@theorem(
    "kazan-reiter-2024",
    states="Beliefs about a value grow by r = e^ε at most; under add-remove, by r = e^2ε.",
)
def pure_dp_to_posterior_ratio(guarantee: PureDP) -> PosteriorRatio:
    """Pure DP bounds by what factor a belief about a value grows.

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


def steps(adjacency: Adjacency) -> int:
    """How many neighbours lie between two values of one entity."""
    return 1 if adjacency is Adjacency.REPLACE_ONE else 2


@theorem(
    "kazan-reiter-2024",
    states="Beliefs about a value that grow by r at most give ε = ln r replace-one DP, rounded up.",
)
def posterior_ratio_to_pure_dp(guarantee: PosteriorRatio) -> PureDP:
    """A bound on the growth of every belief about a value is replace-one DP.

    References
    ----------
    kazan-reiter-2024.

    Examples
    --------
    >>> round(posterior_ratio_to_pure_dp(PosteriorRatio(2.0)).epsilon, 6)
    0.693147
    """
    if math.isinf(guarantee.ratio):
        return PureDP(math.inf)
    with directed() as r:
        return PureDP(max(upper(r.log(r(guarantee.ratio))), 0.0))


@theorem(
    "kazan-reiter-2024",
    states="Beliefs about a value rise by b = tanh(ε/4) at most; under add-remove, by tanh(ε/2).",
)
def pure_dp_to_posterior_gain(guarantee: PureDP) -> PosteriorGain:
    """Pure DP bounds by how much a belief about a value rises.

    Attained at the prior 1/(1 + √r) where the likelihoods of two values differ by the factor r.

    Raises
    ------
    NotApplicable
        If the guarantee is of data of one size.

    References
    ----------
    kazan-reiter-2024 (posterior − prior <= b gives ε = ln((1 + b)/(1 − b))).

    Examples
    --------
    >>> round(pure_dp_to_posterior_gain(PureDP(math.log(9))).gain, 9)
    0.5
    """
    check_every_size(guarantee)
    return PosteriorGain(moved_by(guarantee.epsilon, steps(guarantee.adjacency)))


@theorem(
    "kazan-reiter-2024",
    states="Beliefs about a value that rise by b at most give ε = 2 ln((1 + b)/(1 − b)), rounded "
    "up.",
)
def posterior_gain_to_pure_dp(guarantee: PosteriorGain) -> PureDP:
    """A bound on the rise of every belief about a value is replace-one DP.

    References
    ----------
    kazan-reiter-2024.

    Examples
    --------
    >>> round(posterior_gain_to_pure_dp(PosteriorGain(0.5)).epsilon, 6)
    2.197225
    """
    return PureDP(spread_of(guarantee.gain))
