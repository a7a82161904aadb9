"""Sampling before a differentially private mechanism amplifies its privacy."""

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, ApproxDP, SamplingDP
from deniable.theorems._records import check_every_size
from deniable.theorems.sampling_dp_to_lower_rate import sampling_dp_to_lower_rate


def approx_dp_to_sampling_dp(guarantee: ApproxDP, rate: float) -> SamplingDP:
    """(ε, δ) add-remove DP gives (β, ln(1 + β(e^ε − 1)), βδ)-DP under sampling.

    Raises
    ------
    NotApplicable
        If the guarantee is replace-one: sampling changes the number of entities.
        Also if the guarantee is of data of one size.

    References
    ----------
    li-2012, amplification.

    Examples
    --------
    >>> whole = ApproxDP(1.0, 1e-6, Adjacency.ADD_REMOVE)
    >>> round(approx_dp_to_sampling_dp(whole, 0.1).epsilon, 6)
    0.158565
    """
    check_every_size(guarantee)
    if guarantee.adjacency is not Adjacency.ADD_REMOVE:
        raise NotApplicable("Expected an add-remove guarantee, got replace-one.")
    everyone = SamplingDP(1.0, guarantee.epsilon, guarantee.delta)
    return sampling_dp_to_lower_rate(everyone, rate)
