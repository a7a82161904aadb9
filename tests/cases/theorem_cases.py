"""What every theorem of the catalogue is tried with; a new one joins the laws by its line."""

import math
from collections.abc import Callable
from typing import Any

import attrs
from hypothesis import strategies as st

from deniable.notions import (
    ZCDP,
    Adjacency,
    Advantage,
    ApproxDP,
    ApproxZCDP,
    AttackSuccess,
    BaselineRisk,
    BayesianDP,
    BayesianSemantic,
    FalseNegativeRate,
    GaussianDP,
    GaussianMembershipInference,
    Identifiability,
    KAnonymity,
    MembershipInference,
    NegativeMembership,
    NoisyGradient,
    OneSidedDP,
    PopulationPosterior,
    PopulationPrivacy,
    PositiveMembership,
    PosteriorGain,
    PosteriorRatio,
    PrivacyCurve,
    PrivacyLossTail,
    PureDP,
    RenyiDP,
    SamplingDP,
    Semantic,
    Side,
    TradeOffCurve,
)
from deniable.priors import (
    BoundedPriors,
    CorrelatedPriors,
    HouseholdMembers,
    Households,
    OneOutOfPriors,
    SampledPriors,
)

unit = st.floats(0.0, 1.0)
inside = st.floats(1e-9, 1.0, exclude_max=True)
epsilon = st.floats(0.0, 40.0)

adversaries = st.tuples(unit, unit).map(lambda ends: BoundedPriors(*sorted(ends))) | st.builds(
    BoundedPriors
)


sizes = st.integers(1, 6)
households = (
    st.builds(Households, sizes)
    | st.builds(Households, sizes, odds_ratio=st.floats(1.0, 1e3))
    | st.builds(Households, sizes, icc=unit)
    | st.builds(Households, sizes, difference=unit)
    | st.builds(HouseholdMembers)
)
tails = (
    st.builds(Households, sizes)
    | st.builds(Households, sizes, odds_ratio=st.floats(1.0, 1e3))
    | st.builds(HouseholdMembers)
)
"""Those of which something is said with exceptions."""


@attrs.frozen
class Case:
    """How to vary one parameter of a theorem's guarantee and to read what the theorem says.

    `guarantee` weakens as its argument grows from 0 to 40, and so must `claim` grow, up to
    the relative `tolerance` of theorems that search for their best order.
    """

    guarantee: Callable[..., Any]
    claim: Callable[[Any], float]
    arguments: dict[str, st.SearchStrategy[Any]] = attrs.Factory(dict)
    tolerance: float = 0.0


OUT = Adjacency.ADD_REMOVE
ODD = BoundedPriors(0.2, 0.7)
orders = st.floats(1.0, 100.0, exclude_min=True)
rates = {"rate": st.floats(1e-6, 1.0)}
flagged = {"fpr": inside, "nonmembers": st.floats(1e-3, 1e3)}


def epsilon_of(found: Any) -> float:
    return float(found.epsilon)


def gamma_of(found: Any) -> float:
    return float(found.gamma)


def caught(found: Any) -> float:
    return 1 - float(found.fnr)


def barely_caught(found: Any) -> float:
    """What is caught; β is a float near 1, and what it leaves is known to 1e-16 of 1."""
    return max(caught(found), 1e-9)


def divergence(x: float) -> RenyiDP:
    """Two orders, of which either may be the better one."""
    return RenyiDP(2.0, x, also=((6.0, 0.1 + 2 * x),))


def training(x: float) -> PrivacyCurve:
    """Ever less noise; where two lattices meet, an end may move by what both sides are apart."""
    return PrivacyCurve(0.1, 8 - x / 6, 20)


def delta_beyond_the_lattice(found: Any) -> float:
    """δ; the curve's sides are relatively near down to what was cut off, some 1e-20 of all mass."""
    return max(float(found.delta), 1e-18)


def sagging(x: float, adjacency: Adjacency = Adjacency.REPLACE_ONE) -> TradeOffCurve:
    """An ever lower corner, and ever more that gives everything away."""
    end = 1 - x / 80
    return TradeOffCurve([(0, end), (end / (2 + x), end / (3 + x)), (end, 0)], adjacency)


def singly_sagging(x: float) -> TradeOffCurve:
    return sagging(x, OUT)


def exposed(found: Any) -> float:
    """What lies between a curve and that of guessing."""
    return 0.5 - float(found.area)


MIDDLE = TradeOffCurve([(0, 0.9), (0.2, 0.2), (0.9, 0)])
touching = {"tangents": st.just(16)}


def value_of(found: Any) -> float:
    return float(found.value)


named = {
    "baseline": st.floats(1e-6, 1.0),
    "candidates": st.none() | st.integers(10**6, 10**9),
}


def success_of(found: Any) -> float:
    return float(found.success)


def _noise(l2: float) -> list[tuple[float, float, int]]:
    return [(7.0, l2, 1), (3.0, l2 / 2, 2)]


CASES: dict[str, tuple[Case, ...]] = {
    "pure_dp_to_positive_membership": (
        Case(PureDP, lambda found: found.gamma, {"adversary": adversaries}),
    ),
    "pure_dp_to_max_posterior": (Case(PureDP, lambda found: found.posterior, {"prior": unit}),),
    "pure_dp_to_bayesian_dp_of_households": (
        Case(lambda x: PureDP(x, OUT), epsilon_of, {"households": households}),
    ),
    "bayesian_dp_of_households_to_positive_membership": (
        Case(
            lambda x: BayesianDP(x, OUT, households=Households(3)),
            gamma_of,
            {"adversary": adversaries},
        ),
    ),
    "bayesian_dp_of_households_to_max_posterior": (
        Case(
            lambda x: BayesianDP(x, OUT, households=Households(3)),
            lambda found: found.posterior,
            {"prior": unit},
        ),
    ),
    "bayesian_dp_of_households_to_attack_success": (
        Case(
            lambda x: BayesianDP(x, OUT, households=Households(3)),
            lambda found: found.probability,
        ),
    ),
    "bayesian_dp_of_households_to_advantage": (
        Case(lambda x: BayesianDP(x, OUT, households=Households(3)), lambda found: found.value),
    ),
    "zcdp_to_privacy_loss_tail_of_households": (
        Case(
            lambda x: ZCDP(x, OUT),
            lambda found: found.exceedance,
            {"epsilon": epsilon, "households": tails},
        ),
    ),
    "gaussian_dp_to_privacy_loss_tail_of_households": (
        Case(
            lambda x: GaussianDP(x, OUT),
            lambda found: found.exceedance,
            {"epsilon": epsilon, "households": tails},
        ),
    ),
    "zcdp_to_advantage_of_households": (
        Case(
            lambda x: ZCDP(x, OUT),
            lambda found: found.value,
            {"households": st.just(Households(3))},
        ),
    ),
    "gaussian_dp_to_advantage_of_households": (
        Case(
            lambda x: GaussianDP(x, OUT),
            lambda found: found.value,
            {"households": st.just(Households(3))},
        ),
    ),
    "replace_one_dp_to_identifiability": (
        Case(PureDP, lambda found: found.rho, {"worlds": st.integers(2, 10**6)}),
    ),
    "add_remove_dp_to_replace_one_dp": (
        Case(lambda x: PureDP(x, Adjacency.ADD_REMOVE), lambda found: found.epsilon),
    ),
    "approx_dp_to_attack_success": (
        Case(lambda x: ApproxDP(x, 1e-6), lambda found: found.probability),
        Case(lambda x: ApproxDP(1.0, x / 40), lambda found: found.probability),
    ),
    "approx_dp_to_advantage": (
        Case(lambda x: ApproxDP(x, 1e-6), lambda found: found.value),
        Case(lambda x: ApproxDP(1.0, x / 40), lambda found: found.value),
    ),
    "advantage_to_attack_success": (
        Case(lambda x: Advantage(x / 40), lambda found: found.probability),
    ),
    "approx_dp_to_privacy_loss_tail": (
        Case(
            lambda x: ApproxDP(x, 1e-9),
            lambda found: found.epsilon,
            {"exceedance": st.floats(1e-8, 1.0)},
        ),
        Case(
            lambda x: ApproxDP(1.0, x / 100),
            lambda found: found.epsilon,
            {"exceedance": st.floats(0.5, 1.0)},
        ),
    ),
    "gaussian_dp_to_approx_dp": (
        Case(GaussianDP, lambda found: found.delta, {"epsilon": epsilon}),
        Case(lambda x: GaussianDP(0.3, slack=x), lambda found: found.delta, {"epsilon": epsilon}),
        Case(lambda x: GaussianDP(x, slack=0.1), lambda found: found.delta, {"epsilon": epsilon}),
    ),
    "gaussian_dp_to_privacy_loss_tail": (
        Case(GaussianDP, lambda found: found.exceedance, {"epsilon": epsilon}, 1e-9),
    ),
    "gaussian_dp_to_advantage": (
        Case(GaussianDP, lambda found: found.value),
        Case(lambda x: GaussianDP(0.3, slack=x), lambda found: found.value),
    ),
    "discrete_gaussian_to_gaussian_dp": (
        Case(_noise, lambda found: found.mu),
        Case(lambda x: [(1.0, 2.0, math.ceil(x))], lambda found: found.slack),
    ),
    "discrete_gaussian_to_gaussian_dp_by_rounding": (
        Case(lambda x: [(7.0, x), (3.0, x / 2)], lambda found: found.mu),
        Case(lambda x: [(41.0 - x, 1.0)], lambda found: found.mu),
    ),
    "privacy_loss_tail_to_positive_membership": (
        Case(
            lambda x: PrivacyLossTail(x, 1e-6),
            lambda found: found.gamma,
            {"adversary": adversaries},
        ),
    ),
    "privacy_loss_tail_to_max_posterior": (
        Case(lambda x: PrivacyLossTail(x, 1e-6), lambda found: found.posterior, {"prior": unit}),
    ),
    "privacy_loss_tail_to_identifiability": (
        Case(
            lambda x: PrivacyLossTail(x, 1e-6),
            lambda found: found.rho,
            {"worlds": st.integers(2, 10**6)},
        ),
    ),
    "add_remove_gaussian_dp_to_replace_one_gaussian_dp": (
        Case(lambda x: GaussianDP(x, Adjacency.ADD_REMOVE), lambda found: found.mu),
        Case(lambda x: GaussianDP(1.0, Adjacency.ADD_REMOVE, x), lambda found: found.slack),
    ),
    "add_remove_zcdp_to_replace_one_zcdp": (
        Case(lambda x: ZCDP(x, Adjacency.ADD_REMOVE), lambda found: found.rho),
    ),
    "zcdp_to_privacy_loss_tail": (
        Case(ZCDP, lambda found: found.exceedance, {"epsilon": epsilon}),
    ),
    "zcdp_to_approx_dp": (Case(ZCDP, lambda found: found.delta, {"epsilon": epsilon}, 1e-9),),
    "zcdp_to_approx_dp_by_orders": (
        Case(ZCDP, lambda found: found.delta, {"epsilon": epsilon}, 1e-3),
    ),
    "approx_dp_to_trade_off": (
        Case(lambda x: ApproxDP(x, 1e-6), exposed),
        Case(lambda x: ApproxDP(1.0, x / 40), exposed),
    ),
    "gaussian_dp_to_trade_off": (Case(GaussianDP, exposed, touching, 0.05),),
    "zcdp_to_trade_off": (Case(ZCDP, exposed, {"tangents": st.just(3)}, 0.2),),
    "renyi_dp_to_trade_off": (Case(divergence, exposed, touching, 0.05),),
    "privacy_curve_to_trade_off": (Case(training, exposed, {"tangents": st.just(3)}, 0.2),),
    "two_trade_offs_to_trade_off": (Case(sagging, exposed, {"second": st.just(MIDDLE)}, 1e-12),),
    "groups_of_two_trade_offs_to_trade_off": (
        Case(sagging, exposed, {"second": st.just(MIDDLE)}, 1e-12),
    ),
    "add_remove_trade_off_to_replace_one_trade_off": (Case(singly_sagging, exposed),),
    "trade_off_to_false_negative_rate": (Case(sagging, caught, {"fpr": inside}),),
    "trade_off_to_approx_dp": (
        Case(sagging, lambda found: found.delta, {"epsilon": epsilon}),
        Case(singly_sagging, lambda found: found.delta, {"epsilon": epsilon}),
    ),
    "trade_off_to_pure_dp": (
        Case(lambda x: TradeOffCurve([(0, 1), (1 / (2 + x), 1 / (2 + x)), (1, 0)]), epsilon_of),
    ),
    "trade_off_to_privacy_loss_tail": (
        Case(sagging, lambda found: found.exceedance, {"epsilon": epsilon}),
        Case(singly_sagging, lambda found: found.exceedance, {"epsilon": epsilon}),
    ),
    "trade_off_to_advantage": (Case(sagging, value_of), Case(singly_sagging, value_of)),
    "trade_off_to_baseline_risk": (
        Case(sagging, success_of, named),
        Case(singly_sagging, success_of, named),
    ),
    "zcdp_to_approx_zcdp": (Case(ZCDP, lambda found: found.rho),),
    "approx_zcdp_to_approx_dp": (
        Case(lambda x: ApproxZCDP(x, 1e-3), lambda found: found.delta, {"epsilon": epsilon}, 1e-9),
        Case(
            lambda x: ApproxZCDP(0.1, x / 40), lambda found: found.delta, {"epsilon": epsilon}, 1e-9
        ),
    ),
    "approx_zcdp_to_privacy_loss_tail": (
        Case(
            lambda x: ApproxZCDP(x, 1e-3),
            lambda found: found.exceedance,
            {"epsilon": epsilon},
            1e-6,
        ),
        Case(
            lambda x: ApproxZCDP(0.1, x / 40),
            lambda found: found.exceedance,
            {"epsilon": epsilon},
            1e-6,
        ),
    ),
    "approx_zcdp_to_advantage": (
        Case(lambda x: ApproxZCDP(x, 1e-3), lambda found: found.value),
        Case(lambda x: ApproxZCDP(0.1, x / 40), lambda found: found.value),
    ),
    "zcdp_to_advantage": (Case(ZCDP, lambda found: found.value),),
    "zcdp_to_advantage_by_orders": (Case(ZCDP, value_of, tolerance=1e-6),),
    "zcdp_to_renyi_dp": (Case(ZCDP, epsilon_of, {"order": orders}),),
    "pure_dp_to_renyi_dp": (Case(PureDP, epsilon_of, {"order": orders}),),
    "renyi_dp_to_lower_order": (Case(divergence, epsilon_of, {"order": st.floats(1.1, 6.0)}),),
    "renyi_dp_to_approx_dp": (
        Case(divergence, lambda found: found.delta, {"epsilon": epsilon}, 1e-6),
    ),
    "renyi_dp_to_privacy_loss_tail": (
        Case(divergence, lambda found: found.exceedance, {"epsilon": epsilon}),
    ),
    "renyi_dp_to_false_negative_rate": (Case(divergence, barely_caught, {"fpr": inside}, 1e-6),),
    "renyi_dp_to_advantage": (Case(divergence, value_of, tolerance=1e-6),),
    "zcdp_to_false_negative_rate": (Case(ZCDP, barely_caught, {"fpr": inside}, 1e-6),),
    "pure_dp_to_approx_dp": (Case(PureDP, epsilon_of),),
    "approx_dp_to_pure_dp": (Case(lambda x: ApproxDP(x, 0.0), epsilon_of),),
    "pure_dp_to_privacy_loss_tail": (Case(PureDP, epsilon_of),),
    "privacy_loss_tail_to_approx_dp": (
        Case(lambda x: PrivacyLossTail(x, 1e-6), epsilon_of),
        Case(lambda x: PrivacyLossTail(1.0, x / 40), lambda found: found.delta),
    ),
    "pure_dp_to_zcdp": (Case(PureDP, lambda found: found.rho),),
    "pure_dp_to_gaussian_dp": (Case(PureDP, lambda found: found.mu),),
    "gaussian_dp_to_zcdp": (Case(GaussianDP, lambda found: found.rho),),
    "add_remove_approx_dp_to_replace_one_approx_dp": (
        Case(lambda x: ApproxDP(x, 1e-9, OUT), epsilon_of),
        Case(lambda x: ApproxDP(x, 1e-9, OUT), lambda found: found.delta),
        Case(lambda x: ApproxDP(0.1, x / 40, OUT), lambda found: found.delta),
    ),
    "pure_dp_to_one_sided_dp": (
        Case(lambda x: PureDP(x, OUT), epsilon_of, {"side": st.sampled_from(Side)}),
    ),
    "one_sided_dp_to_pure_dp": (
        Case(OneSidedDP, epsilon_of, {"negative": st.just(OneSidedDP(1.0, Side.NEGATIVE))}),
    ),
    "approx_dp_to_sampling_dp": (
        Case(lambda x: ApproxDP(x, 1e-6, OUT), epsilon_of, rates),
        Case(lambda x: ApproxDP(1.0, x / 40, OUT), lambda found: found.delta, rates),
    ),
    "sampling_dp_to_lower_rate": (Case(lambda x: SamplingDP(1.0, x, 1e-6), epsilon_of, rates),),
    "sampling_dp_to_approx_dp": (Case(lambda x: SamplingDP(1.0, x), epsilon_of),),
    "k_anonymity_to_sampling_dp": (
        Case(
            lambda x: KAnonymity(50 - int(x)),
            lambda found: found.delta,
            {"rate": st.floats(0.01, 0.5), "epsilon": st.floats(0.7, 3.0)},
        ),
    ),
    "pure_dp_to_bayesian_dp": (Case(PureDP, epsilon_of),),
    "bayesian_dp_to_pure_dp": (Case(BayesianDP, epsilon_of),),
    "pure_dp_to_negative_membership": (Case(PureDP, gamma_of, {"adversary": adversaries}),),
    "positive_membership_to_replace_one_dp": (
        Case(lambda x: PositiveMembership(1 + x), epsilon_of),
    ),
    "negative_membership_to_replace_one_dp": (
        Case(lambda x: NegativeMembership(1 + x), epsilon_of),
    ),
    "positive_membership_around_half_to_replace_one_dp": (
        Case(lambda x: PositiveMembership(1 + x, ODD), epsilon_of),
    ),
    "negative_membership_around_half_to_replace_one_dp": (
        Case(lambda x: NegativeMembership(1 + x, ODD), epsilon_of),
    ),
    "one_sided_dp_to_positive_membership": (
        Case(OneSidedDP, gamma_of, {"adversary": adversaries}),
    ),
    "one_sided_dp_to_negative_membership": (
        Case(lambda x: OneSidedDP(x, Side.NEGATIVE), gamma_of, {"adversary": adversaries}),
    ),
    "positive_membership_to_one_sided_dp": (
        Case(lambda x: PositiveMembership(1 + x, ODD, adjacency=OUT), epsilon_of),
    ),
    "negative_membership_to_one_sided_dp": (
        Case(lambda x: NegativeMembership(1 + x, ODD, OUT), epsilon_of),
    ),
    "positive_membership_to_narrower_prior": (
        Case(lambda x: PositiveMembership(1 + x), gamma_of, {"adversary": adversaries}),
    ),
    "negative_membership_to_narrower_prior": (
        Case(lambda x: NegativeMembership(1 + x), gamma_of, {"adversary": adversaries}),
    ),
    "bayesian_dp_to_positive_membership": (Case(lambda x: BayesianDP(x, OUT), gamma_of),),
    "positive_membership_to_bayesian_dp": (
        Case(
            lambda x: PositiveMembership(1 + x, CorrelatedPriors(True), adjacency=OUT), epsilon_of
        ),
    ),
    "sampling_dp_to_positive_membership": (Case(lambda x: SamplingDP(0.3, x), gamma_of),),
    "sampling_dp_to_negative_membership": (Case(lambda x: SamplingDP(0.9, x), gamma_of),),
    "positive_membership_to_sampling_dp": (
        Case(
            lambda x: PositiveMembership(1 + x, SampledPriors(0.3), adjacency=OUT),
            epsilon_of,
        ),
    ),
    "one_sided_dp_to_max_posterior": (
        Case(OneSidedDP, lambda found: found.posterior, {"prior": unit}),
    ),
    "positive_membership_to_max_posterior": (
        Case(lambda x: PositiveMembership(1 + x), lambda found: found.posterior, {"prior": unit}),
    ),
    "identifiability_to_positive_membership": (
        Case(lambda x: Identifiability(x / 40, 7), gamma_of),
    ),
    "positive_membership_to_identifiability": (
        Case(lambda x: PositiveMembership(1 + x, OneOutOfPriors(7)), lambda found: found.rho),
    ),
    "pure_dp_to_semantic": (Case(PureDP, epsilon_of),),
    "pure_dp_to_semantic_of_one_record": (Case(PureDP, epsilon_of),),
    "pure_dp_to_semantic_as_published": (Case(PureDP, epsilon_of),),
    "semantic_to_pure_dp": (Case(lambda x: Semantic(x / 40), epsilon_of),),
    "semantic_to_pure_dp_as_published": (Case(lambda x: Semantic(x / 81), epsilon_of),),
    "bayesian_dp_to_bayesian_semantic": (
        Case(BayesianDP, epsilon_of),
        Case(lambda x: BayesianDP(x, independent=True), epsilon_of),
    ),
    "bayesian_dp_to_bayesian_semantic_as_published": (Case(BayesianDP, epsilon_of),),
    "bayesian_semantic_to_bayesian_dp": (Case(lambda x: BayesianSemantic(x / 40), epsilon_of),),
    "bayesian_semantic_to_bayesian_dp_as_published": (
        Case(lambda x: BayesianSemantic(x / 81), epsilon_of),
    ),
    "bayesian_semantic_to_semantic": (Case(lambda x: BayesianSemantic(x / 40), epsilon_of),),
    "pure_dp_to_posterior_ratio": (
        Case(PureDP, lambda found: found.ratio),
        Case(lambda x: PureDP(x, OUT), lambda found: found.ratio),
    ),
    "posterior_ratio_to_pure_dp": (Case(lambda x: PosteriorRatio(1 + x), epsilon_of),),
    "pure_dp_to_posterior_gain": (
        Case(PureDP, lambda found: found.gain),
        Case(lambda x: PureDP(x, OUT), lambda found: found.gain),
    ),
    "posterior_gain_to_pure_dp": (Case(lambda x: PosteriorGain(x / 40), epsilon_of),),
    "approx_dp_to_advantage_by_erlingsson": (
        Case(lambda x: ApproxDP(x, 1e-6), value_of),
        Case(lambda x: ApproxDP(1.0, x / 40), value_of),
    ),
    "pure_dp_to_advantage_by_yeom": (Case(PureDP, value_of),),
    "attack_success_to_advantage": (Case(lambda x: AttackSuccess(x / 40), value_of),),
    "approx_dp_to_predictive_value": (
        Case(lambda x: ApproxDP(x, 1e-6), value_of, flagged),
        Case(lambda x: ApproxDP(1.0, x / 40), value_of, flagged),
    ),
    "gaussian_dp_to_predictive_value": (
        Case(GaussianDP, value_of, flagged),
        Case(lambda x: GaussianDP(0.5, slack=x), value_of, flagged),
    ),
    "approx_dp_to_false_negative_rate": (
        Case(lambda x: ApproxDP(x, 1e-6), caught, {"fpr": inside}),
        Case(lambda x: ApproxDP(1.0, x / 40), caught, {"fpr": inside}),
    ),
    "gaussian_dp_to_false_negative_rate": (
        Case(GaussianDP, caught, {"fpr": inside}),
        Case(lambda x: GaussianDP(0.5, slack=x), caught, {"fpr": inside}),
    ),
    "false_negative_rate_to_predictive_value": (
        Case(
            lambda x: FalseNegativeRate(1 - x / 40, 0.01),
            value_of,
            {"nonmembers": flagged["nonmembers"]},
        ),
    ),
    "approx_dp_to_baseline_risk": (
        Case(lambda x: ApproxDP(x, 1e-6), success_of, named),
        Case(lambda x: ApproxDP(1.0, x / 40, OUT), success_of, named),
        Case(lambda x: ApproxDP(x, 1e-6, OUT), success_of, named),
        Case(lambda x: ApproxDP(1.0, x / 40), success_of, named),
    ),
    "gaussian_dp_to_baseline_risk": (
        Case(GaussianDP, success_of, named),
        Case(lambda x: GaussianDP(0.5, slack=x), success_of, named),
        Case(lambda x: GaussianDP(x, OUT), success_of, named),
    ),
    "zcdp_to_baseline_risk": (
        Case(ZCDP, success_of, named, 1e-9),
        Case(lambda x: ZCDP(x, OUT), success_of, named, 1e-9),
    ),
    "renyi_dp_to_baseline_risk": (
        Case(divergence, success_of, named, 1e-9),
        Case(lambda x: RenyiDP(3.0, x, OUT), success_of, named, 1e-9),
    ),
    "privacy_curve_to_baseline_risk": (
        Case(training, success_of, {"baseline": st.floats(1e-6, 0.999)}, 0.002),
    ),
    "baseline_risk_to_replace_one_baseline_risk": (
        Case(lambda x: BaselineRisk(x / 40, 0.1, OUT), success_of),
    ),
    "privacy_curve_to_approx_dp": (
        Case(training, delta_beyond_the_lattice, {"epsilon": st.floats(0.0, 1.0)}, 0.02),
    ),
    "privacy_curve_to_privacy_loss_tail": (
        Case(training, epsilon_of, {"exceedance": st.floats(1e-9, 0.1)}, 0.02),
    ),
    "privacy_curve_to_advantage": (Case(training, value_of, tolerance=0.002),),
    "privacy_curve_to_false_negative_rate": (
        Case(training, caught, {"fpr": st.floats(1e-6, 0.999)}, 0.002),
    ),
    "privacy_curve_to_zcdp": (Case(training, lambda found: found.rho),),
    "approx_dp_to_population": (Case(lambda x: ApproxDP(x, 1e-6), epsilon_of),),
    "population_posterior_to_population": (
        Case(lambda x: PopulationPosterior(x, 0.01, 0.5), epsilon_of),
        Case(lambda x: PopulationPosterior(1.0, x / 40, 0.5), lambda found: found.delta),
        Case(lambda x: PopulationPosterior(1.0, 0.3 + x / 60, 0.4), lambda found: found.delta),
    ),
    "population_posterior_to_population_as_published": (
        Case(lambda x: PopulationPosterior(x, 0.01, 0.5), epsilon_of),
        Case(lambda x: PopulationPosterior(1.0, x / 40, 0.5), lambda found: found.delta),
    ),
    "population_to_population_posterior": (
        Case(lambda x: PopulationPrivacy(x, size=3), epsilon_of),
    ),
    "population_to_one_parent_set": (
        Case(lambda x: PopulationPrivacy(x, every_parent_set=True), epsilon_of),
    ),
    "population_to_approx_dp": (
        Case(lambda x: PopulationPrivacy(x, size=1, every_parent_set=True), epsilon_of),
    ),
    "population_to_attack_success": (
        Case(PopulationPrivacy, lambda found: found.probability),
        Case(lambda x: PopulationPrivacy(1.0, x / 40), lambda found: found.probability),
    ),
    "population_to_membership_inference": (
        Case(PopulationPrivacy, lambda found: found.eta),
        Case(lambda x: PopulationPrivacy(1.0, x / 40), lambda found: found.eta),
    ),
    "population_to_membership_inference_as_published": (
        Case(PopulationPrivacy, lambda found: found.eta),
    ),
    "membership_inference_to_advantage": (Case(lambda x: MembershipInference(x / 80), value_of),),
    "advantage_to_membership_inference": (
        Case(lambda x: Advantage(x / 40), lambda found: found.eta),
    ),
    "noisy_gradient_to_gaussian_membership_inference": (
        Case(lambda x: NoisyGradient(50, 20, 1.0, 5 - x / 8, 3.0), lambda found: found.mu),
    ),
    "gaussian_membership_inference_to_membership_inference": (
        Case(GaussianMembershipInference, lambda found: found.eta),
    ),
}
