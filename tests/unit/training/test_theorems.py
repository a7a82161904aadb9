"""Theorems about noisy training, and the walks of `derive` through them."""

import math

import pytest

from deniable.errors import InvalidArgument, NoDerivation
from deniable.notions import PrivacyCurve
from deniable.theorems.derive import derive
from deniable.training.noisy_gradients import Phase, privacy_curve
from deniable.training.theorems import privacy_curve_to_approx_dp, privacy_curve_to_zcdp
from tests.cases.refusals import refuses

TRAINED = PrivacyCurve(0.01, 1.0, 100, (Phase(2.0, 0.02, 50),))


def test_a_claim_is_the_safe_end_of_the_curve():
    found = privacy_curve(TRAINED.schedule).delta(0.5)
    assert privacy_curve_to_approx_dp(TRAINED, 0.5).delta == found.upper > found.lower


def test_concentration_is_that_of_all_steps_without_sampling():
    assert privacy_curve_to_zcdp(TRAINED).rho == 100 / 2 + 50 / 8


@pytest.mark.parametrize(
    ("target", "steps"),
    [
        ("attack-success", ["privacy_curve_to_advantage", "advantage_to_attack_success"]),
        (
            "predictive-value:?,0.01,10",
            [
                "privacy_curve_to_false_negative_rate",
                "false_negative_rate_to_predictive_value",
            ],
        ),
        (
            "max-posterior:?,1e-4@add-remove@0-0.1",
            ["privacy_curve_to_privacy_loss_tail", "privacy_loss_tail_to_max_posterior"],
        ),
        (
            "approx-dp:1.0,?",
            ["privacy_curve_to_approx_dp", "add_remove_approx_dp_to_replace_one_approx_dp"],
        ),
    ],
)
def test_a_training_leads_to_beliefs_and_attacks(target, steps):
    found = derive(TRAINED.spec, target)
    assert [link.theorem.split(" ")[0] for link in found.chain] == steps


def test_an_exchange_is_solved_for_by_the_curve_not_by_rho_alone():
    found = derive(TRAINED, "approx-dp:?,1e-5").target
    changed = derive(TRAINED, f"approx-dp:{found.epsilon / 2},?@add-remove").target
    assert (1 + math.exp(found.epsilon / 2)) * changed.delta <= 1e-5 * (1 + 1e-9)
    assert found.epsilon < derive("zcdp:50.0@add-remove", "approx-dp:?,1e-5").target.epsilon


def test_more_misses_are_the_stronger_statement():
    found = derive(TRAINED, "false-negative-rate:?,0.01").target
    assert derive(TRAINED, "false-negative-rate:0.9,0.01@add-remove").target.fnr == 0.9
    with refuses(NoDerivation, "chain-stronger-what-follows"):
        derive(TRAINED, f"false-negative-rate:{found.fnr + 1e-3},0.01@add-remove")


def test_an_exchange_counts_twice():
    with refuses(InvalidArgument, "add-remove-with-poisson-sampling"):
        derive("privacy-curve:0.01,1.0,100@replace-one", "advantage")
    with refuses(NoDerivation, "chain-stronger-what-follows"):
        derive(TRAINED, "advantage:0.9")
    with refuses(InvalidArgument, "each-further-phase-then"):
        derive("privacy-curve:0.01,1.0,100@then-0.1,2", "advantage")
