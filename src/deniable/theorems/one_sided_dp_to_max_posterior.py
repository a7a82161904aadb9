"""The positive half of add-remove DP caps posteriors."""

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, MaxPosterior, OneSidedDP, PureDP, Side
from deniable.theorems.pure_dp_to_max_posterior import pure_dp_to_max_posterior


def one_sided_dp_to_max_posterior(guarantee: OneSidedDP, prior: float) -> MaxPosterior:
    """The positive half keeps beliefs at or below p to e^ε p/((e^ε − 1)p + 1), rounded up.

    Raises
    ------
    NotApplicable
        If the guarantee is the negative half.

    References
    ----------
    tramer-2015, Lemma 2 and Equation 9.

    Examples
    --------
    >>> round(one_sided_dp_to_max_posterior(OneSidedDP(1.0), 0.05).posterior, 4)
    0.1252
    """
    if guarantee.side is not Side.POSITIVE:
        raise NotApplicable("Expected the positive half, got the negative half.")
    return pure_dp_to_max_posterior(PureDP(guarantee.epsilon, Adjacency.ADD_REMOVE), prior)
