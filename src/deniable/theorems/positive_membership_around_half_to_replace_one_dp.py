"""Positive membership privacy against beliefs on both sides of ½ is replace-one DP."""

import math

from deniable._rounding import directed, upper
from deniable.errors import NotApplicable
from deniable.notions import Adjacency, PositiveMembership, PureDP
from deniable.theorems._families import independent, ratio_from


def positive_membership_around_half_to_replace_one_dp(guarantee: PositiveMembership) -> PureDP:
    r"""γ over D_B^[a,b], a ≤ ½ ≤ b, gives e^ε = min(hγ/(1−(1−h)γ), (γ+h−1)/h), h = min(b, 1−a).

    The first term counts only while (1 − h)γ < 1. At a = b = ½ this is e^ε = 2γ − 1, over all of
    D_B it is γ.

    Proof. Two neighbours exchange one entity for another. The belief that all other memberships
    are certain and that the first of the two is in with probability p, the second with 1 − p, is
    in the family iff both lie in [a, b], that is p in [1 − h, h]. Under it Pr[S|t] and Pr[S|¬t]
    are the likelihoods of the two neighbours, whose ratio is therefore at most g(p), the exact
    threshold of zhao-2019, Lemma 1:

    .. math:: g(p) = \frac{1-p}{1/\gamma - p} \text{ for } p \le \frac{1}{1+\gamma},\qquad
              g(p) = \frac{\gamma - 1 + p}{p} \text{ above.}

    g rises, then falls, so its least value on [1 − h, h] is at an end. The upper end h ≥ ½ is
    beyond 1/(1 + γ); at the lower one the first branch, where it is defined at all, is at least
    the second, which is at least g(h). Hence the minimum of the two terms. It is tight: with two
    entities, one of whom is in, these beliefs are the family, and a ratio of exactly this size
    meets γ. Where ½ is outside [a, b] those two are certain whatever the mechanism, and nothing
    follows.

    Raises
    ------
    NotApplicable
        If the guarantee is add-remove, has exceptions, or knows no belief of ½.

    References
    ----------
    Ours, from zhao-2019, Lemma 1.

    Examples
    --------
    >>> from deniable.priors import BoundedPrior
    >>> even = PositiveMembership(2.0, BoundedPrior(0.5, 0.5))
    >>> round(positive_membership_around_half_to_replace_one_dp(even).epsilon, 6)  # ln 3
    1.098612
    """
    family = independent(guarantee.adversary)
    if guarantee.adjacency is not Adjacency.REPLACE_ONE:
        raise NotApplicable("Expected a replace-one guarantee, got add-remove.")
    if guarantee.exceedance:
        raise NotApplicable(f"Expected no exception, got exceedance={guarantee.exceedance}.")
    if not family.low <= 0.5 <= family.high:
        raise NotApplicable(
            f"Expected a family with beliefs of 1/2, got [{family.low}, {family.high}]. "
            "Without them no two entities can stand against each other, and nothing follows."
        )
    if math.isinf(guarantee.gamma):
        return PureDP(math.inf)
    with directed() as r:
        low = r.max(r(family.low), 1 - r(family.high))
        return PureDP(max(upper(r.log(ratio_from(r(guarantee.gamma), low, 1 - low))), 0.0))
