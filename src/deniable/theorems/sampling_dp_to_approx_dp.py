"""Keeping every entity is no sampling at all."""

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, ApproxDP, SamplingDP


def sampling_dp_to_approx_dp(guarantee: SamplingDP) -> ApproxDP:
    """(1, ε, δ)-DP under sampling is (ε, δ) add-remove DP.

    Raises
    ------
    NotApplicable
        If entities are left out: the mechanism may publish the data that it is given.

    References
    ----------
    li-2012, definition.

    Examples
    --------
    >>> sampling_dp_to_approx_dp(SamplingDP(1.0, 0.5)).spec
    'approx-dp:0.5,0.0@add-remove'
    """
    if guarantee.beta != 1:
        raise NotApplicable(f"Expected beta = 1, got beta={guarantee.beta}.")
    return ApproxDP(guarantee.epsilon, guarantee.delta, Adjacency.ADD_REMOVE)
