"""Replace-one DP gives differential identifiability, and what that asks for."""

import math

from deniable._rounding import directed, lower, upper
from deniable.errors import InfeasibleTarget, NotApplicable
from deniable.notions import Adjacency, Identifiability, PureDP
from deniable.theorems._records import check_every_size


def replace_one_dp_to_identifiability(guarantee: PureDP, worlds: int) -> Identifiability:
    r"""ε replace-one DP gives ρ = 1/(1 + (m − 1) e^−ε), rounded up.

    Raises
    ------
    NotApplicable
        If the guarantee is add-remove; go through `add_remove_dp_to_replace_one_dp`.
        Also if the guarantee is of data of one size.

    References
    ----------
    lee-clifton-2012, Theorem 1.

    Examples
    --------
    >>> round(replace_one_dp_to_identifiability(PureDP(2.0), 3).rho, 4)
    0.787
    """
    check_every_size(guarantee)
    if guarantee.adjacency is not Adjacency.REPLACE_ONE:
        raise NotApplicable("Expected a replace-one guarantee, got add-remove. Double ε first.")
    if math.isinf(guarantee.epsilon):
        return Identifiability(1.0, worlds)
    with directed() as r:
        others = (worlds - 1) * r.exp(-guarantee.epsilon)
        return Identifiability(min(upper(1 / (1 + others)), 1.0), worlds)


def replace_one_dp_for_identifiability(target: Identifiability) -> PureDP:
    r"""The largest ε that gives ρ-identifiability: ln((m − 1)ρ/(1 − ρ)), rounded down.

    Raises
    ------
    InfeasibleTarget
        If ρ <= 1/m, which guessing alone reaches.

    References
    ----------
    lee-clifton-2012, Section 4.
    """
    if target.rho == 1.0:
        return PureDP(math.inf)
    with directed() as r:
        rho, m = r(target.rho), r(target.worlds)
        if not rho * m > 1:
            raise InfeasibleTarget(
                f"Expected rho > 1/{target.worlds} = {1 / target.worlds:.4g}, got "
                f"rho={target.rho}, worlds={target.worlds}. Guessing among the worlds already "
                "succeeds that often; raise rho."
            )
        return PureDP(max(lower(r.log((m - 1) * rho / (1 - rho))), 0.0))
