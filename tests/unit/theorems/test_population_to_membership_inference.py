import math

import pytest

from deniable.notions import MembershipInference, PopulationPrivacy
from deniable.theorems.population_to_attack_success import population_to_attack_success
from deniable.theorems.population_to_membership_inference import population_to_membership_inference


@pytest.mark.parametrize("epsilon", [0.0, 1e-9, 0.3, 5.0, math.inf])
@pytest.mark.parametrize("delta", [0.0, 1e-6, 0.5, 1.0])
def test_it_is_the_attack_success_above_one_half(epsilon, delta):
    guarantee = PopulationPrivacy(epsilon, delta)
    found = population_to_membership_inference(guarantee)
    assert found == MembershipInference(found.eta)
    success = population_to_attack_success(guarantee).probability
    assert found.eta == pytest.approx(success - 0.5, abs=1e-15)
