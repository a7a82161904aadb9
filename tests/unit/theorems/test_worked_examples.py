"""One number of each theorem, a test for each subject."""

import math
from math import inf

from deniable.judge.theorems import (
    bayesian_dp_to_bayesian_semantic,
    bayesian_dp_to_bayesian_semantic_as_published,
    bayesian_semantic_to_bayesian_dp,
    bayesian_semantic_to_bayesian_dp_as_published,
    bayesian_semantic_to_semantic,
    posterior_gain_to_pure_dp,
    posterior_ratio_to_pure_dp,
    pure_dp_to_posterior_gain,
    pure_dp_to_posterior_ratio,
    pure_dp_to_semantic,
    pure_dp_to_semantic_as_published,
    pure_dp_to_semantic_of_one_record,
    semantic_to_pure_dp,
    semantic_to_pure_dp_as_published,
)
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
from deniable.population.theorems import (
    advantage_to_membership_inference,
    approx_dp_to_population,
    gaussian_membership_inference_to_membership_inference,
    membership_inference_to_advantage,
    noisy_gradient_to_gaussian_membership_inference,
    population_posterior_to_population,
    population_posterior_to_population_as_published,
    population_to_approx_dp,
    population_to_attack_success,
    population_to_membership_inference,
    population_to_membership_inference_as_published,
    population_to_one_parent_set,
    population_to_population_posterior,
)
from deniable.priors import (
    BoundedPriors,
    CorrelatedPriors,
    Households,
    OneOutOfPriors,
    SampledPriors,
)
from deniable.theorems.adjacency import (
    add_remove_approx_dp_to_replace_one_approx_dp,
    add_remove_dp_to_replace_one_dp,
    add_remove_gaussian_dp_to_replace_one_gaussian_dp,
    add_remove_zcdp_to_replace_one_zcdp,
    approx_dp_to_sampling_dp,
    bayesian_dp_to_pure_dp,
    k_anonymity_to_sampling_dp,
    one_sided_dp_to_pure_dp,
    pure_dp_to_bayesian_dp,
    pure_dp_to_one_sided_dp,
    sampling_dp_to_approx_dp,
    sampling_dp_to_lower_rate,
)
from deniable.theorems.attacks import (
    advantage_to_attack_success,
    approx_dp_to_advantage,
    approx_dp_to_attack_success,
    approx_dp_to_false_negative_rate,
    approx_zcdp_to_advantage,
    attack_success_to_advantage,
    gaussian_dp_to_advantage,
    gaussian_dp_to_false_negative_rate,
    zcdp_to_advantage,
)
from deniable.theorems.baseline_risk import (
    approx_dp_to_baseline_risk,
    baseline_risk_to_replace_one_baseline_risk,
    gaussian_dp_to_baseline_risk,
    renyi_dp_to_baseline_risk,
    zcdp_to_baseline_risk,
)
from deniable.theorems.beliefs import privacy_loss_tail_to_max_posterior, pure_dp_to_max_posterior
from deniable.theorems.from_membership import (
    negative_membership_around_half_to_replace_one_dp,
    negative_membership_to_one_sided_dp,
    negative_membership_to_replace_one_dp,
    one_sided_dp_to_max_posterior,
    one_sided_dp_to_negative_membership,
    one_sided_dp_to_positive_membership,
    positive_membership_around_half_to_replace_one_dp,
    positive_membership_to_max_posterior,
    positive_membership_to_one_sided_dp,
    positive_membership_to_replace_one_dp,
)
from deniable.theorems.gaussian import (
    discrete_gaussian_to_gaussian_dp,
    discrete_gaussian_to_gaussian_dp_by_rounding,
    gaussian_dp_to_approx_dp,
    gaussian_dp_to_privacy_loss_tail,
    gaussian_dp_to_zcdp,
    pure_dp_to_gaussian_dp,
)
from deniable.theorems.households import (
    bayesian_dp_of_households_to_advantage,
    bayesian_dp_of_households_to_attack_success,
    bayesian_dp_of_households_to_max_posterior,
    bayesian_dp_of_households_to_positive_membership,
    gaussian_dp_to_advantage_of_households,
    gaussian_dp_to_privacy_loss_tail_of_households,
    loss_with_records,
    of_group,
    pure_dp_to_bayesian_dp_of_households,
    zcdp_to_advantage_of_households,
    zcdp_to_privacy_loss_tail_of_households,
)
from deniable.theorems.identifiability import (
    identifiability_to_positive_membership,
    positive_membership_to_identifiability,
    privacy_loss_tail_to_identifiability,
    replace_one_dp_to_identifiability,
)
from deniable.theorems.membership import (
    pure_dp_for_positive_membership,
    pure_dp_to_negative_membership,
    pure_dp_to_positive_membership,
)
from deniable.theorems.other_families import (
    bayesian_dp_to_positive_membership,
    negative_membership_to_narrower_prior,
    positive_membership_to_bayesian_dp,
    positive_membership_to_narrower_prior,
    positive_membership_to_sampling_dp,
    privacy_loss_tail_to_positive_membership,
    sampling_dp_to_negative_membership,
    sampling_dp_to_positive_membership,
)
from deniable.theorems.predictive_value import (
    approx_dp_to_advantage_by_erlingsson,
    approx_dp_to_predictive_value,
    false_negative_rate_to_predictive_value,
    gaussian_dp_to_predictive_value,
    pure_dp_to_advantage_by_yeom,
)
from deniable.theorems.pure_and_approximate import (
    approx_dp_to_privacy_loss_tail,
    approx_dp_to_pure_dp,
    approx_zcdp_to_approx_dp,
    approx_zcdp_to_privacy_loss_tail,
    privacy_loss_tail_to_approx_dp,
    pure_dp_to_approx_dp,
    pure_dp_to_privacy_loss_tail,
    pure_dp_to_zcdp,
    zcdp_to_approx_dp,
    zcdp_to_approx_zcdp,
    zcdp_to_privacy_loss_tail,
)
from deniable.theorems.renyi import (
    pure_dp_to_renyi_dp,
    renyi_dp_to_advantage,
    renyi_dp_to_approx_dp,
    renyi_dp_to_false_negative_rate,
    renyi_dp_to_lower_order,
    renyi_dp_to_privacy_loss_tail,
    zcdp_to_advantage_by_orders,
    zcdp_to_approx_dp_by_orders,
    zcdp_to_false_negative_rate,
    zcdp_to_renyi_dp,
)
from deniable.theorems.trade_off import (
    add_remove_trade_off_to_replace_one_trade_off,
    approx_dp_to_trade_off,
    gaussian_dp_to_trade_off,
    groups_of_two_trade_offs_to_trade_off,
    renyi_dp_to_trade_off,
    trade_off_to_advantage,
    trade_off_to_approx_dp,
    trade_off_to_baseline_risk,
    trade_off_to_false_negative_rate,
    trade_off_to_privacy_loss_tail,
    trade_off_to_pure_dp,
    two_trade_offs_to_trade_off,
    zcdp_to_trade_off,
)
from deniable.training.theorems import (
    privacy_curve_to_advantage,
    privacy_curve_to_approx_dp,
    privacy_curve_to_baseline_risk,
    privacy_curve_to_false_negative_rate,
    privacy_curve_to_privacy_loss_tail,
    privacy_curve_to_trade_off,
    privacy_curve_to_zcdp,
)


def test_adjacency():
    assert add_remove_dp_to_replace_one_dp(PureDP(0.5, Adjacency.ADD_REMOVE)).spec == "pure-dp:1.0"
    one = ApproxDP(0.0, 1e-06, Adjacency.ADD_REMOVE)
    assert add_remove_approx_dp_to_replace_one_approx_dp(one).spec == "approx-dp:0.0,2e-06"
    assert add_remove_zcdp_to_replace_one_zcdp(ZCDP(0.25, Adjacency.ADD_REMOVE)).spec == "zcdp:1.0"
    one = GaussianDP(0.25, Adjacency.ADD_REMOVE)
    assert add_remove_gaussian_dp_to_replace_one_gaussian_dp(one).spec == "gaussian-dp:0.5"
    assert (
        pure_dp_to_one_sided_dp(PureDP(1.0, Adjacency.ADD_REMOVE), Side.POSITIVE).spec
        == "one-sided-dp:1.0@positive"
    )
    halves = (OneSidedDP(1.0, Side.POSITIVE), OneSidedDP(2.0, Side.NEGATIVE))
    assert one_sided_dp_to_pure_dp(*halves).spec == "pure-dp:2.0@add-remove"
    whole = ApproxDP(1.0, 1e-06, Adjacency.ADD_REMOVE)
    assert round(approx_dp_to_sampling_dp(whole, 0.1).epsilon, 6) == 0.158565
    assert round(sampling_dp_to_lower_rate(SamplingDP(0.2, 1.0), 0.1).epsilon, 6) == 0.620115
    assert sampling_dp_to_approx_dp(SamplingDP(1.0, 0.5)).spec == "approx-dp:0.5,0.0@add-remove"
    assert round(k_anonymity_to_sampling_dp(KAnonymity(5), 0.1, 1.0).delta, 7) == 0.0001765
    assert pure_dp_to_bayesian_dp(PureDP(1.0)).spec == "bayesian-dp:1.0@independent"
    assert bayesian_dp_to_pure_dp(BayesianDP(1.0)).spec == "pure-dp:1.0"


def test_attacks():
    assert round(approx_dp_to_attack_success(ApproxDP(0.1, 0.0)).probability, 5) == 0.52498
    assert round(approx_dp_to_advantage(ApproxDP(math.log(3), 0.0)).value, 9) == 0.5
    assert round(approx_dp_to_advantage_by_erlingsson(ApproxDP(0.1, 0.0)).value, 6) == 0.095163
    assert round(pure_dp_to_advantage_by_yeom(PureDP(0.1)).value, 6) == 0.105171
    assert zcdp_to_advantage(ZCDP(0.02)).value == 0.1
    assert round(approx_zcdp_to_advantage(ApproxZCDP(0.02, 0.01)).value, 6) == 0.109
    assert round(gaussian_dp_to_advantage(GaussianDP(1.0)).value, 6) == 0.382925
    assert advantage_to_attack_success(Advantage(0.5)).probability == 0.75
    assert attack_success_to_advantage(AttackSuccess(0.75)).value == 0.5
    assert round(approx_dp_to_predictive_value(ApproxDP(0.0, 0.0), 0.01, 1.0).value, 6) == 0.5
    assert round(gaussian_dp_to_predictive_value(GaussianDP(1.0), 0.01, 1.0).value, 6) == 0.902308
    assert round(approx_dp_to_false_negative_rate(ApproxDP(1.0, 1e-06), 0.01).fnr, 6) == 0.972816
    assert round(gaussian_dp_to_false_negative_rate(GaussianDP(1.0), 0.01).fnr, 6) == 0.907638
    missed = FalseNegativeRate(0.95, 0.01)
    assert round(false_negative_rate_to_predictive_value(missed, 1.0).value, 6) == 0.833333


def test_baseline_risk():
    assert round(approx_dp_to_baseline_risk(ApproxDP(1.0, 0.0), 0.5).success, 6) == 0.731059
    single = ApproxDP(1.0, 0.0, "add-remove")
    assert round(approx_dp_to_baseline_risk(single, 0.5).success, 6) == 0.81606
    assert round(gaussian_dp_to_baseline_risk(GaussianDP(1.0), 0.1).success, 6) == 0.340287
    assert round(zcdp_to_baseline_risk(ZCDP(0.5), 0.1).success, 3) == 0.409
    assert round(renyi_dp_to_baseline_risk(RenyiDP(2.0, 1.0), 0.1).success, 3) == 0.409
    schedule = PrivacyCurve(0.002, 1.0251, 10000)
    assert round(privacy_curve_to_baseline_risk(schedule, 0.01).success, 4) == 0.0192
    single = BaselineRisk(0.8, 0.5, "add-remove")
    assert baseline_risk_to_replace_one_baseline_risk(single).spec == "baseline-risk:0.8,0.5"


def test_beliefs():
    assert round(pure_dp_to_max_posterior(PureDP(1.0), 0.05).posterior, 4) == 0.1252
    assert round(one_sided_dp_to_max_posterior(OneSidedDP(1.0), 0.05).posterior, 4) == 0.1252
    assert (
        round(positive_membership_to_max_posterior(PositiveMembership(1.2), 0.85).posterior, 3)
        == 0.875
    )
    assert (
        privacy_loss_tail_to_max_posterior(PrivacyLossTail(0.0, 1e-06), 0.5).spec
        == "max-posterior:0.5,1e-06@0-0.5"
    )


def test_gaussian():
    assert round(pure_dp_to_gaussian_dp(PureDP(1.0)).mu, 6) == 1.232035
    assert round(gaussian_dp_to_approx_dp(GaussianDP(1.0), 1.0).delta, 6) == 0.126937
    assert gaussian_dp_to_privacy_loss_tail(GaussianDP(0.19), 1.0).exceedance < 1e-06
    assert gaussian_dp_to_zcdp(GaussianDP(1.0)).spec == "zcdp:0.5"
    assert discrete_gaussian_to_gaussian_dp([(1000.0, 500.0, 1)]).mu == 0.5
    assert round(discrete_gaussian_to_gaussian_dp_by_rounding([(10.0, 1.0)]).mu, 4) == 0.1004


def test_households():
    one = PureDP(math.log(2), Adjacency.ADD_REMOVE)
    assert round(math.exp(loss_with_records(one, Households(2))), 9) == 8.0
    one = PureDP(0.5, Adjacency.ADD_REMOVE)
    assert (
        pure_dp_to_bayesian_dp_of_households(one, Households(3)).spec
        == "bayesian-dp:1.5@add-remove@households-3"
    )
    one = BayesianDP(0.0, Adjacency.ADD_REMOVE, households=Households(2))
    assert (
        bayesian_dp_of_households_to_positive_membership(one, BoundedPriors(0.1, 0.5)).spec
        == "positive-membership:1.0@add-remove@0.1-0.5@households-2"
    )
    one = BayesianDP(1.5, Adjacency.ADD_REMOVE, households=Households(3))
    assert round(bayesian_dp_of_households_to_max_posterior(one, 0.1).posterior, 4) == 0.3324
    one = BayesianDP(math.log(3), Adjacency.ADD_REMOVE, households=Households(3))
    assert round(bayesian_dp_of_households_to_attack_success(one).probability, 9) == 0.75
    one = BayesianDP(math.log(3), Adjacency.ADD_REMOVE, households=Households(3))
    assert round(bayesian_dp_of_households_to_advantage(one).value, 9) == 0.5
    assert of_group(ZCDP(0.25, Adjacency.ADD_REMOVE), 2).rho == 1.0
    one = ZCDP(0.01, Adjacency.ADD_REMOVE)
    assert (
        round(zcdp_to_privacy_loss_tail_of_households(one, 1.0, Households(2)).exceedance, 6)
        == 0.003151
    )
    one = GaussianDP(0.1, Adjacency.ADD_REMOVE)
    tail = gaussian_dp_to_privacy_loss_tail_of_households(one, 1.0, Households(2))
    assert tail.exceedance == gaussian_dp_to_privacy_loss_tail(GaussianDP(0.2), 1.0).exceedance
    one = ZCDP(0.005, Adjacency.ADD_REMOVE)
    assert zcdp_to_advantage_of_households(one, Households(2)).value == 0.1
    one = GaussianDP(0.5, Adjacency.ADD_REMOVE)
    assert round(gaussian_dp_to_advantage_of_households(one, Households(2)).value, 6) == 0.382925


def test_identifiability():
    assert round(replace_one_dp_to_identifiability(PureDP(2.0), 3).rho, 4) == 0.787
    assert (
        privacy_loss_tail_to_identifiability(PrivacyLossTail(0.0, 1e-06), 4).spec
        == "identifiability:0.25,4,1e-06"
    )
    assert round(identifiability_to_positive_membership(Identifiability(0.3, 8)).gamma, 9) == 2.4
    one = PositiveMembership(2.4, OneOutOfPriors(8))
    assert round(positive_membership_to_identifiability(one).rho, 9) == 0.3


def test_membership():
    assert (
        round(pure_dp_to_positive_membership(PureDP(math.log(3)), BoundedPriors(0.5, 0.5)).gamma, 9)
        == 2.0
    )
    target = PositiveMembership(2.0, BoundedPriors(0.3, 0.7))
    assert round(pure_dp_for_positive_membership(target).epsilon, 6) == 0.887303
    whole = PureDP(math.log(3))
    assert round(pure_dp_to_negative_membership(whole, BoundedPriors(0.75, 0.75)).gamma, 9) == 2.0
    assert (
        round(positive_membership_to_replace_one_dp(PositiveMembership(2.0)).epsilon, 6) == 0.693147
    )
    assert (
        round(negative_membership_to_replace_one_dp(NegativeMembership(2.0)).epsilon, 6) == 0.693147
    )
    even = PositiveMembership(2.0, BoundedPriors(0.5, 0.5))
    assert round(positive_membership_around_half_to_replace_one_dp(even).epsilon, 6) == 1.098612
    even = NegativeMembership(2.0, BoundedPriors(0.5, 0.5))
    assert round(negative_membership_around_half_to_replace_one_dp(even).epsilon, 6) == 1.098612
    half = OneSidedDP(math.log(3))
    assert round(one_sided_dp_to_positive_membership(half, BoundedPriors(0.5, 0.5)).gamma, 9) == 2.0
    half = OneSidedDP(math.log(3), Side.NEGATIVE)
    assert (
        round(one_sided_dp_to_negative_membership(half, BoundedPriors(0.75, 0.75)).gamma, 9) == 2.0
    )
    one = PositiveMembership(2.0, BoundedPriors(0.5, 0.5), adjacency=Adjacency.ADD_REMOVE)
    assert round(positive_membership_to_one_sided_dp(one).epsilon, 6) == 1.098612
    one = NegativeMembership(2.0, BoundedPriors(0.5, 0.5), Adjacency.ADD_REMOVE)
    assert negative_membership_to_one_sided_dp(one).side.value == "negative"


def test_other_families():
    wide = PositiveMembership(2.0)
    assert positive_membership_to_narrower_prior(
        wide, BoundedPriors(0.3, 0.7)
    ).adversary == BoundedPriors(low=0.3, high=0.7)
    wide = NegativeMembership(2.0)
    assert negative_membership_to_narrower_prior(wide, BoundedPriors(0.3, 0.7)).gamma == 2.0
    tail = PrivacyLossTail(1.0, 1e-06)
    assert (
        privacy_loss_tail_to_positive_membership(tail, BoundedPriors(0.5, 0.5)).spec
        == "positive-membership:1.8591409142295228,1e-06@0.5-0.5"
    )
    one = BayesianDP(0.0, Adjacency.ADD_REMOVE)
    assert (
        bayesian_dp_to_positive_membership(one).spec
        == "positive-membership:1.0@add-remove@correlated"
    )
    family = CorrelatedPriors(downward_scalable=True)
    one = PositiveMembership(1.0, family, adjacency=Adjacency.ADD_REMOVE)
    assert positive_membership_to_bayesian_dp(one).spec == "bayesian-dp:0.0@add-remove"
    assert (
        sampling_dp_to_positive_membership(SamplingDP(0.5, 0.0)).spec
        == "positive-membership:1.0@sampled-0.5"
    )
    assert sampling_dp_to_negative_membership(SamplingDP(0.5, 1.0)).gamma == inf
    one = PositiveMembership(1.5, SampledPriors(0.5), adjacency=Adjacency.ADD_REMOVE)
    assert round(positive_membership_to_sampling_dp(one).epsilon, 6) == 0.693147


def test_population():
    assert approx_dp_to_population(ApproxDP(0.5, 0.0)).spec == "population:0.5,0.0@every-parent-set"
    assert (
        population_to_one_parent_set(PopulationPrivacy(0.5, every_parent_set=True)).spec
        == "population:0.5,0.0"
    )
    one = PopulationPrivacy(0.5, 1e-06, size=1, every_parent_set=True)
    assert population_to_approx_dp(one).spec == "approx-dp:0.5,1e-06@records-1"
    assert (
        population_to_attack_success(PopulationPrivacy(0.0)).spec == "attack-success:0.5@population"
    )
    assert (
        population_posterior_to_population(PopulationPosterior(1.0, 0.1, 0.5)).spec
        == "population:1.0,0.1"
    )
    answer = population_posterior_to_population(PopulationPosterior(1.0, 0.1, 0.4))
    assert (answer.epsilon, round(answer.delta, 4)) == (1.0, 0.2444)
    assert (
        population_posterior_to_population_as_published(PopulationPosterior(1.0, 0.1, 0.5)).spec
        == "population:1.0,0.2"
    )
    assert (
        population_to_population_posterior(PopulationPrivacy(0.5, size=8)).spec
        == "population-posterior:0.5,0.0,0.5,8"
    )
    assert round(population_to_membership_inference(PopulationPrivacy(math.log(3))).eta, 9) == 0.25
    assert (
        round(population_to_membership_inference_as_published(PopulationPrivacy(1.0)).eta, 6)
        == 0.31606
    )
    assert (
        membership_inference_to_advantage(MembershipInference(0.25)).spec
        == "advantage:0.5@population"
    )
    assert advantage_to_membership_inference(Advantage(0.5)).eta == 0.25
    step = NoisyGradient(dimension=100, batch=50, clip=1.0, noise=0.0, susceptibility=100.0)
    assert round(noisy_gradient_to_gaussian_membership_inference(step).mu, 4) == 1.4072
    one = GaussianMembershipInference(1.0)
    assert round(gaussian_membership_inference_to_membership_inference(one).eta, 6) == 0.191462


def test_pure_and_approximate():
    assert pure_dp_to_approx_dp(PureDP(1.0)).spec == "approx-dp:1.0,0.0"
    assert approx_dp_to_pure_dp(ApproxDP(1.0, 0.0)).spec == "pure-dp:1.0"
    assert pure_dp_to_privacy_loss_tail(PureDP(1.0)).spec == "privacy-loss-tail:1.0,0.0"
    assert round(approx_dp_to_privacy_loss_tail(ApproxDP(1.0, 1e-06), 0.0001).epsilon, 5) == 1.01005
    assert privacy_loss_tail_to_approx_dp(PrivacyLossTail(1.0, 1e-06)).spec == "approx-dp:1.0,1e-06"
    assert pure_dp_to_zcdp(PureDP(1.0)).spec == "zcdp:0.5"
    assert zcdp_to_approx_dp(ZCDP(0.05), 1.0).delta < 0.0025
    assert round(zcdp_to_privacy_loss_tail(ZCDP(0.01), 0.5).exceedance, 6) == 0.002473
    assert zcdp_to_approx_zcdp(ZCDP(0.1)).spec == "approx-zcdp:0.1,0.0"
    assert approx_zcdp_to_approx_dp(ApproxZCDP(0.0, 1e-06), 1.0).spec == "approx-dp:1.0,1e-06"
    assert (
        round(approx_zcdp_to_privacy_loss_tail(ApproxZCDP(0.01, 1e-06), 0.5).exceedance, 6)
        == 0.002976
    )


def test_renyi():
    assert round(zcdp_to_false_negative_rate(ZCDP(0.1), 0.01).fnr, 5) == 0.96494
    assert round(zcdp_to_approx_dp_by_orders(ZCDP(0.05), 1.0).delta, 6) == 0.000385
    assert round(zcdp_to_advantage_by_orders(ZCDP(1.0)).value, 4) == 0.6479
    assert zcdp_to_renyi_dp(ZCDP(0.5), 4.0).spec == "rdp:4.0,2.0"
    assert round(pure_dp_to_renyi_dp(PureDP(1.0), 2.0).epsilon, 6) == 0.735326
    assert renyi_dp_to_lower_order(RenyiDP(8.0, 1.0), 4.0).spec == "rdp:4.0,1.0"
    assert round(renyi_dp_to_approx_dp(RenyiDP(2.0, 0.3), 0.5).delta, 4) == 0.1146
    assert round(renyi_dp_to_privacy_loss_tail(RenyiDP(11.0, 1.0), 2.0).exceedance, 8) == 4.54e-05
    assert round(renyi_dp_to_false_negative_rate(RenyiDP(2.0, 0.3), 0.01).fnr, 4) == 0.9311
    assert round(renyi_dp_to_advantage(RenyiDP(2.0, 0.3)).value, 4) == 0.2957


def test_semantic():
    assert round(pure_dp_to_semantic(PureDP(0.5)).epsilon, 6) == 0.244919
    assert round(pure_dp_to_semantic_of_one_record(PureDP(0.5)).epsilon, 6) == 0.124353
    assert pure_dp_to_semantic_as_published(PureDP(0.3466)).epsilon == 1.0
    assert round(semantic_to_pure_dp(Semantic(0.2)).epsilon, 6) == 0.81093
    assert round(semantic_to_pure_dp_as_published(Semantic(0.2)).epsilon, 6) == 0.847298
    assert round(bayesian_dp_to_bayesian_semantic(BayesianDP(0.5)).epsilon, 6) == 0.244919
    assert (
        round(bayesian_dp_to_bayesian_semantic_as_published(BayesianDP(0.25)).epsilon, 6)
        == 0.648721
    )
    assert round(bayesian_semantic_to_bayesian_dp(BayesianSemantic(0.2)).epsilon, 6) == 0.81093
    assert (
        round(bayesian_semantic_to_bayesian_dp_as_published(BayesianSemantic(0.2)).epsilon, 6)
        == 0.847298
    )
    assert bayesian_semantic_to_semantic(BayesianSemantic(0.2)).spec == "semantic:0.2"
    add_remove = PureDP(math.log(2) / 2, Adjacency.ADD_REMOVE)
    assert round(pure_dp_to_posterior_ratio(add_remove).ratio, 9) == 2.0
    assert round(posterior_ratio_to_pure_dp(PosteriorRatio(2.0)).epsilon, 6) == 0.693147
    assert round(pure_dp_to_posterior_gain(PureDP(math.log(9))).gain, 9) == 0.5
    assert round(posterior_gain_to_pure_dp(PosteriorGain(0.5)).epsilon, 6) == 2.197225


def test_trade_off():
    assert approx_dp_to_trade_off(ApproxDP(0.0, 0.25)).spec == "trade-off:0.0,0.75/0.75,0.0"
    assert len(gaussian_dp_to_trade_off(GaussianDP(1.0), 2).points) == 6
    assert zcdp_to_trade_off(ZCDP(0.0), 1).spec == "trade-off:0.0,1.0/1.0,0.0"
    curve = renyi_dp_to_trade_off(RenyiDP(2.0, 0.3), 8)
    assert 0.7 < max((1 - fpr - fnr for fpr, fnr in curve.points)) / 0.2957 <= 1.001
    assert privacy_curve_to_trade_off(PrivacyCurve(0.1, 1.0, 10), 4).adjacency.value == "add-remove"
    often, rarely = (approx_dp_to_trade_off(ApproxDP(*x)) for x in ((0.5, 0.01), (2.0, 1e-06)))
    together = two_trade_offs_to_trade_off(often, rarely)
    assert [round(trade_off_to_approx_dp(x, 1.0).delta, 5) for x in (often, rarely, together)] == [
        0.01,
        0.55677,
        0.00814,
    ]
    one, other = (approx_dp_to_trade_off(ApproxDP(*x)) for x in ((0.0, 0.25), (1.0, 0.0)))
    hull = groups_of_two_trade_offs_to_trade_off(one, other)
    assert [round(fnr, 4) for _, fnr in hull.points] == [0.75, 0.2689, 0.0]
    single = TradeOffCurve([(0, 0.75), (0.75, 0)], Adjacency.ADD_REMOVE)
    assert add_remove_trade_off_to_replace_one_trade_off(single).spec == "trade-off:0.0,0.5/0.5,0.0"
    curve = TradeOffCurve([(0, 0.9), (0.2, 0.5), (1, 0)], "add-remove")
    assert trade_off_to_false_negative_rate(curve, 0.1).fnr == 0.7
    curve = TradeOffCurve([(0, 0.9), (0.2, 0.5), (1, 0)], "add-remove")
    assert round(trade_off_to_approx_dp(curve, 0.0).delta, 9) == 0.3
    assert (
        round(trade_off_to_pure_dp(TradeOffCurve([(0, 1), (0.25, 0.25), (1, 0)])).epsilon, 4)
        == 1.0986
    )
    curve = approx_dp_to_trade_off(ApproxDP(1.0, 1e-06))
    assert round(trade_off_to_privacy_loss_tail(curve, 1.01005).exceedance, 6) == 0.0001
    curve = TradeOffCurve([(0, 0.9), (0.2, 0.5), (1, 0)], "add-remove")
    assert round(trade_off_to_advantage(curve).value, 9) == 0.3
    curve = TradeOffCurve([(0, 1), (0.25, 0.25), (1, 0)])
    assert trade_off_to_baseline_risk(curve, 0.5).success == 0.75


def test_training():
    answer = privacy_curve_to_approx_dp(PrivacyCurve(0.01, 1.0, 100), 1.0)
    assert 6.6e-07 < answer.delta < 6.7e-07
    answer = privacy_curve_to_privacy_loss_tail(PrivacyCurve(0.01, 1.0, 100), 0.001)
    assert 0.62 < answer.epsilon < 0.63
    assert round(privacy_curve_to_advantage(PrivacyCurve(0.002, 1.0251, 10000)).value, 3) == 0.1
    answer = privacy_curve_to_false_negative_rate(PrivacyCurve(0.002, 1.0251, 10000), 0.01)
    assert round(answer.fnr, 4) == 0.9808
    assert privacy_curve_to_zcdp(PrivacyCurve(0.01, 2.0, 100)).rho == 12.5
