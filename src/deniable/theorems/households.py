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

import attrs

from deniable.errors import NotApplicable
from deniable.notions import (
    Adjacency,
    BayesianDP,
    MaxPosterior,
    PositiveMembership,
    PureDP,
)
from deniable.numerics.rounding import Ball, Directed, directed, greatest_within, upper
from deniable.priors import BoundedPriors, Households
from deniable.theorems._theorem import check_every_size, check_neighbours, theorem
from deniable.theorems.beliefs import pure_dp_to_max_posterior
from deniable.theorems.membership import pure_dp_to_positive_membership

_MOST = 2.0**14
"""ε of a person up to which one is searched that keeps a household's."""


def _ratio_of_odds(r: Directed, z: Ball, omega: Ball, others: int) -> Ball:
    """z((1 + √(ΩT))/(√Ω + √T))² with T = z^m: attained by others who are all in or all out."""
    # The conditional odds ratios multiply to Ω = ψ^m along a path from one combination of
    # memberships to another. With L the likelihood ratio of R and g = f(out, ·), both of spread at
    # most Ω and T, E[Lg]/(E[L]E[g]) is linear-fractional in L and in g: largest where both take
    # their ends on one set, of odds o, as (1 + o)(1 + oΩT)/((1 + oΩ)(1 + oT)), so at o = (ΩT)^−½.
    spread = z**others
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


def _ratio_of_a_difference(r: Directed, z: Ball, c: Ball, others: int) -> Ball:
    """max((1 − c)z + c z^k, z^(k−1)): the second where some member is known."""
    # Both laws are (1 − c)·common + c·rest, and f lies within a factor z^m of its least value.
    # Given the membership of one other member the remaining two laws may be anything.
    nobody_known = (1 - c) * z + c * z ** (others + 1)
    return nobody_known if others < 2 else r.max(nobody_known, z**others)


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
    if math.isinf(epsilon):
        return math.inf
    others = households.size - 1
    with directed() as r:
        z = r.exp(epsilon)
        match households.model:
            case None:
                return upper(r(epsilon) * households.size)
            case ["odds_ratio", psi]:
                ratio = _ratio_of_odds(r, z, r(psi) ** others, others)
            case ["icc", c]:
                ratio = _ratio_of_one_inclination(r, z, r(c), others)
            case [_, c]:
                ratio = _ratio_of_a_difference(r, z, r(c), others)
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


@theorem(
    "dwork-roth-2014, Theorem 2.2; own, what-households-do-to-a-guarantee.md",
    states="ε add-remove DP gives ε' over households of up to k whose memberships are tied: kε, or "
    "less under a model.",
)
def pure_dp_to_bayesian_dp_of_households(guarantee: PureDP, households: Households) -> BayesianDP:
    r"""Return the Bayesian DP that pure DP gives where households come together.

    Without a model ε' = kε. With an odds ratio ψ, z' = z((1 + √(ΩT))/(√Ω + √T))² with Ω = ψ^m and
    T = z^m; with an intra-class correlation c, z' = z Σ_j C(m,j)(z − 1)^j / C(1/c − 1 + j, j); with
    a difference c, z' = max((1 − c)z + c z^k, z^m). Not applicable to replace-one neighbours: with
    the number of people public, households of different sizes differ by more than k exchanges.

    >>> one = PureDP(0.5, Adjacency.ADD_REMOVE)
    >>> pure_dp_to_bayesian_dp_of_households(one, Households(3)).spec
    'bayesian-dp:1.5@add-remove@households-3'
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
    """Return the γ that a bound on a household's likelihood ratio gives.

    >>> one = BayesianDP(0.0, Adjacency.ADD_REMOVE, households=Households(2))
    >>> bayesian_dp_of_households_to_positive_membership(one, BoundedPriors(0.1, 0.5)).spec
    'positive-membership:1.0@add-remove@0.1-0.5@households-2'
    """
    households = _households(guarantee)
    one = pure_dp_to_positive_membership(PureDP(guarantee.epsilon, guarantee.adjacency), adversary)
    return attrs.evolve(one, households=households)


@theorem(
    "tramer-2015, Equation 9, with the ratio of a household",
    states="ε' over households keeps beliefs at or below p to e^ε' p/((e^ε' − 1)p + 1), rounded "
    "up.",
)
def bayesian_dp_of_households_to_max_posterior(guarantee: BayesianDP, prior: float) -> MaxPosterior:
    """Return the largest belief in one person that a household's likelihood ratio allows.

    >>> one = BayesianDP(1.5, Adjacency.ADD_REMOVE, households=Households(3))
    >>> round(bayesian_dp_of_households_to_max_posterior(one, 0.1).posterior, 4)
    0.3324
    """
    households = _households(guarantee)
    one = pure_dp_to_max_posterior(PureDP(guarantee.epsilon, guarantee.adjacency), prior)
    return attrs.evolve(one, households=households)


def _households(guarantee: BayesianDP) -> Households:
    """The households of a guarantee about them."""
    check_neighbours(guarantee, Adjacency.ADD_REMOVE)
    if guarantee.households is None:
        raise NotApplicable("Expected a guarantee over households, got one over other laws.")
    return guarantee.households
