"""leemann-2023, *Gaussian membership inference privacy*: one noisy gradient, and why an estimate.

The release is the mean of n whitened gradients plus noise. Without the record it is N(0, v₀ I),
with it N(θ/n, v₁ I); the likelihood ratio depends on the distance to one point, a scaled
noncentral χ².
"""

import math

import numpy as np
import pytest
from scipy.stats import ncx2

from deniable.errors import NoDerivation
from deniable.notions import GaussianMembershipInference, NoisyGradient
from deniable.numerics.bound import Evidence
from deniable.theorems.catalogue import named
from deniable.theorems.derive import derive
from tests.cases.refusals import refuses

NAME = "noisy_gradient_to_gaussian_membership_inference"


def claimed(dimension, batch, clip, noise, susceptibility):
    step = NoisyGradient(dimension, batch, clip, noise, susceptibility)
    return named(NAME).implication(step).mu


def statistic(d, n, clip, noise, k):
    """Laws of n²‖release − c‖²/m without and with the record, as (scale, d, noncentrality)."""
    m = n + noise**2 * n**2 / clip**2
    return (1.0, d, m * k), ((m - 1) / m, d, (m - 1) * k)


SETTINGS = [(50, 20, 1.0, 0.0, 50.0), (200, 10, 1.0, 0.5, 100.0), (1000, 50, 2.0, 1.0, 1000.0)]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_the_formula_is_the_distance_of_means_in_standard_deviations(setting):
    without, inside = statistic(*setting)
    moments = [(s * (d + k), s * math.sqrt(2 * d + 4 * k)) for s, d, k in (without, inside)]
    (mean, deviation), (other, _) = moments
    assert claimed(*setting) == pytest.approx((mean - other) / deviation, rel=1e-9)


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_noise_acts_like_more_records(setting):
    """n_e = n + τ²n²/C²: scaled by n/n_e the noisy release is a noiseless one of n_e records."""
    d, n, clip, noise, k = setting
    m = n + noise**2 * n**2 / clip**2
    exact = (d + (2 * m - 1) * k) / (m * math.sqrt(2 * d + 4 * m * k))
    assert claimed(*setting) == pytest.approx(exact, rel=1e-12)
    variance = 1 / n + noise**2 / clip**2
    assert variance == pytest.approx(m / n**2)


def exact_advantage(setting):
    """The largest gap between the two distribution functions: the attack by likelihood ratio."""
    (s0, d, k0), (s1, _, k1) = statistic(*setting)
    at = np.linspace(0.0, 2 * (d + k0) + 20 * math.sqrt(2 * d + 4 * k0), 40_001)
    return float((ncx2.cdf(at / s1, d, k1) - ncx2.cdf(at / s0, d, k0)).max())


def estimated_advantage(setting):
    guarantee = GaussianMembershipInference(claimed(*setting))
    name = "gaussian_membership_inference_to_membership_inference"
    return 2 * named(name).implication(guarantee).eta


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_in_many_dimensions_the_estimate_is_close_and_a_little_low(setting):
    exact = exact_advantage(setting)
    assert exact * 0.95 < estimated_advantage(setting) < exact


@pytest.mark.parametrize(
    ("setting", "exact", "estimate"),
    [
        ((1, 2, 1.0, 0.0, 1e-12), 0.166, 0.140),
        ((1, 2, 1.0, 0.0, 5.0), 0.654, 0.463),
        ((3, 3, 1.0, 0.0, 1.0), 0.304, 0.247),
    ],
)
def test_it_is_no_bound(setting, exact, estimate):
    """A finding: few records in few dimensions; the best attack does much better."""
    assert exact_advantage(setting) == pytest.approx(exact, abs=1e-3)
    assert estimated_advantage(setting) == pytest.approx(estimate, abs=1e-3)


def test_no_derivation_passes_through_it():
    assert named(NAME).evidence is Evidence.ESTIMATE
    for target in ("gaussian-membership-inference", "membership-inference", "attack-success"):
        with refuses(NoDerivation, "estimate-proves-nothing"):
            derive("noisy-gradient:100,50,1.0,0.0,100.0", target)


def test_from_a_proved_shift_onwards_derivations_go_on():
    found = derive("gaussian-membership-inference:1.0", "attack-success").target
    assert found.spec.endswith("@population")
    assert found.probability == pytest.approx(0.691462, abs=1e-6)
