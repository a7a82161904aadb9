"""Pure DP bounds by how much a belief about a value rises, and what that asks for."""

import math

from deniable._rounding import directed, lower
from deniable.notions import Adjacency, PosteriorGain, PureDP
from deniable.theorems._records import check_every_size
from deniable.theorems.pure_dp_to_posterior_ratio import steps
from deniable.theorems.pure_dp_to_semantic import moved_by


def pure_dp_to_posterior_gain(guarantee: PureDP) -> PosteriorGain:
    """Beliefs about a value rise by b = tanh(ε/4) at most; under add-remove, by tanh(ε/2).

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


def pure_dp_for_posterior_gain(
    target: PosteriorGain, adjacency: Adjacency = Adjacency.REPLACE_ONE
) -> PureDP:
    """The largest ε that keeps it: 2 ln((1 + b)/(1 − b)), half of it under add-remove."""
    if target.gain == 1:
        return PureDP(math.inf, adjacency)
    with directed() as r:
        b = r(target.gain)
        epsilon = lower(2 * r.log1p(2 * b / (1 - b)) / steps(adjacency))
        return PureDP(max(epsilon, 0.0), adjacency)
