"""Neighbouring data: add-remove, replace-one, and data that are drawn at random."""

import math

from deniable.errors import NotApplicable
from deniable.notions import (
    ZCDP,
    Adjacency,
    ApproxDP,
    BayesianDP,
    GaussianDP,
    KAnonymity,
    OneSidedDP,
    PureDP,
    SamplingDP,
    Side,
)
from deniable.numerics.rounding import Ball, directed, lower, upper
from deniable.theorems._theorem import check_every_size, check_neighbours, theorem


@theorem(
    "triangle inequality",
    states="ε add-remove DP gives 2ε replace-one DP (exact in binary arithmetic).",
    checked=("catalogue.v:add_remove_dp_to_replace_one_dp",),
)
def add_remove_dp_to_replace_one_dp(guarantee: PureDP) -> PureDP:
    """Exchanging one entity for another is one removal and one addition."""
    check_every_size(guarantee)
    check_neighbours(guarantee, Adjacency.ADD_REMOVE)
    with directed() as r:
        return PureDP(upper(2 * r(guarantee.epsilon)), Adjacency.REPLACE_ONE)


def add_remove_dp_for_replace_one_dp(target: PureDP) -> PureDP:
    """The largest add-remove ε that gives the replace-one target: half of it."""
    with directed() as r:
        return PureDP(lower(r(target.epsilon) / 2), Adjacency.ADD_REMOVE)


@theorem(
    "dwork-roth-2014, groups of two",
    states="(ε, δ) add-remove DP gives (2ε, (1 + e^ε)δ) replace-one DP.",
    checked=("catalogue.v:add_remove_approx_dp_to_replace_one_approx_dp",),
)
def add_remove_approx_dp_to_replace_one_approx_dp(guarantee: ApproxDP) -> ApproxDP:
    """Exchanging one entity is one removal and one addition: δ grows by what lies between."""
    check_every_size(guarantee)
    check_neighbours(guarantee, Adjacency.ADD_REMOVE)
    if math.isinf(guarantee.epsilon):
        return ApproxDP(math.inf, guarantee.delta)
    with directed() as r:
        delta = upper((1 + r.exp(guarantee.epsilon)) * r(guarantee.delta))
        return ApproxDP(upper(2 * r(guarantee.epsilon)), min(delta, 1.0))


@theorem(
    "bun-steinke-2016, Proposition 1.9",
    states="ρ-zCDP under add-remove gives 4ρ-zCDP under replace-one.",
)
def add_remove_zcdp_to_replace_one_zcdp(guarantee: ZCDP) -> ZCDP:
    """Exchanging one entity is one removal and one addition: ρ grows fourfold."""
    check_neighbours(guarantee, Adjacency.ADD_REMOVE)
    with directed() as r:
        return ZCDP(upper(4 * r(guarantee.rho)))


def add_remove_zcdp_for_replace_one_zcdp(target: ZCDP) -> ZCDP:
    """The largest add-remove ρ that gives the replace-one target: a quarter of it."""
    with directed() as r:
        return ZCDP(max(lower(r(target.rho) / 4), 0.0), Adjacency.ADD_REMOVE)


@theorem(
    "dong-roth-su-2022, Theorem 2.14",
    states="μ-GDP under add-remove gives 2μ-GDP under replace-one; the slack doubles at most.",
)
def add_remove_gaussian_dp_to_replace_one_gaussian_dp(guarantee: GaussianDP) -> GaussianDP:
    """Exchanging one entity is one removal and one addition: a Gaussian shift doubles.

    Two whole-number vectors that move d coordinates each differ in 2d at most, so the slack of
    discrete noise grows by the square root of 2; twice it is on the safe side.
    """
    check_neighbours(guarantee, Adjacency.ADD_REMOVE)
    with directed() as r:
        mu, slack = upper(2 * r(guarantee.mu)), upper(2 * r(guarantee.slack))
    return GaussianDP(mu, slack=slack)


@theorem(
    "li-2013, Theorem 4.5",
    states="ε add-remove DP gives each of its halves with the same ε.",
    checked=("catalogue.v:pure_dp_to_one_sided_dp",),
)
def pure_dp_to_one_sided_dp(guarantee: PureDP, side: Side) -> OneSidedDP:
    """Add-remove DP has two halves.

    Not applicable if the guarantee is replace-one, which is symmetric and has no halves.
    """
    check_every_size(guarantee)
    check_neighbours(guarantee, Adjacency.ADD_REMOVE)
    return OneSidedDP(guarantee.epsilon, side)


@theorem(
    "li-2013, Theorem 4.5",
    states="Both halves give add-remove DP with the larger ε; one half alone gives none.",
    checked=("catalogue.v:one_sided_dp_to_pure_dp",),
)
def one_sided_dp_to_pure_dp(positive: OneSidedDP, negative: OneSidedDP) -> PureDP:
    """Both halves of add-remove DP together are add-remove DP."""
    if (positive.side, negative.side) != (Side.POSITIVE, Side.NEGATIVE):
        raise NotApplicable(
            f"Expected the positive and the negative half, got {positive.side} and "
            f"{negative.side}. Prove the other half too."
        )
    return PureDP(max(positive.epsilon, negative.epsilon), Adjacency.ADD_REMOVE)


@theorem(
    "li-2012, amplification",
    states="(ε, δ) add-remove DP gives (β, ln(1 + β(e^ε − 1)), βδ)-DP under sampling.",
)
def approx_dp_to_sampling_dp(guarantee: ApproxDP, rate: float) -> SamplingDP:
    """Sampling before a differentially private mechanism amplifies its privacy.

    Not applicable if the guarantee is replace-one: sampling changes the number of entities.
    """
    check_every_size(guarantee)
    check_neighbours(guarantee, Adjacency.ADD_REMOVE)
    everyone = SamplingDP(1.0, guarantee.epsilon, guarantee.delta)
    return sampling_dp_to_lower_rate(everyone, rate)


@theorem(
    "li-2012, amplification",
    states="(β₁, ε₁, δ₁) gives ε₂ = ln(1 + (β₂/β₁)(e^ε₁ − 1)), δ₂ = (β₂/β₁)δ₁ for β₂ <= β₁.",
)
def sampling_dp_to_lower_rate(guarantee: SamplingDP, rate: float) -> SamplingDP:
    """Sampling less amplifies privacy more."""
    if rate > guarantee.beta:
        raise NotApplicable(
            f"Expected a rate of at most {guarantee.beta}, got {rate}. "
            "Sampling more amplifies less."
        )
    if rate == guarantee.beta:
        return guarantee
    with directed() as r:
        share = r(rate) / r(guarantee.beta)
        delta = min(upper(share * r(guarantee.delta)), 1.0)
        epsilon = upper(r.log1p(share * r.expm1(guarantee.epsilon)))
        return SamplingDP(rate, max(epsilon, 0.0), delta)


@theorem("li-2012, definition", states="(1, ε, δ)-DP under sampling is (ε, δ) add-remove DP.")
def sampling_dp_to_approx_dp(guarantee: SamplingDP) -> ApproxDP:
    """Keeping every entity is no sampling at all.

    Not applicable if entities are left out: the mechanism may publish the data that it is
    given.
    """
    if guarantee.beta != 1:
        raise NotApplicable(f"Expected beta = 1, got beta={guarantee.beta}.")
    return ApproxDP(guarantee.epsilon, guarantee.delta, Adjacency.ADD_REMOVE)


_NEGLIGIBLE = 2.0**-200
"""Share of the largest term below which a geometric series bounds the rest of a sum."""


@theorem(
    "li-2012, strongly safe k-anonymisation",
    states="k after sampling at rate β gives δ = max over n >= ⌈k/γ − 1⌉ of Pr[Bin(n, β) > γn].",
)
def k_anonymity_to_sampling_dp(guarantee: KAnonymity, rate: float, epsilon: float) -> SamplingDP:
    r"""k-anonymity, with groups fixed beforehand, is DP once the data have been sampled.

    Here :math:`\gamma = (e^\epsilon - 1 + \beta)/e^\epsilon` and
    :math:`\epsilon \ge -\ln(1-\beta)`. Among the n with the same ⌊γn⌋ the last has the largest
    tail, and Chernoff's bound says when no later one can pass the largest so far, so finitely
    many tails are summed. An upper bound on the δ that the mechanism really has.
    """
    with directed() as r:
        beta, kept = r(rate), r.exp(-r(epsilon))
        if not (0 < rate < 1 and kept <= 1 - beta):
            raise NotApplicable(
                f"Expected 0 < rate < 1 and epsilon >= -ln(1 - rate), got rate={rate}, "
                f"epsilon={epsilon}. Raise epsilon or lower the rate."
            )
        share = 1 - (1 - beta) * kept
        decay = share * r.log(share / beta) - (1 - share) * r(epsilon)
        largest, at_least = 0.0, guarantee.k
        while True:
            trials = math.ceil(upper(r(at_least) / share)) - 1
            if upper(r.exp(-r(trials) * decay)) <= largest:
                return SamplingDP(rate, epsilon, min(largest, 1.0))
            largest = max(largest, upper(_tail(trials, at_least, beta)))
            at_least += 1


def _tail(trials: int, at_least: int, beta: Ball) -> Ball:
    """Pr[Bin(trials, β) >= at_least], for at_least above the mean."""
    if trials < at_least:
        return 0 * beta
    with directed() as r:
        odds = beta / (1 - beta)
        ratio = r(trials - at_least) / (at_least + 1) * odds
        term = r.binomial(trials, at_least) * beta**at_least * (1 - beta) ** (trials - at_least)
        total, largest, count = term, term, at_least
        while count < trials and not term < largest * r(_NEGLIGIBLE):
            term *= r(trials - count) / (count + 1) * odds
            total += term
            count += 1
        rest = term * ratio / (1 - ratio) if count < trials else r(0)
        return total + rest


@theorem(
    "yang-2015", states="ε-DP gives ε-BDP over laws with independent records, and over no others."
)
def pure_dp_to_bayesian_dp(guarantee: PureDP) -> BayesianDP:
    """Independent records: knowing some of them adds nothing."""
    check_every_size(guarantee)
    return BayesianDP(guarantee.epsilon, guarantee.adjacency, independent=True)


@theorem(
    "yang-2015",
    states="ε-BDP gives ε-DP: no record is left unknown, and every combination is possible.",
)
def bayesian_dp_to_pure_dp(guarantee: BayesianDP) -> PureDP:
    """An adversary who knows all other records is one of those that Bayesian DP faces."""
    return PureDP(guarantee.epsilon, guarantee.adjacency)
