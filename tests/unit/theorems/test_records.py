import pytest

from deniable.errors import NotApplicable
from deniable.notions import Adjacency, ApproxDP, PopulationPrivacy, PureDP, Side
from deniable.population.theorems import check_size_at_hand
from deniable.priors import BoundedPriors, Households
from deniable.theorems._theorem import check_every_size
from deniable.theorems.catalogue import CATALOGUE
from tests.cases.refusals import refuses

OTHERS = {
    "adversary": BoundedPriors(),
    "prior": 0.3,
    "worlds": 3,
    "side": Side.POSITIVE,
    "rate": 0.5,
    "exceedance": 0.9,
    "fpr": 0.1,
    "order": 2.0,
    "nonmembers": 1.0,
    "baseline": 0.1,
    "households": Households(2),
}


def test_every_size_passes_and_one_size_does_not():
    check_every_size(PureDP(1.0))
    with refuses(NotApplicable, "data-of-every-size-one: 3"):
        check_every_size(PureDP(1.0, records=3))


def test_attacks_are_on_the_data_at_hand():
    check_size_at_hand(PopulationPrivacy(1.0))
    with refuses(NotApplicable, "one-for-size: 3"):
        check_size_at_hand(PopulationPrivacy(1.0, 0.0, 3))


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize(
    "theorem",
    [each for each in CATALOGUE if each.premise in (PureDP, ApproxDP)],
    ids=lambda theorem: theorem.name,
)
def test_no_theorem_forgets_the_size(theorem, adjacency):
    """Either it refuses, or what it gives is of data of that size too."""
    numbers = (1.0,) if theorem.premise is PureDP else (1.0, 0.0)
    guarantee = theorem.premise(*numbers, adjacency, 1)
    wanted = theorem.implication.__annotations__
    arguments = {name: value for name, value in OTHERS.items() if name in wanted}
    try:
        found = theorem.implication(guarantee, **arguments)
    except NotApplicable:
        return
    assert getattr(found, "records", None) == 1 or getattr(found, "size", None) == 1
