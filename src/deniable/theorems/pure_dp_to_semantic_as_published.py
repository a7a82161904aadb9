"""Pure DP is semantic privacy, with the published constant."""

from deniable._rounding import directed, upper
from deniable.notions import PureDP, Semantic


def pure_dp_to_semantic_as_published(guarantee: PureDP) -> Semantic:
    """ε-DP gives (e^2ε − 1)-semantic privacy, rounded up: no statement beyond ε = ½ ln 2.

    References
    ----------
    zhao-2019, Theorem 2; kasiviswanathan-smith-2014.

    Examples
    --------
    >>> pure_dp_to_semantic_as_published(PureDP(0.3466)).epsilon
    1.0
    """
    return Semantic(published(guarantee.epsilon), guarantee.records, guarantee.adjacency)


def published(epsilon: float) -> float:
    """e^2ε − 1, rounded up; 1 where it is vacuous."""
    with directed() as r:
        return max(0.0, min(upper(r.expm1(2 * r(epsilon))), 1.0))
