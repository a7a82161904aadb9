import pytest

from deniable.bounds import Evidence
from deniable.notions import NoisyGradient
from deniable.theorems.catalogue import theorem
from deniable.theorems.noisy_gradient_to_gaussian_membership_inference import (
    noisy_gradient_to_gaussian_membership_inference,
)


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
    assert theorem("noisy_gradient_to_gaussian_membership_inference").evidence is Evidence.ESTIMATE
