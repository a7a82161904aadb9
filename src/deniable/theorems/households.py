"""Conclusions about one person when the memberships of a household are tied to each other.

Notation of the proofs: z = e^ε of one person, m = k − 1 others of a household of k at most, R their
memberships, and f(i, r) the probability of an output with the person in or out and the others at
r, averaged over all other households. f changes by a factor of at most z with each member. Every
theorem bounds e^ε' = z', the largest ratio of E f under the law given "in" to E f under the law
given "out", and of its inverse, no matter whose memberships are known.

The person's ε is what adds up over releases: ε' is read once from the sum. Values of ε' do not add
(three releases can leak ln 36 where each leaks ln 3).
"""

import math
from collections.abc import Callable
from typing import TypeVar

import attrs

from deniable.errors import NotApplicable
from deniable.notions import (
    ZCDP,
    Adjacency,
    Advantage,
    ApproxDP,
    AttackSuccess,
    BayesianDP,
    GaussianDP,
    MaxPosterior,
    PositiveMembership,
    PrivacyLossTail,
    PureDP,
)
from deniable.notions.adversaries import BoundedPriors
from deniable.notions.households import Households
from deniable.numerics.rounding import Ball, Directed, directed, greatest_within, lower, upper
from deniable.theorems._theorem import check_every_size, check_neighbours, theorem
from deniable.theorems.attacks import (
    approx_dp_to_advantage,
    approx_dp_to_attack_success,
    gaussian_dp_to_advantage,
    zcdp_to_advantage,
)
from deniable.theorems.beliefs import pure_dp_to_max_posterior
from deniable.theorems.gaussian import gaussian_dp_to_privacy_loss_tail
from deniable.theorems.membership import pure_dp_to_positive_membership
from deniable.theorems.pure_and_approximate import (
    pure_dp_to_approx_dp,
    zcdp_to_privacy_loss_tail,
)

_MOST = 2.0**14
"""ε of a person up to which one is searched that keeps a household's."""


def _ratio_of_odds(r: Directed, z: Ball, omega: Ball, spread: Ball) -> Ball:
    """z((1 + √(ΩT))/(√Ω + √T))², T = z^m: attained by others who are all in or all out."""
    # The conditional odds ratios multiply to Ω = ψ^m along a path from one combination of
    # memberships to another. With L the likelihood ratio of R and g = f(out, ·), both of spread at
    # most Ω and T, E[Lg]/(E[L]E[g]) is linear-fractional in L and in g: largest where both take
    # their ends on one set, of odds o, as (1 + o)(1 + oΩT)/((1 + oΩ)(1 + oT)), so at o = (ΩT)^−½.
    return z * ((1 + r.sqrt(omega * spread)) / (r.sqrt(omega) + r.sqrt(spread))) ** 2


def _ratio_of_one_inclination(r: Directed, z: Ball, c: Ball, others: int) -> Ball:
    """z E(1 + (z − 1)U)^m with U ~ Beta(1, s) and s = 1/c − 1: approached as the mean nears 0."""
    # The memberships are positively affiliated, so the noisy count is the worst mechanism (the
    # four functions theorem, with Pr_in·f and Pr_out·z^|r|). Given "in" the inclination is
    # U + (1 − U)W, given "out" (1 − U)W, with W ~ Beta(a, b) independent of U; and
    # 1 + (z − 1)(U + (1 − U)W) <= (1 + (z − 1)U)(1 + (z − 1)(1 − U)W), whose factors move
    # oppositely with U. E U^j is the product below. Known members lower m and c.
    total = term = r(1)
    for j in range(1, others + 1):
        term = term * (others - j + 1) * (z - 1) * c / (1 - c + j * c)
        total = total + term
    return z * total


def household_epsilon(epsilon: float, households: Households) -> float:
    """Return ε' of a household from the ε of one person, rounded up.

    Parameters
    ----------
    epsilon : float
        The add-remove ε of one person, >= 0, summed over all releases.
    households : Households
        The most people of one household, and how their memberships are tied.

    Examples
    --------
    >>> round(household_epsilon(math.log(2), Households(2, odds_ratio=4)), 6)
    0.922161
    """
    others = households.size - 1
    with directed() as r:
        z = r.exp(epsilon)
        match households.model:
            case None:
                return upper(r(epsilon) * households.size)
            case ["odds_ratio", psi]:
                ratio = _ratio_of_odds(r, z, r(psi) ** others, z**others)
            case ["icc", c]:
                ratio = _ratio_of_one_inclination(r, z, r(c), others)
            case [_, c]:
                # Both laws are (1 − c)·common + c·rest, and f lies within a factor z^m of its least
                # value. Given the membership of one other member the remaining two laws may be
                # anything.
                ratio = (1 - r(c)) * z + r(c) * z ** (others + 1)
                ratio = ratio if others < 2 else r.max(ratio, z**others)
        return max(upper(r.log(ratio)), epsilon)


def person_epsilon(target: float, households: Households) -> float:
    """Return the largest ε of one person that keeps a household's ε' at `target`, rounded down.

    Examples
    --------
    >>> round(person_epsilon(math.log(9), Households(4, icc=0.2)), 4)
    1.0704
    """
    if math.isinf(target):
        return math.inf
    return greatest_within(
        lambda epsilon: household_epsilon(epsilon, households), target, 0.0, min(target, _MOST)
    )


def loss_with_records(
    guarantee: PureDP | ZCDP, households: Households, exceedance: float = 0.0
) -> float:
    """Return the loss about one member if the others' records depend on their presence, rounded up.

    The person comes or goes, and each of the k − 1 others exchanges one record for another: 2k − 1
    changes. An odds ratio that bounds the law of the others' records, as `Households` says it of
    memberships, moves the loss by ln Ω at most, of a pure guarantee by less: T is z^2m.
    """
    others = households.size - 1
    spread = tail_spread(households) or math.inf
    with directed() as r:
        if isinstance(guarantee, PureDP):
            tied = upper(r(guarantee.epsilon) * (2 * others + 1))
            z = r.exp(guarantee.epsilon)
            return min(tied, upper(r.log(_ratio_of_odds(r, z, r.exp(spread), z ** (2 * others)))))
        # As `zcdp_to_privacy_loss_tail` bounds it: ρ + 2√(ρ ln(1/X)).
        rho, rare = r(guarantee.rho), -r.log(r(exceedance))
        tied = of_group(guarantee, 2 * others + 1).rho
        moved = upper(r(tied) + 2 * r.sqrt(r(tied) * rare))
        return min(moved, upper(r(spread) + rho + 2 * r.sqrt(rho * rare)))


@theorem(
    "dwork-roth-2014, Theorem 2.2; own, what-households-do-to-a-guarantee.md",
    states="ε add-remove DP gives ε' over households of up to k whose memberships are tied: kε, or "
    "less under a model; 2ε of members of households that are the entities.",
)
def pure_dp_to_bayesian_dp_of_households(guarantee: PureDP, households: Households) -> BayesianDP:
    """Return the Bayesian DP that pure DP gives where households belong together.

    Without a model ε' = kε. With an odds ratio ψ, z' = z((1 + √(ΩT))/(√Ω + √T))² with Ω = ψ^m and
    T = z^m; with an intra-class correlation c, z' = z Σ_j C(m,j)(z − 1)^j / C(1/c − 1 + j, j); with
    a difference c, z' = max((1 − c)z + c z^k, z^m). If the households themselves are the entities,
    a member who comes or goes changes one of them: ε' = 2ε, whatever is tied within. Not applicable
    to replace-one neighbours: with the number of people public, households of different sizes
    differ by more than k exchanges.
    """
    check_neighbours(guarantee, Adjacency.ADD_REMOVE)
    check_every_size(guarantee)
    epsilon = household_epsilon(guarantee.epsilon, households)
    return BayesianDP(epsilon, Adjacency.ADD_REMOVE, households=households)


@theorem(
    "tramer-2015, Theorem 2, with the ratio of a household",
    states="ε' over households gives γ = max((e^ε' − 1)b + 1, e^ε'/((e^ε' − 1)a + 1)) over "
    "beliefs in [a, b].",
)
def bayesian_dp_of_households_to_positive_membership(
    guarantee: BayesianDP, adversary: BoundedPriors
) -> PositiveMembership:
    """Return the γ that a bound on a household's likelihood ratio gives."""
    one = pure_dp_to_positive_membership(_about_one(guarantee), adversary)
    return attrs.evolve(one, households=guarantee.households)


@theorem(
    "tramer-2015, Equation 9, with the ratio of a household",
    states="ε' over households keeps beliefs at or below p to e^ε' p/((e^ε' − 1)p + 1), rounded "
    "up.",
)
def bayesian_dp_of_households_to_max_posterior(guarantee: BayesianDP, prior: float) -> MaxPosterior:
    """Return the largest belief in one person that a household's likelihood ratio allows."""
    one = pure_dp_to_max_posterior(_about_one(guarantee), prior)
    return attrs.evolve(one, households=guarantee.households)


def _about_one(guarantee: BayesianDP) -> PureDP:
    """What a guarantee over households is about one of their members."""
    check_neighbours(guarantee, Adjacency.ADD_REMOVE)
    if guarantee.households is None:
        raise NotApplicable("Expected a guarantee over households, got one over other laws.")
    return PureDP(guarantee.epsilon, guarantee.adjacency)


@theorem(
    "kairouz-oh-viswanath-2015, Theorem 2.1, with the ratio of a household",
    states="ε' over households keeps the success of attacks with prior ½ to e^ε'/(e^ε' + 1), "
    "rounded up.",
)
def bayesian_dp_of_households_to_attack_success(guarantee: BayesianDP) -> AttackSuccess:
    """Return the largest success of a guess about one person that a household's ratio allows."""
    one = approx_dp_to_attack_success(pure_dp_to_approx_dp(_about_one(guarantee)))
    return attrs.evolve(one, households=guarantee.households)


@theorem(
    "humphries-2020, Theorem 3, with the ratio of a household",
    states="ε' over households gives an advantage of at most (e^ε' − 1)/(e^ε' + 1), rounded up.",
)
def bayesian_dp_of_households_to_advantage(guarantee: BayesianDP) -> Advantage:
    """Return the largest advantage about one person that a household's ratio allows."""
    one = approx_dp_to_advantage(pure_dp_to_approx_dp(_about_one(guarantee)))
    return attrs.evolve(one, households=guarantee.households)


N = TypeVar("N", bound=ApproxDP | GaussianDP | ZCDP)


def of_group(guarantee: N, size: int) -> N:
    """Return the guarantee about so many people at once: k²ρ, kμ, or (kε, δ Σ_j e^(jε)), j < k.

    The lattice slack of discrete noise grows by √k at most; k times it is on the safe side.
    """
    with directed() as r:
        match guarantee:
            case ZCDP():
                return attrs.evolve(guarantee, rho=upper(r(guarantee.rho) * size**2))
            case GaussianDP():
                mu, slack = (upper(r(each) * size) for each in (guarantee.mu, guarantee.slack))
                return attrs.evolve(guarantee, mu=mu, slack=slack)
            case ApproxDP():
                one = r(guarantee.epsilon)
                steps = sum(((one * each).exp() for each in range(size)), r(0))
                delta = min(upper(r(guarantee.delta) * steps), 1.0)
                return attrs.evolve(guarantee, epsilon=upper(one * size), delta=delta)


def tail_spread(households: Households) -> float | None:
    """Return ln Ω, by which an odds ratio moves a loss at most; infinite for ties of any kind.

    The other models say nothing of losses that are passed now and then: None.
    """
    match households.model:
        case None:
            return math.inf
        case ["odds_ratio", psi]:
            with directed() as r:
                return upper(r.log(r(psi)) * (households.size - 1))
        case _:
            return None


def _tail(
    one: Callable[..., PrivacyLossTail],
    guarantee: ZCDP | GaussianDP,
    epsilon: float,
    households: Households,
) -> PrivacyLossTail:
    """The tail that all changes of a household have, or one person's, moved by an odds ratio."""
    # Laws of R given "in" and "out" are averages, and both tails survive averaging: pairs of two
    # data sets lie at most k changes apart. With an odds ratio Pr[y|out] >= Σ_r Pr[r|in]
    # M(y|out, r)/Ω, and the mixtures Σ_r Pr[r|in] M(y|in, r) and Σ_r Pr[r|in] M(y|out, r) are of
    # neighbours with equal weights. Exchange "in" and "out" for the reverse.
    spread = tail_spread(households)
    if spread is None:
        raise NotApplicable(
            f"Expected ties of any kind or an odds ratio with an exceedance, got {households}. "
            "Start from pure DP."
        )
    exceedance = one(of_group(guarantee, households.size), epsilon).exceedance
    if spread < epsilon:
        with directed() as r:
            left = lower(r(epsilon) - r(spread))
        exceedance = min(exceedance, one(guarantee, max(left, 0.0)).exceedance)
    return PrivacyLossTail(epsilon, exceedance, guarantee.adjacency, households)


@theorem(
    "bun-steinke-2016, Proposition 1.9; own, what-households-do-to-a-guarantee.md",
    states="ρ-zCDP gives households of up to k the tail of k²ρ, or of one person's loss plus "
    "(k − 1) ln ψ under an odds ratio ψ.",
)
def zcdp_to_privacy_loss_tail_of_households(
    guarantee: ZCDP, epsilon: float, households: Households
) -> PrivacyLossTail:
    """Return how often the loss about a member of a household passes ε."""
    check_neighbours(guarantee, Adjacency.ADD_REMOVE)
    return _tail(zcdp_to_privacy_loss_tail, guarantee, epsilon, households)


@theorem(
    "dong-roth-su-2022, Theorem 2.14; own, what-households-do-to-a-guarantee.md",
    states="μ-GDP gives households of up to k the tail of kμ, or of one person's loss plus "
    "(k − 1) ln ψ under an odds ratio ψ.",
)
def gaussian_dp_to_privacy_loss_tail_of_households(
    guarantee: GaussianDP, epsilon: float, households: Households
) -> PrivacyLossTail:
    """Return how often the loss about a member of a household passes ε."""
    check_neighbours(guarantee, Adjacency.ADD_REMOVE)
    return _tail(gaussian_dp_to_privacy_loss_tail, guarantee, epsilon, households)


@theorem(
    "bun-steinke-2016, Proposition 1.9, and the advantage of k²ρ",
    states="ρ-zCDP gives households of up to k, tied in any way, the advantage of k²ρ.",
)
def zcdp_to_advantage_of_households(guarantee: ZCDP, households: Households) -> Advantage:
    """Return the largest advantage about a member of a household."""
    check_neighbours(guarantee, Adjacency.ADD_REMOVE)
    group = of_group(guarantee, _changes(households))
    return attrs.evolve(zcdp_to_advantage(group), households=households)


@theorem(
    "dong-roth-su-2022, Theorem 2.14, and the advantage of kμ",
    states="μ-GDP gives households of up to k, tied in any way, the advantage of kμ.",
)
def gaussian_dp_to_advantage_of_households(
    guarantee: GaussianDP, households: Households
) -> Advantage:
    """Return the largest advantage about a member of a household."""
    check_neighbours(guarantee, Adjacency.ADD_REMOVE)
    group = of_group(guarantee, _changes(households))
    return attrs.evolve(gaussian_dp_to_advantage(group), households=households)


def _changes(households: Households) -> int:
    """The most entities that come or go at once; no model bounds an advantage but by the loss."""
    if households.model is not None:
        raise NotApplicable(
            f"Expected ties of any kind with an advantage of noise with delta, got {households}. "
            "Leave the model out."
        )
    return households.size
