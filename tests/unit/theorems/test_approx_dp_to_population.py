import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, ApproxDP, PopulationPrivacy
from deniable.theorems.approx_dp_to_population import approx_dp_to_population


def test_the_numbers_stay():
    found = approx_dp_to_population(ApproxDP(0.5, 1e-6))
    assert found == PopulationPrivacy(0.5, 1e-6, every_parent_set=True)
    of_one = approx_dp_to_population(ApproxDP(0.5, 1e-6, records=1))
    assert of_one == PopulationPrivacy(0.5, 1e-6, 1, every_parent_set=True)
    with pytest.raises(NotApplicable, match="got add-remove"):
        approx_dp_to_population(ApproxDP(0.5, 0.0, Adjacency.ADD_REMOVE))
