"""A bound on the growth of every belief about a value is replace-one DP."""

import math

from deniable._rounding import directed, upper
from deniable.notions import PosteriorRatio, PureDP


def posterior_ratio_to_pure_dp(guarantee: PosteriorRatio) -> PureDP:
    """Beliefs about a value that grow by r at most give ε = ln r replace-one DP, rounded up.

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
