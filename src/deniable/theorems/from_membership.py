"""What follows from membership privacy and from halves of differential privacy."""

import math

from deniable.errors import NotApplicable
from deniable.notions import (
    Adjacency,
    MaxPosterior,
    NegativeMembership,
    OneSidedDP,
    PositiveMembership,
    PureDP,
    Side,
)
from deniable.notions.adversaries import BoundedPriors
from deniable.numerics.rounding import directed, upper
from deniable.theorems._theorem import (
    check_neighbours,
    check_no_exception,
    independent,
    ratio_from,
    theorem,
    uncertain,
)
from deniable.theorems.beliefs import pure_dp_to_max_posterior
from deniable.theorems.membership import gamma_of


@theorem(
    "li-2013, Theorem 4.8",
    states="γ over all of D_B gives ε = ln γ replace-one DP.",
    checked=("catalogue.v:positive_membership_to_replace_one_dp",),
)
def positive_membership_to_replace_one_dp(guarantee: PositiveMembership) -> PureDP:
    """Positive membership privacy against every belief given the size is replace-one DP.

    Over D_B^[a,b] with narrower [a, b] see `positive_membership_around_half_to_replace_one_dp`:
    something follows if ½ is in it, and nothing if not. Three entities, one of them in the data,
    each with probability ⅓, and likelihoods 1, 1, 0 meet γ = 1.5 without any ε.
    """
    family = independent(guarantee.adversary)
    check_neighbours(guarantee, Adjacency.REPLACE_ONE)
    check_no_exception(guarantee)
    if (family.low, family.high) != (0.0, 1.0):
        raise NotApplicable(
            f"Expected every belief in [0, 1], got [{family.low}, {family.high}]. "
            "An interval that holds 1/2 gives another ε, any other none."
        )
    with directed() as r:
        return PureDP(max(upper(r.log(r(guarantee.gamma))), 0.0))


@theorem(
    "li-2013, Theorem 4.8, by symmetry",
    states="γ over all of D_B gives ε = ln γ replace-one DP, which is symmetric and has no halves.",
    checked=("catalogue.v:negative_membership_to_replace_one_dp",),
)
def negative_membership_to_replace_one_dp(guarantee: NegativeMembership) -> PureDP:
    """Negative membership privacy against every belief given the size is replace-one DP."""
    mirrored = PositiveMembership(
        guarantee.gamma, guarantee.adversary, adjacency=guarantee.adjacency
    )
    return positive_membership_to_replace_one_dp(mirrored)


@theorem(
    "ours, from zhao-2019, Lemma 1",
    states="γ over D_B^[a,b], a ≤ ½ ≤ b, gives e^ε = min(hγ/(1−(1−h)γ), (γ+h−1)/h), h = min(b, "
    "1−a).",
)
def positive_membership_around_half_to_replace_one_dp(guarantee: PositiveMembership) -> PureDP:
    r"""Positive membership privacy against beliefs on both sides of ½ is replace-one DP.

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
    """
    family = independent(guarantee.adversary)
    check_neighbours(guarantee, Adjacency.REPLACE_ONE)
    check_no_exception(guarantee)
    if not family.low <= 0.5 <= family.high:
        raise NotApplicable(
            f"Expected a family with beliefs of 1/2, got [{family.low}, {family.high}]. "
            "Without them no two entities can stand against each other, and nothing follows."
        )
    with directed() as r:
        low = r.max(r(family.low), 1 - r(family.high))
        return PureDP(max(upper(r.log(ratio_from(r(guarantee.gamma), low, 1 - low))), 0.0))


@theorem(
    "ours, from zhao-2019, Lemma 1",
    states="γ of negative membership over D_B^[a,b] with a ≤ ½ ≤ b gives the ε that positive γ "
    "gives.",
)
def negative_membership_around_half_to_replace_one_dp(guarantee: NegativeMembership) -> PureDP:
    """Negative membership privacy against beliefs on both sides of ½ is replace-one DP.

    Of two entities exactly one of whom is in, what raises the belief in the one lowers that in
    the other: over such pairs, all that the proof needs, the two notions are one.
    """
    mirrored = PositiveMembership(
        guarantee.gamma, guarantee.adversary, adjacency=guarantee.adjacency
    )
    return positive_membership_around_half_to_replace_one_dp(mirrored)


@theorem(
    "li-2013, Theorem 4.5; tramer-2015, Theorem 2",
    states="The positive half gives γ = max((e^ε − 1)b + 1, e^ε/((e^ε − 1)a + 1)) over D_I^[a,b].",
    checked=("catalogue.v:one_sided_dp_to_positive_membership",),
)
def one_sided_dp_to_positive_membership(
    guarantee: OneSidedDP, adversary: BoundedPriors
) -> PositiveMembership:
    """The positive half of add-remove DP is positive membership privacy."""
    family = independent(adversary)
    if guarantee.side is not Side.POSITIVE:
        raise NotApplicable("Expected the positive half, got the negative half.")
    gamma = gamma_of(guarantee.epsilon, family)
    return PositiveMembership(gamma, family, adjacency=Adjacency.ADD_REMOVE)


@theorem(
    "li-2013, Theorem 4.5; tramer-2015, Theorem 2",
    states="The negative half gives γ = max((e^ε−1)(1−a)+1, e^ε/((e^ε−1)(1−b)+1)) over D_I^[a,b].",
    checked=("catalogue.v:one_sided_dp_to_negative_membership",),
)
def one_sided_dp_to_negative_membership(
    guarantee: OneSidedDP, adversary: BoundedPriors
) -> NegativeMembership:
    """The negative half of add-remove DP is negative membership privacy.

    Presence and absence change places, so the interval is reflected.
    """
    family = independent(adversary)
    if guarantee.side is not Side.NEGATIVE:
        raise NotApplicable("Expected the negative half, got the positive half.")
    gamma = gamma_of(guarantee.epsilon, family, doubts=True)
    return NegativeMembership(gamma, family, Adjacency.ADD_REMOVE)


@theorem(
    "li-2013, Theorem 4.5; zhao-2019, Lemma 1",
    states="γ over D_I^[a,b] gives the positive half, e^ε = min((1−a)γ/(1−aγ), (γ+b−1)/b).",
    checked=("narrower_beliefs.v:positive_membership_to_one_sided_dp",),
)
def positive_membership_to_one_sided_dp(guarantee: PositiveMembership) -> OneSidedDP:
    """Positive membership privacy against independent beliefs is half of add-remove DP.

    The family holds every belief in [a, b] about one entity together with certainty about all
    others, and for one prior p the threshold is exact: PMP holds iff the ratio is at most
    :math:`g(p)`, which first rises and then falls in p, so the ends of the interval decide
    (li-2013, Theorems 3.6 and 4.5; zhao-2019, Lemma 1; tramer-2015, Theorem 2).
    """
    check_neighbours(guarantee, Adjacency.ADD_REMOVE)
    check_no_exception(guarantee)
    family = uncertain(guarantee.adversary)
    with directed() as r:
        ratio = ratio_from(r(guarantee.gamma), r(family.low), r(family.high))
        return OneSidedDP(max(upper(r.log(ratio)), 0.0), Side.POSITIVE)


@theorem(
    "li-2013, Theorem 4.5; zhao-2019, Lemma 1",
    states="γ over D_I^[a,b] gives the negative half, e^ε = min(bγ/(1−(1−b)γ), (γ−a)/(1−a)).",
)
def negative_membership_to_one_sided_dp(guarantee: NegativeMembership) -> OneSidedDP:
    """Negative membership privacy against independent beliefs is the other half of add-remove DP.

    The positive statement with presence and absence exchanged, so the interval is reflected
    (li-2013, Theorems 3.6 and 4.5; tramer-2015, Theorem 2).
    """
    check_neighbours(guarantee, Adjacency.ADD_REMOVE)
    family = uncertain(guarantee.adversary)
    with directed() as r:
        ratio = ratio_from(r(guarantee.gamma), 1 - r(family.high), 1 - r(family.low))
        return OneSidedDP(max(upper(r.log(ratio)), 0.0), Side.NEGATIVE)


@theorem(
    "tramer-2015, Equation 9",
    states="The positive half keeps beliefs at or below p to e^ε p/((e^ε − 1)p + 1), rounded up.",
    checked=("catalogue.v:one_sided_dp_to_max_posterior",),
)
def one_sided_dp_to_max_posterior(guarantee: OneSidedDP, prior: float) -> MaxPosterior:
    """The positive half of add-remove DP caps posteriors."""
    # tramer-2015, Lemma 2 and Equation 9.
    if guarantee.side is not Side.POSITIVE:
        raise NotApplicable("Expected the positive half, got the negative half.")
    return pure_dp_to_max_posterior(PureDP(guarantee.epsilon, Adjacency.ADD_REMOVE), prior)


@theorem(
    "li-2013, Equation 3",
    states="γ keeps beliefs at or below p to min(γp, (γ − 1 + p)/γ), rounded up.",
    checked=("catalogue.v:positive_membership_to_max_posterior",),
)
def positive_membership_to_max_posterior(
    guarantee: PositiveMembership, prior: float
) -> MaxPosterior:
    """Positive membership privacy caps posteriors.

    The guarantee has to hold for every belief at or below p about one entity and every belief
    about the others. D_I^[0,b] holds certainty about the others, and a mixture over them shows no
    more than one of its parts; in D_B^[0,b] with b < 1 the size ties the others' beliefs to the
    one in question, and nobody may be believed in by more than b: with b = 0.3 and one of two
    entities in the data, the family holds no belief that is uncertain.
    """
    family = independent(guarantee.adversary)
    if family.low > 0 or prior > family.high:
        raise NotApplicable(
            f"Expected a guarantee for every belief in [0, {prior}], got "
            f"[{family.low}, {family.high}]."
        )
    if guarantee.adjacency is Adjacency.REPLACE_ONE and family.high < 1:
        raise NotApplicable(
            f"Expected a guarantee for every belief about the others too, got [{family.low}, "
            f"{family.high}] of replace-one. Start from its DP."
        )
    if prior in (0.0, 1.0) or math.isinf(guarantee.gamma):
        return MaxPosterior(float(prior > 0), prior, guarantee.exceedance, guarantee.adjacency)
    with directed() as r:
        gamma, p = r(guarantee.gamma), r(prior)
        cap = upper(r.min(gamma * p, (gamma - 1 + p) / gamma))
    return MaxPosterior(min(cap, 1.0), prior, guarantee.exceedance, guarantee.adjacency)
