"""Population privacy, and membership inference on data drawn from a parent set."""

import math

import attrs

from deniable.errors import NotApplicable
from deniable.notions import (
    Adjacency,
    Advantage,
    ApproxDP,
    AttackSuccess,
    GaussianMembershipInference,
    MembershipInference,
    NoisyGradient,
    PopulationPosterior,
    PopulationPrivacy,
    Setting,
)
from deniable.numerics.bound import Evidence
from deniable.numerics.rounding import directed, lower, upper
from deniable.theorems._theorem import check_neighbours, theorem
from deniable.theorems.attacks import approx_dp_to_attack_success


def check_size_at_hand(guarantee: PopulationPrivacy) -> None:
    """Refuse a guarantee that names a size: attacks are on the data at hand, of whatever size."""
    if guarantee.size is not None:
        raise NotApplicable(
            f"Expected a guarantee for the data at hand, got one for size={guarantee.size}. "
            "Leave the size out if theirs is that."
        )


@theorem(
    "lowy-2024, Proposition 5; δ and other sizes: convexity",
    states="(ε, δ) replace-one DP gives (ε, δ)-population privacy, whatever the parent set.",
)
def approx_dp_to_population(guarantee: ApproxDP) -> PopulationPrivacy:
    """Replace-one DP is population privacy for every parent set.

    A uniform subset with a record becomes one without it by exchanging that record for a
    uniform other one, so the two laws are mixtures of neighbours.

    Not applicable if the guarantee is add-remove: the number of records is fixed.
    """
    check_neighbours(guarantee, Adjacency.REPLACE_ONE)
    return PopulationPrivacy(
        guarantee.epsilon, guarantee.delta, guarantee.records, every_parent_set=True
    )


@theorem("lowy-2024, Definition 2", states="(ε, δ) whatever the parent set is (ε, δ) for each one.")
def population_to_one_parent_set(guarantee: PopulationPrivacy) -> PopulationPrivacy:
    """Privacy over every parent set holds for one of them."""
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
    """Population privacy bounds the success of attacks on data drawn from the parent set."""
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
    """What a release may do to the belief in a record bounds likelihoods, with the published 2δ."""
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
    """
    if guarantee.delta > 0:
        raise NotApplicable(f"Expected delta = 0, got delta={guarantee.delta}.")
    if guarantee.size is None and not guarantee.every_parent_set:
        raise NotApplicable("Expected data that are half of the parent set, got no size.")
    return PopulationPosterior(
        guarantee.epsilon, 0.0, 0.5, guarantee.size, guarantee.every_parent_set
    )


@theorem(
    "lowy-2024, Lemma 13, sharpened",
    states="(ε, δ)-population privacy gives η = (e^ε − 1 + 2δ)/(2(e^ε + 1)), rounded up.",
)
def population_to_membership_inference(guarantee: PopulationPrivacy) -> MembershipInference:
    """Population privacy is membership-inference privacy, with the tight constant."""
    # lowy-2024, Lemma 13, with the tight constant; humphries-2020, Theorem 3.
    check_size_at_hand(guarantee)
    with directed() as r:
        rise = r.expm1(guarantee.epsilon)
        eta = upper((rise + 2 * r(guarantee.delta)) / (2 * (rise + 2)))
    return MembershipInference(min(eta, 0.5))


@theorem(
    "lowy-2024, Lemma 13",
    states="ε-population privacy gives η = (1 − e^−ε)/2, rounded up; (e^ε−1)/(2(e^ε+1)) is tight.",
)
def population_to_membership_inference_as_published(
    guarantee: PopulationPrivacy,
) -> MembershipInference:
    """Population privacy is membership-inference privacy, with the published constant."""
    check_size_at_hand(guarantee)
    if guarantee.delta > 0:
        raise NotApplicable(f"Expected delta = 0, got delta={guarantee.delta}.")
    with directed() as r:
        return MembershipInference(max(0.0, min(upper(-r.expm1(-guarantee.epsilon) / 2), 0.5)))


@theorem(
    "izzo-2022",
    states="η-membership-inference privacy is an advantage of at most 2η over the parent set.",
)
def membership_inference_to_advantage(guarantee: MembershipInference) -> Advantage:
    """Membership-inference privacy bounds the advantage on data drawn from the parent set."""
    # izzo-2022; yeom-2018, Definition 4.
    with directed() as r:
        return Advantage(min(upper(2 * r(guarantee.eta)), 1.0), Setting.POPULATION)


@theorem(
    "izzo-2022", states="An advantage of A, over a parent set or given the size, gives η = A/2."
)
def advantage_to_membership_inference(guarantee: Advantage) -> MembershipInference:
    """An advantage is membership-inference privacy, on another scale."""
    # izzo-2022; yeom-2018, Definition 4.
    if guarantee.setting is Setting.ADD_REMOVE:
        raise NotApplicable("Expected data of a fixed size, got add-remove.")
    with directed() as r:
        return MembershipInference(min(upper(r(guarantee.value) / 2), 0.5))


@theorem(
    "leemann-2023",
    states="One step gives μ = (d + (2m − 1)K)/(m√(2d + 4mK)), m = n + τ²n²/C²: an estimate.",
    evidence=Evidence.ESTIMATE,
)
def noisy_gradient_to_gaussian_membership_inference(
    guarantee: NoisyGradient,
) -> GaussianMembershipInference:
    """A noisy average of gradients, against a population whose gradients look normal.

    The gradients are taken as normal, and the likelihood ratio, a noncentral χ² in d
    dimensions, as normal too: right for large d, never a guarantee, so no derivation passes
    through it. The published program's formula differs for τ > 0 and understates the risk.
    """
    with directed() as r:
        d, n, k = r(guarantee.dimension), r(guarantee.batch), r(guarantee.susceptibility)
        m = n + (r(guarantee.noise) * n / r(guarantee.clip)) ** 2
        mu = (d + (2 * m - 1) * k) / (m * r.sqrt(2 * d + 4 * m * k))
        return GaussianMembershipInference(upper(mu))


@theorem("leemann-2023", states="μ gives η = Φ(μ/2) − ½, rounded up.")
def gaussian_membership_inference_to_membership_inference(
    guarantee: GaussianMembershipInference,
) -> MembershipInference:
    """Gaussian membership inference privacy bounds the success of every attack."""
    # leemann-2023; dong-roth-su-2022, Corollary 1.
    with directed() as r:
        eta = upper(r.normal_cdf(r(guarantee.mu) / 2) - r(1) / 2)
        return MembershipInference(max(0.0, min(eta, 0.5)))
