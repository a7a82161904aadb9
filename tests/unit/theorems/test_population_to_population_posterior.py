import pytest

from deniable.errors import NotApplicable
from deniable.notions import PopulationPosterior, PopulationPrivacy
from deniable.theorems.population_to_population_posterior import population_to_population_posterior


def test_pure_guarantees_of_half_a_parent_set():
    given = PopulationPrivacy(0.5, size=3, every_parent_set=True)
    assert population_to_population_posterior(given) == PopulationPosterior(
        0.5, 0.0, 0.5, 3, every_parent_set=True
    )
    whole = PopulationPrivacy(0.5, every_parent_set=True)
    assert population_to_population_posterior(whole).every_parent_set


def test_delta_says_nothing_of_beliefs():
    """An output of probability δ given the record in, and none given it out: the belief is 1."""
    with pytest.raises(NotApplicable, match="Expected delta = 0"):
        population_to_population_posterior(PopulationPrivacy(0.5, 1e-9, size=3))
    delta = 1e-9
    p, q = (delta, 1 - delta), (0.0, 1.0)
    assert max(x - y for x, y in zip(p, q, strict=True)) <= delta
    assert p[0] / (p[0] + q[0]) == 1.0  # within no (ε, δ') with δ' < 1: 1 > e^ε·0 + δ'


def test_an_unknown_share_says_nothing_of_a_prior():
    with pytest.raises(NotApplicable, match="half of the parent set"):
        population_to_population_posterior(PopulationPrivacy(0.5))
