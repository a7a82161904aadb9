"""One half of add-remove DP and the half of membership privacy that it is."""

import math

from deniable.errors import NotApplicable
from deniable.notions import (
    Adjacency,
    NegativeMembership,
    OneSidedDP,
    PositiveMembership,
    Side,
)
from deniable.numerics.rounding import directed, upper
from deniable.priors import BoundedPriors
from deniable.theorems._families import gamma_from, independent, ratio_from, uncertain
from deniable.theorems._theorem import theorem


@theorem(
    "li-2013, Theorem 4.5; tramer-2015, Theorem 2",
    states="The positive half gives γ = max((e^ε − 1)b + 1, e^ε/((e^ε − 1)a + 1)) over D_I^[a,b].",
)
def one_sided_dp_to_positive_membership(
    guarantee: OneSidedDP, adversary: BoundedPriors
) -> PositiveMembership:
    """The positive half of add-remove DP is positive membership privacy.

    Raises
    ------
    NotApplicable
        If the guarantee is the negative half.

    References
    ----------
    li-2013, Theorem 4.5; tramer-2015, Theorem 2.

    Examples
    --------
    >>> half = OneSidedDP(math.log(3))
    >>> round(one_sided_dp_to_positive_membership(half, BoundedPriors(0.5, 0.5)).gamma, 9)
    2.0
    """
    family = independent(adversary)
    if guarantee.side is not Side.POSITIVE:
        raise NotApplicable("Expected the positive half, got the negative half.")
    if math.isinf(guarantee.epsilon):
        return PositiveMembership(math.inf, family, adjacency=Adjacency.ADD_REMOVE)
    with directed() as r:
        gamma = upper(gamma_from(r.exp(guarantee.epsilon), r(family.low), r(family.high)))
    return PositiveMembership(max(gamma, 1.0), family, adjacency=Adjacency.ADD_REMOVE)


@theorem(
    "li-2013, Theorem 4.5; tramer-2015, Theorem 2",
    states="The negative half gives γ = max((e^ε−1)(1−a)+1, e^ε/((e^ε−1)(1−b)+1)) over D_I^[a,b].",
)
def one_sided_dp_to_negative_membership(
    guarantee: OneSidedDP, adversary: BoundedPriors
) -> NegativeMembership:
    """The negative half of add-remove DP is negative membership privacy.

    Presence and absence change places, so the interval is reflected.

    Raises
    ------
    NotApplicable
        If the guarantee is the positive half.

    References
    ----------
    li-2013, Theorem 4.5; tramer-2015, Theorem 2.

    Examples
    --------
    >>> half = OneSidedDP(math.log(3), Side.NEGATIVE)
    >>> round(one_sided_dp_to_negative_membership(half, BoundedPriors(0.75, 0.75)).gamma, 9)
    2.0
    """
    family = independent(adversary)
    if guarantee.side is not Side.NEGATIVE:
        raise NotApplicable("Expected the negative half, got the positive half.")
    if math.isinf(guarantee.epsilon):
        return NegativeMembership(math.inf, family, Adjacency.ADD_REMOVE)
    with directed() as r:
        low, high = 1 - r(family.high), 1 - r(family.low)
        gamma = upper(gamma_from(r.exp(guarantee.epsilon), low, high))
    return NegativeMembership(max(gamma, 1.0), family, Adjacency.ADD_REMOVE)


@theorem(
    "li-2013, Theorem 4.5; zhao-2019, Lemma 1",
    states="γ over D_I^[a,b] gives the positive half, e^ε = min((1−a)γ/(1−aγ), (γ+b−1)/b).",
)
def positive_membership_to_one_sided_dp(guarantee: PositiveMembership) -> OneSidedDP:
    r"""Positive membership privacy against independent beliefs is half of add-remove DP.

    The family holds every belief in [a, b] about one entity together with certainty about all
    others, and for one prior p the threshold is exact: PMP holds iff the ratio is at most
    :math:`g(p)`, which first rises and then falls in p, so the ends of the interval decide.

    Raises
    ------
    NotApplicable
        If the guarantee is given the size, has exceptions, or its family knows certainty only.

    References
    ----------
    li-2013, Theorems 3.6 and 4.5; zhao-2019, Lemma 1; tramer-2015, Theorem 2.

    Examples
    --------
    >>> one = PositiveMembership(2.0, BoundedPriors(0.5, 0.5), adjacency=Adjacency.ADD_REMOVE)
    >>> round(positive_membership_to_one_sided_dp(one).epsilon, 6)
    1.098612
    """
    if guarantee.adjacency is not Adjacency.ADD_REMOVE:
        raise NotApplicable("Expected an add-remove guarantee, got replace-one.")
    if guarantee.exceedance:
        raise NotApplicable(f"Expected no exception, got exceedance={guarantee.exceedance}.")
    family = uncertain(guarantee.adversary)
    if math.isinf(guarantee.gamma):
        return OneSidedDP(math.inf, Side.POSITIVE)
    with directed() as r:
        ratio = ratio_from(r(guarantee.gamma), r(family.low), r(family.high))
        return OneSidedDP(max(upper(r.log(ratio)), 0.0), Side.POSITIVE)


@theorem(
    "li-2013, Theorem 4.5; zhao-2019, Lemma 1",
    states="γ over D_I^[a,b] gives the negative half, e^ε = min(bγ/(1−(1−b)γ), (γ−a)/(1−a)).",
)
def negative_membership_to_one_sided_dp(guarantee: NegativeMembership) -> OneSidedDP:
    """Negative membership privacy against independent beliefs is the other half of add-remove DP.

    The positive statement with presence and absence exchanged, so the interval is reflected.

    Raises
    ------
    NotApplicable
        If the guarantee is given the size, or its family knows certainty only.

    References
    ----------
    li-2013, Theorems 3.6 and 4.5; tramer-2015, Theorem 2.

    Examples
    --------
    >>> one = NegativeMembership(2.0, BoundedPriors(0.5, 0.5), Adjacency.ADD_REMOVE)
    >>> negative_membership_to_one_sided_dp(one).side.value
    'negative'
    """
    if guarantee.adjacency is not Adjacency.ADD_REMOVE:
        raise NotApplicable("Expected an add-remove guarantee, got replace-one.")
    family = uncertain(guarantee.adversary)
    if math.isinf(guarantee.gamma):
        return OneSidedDP(math.inf, Side.NEGATIVE)
    with directed() as r:
        ratio = ratio_from(r(guarantee.gamma), 1 - r(family.high), 1 - r(family.low))
        return OneSidedDP(max(upper(r.log(ratio)), 0.0), Side.NEGATIVE)
