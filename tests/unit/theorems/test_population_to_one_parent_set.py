import pytest

from deniable.errors import NotApplicable
from deniable.notions import PopulationPrivacy
from deniable.theorems.population_to_one_parent_set import population_to_one_parent_set


@pytest.mark.parametrize("size", [None, 3])
def test_the_numbers_stay_and_there_is_no_way_back(size):
    every = PopulationPrivacy(0.5, 1e-6, size, every_parent_set=True)
    one = population_to_one_parent_set(every)
    assert one == PopulationPrivacy(0.5, 1e-6, size)
    with pytest.raises(NotApplicable, match="got one for one of them"):
        population_to_one_parent_set(one)
