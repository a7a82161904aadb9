import math

import pytest

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
from deniable.numerics.bound import Evidence
from deniable.population import theorems
from deniable.population.theorems import population_to_attack_success
from deniable.theorems.attacks import gaussian_dp_to_advantage
from deniable.theorems.catalogue import named
from tests.cases.refusals import refuses
from tests.cases.theorem_tables import agree, edges, refusals

LOSSES = (0.0, 1e-9, 0.3, 5.0, math.inf)

tight = theorems.population_to_membership_inference
published = theorems.population_to_membership_inference_as_published
to_advantage = theorems.membership_inference_to_advantage
from_advantage = theorems.advantage_to_membership_inference
from_gradient = theorems.noisy_gradient_to_gaussian_membership_inference
from_gaussian = theorems.gaussian_membership_inference_to_membership_inference


@edges(
    *((published, PopulationPrivacy(x), MembershipInference(-math.expm1(-x) / 2)) for x in LOSSES),
    *(
        (to_advantage, MembershipInference(x), Advantage(2 * x, Setting.POPULATION))
        for x in (0.0, 0.25, 0.5)
    ),
    *(
        (from_advantage, Advantage(x, setting), MembershipInference(x / 2))
        for x in (0.0, 0.5, 1.0)
        for setting in (Setting.POPULATION, Setting.REPLACE_ONE)
    ),
    *(
        (
            from_gaussian,  # half the advantage
            GaussianMembershipInference(x),
            MembershipInference(gaussian_dp_to_advantage(GaussianDP(x)).value / 2),
        )
        for x in (0.0, 0.1, 1.0, 50.0)
    ),
    (from_gradient, NoisyGradient(2, 2, 1.0, 0.0, 0.0), GaussianMembershipInference(0.5)),
)
def test_edges(theorem, given, expected):
    assert agree(theorem(*given), expected)


@pytest.mark.parametrize("epsilon", LOSSES)
@pytest.mark.parametrize("delta", [0.0, 1e-6, 0.5, 1.0])
def test_it_is_the_attack_success_above_one_half(epsilon, delta):
    guarantee = PopulationPrivacy(epsilon, delta)
    success = population_to_attack_success(guarantee).probability
    assert tight(guarantee).eta == pytest.approx(success - 0.5, abs=1e-15)


@pytest.mark.parametrize("epsilon", LOSSES)
def test_the_published_constant_is_weaker(epsilon):
    guarantee = PopulationPrivacy(epsilon)
    assert tight(guarantee).eta <= published(guarantee).eta


def test_noise_acts_like_more_records():
    noisy = NoisyGradient(dimension=10, batch=4, clip=2.0, noise=1.0, susceptibility=3.0)
    more = NoisyGradient(dimension=10, batch=8, clip=2.0, noise=0.0, susceptibility=3.0)
    assert from_gradient(noisy) == from_gradient(more)


def test_a_normal_approximation_is_catalogued_as_an_estimate():
    assert named(from_gradient.__name__).evidence is Evidence.ESTIMATE


@refusals(
    (published, PopulationPrivacy(1.0, 1e-6), NotApplicable, "delta-0-delta"),
    (from_advantage, Advantage(0.5, Setting.ADD_REMOVE), NotApplicable, "fixed-size-add-remove"),
)
def test_refusals(theorem, given, error, message):
    with refuses(error, message):
        theorem(*given)
