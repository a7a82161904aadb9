import numpy as np
import pytest
from scipy.special import softmax

from deniable.population.choices.tilts import inclusion, tilts


def test_inclusion_probabilities_add_up_and_keep_their_odds():
    weights = np.array([[0.0, 1.0, -2.0, 3.0], [0.0, 0.0, 0.0, 0.0], [900.0, -900.0, 0.0, 0.0]])
    found = inclusion(weights, 2)
    assert found.sum(axis=1) == pytest.approx(2)
    assert found[1] == pytest.approx(0.5)
    odds = np.log(found[0] / (1 - found[0])) - weights[0]
    assert np.ptp(odds) < 1e-9


@pytest.mark.parametrize("scale", [0.1, 2.0, 20.0])
def test_weights_are_the_law_at_the_centre_of_what_they_tilt_to(scale):
    table = np.random.default_rng(0).normal(size=(5, 40)) * scale / 10
    weights = tilts(table, 20)
    assert weights.sum(axis=1) == pytest.approx(1)
    assert (weights >= 0).all()
    centre = inclusion(weights @ table - table, 20)
    assert softmax(-(centre @ table.T), axis=1) == pytest.approx(weights, abs=2e-3)


def test_equal_candidates_share_the_weight():
    assert tilts(np.ones((3, 8)), 4) == pytest.approx(1 / 3)
