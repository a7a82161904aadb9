import math

import attrs
import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.mechanisms.counting import NoisyCount
from deniable.notions import Adjacency, PureDP
from deniable.priors.product import ProductPrior
from tests.cases.refusals import refuses


def beliefs(noise, marginals, entity=0):
    return NoisyCount(noise).beliefs(ProductPrior(marginals), entity)


def test_guarantee_is_that_of_the_noise():
    add = Adjacency.ADD_REMOVE
    assert NoisyCount(DiscreteLaplace(2.0)).guarantee(1, add) == PureDP(0.5, add)
    assert NoisyCount().guarantee(1, add) == PureDP(math.inf, add)
    assert NoisyCount().guarantee(0, Adjacency.REPLACE_ONE) == PureDP(0.0)


def test_an_exact_count_of_one_tells_all():
    alone = beliefs(None, [0.3])
    assert alone.posterior([0, 1]).tolist() == [0.0, 1.0]
    assert np.isnan(alone.posterior(2))
    assert alone.delta(5.0) == 1.0
    assert alone.exceedance(0.9) == pytest.approx(0.3)


def test_an_exact_count_of_three():
    found = beliefs(None, [0.5, 0.5, 0.5])
    assert found.posterior(range(4)) == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert found.delta(0.0) == pytest.approx(0.5)
    assert found.delta(math.log(2) + 1e-9) == pytest.approx(0.25)
    assert found.exceedance(0.6) == pytest.approx(0.5)


def test_a_certain_entity_stays_certain():
    for p in (0.0, 1.0):
        found = beliefs(DiscreteLaplace(1.0), [p, 0.5])
        assert found.posterior([-3, 1, 4]).tolist() == [p, p, p]
        assert found.exceedance(0.5) == p


@pytest.mark.parametrize("scale", [0.3, 2.0, 500.0])
def test_laplace_noise_loses_its_epsilon_beyond_the_ends(scale):
    found = beliefs(DiscreteLaplace(scale), [0.2, 0.9, 0.5, 0.5])
    far = found.loss([-(10**6), -1, 0, 4, 5, 10**6])
    assert far == pytest.approx([-1 / scale] * 3 + [1 / scale] * 3)
    assert found.delta(1 / scale + 1e-9) == 0.0


def test_gaussian_noise_loses_more_and_more():
    found = beliefs(DiscreteGaussian(1.0), [0.5, 0.5])
    assert found.loss(100) > found.loss(50) > 40
    assert 0 < found.delta(30.0) < 1e-100


def test_draws_follow_the_count():
    count = NoisyCount(DiscreteLaplace(1.0))
    members = [True, False, True]
    rng = np.random.default_rng(1)
    assert NoisyCount().draws(rng, 3, members).tolist() == [2, 2, 2]
    assert count.draws(rng, 100_000, members).mean() == pytest.approx(2, abs=0.05)


def test_arguments_are_checked():
    with refuses(InvalidArgument, "below-entity: entity | 2 | entity=2"):
        beliefs(None, [0.5, 0.5], 2)
    with refuses(InvalidArgument, "below-least: epsilon | 0"):
        beliefs(None, [0.5]).delta(-1.0)
    with refuses(InvalidArgument, "not-between-0-and-1: level"):
        beliefs(None, [0.5]).exceedance(1.0)


def test_is_a_frozen_value():
    assert NoisyCount() == NoisyCount(None)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        NoisyCount().noise = DiscreteLaplace(1.0)
