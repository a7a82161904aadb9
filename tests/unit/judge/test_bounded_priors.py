import math

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.judge.bounded_priors import (
    MOST_ENTITIES,
    gamma,
)
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.numerics.bound import Evidence
from deniable.priors.universe import Universe
from tests.cases.refusals import refuses
from tests.oracles import judge as brute


def random(n, seed, outputs=2):
    rows = np.random.default_rng(seed).dirichlet(np.full(outputs, 3.0), size=2**n)
    names = tuple(f"e{i}" for i in range(n))
    return StochasticMatrix(Universe(names), [str(o) for o in range(outputs)], rows)


def chances(matrix, prior):
    found = np.zeros(matrix.universe.size)
    for name, chance in prior.items():
        for entity in name.split(",") if name else []:
            found[matrix.universe.position(entity)] += chance
    return found


def test_theorem_2_has_no_converse(pick):
    found = gamma(pick, 1 / 3, 1 / 3, rise=True)
    assert found.bound.lower <= 1.5 <= found.bound.upper == pytest.approx(1.5, rel=1e-12)
    assert found.witness.prior == pytest.approx({"a": 1 / 3, "b": 1 / 3, "c": 1 / 3})


@pytest.mark.parametrize(
    ("n", "low", "high"), [(2, 0.2, 0.4), (2, 0.6, 0.9), (3, 0.4, 0.4), (3, 0.0, 0.3)]
)
def test_no_prior_leaves_anyone_uncertain(n, low, high):
    assert gamma(random(n, 1), low, high, rise=True) is None


def test_one_entity_is_always_certain(flip):
    assert gamma(flip, 0.3, 0.7, rise=True) is None


def test_sizes_that_lack(pick):
    rows = pick.rows.copy()
    rows[1] = np.nan
    lacking = StochasticMatrix(pick.universe, pick.outputs, rows)
    assert gamma(lacking, 0.3, 0.7, rise=True) is None
    assert gamma(lacking, 0.3, 0.7, rise=False) is None


def test_an_interval_that_mirrors_itself_is_settled_by_pairs():
    matrix = random(MOST_ENTITIES + 2, 2)
    found = gamma(matrix, 0.3, 0.7, rise=True)
    assert found.bound.lower == pytest.approx(found.bound.upper, rel=1e-12)
    assert len(found.witness.prior) == 2


def test_beyond_the_limit_there_is_a_bracket():
    matrix = random(MOST_ENTITIES + 1, 3)
    found = gamma(matrix, 0.2, 0.4, rise=True)
    assert found.bound.evidence is Evidence.ENCLOSURE
    assert 1 < found.bound.lower < found.bound.upper < math.inf
    within = chances(matrix, found.witness.prior)
    uncertain = within[(within > 1e-9) & (within < 1 - 1e-9)]
    assert uncertain.min() >= 0.2 - 1e-9
    assert uncertain.max() <= 0.4 + 1e-9


def test_no_prior_found_leaves_theorem_2_alone():
    """Five entities, two in, every probability within 0.401 of each other: no single exchange."""
    matrix = random(5, 4)
    size_2 = [row if row.bit_count() == 2 else None for row in range(32)]
    rows = np.array([matrix.rows[r] if r is not None else [np.nan, np.nan] for r in size_2])
    only = StochasticMatrix(matrix.universe, matrix.outputs, rows)
    searched = gamma(only, 0.39, 0.41, rise=True)
    assert searched.bound.upper <= searched.bound.lower * (1 + 2e-7)
    stopped = gamma(only, 0.39, 0.41, work=0, rise=True)
    assert stopped.bound.lower <= searched.bound.lower
    assert stopped.bound.upper >= searched.bound.upper


def test_the_witness_of_negative_membership_is_mirrored():
    matrix = random(3, 5)
    found = gamma(matrix, 0.2, 0.5, rise=False)
    prior = np.zeros(8)
    for name, chance in found.witness.prior.items():
        prior[matrix.universe.row(name.split(","))] = chance
    entity = matrix.universe.position(found.witness.entity)
    output = matrix.outputs.index(found.witness.output)
    assert brute.factors(matrix.rows, prior, entity, output)[1] == pytest.approx(found.bound.upper)


def test_an_output_of_probability_0(parity, pick):
    assert gamma(parity, 0.3, 0.7, rise=True).bound.upper == 1.0
    found = gamma(pick, 0.3, 0.7, rise=True)
    assert found.bound.upper == math.inf
    assert found.bound.lower == math.inf


@pytest.mark.parametrize(("low", "high"), [(0.7, 0.3), (-0.1, 0.5), (0.5, 1.1)])
def test_ends_that_are_none(pick, low, high):
    with refuses(InvalidArgument, "not-from-0-to-1: _ | prior"):
        gamma(pick, low, high, rise=True)


@pytest.mark.parametrize("tiny", [1e-3, 1e-9, 1e-15, 1e-100])
@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (0.0, 0.6), (0.4, 1.0)])
def test_ends_at_certainty_keep_their_precision(tiny, low, high):
    rows = np.full((4, 2), np.nan)
    rows[[1, 2]] = [[0.5, 0.5], [tiny, 1 - tiny]]
    matrix = StochasticMatrix(Universe(("a", "b")), ("x", "y"), rows)
    ratio = 0.5 / tiny
    ends = max(low, 1 - high), min(high, 1 - low)  # one is in and one is out
    expected = max(ratio / (ends[0] * ratio + 1 - ends[0]), ends[1] * ratio + 1 - ends[1])
    found = gamma(matrix, low, high, rise=True)
    assert found.bound.lower == pytest.approx(expected, rel=1e-9)
    assert found.bound.upper == pytest.approx(expected, rel=1e-9)
