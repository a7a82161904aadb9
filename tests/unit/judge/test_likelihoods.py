import math

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.judge.likelihoods import falls, joint, rises, weights
from deniable.priors import ProductPrior, UniformPrior


def test_both_sides_of_one_entity(flip):
    found = joint(flip.rows, np.array([0.8, 0.2]))
    assert found.given_in[0].tolist() == pytest.approx([0.5, 0.5])
    assert found.given_out[0].tolist() == pytest.approx([0.75, 0.25])
    assert (found.member[0], found.stranger[0]) == (0.2, 0.8)
    assert found.uncertain.tolist() == [True]


def test_factors_on_the_belief(flip):
    found = joint(flip.rows, np.array([0.5, 0.5]))
    # yes: Pr = 3/8, posterior 2/3; no: Pr = 5/8, posterior 2/5
    assert rises(found)[0].tolist() == pytest.approx([1.0, 1.5])
    assert falls(found)[0].tolist() == pytest.approx([1.25, 1.0])


@pytest.mark.parametrize("chance", [0.0, 1.0])
def test_certainty_does_not_move(flip, chance):
    found = joint(flip.rows, np.array([1 - chance, chance]))
    assert rises(found).tolist() == falls(found).tolist() == [[1.0, 1.0]]
    assert found.uncertain.tolist() == [False]
    assert math.isnan((found.given_out if chance else found.given_in)[0, 0])


def test_outputs_that_never_come_say_nothing(constant):
    found = joint(constant.rows, np.full(4, 0.25))
    assert rises(found).max() == falls(found).max() == 1.0


def test_an_output_that_settles_the_matter(parity):
    found = joint(parity.rows, np.array([0.5, 0.5, 0.0, 0.0]))
    assert rises(found)[0].tolist() == [1.0, math.inf]
    assert falls(found)[0].tolist() == [math.inf, 1.0]
    assert rises(found)[1].tolist() == [1.0, 1.0]


def test_small_probabilities_are_not_lost_beside_large_ones(flip):
    found = joint(flip.rows, np.array([1 - 1e-300, 1e-300]))
    assert rises(found)[0, 1] == pytest.approx(2.0)


def test_weights_follow_row_order(parity):
    found = weights(parity, ProductPrior([0.25, 0.5]))
    assert found.tolist() == pytest.approx([0.375, 0.125, 0.375, 0.125])


def test_a_prior_over_another_universe(flip):
    with pytest.raises(InvalidArgument, match="1 entities of the universe, got one over 2"):
        weights(flip, UniformPrior(2))


def test_a_prior_that_allows_an_unknown_subset(pick):
    with pytest.raises(InvalidArgument, match=r'got none of ""\. Add its row\.'):
        weights(pick, UniformPrior(3))


def test_products_of_small_numbers_do_not_vanish():
    rows = np.array([[1e-260], [1e-50]])
    found = joint(rows, np.array([1 - 1e-200, 1e-200]))
    assert rises(found)[0, 0] == pytest.approx(1e200)


def test_advantages(flip, parity):
    assert joint(flip.rows, np.array([0.8, 0.2])).advantages.tolist() == pytest.approx([0.25])
    assert math.isnan(joint(flip.rows, np.array([1.0, 0.0])).advantages[0])
    assert joint(parity.rows, np.full(4, 0.25)).advantages.tolist() == [0.0, 0.0]
