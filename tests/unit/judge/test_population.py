"""ε̃ of a mechanism that is written out, beside the definition in fractions."""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.judge.curve import population
from deniable.judge.verify import verify
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.priors.universe import Universe
from tests.cases.refusals import refuses

NAMES = tuple("abcdefgh")


def matrix(many, outputs, seed, *, zeros=False):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0 if zeros else 1, 9, (2**many, outputs)).astype(float) + 1e-9 * zeros
    rows /= rows.sum(axis=1, keepdims=True)
    return StochasticMatrix(Universe(NAMES[:many]), [str(o) for o in range(outputs)], rows)


def laws(spec, size, entity):
    """P_in and P_out by listing the subsets."""
    many, outputs = spec.universe.size, len(spec.outputs)
    both = {True: [Fraction(0)] * outputs, False: [Fraction(0)] * outputs}
    number = {True: 0, False: 0}
    for chosen in itertools.combinations(range(many), size):
        law = spec.rows[sum(1 << each for each in chosen)].tolist()
        side = entity in chosen
        both[side] = [old + Fraction(new) for old, new in zip(both[side], law, strict=True)]
        number[side] += 1
    return [[each / number[side] for each in both[side]] for side in (True, False)]


@pytest.mark.parametrize(("many", "size", "outputs"), [(2, 1, 2), (3, 1, 3), (4, 2, 2), (6, 2, 5)])
@pytest.mark.parametrize("seed", [0, 1])
def test_it_is_the_definition_rounded_up(many, size, outputs, seed):
    spec = matrix(many, outputs, seed)
    found = population(spec, size)
    for entity in range(many):
        inside, outside = laws(spec, size, entity)
        ratio = max(max(p / q, q / p) for p, q in zip(inside, outside, strict=True))
        told = found.by_entity[NAMES[entity]]
        assert math.log(ratio) <= told * (1 + 1e-15)
        assert told <= math.log(ratio) * (1 + 1e-12) + 1e-15
    assert found.epsilon == max(found.by_entity.values())
    assert found.by_entity[found.entity] == found.epsilon


def test_the_curve_is_the_largest_hockey_stick_at_its_corners():
    spec = matrix(5, 4, 3)
    pairs = [laws(spec, 2, entity) for entity in range(5)]
    pairs += [pair[::-1] for pair in pairs]
    for epsilon, delta in population(spec, 2).curve:
        wanted = max(
            sum(max(float(p) - math.exp(epsilon) * float(q), 0) for p, q in zip(*pair, strict=True))
            for pair in pairs
        )
        assert delta == pytest.approx(wanted, abs=1e-12)
    assert population(spec, 2).curve[-1][1] <= 1e-12


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_no_corner_of_the_curve_is_below_the_least_delta(seed, zeros):
    spec = matrix(4, 3, seed, zeros=zeros)
    pairs = [laws(spec, 2, entity) for entity in range(4)]
    pairs += [pair[::-1] for pair in pairs]
    with localcontext(prec=60):
        for epsilon, delta in population(spec, 2).curve:
            odds = Fraction(Decimal(epsilon).exp()) * (1 + Fraction(1, 10**50))
            least = max(
                sum(max(p - odds * q, 0) for p, q in zip(*pair, strict=True)) for pair in pairs
            )
            assert delta >= least


def test_two_sums_that_differ_less_than_a_rounding_tell_something():
    rows = np.full((16, 2), np.nan)
    rows[[3, 5, 6, 10]], rows[9], rows[12] = 0.5, [2.0**-60, 1.0], [0.0, 1.0]
    spec = StochasticMatrix(Universe(NAMES[:4]), ("0", "1"), rows)
    inside, outside = laws(spec, 2, 0)
    assert float(inside[0]) == float(outside[0])
    assert inside[0] > outside[0]
    assert population(spec, 2).by_entity["a"] > 0


def test_one_output_that_only_members_can_cause_settles_it():
    rows = np.full((4, 2), np.nan)
    rows[1], rows[2] = [1.0, 0.0], [0.5, 0.5]
    spec = StochasticMatrix(Universe(("a", "b")), ("0", "1"), rows)
    assert population(spec, 1).epsilon == math.inf


def test_a_release_that_says_nothing_tells_nothing_of_anybody():
    spec = StochasticMatrix(Universe(NAMES[:3]), ("0", "1"), np.full((8, 2), 0.5))
    found = population(spec, 2)
    assert (found.epsilon, found.entity, found.curve) == (0.0, None, ((0.0, 0.0),))


def test_a_sum_modulo_six_has_population_privacy_and_no_differential_privacy():
    # lowy-2024, Proposition 5: 0 to 5, three of them drawn, their sum modulo 6: ln 2.
    rows = np.zeros((64, 6))
    for row in range(64):
        rows[row, sum(each for each in range(6) if row >> each & 1) % 6] = 1.0
    spec = StochasticMatrix(Universe(NAMES[:6]), [str(o) for o in range(6)], rows)
    found = verify(spec, "population", size=3)
    assert found.population.epsilon == pytest.approx(math.log(2), rel=1e-12)
    assert found.epsilon_replace_one == math.inf


@pytest.mark.parametrize("size", [0, 3, 4])
def test_a_size_leaves_somebody_in_and_somebody_out(size):
    with refuses(InvalidArgument, "1-at-most-size-below"):
        population(matrix(3, 2, 0), size)


def test_the_judge_takes_a_size_with_this_family_alone_and_tells_it():
    spec = matrix(4, 3, 5)
    found = verify(spec, "population", size=2)
    told = found.as_json()
    assert told["population_epsilon"] == population(spec, 2).epsilon
    assert told["size"] == 2
    assert verify(spec, "uninformed").as_json()["population_epsilon"] is None
    with refuses(InvalidArgument, "size-with-family"):
        verify(spec, "population")
    with refuses(InvalidArgument, "size-with-family"):
        verify(spec, "bounded", size=2)


def test_laws_of_another_size_are_not_needed_and_missing_ones_are_told_by_none():
    rows = np.full((8, 2), np.nan)
    rows[[1, 2, 4]] = [0.25, 0.75]
    spec = StochasticMatrix(Universe(NAMES[:3]), ("0", "1"), rows)
    assert population(spec, 1).epsilon == 0
    assert population(spec, 2) is None
