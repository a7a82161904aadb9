import math

import pytest

from deniable.bounds import Evidence
from deniable.errors import NotApplicable
from deniable.notions import (
    Advantage,
    GaussianDP,
    GaussianMembershipInference,
    MembershipInference,
    NoisyGradient,
    PopulationPrivacy,
    Setting,
)
from deniable.theorems.attacks import gaussian_dp_to_advantage
from deniable.theorems.catalogue import named
from deniable.theorems.membership_inference import (
    advantage_to_membership_inference,
    gaussian_membership_inference_to_membership_inference,
    membership_inference_to_advantage,
    noisy_gradient_to_gaussian_membership_inference,
    population_to_membership_inference,
    population_to_membership_inference_as_published,
)
from deniable.theorems.population import population_to_attack_success


@pytest.mark.parametrize("epsilon", [0.0, 1e-9, 0.3, 5.0, math.inf])
@pytest.mark.parametrize("delta", [0.0, 1e-6, 0.5, 1.0])
def test_it_is_the_attack_success_above_one_half(epsilon, delta):
    guarantee = PopulationPrivacy(epsilon, delta)
    found = population_to_membership_inference(guarantee)
    assert found == MembershipInference(found.eta)
    success = population_to_attack_success(guarantee).probability
    assert found.eta == pytest.approx(success - 0.5, abs=1e-15)


def test_it_is_weaker():
    for epsilon in (0.0, 1e-9, 0.3, 5.0, math.inf):
        published = population_to_membership_inference_as_published(PopulationPrivacy(epsilon))
        tight = population_to_membership_inference(PopulationPrivacy(epsilon))
        assert tight.eta <= published.eta
        assert published.eta == pytest.approx(-math.expm1(-epsilon) / 2, rel=1e-14)


def test_delta_is_refused():
    with pytest.raises(NotApplicable, match="delta = 0"):
        population_to_membership_inference_as_published(PopulationPrivacy(1.0, 1e-6))


@pytest.mark.parametrize("eta", [0.0, 0.25, 0.5])
def test_twice(eta):
    found = membership_inference_to_advantage(MembershipInference(eta))
    assert found == Advantage(2 * eta, Setting.POPULATION)


@pytest.mark.parametrize("setting", [Setting.POPULATION, Setting.REPLACE_ONE])
@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_half(setting, value):
    found = advantage_to_membership_inference(Advantage(value, setting))
    assert found == MembershipInference(value / 2)


def test_sizes_must_agree():
    with pytest.raises(NotApplicable, match="fixed size"):
        advantage_to_membership_inference(Advantage(0.5, Setting.ADD_REMOVE))


def test_the_formula():
    step = NoisyGradient(dimension=2, batch=2, clip=1.0, noise=0.0, susceptibility=0.0)
    found = noisy_gradient_to_gaussian_membership_inference(step)
    assert found.mu == pytest.approx(0.5)


def test_noise_acts_like_more_records():
    noisy = NoisyGradient(dimension=10, batch=4, clip=2.0, noise=1.0, susceptibility=3.0)
    more = NoisyGradient(dimension=10, batch=8, clip=2.0, noise=0.0, susceptibility=3.0)
    assert noisy_gradient_to_gaussian_membership_inference(noisy) == (
        noisy_gradient_to_gaussian_membership_inference(more)
    )


def test_it_is_catalogued_as_an_estimate():
    assert named("noisy_gradient_to_gaussian_membership_inference").evidence is Evidence.ESTIMATE


def test_half_the_advantage():
    for mu in (0.0, 0.1, 1.0, 50.0):
        found = gaussian_membership_inference_to_membership_inference(
            GaussianMembershipInference(mu)
        )
        advantage = gaussian_dp_to_advantage(GaussianDP(mu)).value
        assert found.eta == pytest.approx(advantage / 2, rel=1e-14)
        assert found == MembershipInference(found.eta)
