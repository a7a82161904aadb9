"""Population privacy of one record out of two is replace-one DP."""

from deniable.errors import NotApplicable
from deniable.notions import ApproxDP, PopulationPrivacy


def population_to_approx_dp(guarantee: PopulationPrivacy) -> ApproxDP:
    """(ε, δ) for one of every two records gives (ε, δ) replace-one DP of data of one record.

    Of data of more records it says nothing: they may be published as they are.

    Raises
    ------
    NotApplicable
        If the data hold more than one record, their number is not stated, or only one parent
        set is spoken of.

    References
    ----------
    lowy-2024, Corollary 4, with its δ mended.

    Examples
    --------
    >>> one = PopulationPrivacy(0.5, 1e-6, size=1, every_parent_set=True)
    >>> population_to_approx_dp(one).spec
    'approx-dp:0.5,1e-06@records-1'
    """
    if guarantee.size != 1:
        raise NotApplicable(f"Expected data of one record, got size={guarantee.size}.")
    if not guarantee.every_parent_set:
        raise NotApplicable("Expected a guarantee for every parent set, got one for one of them.")
    return ApproxDP(guarantee.epsilon, guarantee.delta, records=1)
