import math

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.priors import ProductPrior
from deniable.priors.universe import subsets
from tests.cases.refusals import refuses


def test_the_definition():
    p = [0.5, 0.25, 0.1]
    for row in subsets(3):
        chance = math.prod(q if inside else 1 - q for q, inside in zip(p, row, strict=True))
        assert np.exp(ProductPrior(p).log_prob(row)) == pytest.approx(chance, rel=1e-15)


def test_certainty():
    prior = ProductPrior([0.0, 1.0])
    assert np.exp(prior.log_prob(subsets(2))).tolist() == [0, 0, 1, 0]
    assert prior.draws(np.random.default_rng(0), 3).tolist() == [[False, True]] * 3
    with refuses(InvalidArgument, "entity-0-in-never-happens"):
        prior.given(0, member=True)
    with refuses(InvalidArgument, "entity-1-out-never-happens"):
        prior.given(1, member=False)
    assert prior.given(1, member=True) == prior


def test_independence_lets_certainty_be_scaled():
    assert ProductPrior([0.0, 0.5]).scaled(0, 0.3) == ProductPrior([0.3, 0.5])


def test_wrong_marginals():
    with refuses(InvalidArgument, "marginals-between-0-and-1: 1.1 | [1]"):
        ProductPrior([0.5, 1.1])
