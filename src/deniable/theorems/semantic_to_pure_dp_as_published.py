"""Semantic privacy is pure DP, with the published constant."""

from deniable._rounding import directed, upper
from deniable.errors import NotApplicable
from deniable.notions import PureDP, Semantic


def semantic_to_pure_dp_as_published(guarantee: Semantic) -> PureDP:
    """(½ − 1/(e^ε + 1))-semantic privacy gives ε-DP: ε = ln((1 + 2τ)/(1 − 2τ)), rounded up.

    Raises
    ------
    NotApplicable
        If τ >= ½: the hypothesis speaks of no ε.

    References
    ----------
    zhao-2019, Theorem 2.

    Examples
    --------
    >>> round(semantic_to_pure_dp_as_published(Semantic(0.2)).epsilon, 6)
    0.847298
    """
    epsilon = published_inverse(guarantee.epsilon)
    return PureDP(epsilon, guarantee.adjacency, guarantee.records)


def published_inverse(distance: float) -> float:
    """The ε of ½ − 1/(e^ε + 1) = τ, rounded up."""
    if distance >= 0.5:
        raise NotApplicable(f"Expected semantic privacy below 1/2, got {distance}.")
    with directed() as r:
        d = 2 * r(distance)
        return max(0.0, upper(r.log1p(2 * d / (1 - d))))
