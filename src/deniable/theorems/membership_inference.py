"""Membership inference on data drawn from a parent set, and its advantage."""

import math

from deniable.errors import NotApplicable
from deniable.notions import (
    Advantage,
    GaussianMembershipInference,
    MembershipInference,
    NoisyGradient,
    PopulationPrivacy,
    Setting,
)
from deniable.numerics.bound import Evidence
from deniable.numerics.rounding import directed, upper
from deniable.theorems._records import check_size_at_hand
from deniable.theorems._theorem import theorem


@theorem(
    "lowy-2024, Lemma 13, sharpened",
    states="(ε, δ)-population privacy gives η = (e^ε − 1 + 2δ)/(2(e^ε + 1)), rounded up.",
)
def population_to_membership_inference(guarantee: PopulationPrivacy) -> MembershipInference:
    """Population privacy is membership-inference privacy, with the tight constant.

    Raises
    ------
    NotApplicable
        If the guarantee names a size.

    References
    ----------
    lowy-2024, Lemma 13, with the tight constant; humphries-2020, Theorem 3.

    Examples
    --------
    >>> round(population_to_membership_inference(PopulationPrivacy(math.log(3))).eta, 9)
    0.25
    """
    check_size_at_hand(guarantee)
    if math.isinf(guarantee.epsilon):
        return MembershipInference(0.5)
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
    """Population privacy is membership-inference privacy, with the published constant.

    Raises
    ------
    NotApplicable
        If δ > 0.
        Also if the guarantee names a size.

    References
    ----------
    lowy-2024, Lemma 13.

    Examples
    --------
    >>> round(population_to_membership_inference_as_published(PopulationPrivacy(1.0)).eta, 6)
    0.31606
    """
    check_size_at_hand(guarantee)
    if guarantee.delta > 0:
        raise NotApplicable(f"Expected delta = 0, got delta={guarantee.delta}.")
    if math.isinf(guarantee.epsilon):
        return MembershipInference(0.5)
    with directed() as r:
        return MembershipInference(max(0.0, min(upper(-r.expm1(-guarantee.epsilon) / 2), 0.5)))


@theorem(
    "izzo-2022",
    states="η-membership-inference privacy is an advantage of at most 2η over the parent set.",
)
def membership_inference_to_advantage(guarantee: MembershipInference) -> Advantage:
    """Membership-inference privacy bounds the advantage on data drawn from the parent set.

    References
    ----------
    izzo-2022; yeom-2018, Definition 4.

    Examples
    --------
    >>> membership_inference_to_advantage(MembershipInference(0.25)).spec
    'advantage:0.5@population'
    """
    with directed() as r:
        return Advantage(min(upper(2 * r(guarantee.eta)), 1.0), Setting.POPULATION)


@theorem(
    "izzo-2022",
    states="An advantage of A, over a parent set or given the size, gives η = A/2.",
)
def advantage_to_membership_inference(guarantee: Advantage) -> MembershipInference:
    """An advantage is membership-inference privacy, on another scale.

    Raises
    ------
    NotApplicable
        If the advantage is between data sets of different sizes.

    References
    ----------
    izzo-2022; yeom-2018, Definition 4.

    Examples
    --------
    >>> advantage_to_membership_inference(Advantage(0.5)).eta
    0.25
    """
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
    r"""A noisy average of gradients, against a population whose gradients look normal.

    The gradients are taken as normal, and the likelihood ratio, a noncentral χ² in d
    dimensions, as normal too: right for large d, never a guarantee, so no derivation passes
    through it. The published program's formula differs for τ > 0 and understates the risk.

    References
    ----------
    leemann-2023.

    Examples
    --------
    >>> step = NoisyGradient(dimension=100, batch=50, clip=1.0, noise=0.0, susceptibility=100.0)
    >>> round(noisy_gradient_to_gaussian_membership_inference(step).mu, 4)
    1.4072
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
    """Gaussian membership inference privacy bounds the success of every attack.

    References
    ----------
    leemann-2023; dong-roth-su-2022, Corollary 1.

    Examples
    --------
    >>> one = GaussianMembershipInference(1.0)
    >>> round(gaussian_membership_inference_to_membership_inference(one).eta, 6)
    0.191462
    """
    with directed() as r:
        eta = upper(r.normal_cdf(r(guarantee.mu) / 2) - r(1) / 2)
        return MembershipInference(max(0.0, min(eta, 0.5)))
