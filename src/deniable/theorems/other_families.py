"""Membership privacy over other families: narrower, correlated, sampled, or with exceptions."""

import math
from fractions import Fraction

import attrs

from deniable.errors import NotApplicable
from deniable.notions import (
    Adjacency,
    Adversary,
    BayesianDP,
    NegativeMembership,
    PositiveMembership,
    PrivacyLossTail,
    PureDP,
    SamplingDP,
)
from deniable.notions.adversaries import (
    BoundedPriors,
    CorrelatedPriors,
    OneOutOfPriors,
    SampledPriors,
)
from deniable.numerics.rounding import directed, upper
from deniable.theorems._theorem import check_neighbours, check_no_exception, independent, theorem
from deniable.theorems.membership import pure_dp_to_positive_membership


@theorem(
    "definition: li-2013, Definition 3.1",
    states="γ over a family of priors holds over every family inside it: [a, b], 1-out-of-m, D_β.",
)
def positive_membership_to_narrower_prior(
    guarantee: PositiveMembership, adversary: Adversary
) -> PositiveMembership:
    """What holds for a family of priors holds for every family inside it."""
    check_inside(guarantee.adversary, guarantee.adjacency, adversary)
    kept = guarantee.households if isinstance(adversary, BoundedPriors) else None
    return attrs.evolve(guarantee, adversary=adversary, households=kept)


def check_inside(wide: Adversary, adjacency: Adjacency, narrow: Adversary) -> None:
    """Refuse unless every prior of the second family is in the first."""
    family = independent(wide)
    low, high = _beliefs(adjacency, narrow)
    if not Fraction(family.low) <= low <= high <= Fraction(family.high):
        raise NotApplicable(f"Expected beliefs within [{family.low}, {family.high}], got {narrow}.")


def _beliefs(adjacency: Adjacency, narrow: Adversary) -> tuple[Fraction, Fraction]:
    match narrow, adjacency:
        case BoundedPriors(), _:
            return Fraction(narrow.low), Fraction(narrow.high)
        case OneOutOfPriors(), Adjacency.REPLACE_ONE:
            return narrow.belief, narrow.belief
        case SampledPriors(), Adjacency.ADD_REMOVE:
            return narrow.belief, narrow.belief
        case _:
            raise NotApplicable(f"Expected a family of {adjacency} beliefs, got {narrow}.")


@theorem(
    "definition",
    states="γ against doubts over a family of priors holds over every family inside it.",
)
def negative_membership_to_narrower_prior(
    guarantee: NegativeMembership, adversary: Adversary
) -> NegativeMembership:
    """What holds for a family of priors holds for every family inside it, for doubts too."""
    check_inside(guarantee.adversary, guarantee.adjacency, adversary)
    return attrs.evolve(guarantee, adversary=adversary)


@theorem(
    "tramer-2015, Theorem 2, but for rare outputs",
    states="The γ of ε-DP holds, except on outputs of at most the stated total probability.",
)
def privacy_loss_tail_to_positive_membership(
    guarantee: PrivacyLossTail, adversary: BoundedPriors
) -> PositiveMembership:
    """A bounded privacy loss multiplies beliefs as pure DP does, but for rare outputs.

    An output's posterior depends on its likelihood ratio alone, and where that is at most e^ε it
    moves as under ε-DP. Each half of the statement (a belief rises, a doubt falls) has its own
    exception.
    """
    pure = pure_dp_to_positive_membership(PureDP(guarantee.epsilon, guarantee.adjacency), adversary)
    return attrs.evolve(pure, exceedance=guarantee.exceedance, households=guarantee.households)


@theorem("zhao-2019, Theorem 3", states="ε-BDP gives γ = e^ε over its laws D*, rounded up.")
def bayesian_dp_to_positive_membership(guarantee: BayesianDP) -> PositiveMembership:
    """Bayesian DP is membership privacy under the same correlated laws."""
    check_neighbours(guarantee, Adjacency.ADD_REMOVE)
    if guarantee.independent or guarantee.households is not None:
        laws = "independent records" if guarantee.independent else str(guarantee.households)
        raise NotApplicable(
            f"Expected a guarantee over correlated laws, got one over {laws}. "
            "Start from its pure DP."
        )
    with directed() as r:
        gamma = upper(r.exp(guarantee.epsilon))
    return PositiveMembership(max(gamma, 1.0), CorrelatedPriors(), adjacency=Adjacency.ADD_REMOVE)


@theorem(
    "zhao-2019, Theorem 4",
    states="γ over downward scalable laws D*, for presence and absence, gives ε = ln γ, rounded "
    "up.",
)
def positive_membership_to_bayesian_dp(guarantee: PositiveMembership) -> BayesianDP:
    """Membership privacy under scalable correlated laws is Bayesian DP."""
    # zhao-2019, Theorem 4; li-2013, Theorem 3.6.
    adversary = guarantee.adversary
    if adversary != CorrelatedPriors(downward_scalable=True):
        raise NotApplicable(f"Expected downward scalable correlated laws, got {adversary}.")
    check_neighbours(guarantee, Adjacency.ADD_REMOVE)
    check_no_exception(guarantee)
    with directed() as r:
        return BayesianDP(max(upper(r.log(r(guarantee.gamma))), 0.0), guarantee.adjacency)


@theorem(
    "li-2012; li-2013, Theorem 5.10",
    states="(β, ε, 0) gives γ = max(e^ε, (e^ε − 1 + β)/(βe^ε)) over D_β, rounded up.",
)
def sampling_dp_to_positive_membership(guarantee: SamplingDP) -> PositiveMembership:
    """DP under sampling is positive membership privacy against an adversary who knows the rate.

    It says e^−ε <= Pr[¬t|S]/Pr[¬t] <= e^ε under D_β, and only its lower half is used.
    """
    adversary = sampled(guarantee)
    with directed() as r:
        ratio, beta = r.exp(guarantee.epsilon), r(guarantee.beta)
        gamma = upper(r.max(ratio, (ratio - 1 + beta) / (beta * ratio)))
    return PositiveMembership(max(gamma, 1.0), adversary, adjacency=Adjacency.ADD_REMOVE)


def sampled(guarantee: SamplingDP) -> SampledPriors:
    """The family D_β of a guarantee that says something about it."""
    if guarantee.delta > 0:
        raise NotApplicable(f"Expected delta = 0, got delta={guarantee.delta}.")
    if guarantee.beta == 1:
        raise NotApplicable("Expected beta < 1, got beta=1.0.")
    return SampledPriors(guarantee.beta)


@theorem(
    "li-2012; li-2013, Theorem 5.10",
    states="(β, ε, 0) gives γ = max(e^ε, β/(1 − (1 − β)e^ε)) over D_β; none if (1 − β)e^ε >= 1.",
)
def sampling_dp_to_negative_membership(guarantee: SamplingDP) -> NegativeMembership:
    """DP under sampling is negative membership privacy, where absence stays improbable enough.

    It says e^−ε <= Pr[¬t|S]/Pr[¬t] <= e^ε under D_β, and only its upper half is used.
    """
    adversary = sampled(guarantee)
    with directed() as r:
        ratio, beta = r.exp(guarantee.epsilon), r(guarantee.beta)
        left = 1 - (1 - beta) * ratio
        gamma = upper(r.max(ratio, beta / left)) if left > 0 else math.inf
    return NegativeMembership(max(gamma, 1.0), adversary, Adjacency.ADD_REMOVE)


@theorem(
    "li-2012; li-2013, Theorem 5.10",
    states="γ over D_β gives e^ε = max(min(γ, (1 − β)/(1 − βγ)), 1/(1 − β)), the first if βγ < 1.",
)
def positive_membership_to_sampling_dp(guarantee: PositiveMembership) -> SamplingDP:
    r"""Positive membership privacy against an adversary who knows the rate is DP under sampling.

    γ keeps :math:`\Pr[\neg t|S]/\Pr[\neg t]` above the reciprocal of the minimum; that absence
    is never more than certain keeps it below :math:`1/(1-\beta)`.
    """
    adversary = guarantee.adversary
    if not isinstance(adversary, SampledPriors):
        raise NotApplicable(f"Expected the family of sampled entities, got {adversary}.")
    check_no_exception(guarantee)
    with directed() as r:
        gamma, beta = r(guarantee.gamma), r(adversary.rate)
        falls = gamma
        if beta * gamma < 1:
            falls = r.min(gamma, (1 - beta) / (1 - beta * gamma))
        return SamplingDP(adversary.rate, upper(r.log(r.max(falls, 1 / (1 - beta)))))
