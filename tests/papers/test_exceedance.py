"""From (ε, δ) to beliefs: the exceedance of the theory page, section 5, and tight advantages.

P(loss > ℓ) <= inf over ε < ℓ of δ(ε)/(1 − e^(ε−ℓ)), P the law given that t is in the data.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ndtr

from deniable import calibrate, explain
from deniable.notions import ApproxDP, GaussianDP
from deniable.theorems.gaussian import gaussian_dp_to_approx_dp, gaussian_dp_to_privacy_loss_tail
from deniable.theorems.pure_and_approximate import approx_dp_to_exceedance
from tests.oracles.privacy_curves import gaussian_delta, gaussian_tail


def test_every_point_of_the_curve_bounds_the_tail_and_the_best_is_found():
    mu, loss = 0.4, 1.5
    found = gaussian_dp_to_privacy_loss_tail(GaussianDP(mu), loss).exceedance
    points = [
        approx_dp_to_exceedance(gaussian_dp_to_approx_dp(GaussianDP(mu), epsilon), loss)
        for epsilon in np.linspace(0.0, 1.49, 150).tolist()
    ]
    assert found <= min(points)
    assert found == pytest.approx(min(points), rel=1e-3)
    assert found == pytest.approx(gaussian_tail(mu, loss), rel=1e-9)


@pytest.mark.parametrize(("mu", "loss"), [(0.2, 1.0), (0.5, 1.0), (1.0, 3.0)])
def test_it_covers_the_exact_tail_of_one_pair_at_a_factor_of_about_e(mu, loss):
    exact = float(ndtr(mu / 2 - loss / mu))
    found = gaussian_dp_to_privacy_loss_tail(GaussianDP(mu), loss).exceedance
    assert exact < found < math.e * exact


def test_how_often_a_belief_passes_a_level():
    """ℓ = logit τ − logit p; the law is that of the outputs of data sets with t."""
    prior, level, epsilon, delta = 0.05, 0.5, 1.0, 1e-5
    answer = explain(epsilon, delta, level=level, prior=(0.0, prior))
    loss = math.log(level / (1 - level)) - math.log(prior / (1 - prior))
    assert answer.level.probability == pytest.approx(delta / (1 - math.exp(epsilon - loss)))


def test_levels_hold_for_gaussian_noise_in_simulation_free_form():
    """Exactly: the chance that N(μ, 1) against N(0, 1) pushes a belief of p beyond τ."""
    mu, prior = 0.5, 0.1
    for epsilon in (0.5, 1.0, 2.0):
        delta = float(gaussian_delta(mu, epsilon))
        for level in (0.3, 0.5, 0.7):
            loss = math.log(level / (1 - level)) - math.log(prior / (1 - prior))
            exact = float(ndtr(mu / 2 - loss / mu))
            assert exact <= explain(epsilon, delta, exceedance=min(2 * delta, 0.99), level=level,
                                    prior=(0.0, prior)).level.probability  # fmt: skip


def test_the_loss_at_an_exceedance():
    """ℓ = ε − ln(1 − D/X)."""
    for exceedance in (2e-6, 1e-4, 0.5):
        found = explain(1.0, 1e-6, exceedance=exceedance).loss
        assert found == pytest.approx(1.0 - math.log(1 - 1e-6 / exceedance), rel=1e-14)


def test_the_fall_of_a_belief_needs_the_reverse_curve():
    """A stranger is ruled out every other time, a member never ruled in by more than ln 2."""
    given_t, given_not_t = np.array([1.0, 0.0]), np.array([0.5, 0.5])
    rise = float(np.clip(given_t - 2 * given_not_t, 0, None).sum())
    fall = float(np.clip(given_not_t - 2 * given_t, 0, None).sum())
    assert (rise, fall) == (0.0, 0.5)
    assert approx_dp_to_exceedance(ApproxDP(math.log(2), rise), 1.0) == 0.0
    # The second output has probability 1/2 without t, and leaves no belief in t.
    assert approx_dp_to_exceedance(ApproxDP(math.log(2), fall), 1.0) >= 0.5


@pytest.mark.parametrize(("epsilon", "success"), [(0.1, 0.52498), (7.0, 0.99909)])
def test_lowy_2024_lemma_6(epsilon, success):
    """1/(1 + e^−ε), with δ (e^ε + δ)/(e^ε + 1)."""
    assert explain(epsilon).attack_success == pytest.approx(success, abs=5e-6)
    assert calibrate(attack_success=success).epsilon == pytest.approx(epsilon, abs=5e-3)
    e = math.exp(epsilon)
    with_delta = explain(epsilon, 1e-3).attack_success
    assert with_delta == pytest.approx((e + 1e-3) / (e + 1))


def test_humphries_2020_is_tighter_than_yeom_2018_and_erlingsson():
    for epsilon in (0.1, 0.5, 1.0, 3.0):
        for delta in (1e-9, 1e-3):
            found = explain(epsilon, delta).advantage
            assert found == pytest.approx(
                (math.exp(epsilon) - 1 + 2 * delta) / (math.exp(epsilon) + 1)
            )
            assert found < math.exp(epsilon) - 1 + 2 * delta
            assert found < 1 - math.exp(-epsilon) * (1 - delta)


def test_gaussian_advantage():
    """2Φ(μ/2) − 1."""
    answer = calibrate(advantage=0.1, delta=1e-6)
    mu = 1 / answer.noise_multiplier
    assert 2 * ndtr(mu / 2) - 1 == pytest.approx(0.1, rel=1e-12)


def test_the_probability_is_the_adversarys_and_not_over_the_noise_alone():
    """Decision 5: an output rare under the prior may be common for the data that are there."""
    others, rare, limit, chance = 20, Fraction(1, 10**4), 3, Fraction(1, 1000)
    common = [Fraction(1, 2) / 2 ** (others - j) for j in range(others + 1)]
    # The probability of output "a" where j of the others are in the data, and t or not.
    published = {
        (j, t): common[j] + (rare if t and j == 0 else 0)
        for j in range(others + 1)
        for t in (False, True)
    }
    exceedance = rare + common[0]
    for (j, t), one in published.items():
        for near in ((j - 1, t), (j + 1, t), (j, not t)):
            if near in published:
                other = published[near]
                pairs = [(one, other), (1 - one, 1 - other)]
                assert sum(p for p, q in pairs if p > limit * q) <= exceedance

    weights = [math.comb(others, j) * chance**j * (1 - chance) ** (others - j) for j in range(21)]
    inside, outside = (
        sum(w * published[j, t] for j, w in enumerate(weights)) for t in (True, False)
    )
    assert inside > limit * outside  # "a" raises the odds of t by more than the limit
    assert inside <= exceedance  # and is as rare as was said, as the adversary reckons
    assert published[others, True] == Fraction(1, 2)  # but not where all others are in
