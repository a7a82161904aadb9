import math

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.priors import OneOutOfPrior
from deniable.priors.universe import Universe
from tests.cases.refusals import refuses

FOUR = Universe(("a", "b", "c", "d"))


def test_the_definition():
    prior = OneOutOfPrior(4, certain=[3], candidates=[2, 0, 1])
    law = np.exp(prior.log_prob(FOUR.subsets()))
    found = {FOUR.name(int(row)): law[row] for row in np.flatnonzero(law)}
    assert found == pytest.approx({"a,d": 1 / 3, "b,d": 1 / 3, "c,d": 1 / 3})
    assert prior.n_worlds == 3
    assert prior == OneOutOfPrior(4, (3,), (0, 1, 2))


def test_conditioning_leaves_fewer_worlds():
    prior = OneOutOfPrior(4, (3,), (0, 1, 2))
    assert prior.given(1, member=False) == OneOutOfPrior(4, (3,), (0, 2))
    assert prior.given(1, member=True) == OneOutOfPrior(4, (3,), (1,))
    assert prior.given(3, member=True) is prior
    with refuses(InvalidArgument, "entity-3-out-never"):
        prior.given(3, member=False)
    with refuses(InvalidArgument, "entity-1-out-never"):
        prior.given(1, member=True).given(1, member=False)


def test_scaling_leaves_the_family():
    scaled = OneOutOfPrior(4, (3,), (0, 1, 2)).scaled(0, 0.5)
    assert scaled.marginals == pytest.approx([0.5, 0.25, 0.25, 1])
    assert scaled.weights == pytest.approx([2, 1, 1, math.inf])
    with refuses(InvalidArgument, "entity-never: 3 out"):
        scaled.scaled(3, 0.5)


@pytest.mark.parametrize(
    ("certain", "candidates", "message"),
    [
        ((), (), "one-candidate-or-more-none"),
        ((1,), (0, 1), "not-certain-among-both: 1"),
        ((4,), (0,), "below-entity: entity | 4 | entity=4"),
        ((), (0, 0), "candidates-to-distinct"),
    ],
)
def test_wrong_positions(certain, candidates, message):
    with refuses(InvalidArgument, message):
        OneOutOfPrior(4, certain, candidates)
