import math

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.priors import SizeConditionedPrior, UniformSizedPrior
from deniable.priors.universe import subsets
from tests.cases.refusals import refuses


@pytest.mark.parametrize("k", range(6))
def test_the_definition(k):
    rows = subsets(5)
    found = np.exp(UniformSizedPrior(5, k).log_prob(rows))
    right = rows.sum(axis=1) == k
    assert found[right] == pytest.approx(1 / math.comb(5, k), rel=1e-14)
    assert not found[~right].any()


def test_large_universes():
    prior = UniformSizedPrior(2000, 1000)
    members = prior.draws(np.random.default_rng(0), 2)
    assert members.sum(axis=1).tolist() == [1000, 1000]
    assert prior.log_prob(members) == pytest.approx(-math.log(math.comb(2000, 1000)))


def test_it_is_size_conditioned_with_equal_weights():
    assert UniformSizedPrior(3, 2).given(0, member=False) == SizeConditionedPrior([0, 1, 1], 2)
    scaled = UniformSizedPrior(4, 2).scaled(0, 0.75)
    assert scaled.weights == pytest.approx([3, 1, 1, 1])
    assert scaled.n_members == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 0), "below-least: n_entities | 1"),
        ((3, 4), "n-members-at-most-n-entities-n-members: 3 | 4"),
        ((3, -1), "below-least: n_members | 0"),
        ((3, 1.5), "not-whole: n_members"),
    ],
)
def test_wrong_numbers(arguments, message):
    with refuses(InvalidArgument, message):
        UniformSizedPrior(*arguments)
