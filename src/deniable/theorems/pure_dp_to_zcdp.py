"""Pure DP is concentrated."""

import math

from deniable._rounding import directed, upper
from deniable.errors import NotApplicable
from deniable.notions import ZCDP, PureDP
from deniable.theorems._records import check_every_size


def pure_dp_to_zcdp(guarantee: PureDP) -> ZCDP:
    """ε-DP gives ρ = ε²/2, rounded up.

    Raises
    ------
    NotApplicable
        If ε, or ε²/2, is infinite.
        Also if the guarantee is of data of one size.

    References
    ----------
    bun-steinke-2016, Proposition 1.4.

    Examples
    --------
    >>> pure_dp_to_zcdp(PureDP(1.0)).spec
    'zcdp:0.5'
    """
    check_every_size(guarantee)
    with directed() as r:
        rho = upper(r(guarantee.epsilon) ** 2 / 2)
    if math.isinf(rho):
        raise NotApplicable(f"Expected a finite epsilon²/2, got epsilon={guarantee.epsilon}.")
    return ZCDP(rho, guarantee.adjacency)
