import pytest

from deniable.errors import NotApplicable
from deniable.notions import PopulationPosterior, PopulationPrivacy
from deniable.theorems.population_posterior_to_population_as_published import (
    population_posterior_to_population_as_published,
)


def test_delta_doubles():
    given = PopulationPosterior(0.5, 0.1, 0.5, 2)
    assert population_posterior_to_population_as_published(given) == PopulationPrivacy(0.5, 0.2, 2)
    whole = PopulationPosterior(0.5, 0.7, 0.5)
    assert population_posterior_to_population_as_published(whole).delta == 1


def test_the_paper_samples_half():
    with pytest.raises(NotApplicable, match="Expected share ½"):
        population_posterior_to_population_as_published(PopulationPosterior(0.5, 0.1, 0.4))
