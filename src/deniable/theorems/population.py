"""Population privacy: the adversary knows the parent set, not which part of it was drawn.

Guarantees that count on random data: sampled entities, or records drawn from a law.
"""

import math

import attrs

from deniable.errors import NotApplicable
from deniable.notions import (
    Adjacency,
    ApproxDP,
    AttackSuccess,
    BayesianDP,
    KAnonymity,
    PopulationPosterior,
    PopulationPrivacy,
    PureDP,
    SamplingDP,
    Setting,
)
from deniable.numerics.rounding import Ball, directed, lower, upper
from deniable.theorems._theorem import check_every_size, check_size_at_hand, theorem
from deniable.theorems.attacks import approx_dp_to_attack_success


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


@theorem(
    "lowy-2024, Proposition 5; δ and other sizes: convexity",
    states="(ε, δ) replace-one DP gives (ε, δ)-population privacy, whatever the parent set.",
)
def approx_dp_to_population(guarantee: ApproxDP) -> PopulationPrivacy:
    """Replace-one DP is population privacy for every parent set.

    A uniform subset with a record becomes one without it by exchanging that record for a
    uniform other one, so the two laws are mixtures of neighbours.

    Raises
    ------
    NotApplicable
        If the guarantee is add-remove: the number of records is fixed.

    References
    ----------
    lowy-2024, Proposition 5 (δ = 0 and N = 2n; by convexity for every δ and N).

    Examples
    --------
    >>> approx_dp_to_population(ApproxDP(0.5, 0.0)).spec
    'population:0.5,0.0@every-parent-set'
    """
    if guarantee.adjacency is not Adjacency.REPLACE_ONE:
        raise NotApplicable("Expected a replace-one guarantee, got add-remove.")
    return PopulationPrivacy(
        guarantee.epsilon, guarantee.delta, guarantee.records, every_parent_set=True
    )


@theorem("lowy-2024, Definition 2", states="(ε, δ) whatever the parent set is (ε, δ) for each one.")
def population_to_one_parent_set(guarantee: PopulationPrivacy) -> PopulationPrivacy:
    """From every parent set to one of them.

    Raises
    ------
    NotApplicable
        If the guarantee is for one parent set already.

    References
    ----------
    lowy-2024, Definition 2.

    Examples
    --------
    >>> population_to_one_parent_set(PopulationPrivacy(0.5, every_parent_set=True)).spec
    'population:0.5,0.0'
    """
    if not guarantee.every_parent_set:
        raise NotApplicable("Expected a guarantee for every parent set, got one for one of them.")
    return attrs.evolve(guarantee, every_parent_set=False)


@theorem(
    "lowy-2024, Corollary 4, mended",
    states="(ε, δ) for one of every two records gives (ε, δ) replace-one DP of data of one record.",
)
def population_to_approx_dp(guarantee: PopulationPrivacy) -> ApproxDP:
    """Population privacy of one record out of two is replace-one DP.

    Of data of more records it says nothing: they may be published as they are.

    Raises
    ------
    NotApplicable
        If the data hold more than one record, their number is not stated, or only one parent
        set is spoken of.

    References
    ----------
    lowy-2024, Corollary 4, with its δ mended.

    Examples
    --------
    >>> one = PopulationPrivacy(0.5, 1e-6, size=1, every_parent_set=True)
    >>> population_to_approx_dp(one).spec
    'approx-dp:0.5,1e-06@records-1'
    """
    if guarantee.size != 1:
        raise NotApplicable(f"Expected data of one record, got size={guarantee.size}.")
    if not guarantee.every_parent_set:
        raise NotApplicable("Expected a guarantee for every parent set, got one for one of them.")
    return ApproxDP(guarantee.epsilon, guarantee.delta, records=1)


@theorem(
    "lowy-2024, Lemma 6; δ: kairouz-oh-viswanath-2015, Theorem 2.1",
    states="No attack with prior ½ is right more often than (e^ε + δ)/(e^ε + 1), rounded up.",
)
def population_to_attack_success(guarantee: PopulationPrivacy) -> AttackSuccess:
    """Population privacy bounds the success of attacks on data drawn from the parent set.

    Raises
    ------
    NotApplicable
        If the guarantee names a size.

    References
    ----------
    lowy-2024, Lemma 6 (δ = 0); kairouz-oh-viswanath-2015, Theorem 2.1 (δ > 0).

    Examples
    --------
    >>> population_to_attack_success(PopulationPrivacy(0.0)).spec
    'attack-success:0.5@population'
    """
    check_size_at_hand(guarantee)
    pair = ApproxDP(guarantee.epsilon, guarantee.delta)
    return attrs.evolve(approx_dp_to_attack_success(pair), setting=Setting.POPULATION)


@theorem(
    "lowy-2024, Lemma 3, sharpened; every prior",
    states="Beliefs within (ε, δ) at prior ½ give (ε, δ)-population privacy; at others a larger δ.",
)
def population_posterior_to_population(guarantee: PopulationPosterior) -> PopulationPrivacy:
    r"""What a release may do to the belief in a record bounds what it may do to likelihoods.

    Write p and q for the probabilities of an event given the record in, and out, t for the
    belief after it. At prior ½ the hypothesis reads p − e^ε q <= δ(p + q), the same with p and
    q exchanged. Where p + q <= 1 that is the claim. Otherwise look at the complement, where
    p' + q' = 2 − p − q < 1, from the other side:

        (q' − e^ε p') − (p − e^ε q) = (e^ε − 1)(p + q − 1) >= 0,

    so p − e^ε q <= δ(p' + q') <= δ. ∎

    At any prior π the hypothesis says that the odds t/(1 − t) stay within [1/K, K],
    K = (e^ε + δ)/(1 − δ), so p <= a q and q <= b p with a = K(1 − π)/π, b = Kπ/(1 − π), and

    .. math:: p - e^\epsilon q \le \frac{(b - 1)(a - e^\epsilon)}{ab - 1},

    and the same with a and b exchanged: between two points with these ratios, which attain it.
    At π = ½ that is δ again, so the bound is attained for every ε and δ.

    Raises
    ------
    NotApplicable
        If the prior itself is outside the range, so that no release keeps to it.

    References
    ----------
    lowy-2024, Lemma 3 (prior ½, with 2δ where δ suffices).

    Examples
    --------
    >>> population_posterior_to_population(PopulationPosterior(1.0, 0.1, 0.5)).spec
    'population:1.0,0.1'
    >>> found = population_posterior_to_population(PopulationPosterior(1.0, 0.1, 0.4))
    >>> found.epsilon, round(found.delta, 4)
    (1.0, 0.2444)
    """
    epsilon, delta = guarantee.epsilon, guarantee.delta
    if guarantee.share == 0.5:
        # A size says that the parent set holds twice as many; without one every share is meant.
        every = guarantee.every_parent_set and guarantee.size is not None
        return PopulationPrivacy(epsilon, delta, guarantee.size, every)
    if delta == 1 or math.isinf(epsilon):
        return PopulationPrivacy(epsilon, delta)
    with directed() as r:
        weight, odds = r.exp(epsilon), r(guarantee.share) / (1 - r(guarantee.share))
        most = (weight + r(delta)) / (1 - r(delta))
        a, b = most / odds, most * odds
        if upper(a) < 1 or upper(b) < 1:
            raise NotApplicable(
                "Expected beliefs that the prior itself keeps to, got a prior outside their "
                f"range: {guarantee.spec}."
            )
        if lower(a * b) <= 1:
            return PopulationPrivacy(epsilon, 1.0)
        first, second = (b - 1) * (a - weight), (a - 1) * (b - weight)
        least_delta = upper(r.max(first, second, r(0)) / (a * b - 1))
    return PopulationPrivacy(epsilon, min(least_delta, 1.0))


@theorem(
    "lowy-2024, Lemma 3",
    states="Beliefs within (ε, δ) at prior ½ give (ε, 2δ)-population privacy; δ itself suffices.",
)
def population_posterior_to_population_as_published(
    guarantee: PopulationPosterior,
) -> PopulationPrivacy:
    """What a release may do to the belief in a record bounds likelihoods, with the published 2δ.

    Raises
    ------
    NotApplicable
        If the share is not ½: the paper samples half of the parent set.

    References
    ----------
    lowy-2024, Lemma 3, (1) to (2).

    Examples
    --------
    >>> population_posterior_to_population_as_published(PopulationPosterior(1.0, 0.1, 0.5)).spec
    'population:1.0,0.2'
    """
    if guarantee.share != 0.5:
        raise NotApplicable(f"Expected share ½, got share={guarantee.share}.")
    every = guarantee.every_parent_set and guarantee.size is not None
    return PopulationPrivacy(
        guarantee.epsilon, min(2 * guarantee.delta, 1.0), guarantee.size, every
    )


@theorem(
    "lowy-2024, Lemma 3",
    states="ε-population privacy of half a parent set keeps beliefs within ε at prior ½; δ = 0 "
    "only.",
)
def population_to_population_posterior(guarantee: PopulationPrivacy) -> PopulationPosterior:
    """Pure population privacy bounds what a release may do to the belief in a record.

    At prior ½ the odds after an event are the ratio of its likelihoods. With δ > 0 nothing
    follows: an output of probability δ given the record in, and 0 given it out, is within
    (0, δ) and leaves a belief of 1, which is within no (ε, δ') with δ' < 1.

    Raises
    ------
    NotApplicable
        If δ > 0, or it is not said that the data are half of the parent set: name their size,
        or every parent set.

    References
    ----------
    lowy-2024, Lemma 3 (for δ = 0 its three forms are equivalent).

    Examples
    --------
    >>> population_to_population_posterior(PopulationPrivacy(0.5, size=8)).spec
    'population-posterior:0.5,0.0,0.5,8'
    """
    if guarantee.delta > 0:
        raise NotApplicable(f"Expected delta = 0, got delta={guarantee.delta}.")
    if guarantee.size is None and not guarantee.every_parent_set:
        raise NotApplicable("Expected data that are half of the parent set, got no size.")
    return PopulationPosterior(
        guarantee.epsilon, 0.0, 0.5, guarantee.size, guarantee.every_parent_set
    )
