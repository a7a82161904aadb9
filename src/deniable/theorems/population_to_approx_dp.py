"""Population privacy of one record out of two is replace-one DP."""

from deniable.errors import NotApplicable
from deniable.notions import ApproxDP, PopulationPrivacy


def population_to_approx_dp(guarantee: PopulationPrivacy) -> ApproxDP:
    """(ε, δ)-population privacy with n = 1 of 2 records gives (ε, δ) replace-one DP of them.

    Raises
    ------
    NotApplicable
        If the data hold more than one record, or their number is not stated.

    References
    ----------
    lowy-2024, Corollary 4, with its δ mended.

    Examples
    --------
    >>> population_to_approx_dp(PopulationPrivacy(0.5, 1e-6, size=1)).spec
    'approx-dp:0.5,1e-06'
    """
    if guarantee.size != 1:
        raise NotApplicable(f"Expected data of one record, got size={guarantee.size}.")
    return ApproxDP(guarantee.epsilon, guarantee.delta)
