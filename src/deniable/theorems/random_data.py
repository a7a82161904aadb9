"""Guarantees that count on random data: sampled entities, or records drawn from a law."""

import math

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, ApproxDP, BayesianDP, KAnonymity, PureDP, SamplingDP
from deniable.numerics.rounding import Ball, directed, upper
from deniable.theorems._records import check_every_size
from deniable.theorems._theorem import theorem


@theorem(
    "li-2012, amplification",
    states="(ε, δ) add-remove DP gives (β, ln(1 + β(e^ε − 1)), βδ)-DP under sampling.",
)
def approx_dp_to_sampling_dp(guarantee: ApproxDP, rate: float) -> SamplingDP:
    """Sampling before a differentially private mechanism amplifies its privacy.

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


@theorem(
    "li-2012, amplification",
    states="(β₁, ε₁, δ₁) gives ε₂ = ln(1 + (β₂/β₁)(e^ε₁ − 1)), δ₂ = (β₂/β₁)δ₁ for β₂ <= β₁.",
)
def sampling_dp_to_lower_rate(guarantee: SamplingDP, rate: float) -> SamplingDP:
    """Sampling less amplifies privacy more.

    Raises
    ------
    NotApplicable
        If the rate is larger than the guarantee's.

    References
    ----------
    li-2012, amplification.

    Examples
    --------
    >>> round(sampling_dp_to_lower_rate(SamplingDP(0.2, 1.0), 0.1).epsilon, 6)
    0.620115
    """
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
        if math.isinf(guarantee.epsilon):
            return SamplingDP(rate, math.inf, delta)
        epsilon = upper(r.log1p(share * r.expm1(guarantee.epsilon)))
        return SamplingDP(rate, max(epsilon, 0.0), delta)


@theorem("li-2012, definition", states="(1, ε, δ)-DP under sampling is (ε, δ) add-remove DP.")
def sampling_dp_to_approx_dp(guarantee: SamplingDP) -> ApproxDP:
    """Keeping every entity is no sampling at all.

    Raises
    ------
    NotApplicable
        If entities are left out: the mechanism may publish the data that it is given.

    References
    ----------
    li-2012, definition.

    Examples
    --------
    >>> sampling_dp_to_approx_dp(SamplingDP(1.0, 0.5)).spec
    'approx-dp:0.5,0.0@add-remove'
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

    Raises
    ------
    NotApplicable
        If ε < −ln(1 − β), or every entity is kept.

    References
    ----------
    li-2012, strongly safe k-anonymisation.

    Examples
    --------
    >>> round(k_anonymity_to_sampling_dp(KAnonymity(5), 0.1, 1.0).delta, 7)
    0.0001765
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
    "yang-2015",
    states="ε-DP gives ε-BDP over laws with independent records, and over no others.",
)
def pure_dp_to_bayesian_dp(guarantee: PureDP) -> BayesianDP:
    """Where records are independent, knowing some of them adds nothing.

    Raises
    ------
    NotApplicable
        If the guarantee is of data of one size.

    References
    ----------
    yang-2015 (the definition).

    Examples
    --------
    >>> pure_dp_to_bayesian_dp(PureDP(1.0)).spec
    'bayesian-dp:1.0@independent'
    """
    check_every_size(guarantee)
    return BayesianDP(guarantee.epsilon, guarantee.adjacency, independent=True)


@theorem(
    "yang-2015",
    states="ε-BDP gives ε-DP: no record is left unknown, and every combination is possible.",
)
def bayesian_dp_to_pure_dp(guarantee: BayesianDP) -> PureDP:
    """An adversary who knows all other records is one of those that Bayesian DP faces.

    References
    ----------
    yang-2015 (the adversary who knows all others).

    Examples
    --------
    >>> bayesian_dp_to_pure_dp(BayesianDP(1.0)).spec
    'pure-dp:1.0'
    """
    return PureDP(guarantee.epsilon, guarantee.adjacency)
