import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.priors import ProductPrior, TablePrior
from deniable.priors.universe import Universe, subsets
from tests.cases.refusals import refuses

PAIR = Universe(("a", "b"))
PRIOR = TablePrior([[True, True], [False, False], [True, False]], [0.25, 0.5, 0.25])


def test_the_definition():
    assert np.exp(PRIOR.log_prob(PAIR.subsets())) == pytest.approx([0.5, 0.25, 0, 0.25])
    assert PRIOR.marginals.tolist() == [0.5, 0.25]


def test_specs():
    spec = {"b,a": 0.25, "": 0.5, "a": 0.25}
    assert TablePrior.from_spec(PAIR, spec) == PRIOR


def test_any_prior_can_be_written_out():
    listed = TablePrior.of(ProductPrior([0.5, 1.0]))
    assert listed == TablePrior([[False, True], [True, True]], [0.5, 0.5])


def test_conditioning_and_scaling_keep_rows():
    assert PRIOR.given(0, member=True) == TablePrior(PRIOR.members[[0, 2]], [0.5, 0.5])
    scaled = PRIOR.scaled(0, 0.9)
    assert scaled.members.tolist() == PRIOR.members.tolist()
    assert scaled.probabilities == pytest.approx([0.45, 0.1, 0.45])
    with refuses(InvalidArgument, "entity-1-in-never"):
        PRIOR.given(0, member=False).given(1, member=True)
    with refuses(InvalidArgument, "entity-0-out-never"):
        PRIOR.given(0, member=True).given(0, member=False)


def test_members_beyond_sixty_four():
    rows = np.eye(100, dtype=bool)
    prior = TablePrior(rows, np.full(100, 0.01))
    assert prior.log_prob(rows[::-1]) == pytest.approx(np.log(0.01))
    assert prior.log_prob(~rows[:2]).tolist() == [-np.inf, -np.inf]


@pytest.mark.parametrize(
    ("members", "probabilities", "message"),
    [
        ([[True], [True]], [0.5, 0.5], "distinct-subsets-one-twice"),
        ([[True]], [0.5, 0.5], "one-probability-subset: 2 | 1"),
        ([[True], [False]], [0.5, 0.4], "probabilities-to-sum-to-1: 0.9"),
        ([[1], [0]], [0.5, 0.5], "members-to-true-or-false"),
    ],
)
def test_wrong_tables(members, probabilities, message):
    with refuses(InvalidArgument, message):
        TablePrior(members, probabilities)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({}, "one-subset-or-more-none"),
        ({"c": 1.0}, "entity-of-universe: 'c'"),
        ({"a,a": 1.0}, "each-entity-once: a,a"),
        ({"a": "1"}, 'not-a-number: the chance of "a"'),
        ({"a": 0.5}, "probabilities-to-sum-to-1"),
        ({"a,b": 0.5, "b,a": 0.5}, "distinct-subsets-one-twice"),
    ],
)
def test_wrong_specs(spec, message):
    with refuses(InvalidArgument, message):
        TablePrior.from_spec(PAIR, spec)


def test_of_lists_at_most_twenty_four_entities():
    with refuses(InvalidArgument, "at-most-entities: 24"):
        TablePrior.of(ProductPrior(np.full(25, 0.5)))
    assert len(TablePrior.of(ProductPrior([0.5] * 3)).members) == len(subsets(3))
