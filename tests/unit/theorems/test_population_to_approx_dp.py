import pytest

from deniable.errors import NotApplicable
from deniable.notions import ApproxDP, PopulationPrivacy
from deniable.theorems.population_to_approx_dp import population_to_approx_dp


def test_the_numbers_stay():
    guarantee = PopulationPrivacy(0.5, 1e-6, 1, every_parent_set=True)
    assert population_to_approx_dp(guarantee) == ApproxDP(0.5, 1e-6, records=1)


def test_one_parent_set_proves_nothing_of_others():
    with pytest.raises(NotApplicable, match="Expected a guarantee for every parent set"):
        population_to_approx_dp(PopulationPrivacy(0.5, 1e-6, 1))


@pytest.mark.parametrize("size", [None, 2])
def test_more_records_prove_nothing(size):
    with pytest.raises(NotApplicable, match="Expected data of one record"):
        population_to_approx_dp(PopulationPrivacy(0.5, 0.0, size, every_parent_set=True))
