import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.priors import GroupedPrior
from deniable.priors.universe import Universe
from tests.cases.refusals import refuses

ABC = Universe(("a", "b", "c"))
PRIOR = GroupedPrior([[2, 0], [1]], [0.25, 0.5])


def test_the_definition():
    law = np.exp(PRIOR.log_prob(ABC.subsets()))
    found = {ABC.name(int(row)): law[row] for row in np.flatnonzero(law)}
    assert found == pytest.approx({"": 0.375, "b": 0.375, "a,c": 0.125, "a,b,c": 0.125})
    assert PRIOR.marginals.tolist() == [0.25, 0.5, 0.25]


def test_one_brings_its_group():
    assert PRIOR.given(2, member=True) == GroupedPrior([[0, 2], [1]], [1.0, 0.5])
    assert PRIOR.scaled(0, 0.9) == GroupedPrior([[0, 2], [1]], [0.9, 0.5])
    with refuses(InvalidArgument, "entity-0-in-never"):
        PRIOR.given(2, member=False).given(0, member=True)


@pytest.mark.parametrize(
    ("groups", "probabilities", "message"),
    [
        ([[0], [0, 1]], [0.5, 0.5], "each-position-from-0"),
        ([[0], [2]], [0.5, 0.5], "each-position-from-0"),
        ([[0], []], [0.5, 0.5], "each-position-from-0"),
        ([], [], "each-position-from-0"),
        ([0, 1], [0.5, 0.5], "groups-to-lists-of-positions"),
        ([[0, 1]], [0.5, 0.5], "one-probability-group: 2 | 1"),
        ([[0, 1]], [1.5], "probabilities-between-0-and-1"),
    ],
)
def test_wrong_groups(groups, probabilities, message):
    with refuses(InvalidArgument, message):
        GroupedPrior(groups, probabilities)
