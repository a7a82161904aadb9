import math

import pytest

from deniable.notions import PopulationPrivacy, Setting
from deniable.theorems.population_to_attack_success import population_to_attack_success


@pytest.mark.parametrize(("epsilon", "success"), [(0.1, 0.52498), (7.0, 0.99909)])
def test_the_numbers_of_the_paper(epsilon, success):
    found = population_to_attack_success(PopulationPrivacy(epsilon))
    assert found.setting is Setting.POPULATION
    assert round(found.probability, 5) == success


def test_edges():
    assert population_to_attack_success(PopulationPrivacy(0.0, 0.5)).probability == 0.75
    assert population_to_attack_success(PopulationPrivacy(math.inf)).probability == 1.0
