import math

import pytest

from deniable.errors import NotApplicable
from deniable.notions import PopulationPrivacy
from deniable.theorems.population_to_membership_inference import population_to_membership_inference
from deniable.theorems.population_to_membership_inference_as_published import (
    population_to_membership_inference_as_published,
)


def test_it_is_weaker():
    for epsilon in (0.0, 1e-9, 0.3, 5.0, math.inf):
        published = population_to_membership_inference_as_published(PopulationPrivacy(epsilon))
        tight = population_to_membership_inference(PopulationPrivacy(epsilon))
        assert tight.eta <= published.eta
        assert published.eta == pytest.approx(-math.expm1(-epsilon) / 2, rel=1e-14)


def test_delta_is_refused():
    with pytest.raises(NotApplicable, match="delta = 0"):
        population_to_membership_inference_as_published(PopulationPrivacy(1.0, 1e-6))
