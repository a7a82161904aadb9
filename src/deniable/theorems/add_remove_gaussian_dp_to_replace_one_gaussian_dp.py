"""Exchanging one entity is one removal and one addition: a Gaussian shift doubles."""

from deniable._rounding import directed, upper
from deniable.errors import NotApplicable
from deniable.notions import Adjacency, GaussianDP


def add_remove_gaussian_dp_to_replace_one_gaussian_dp(guarantee: GaussianDP) -> GaussianDP:
    """μ-GDP under add-remove gives 2μ-GDP under replace-one; the slack doubles at most.

    Two whole-number vectors that move d coordinates each differ in 2d at most, so the slack of
    discrete noise grows by the square root of 2; twice it is on the safe side.

    Raises
    ------
    NotApplicable
        If the guarantee is replace-one already.

    References
    ----------
    dong-roth-su-2022, Theorem 2.14 (groups of two).

    Examples
    --------
    >>> one = GaussianDP(0.25, Adjacency.ADD_REMOVE)
    >>> add_remove_gaussian_dp_to_replace_one_gaussian_dp(one).spec
    'gaussian-dp:0.5'
    """
    if guarantee.adjacency is not Adjacency.ADD_REMOVE:
        raise NotApplicable("Expected an add-remove guarantee, got replace-one.")
    with directed() as r:
        mu, slack = upper(2 * r(guarantee.mu)), upper(2 * r(guarantee.slack))
    return GaussianDP(mu, slack=slack)
