"""The judge's Bayesian semantic privacy against Definition 2 of zhao-2019, belief by belief."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from deniable.judge.semantic import bayesian_semantic, over_all_laws
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.notions import Adjacency, BayesianSemantic
from deniable.priors import TablePrior
from deniable.priors.universe import Universe
from deniable.theorems.derive import derive
from tests.cases.effort import usual
from tests.oracles import definition_2 as slow

PAIRS = usual(40, 600)


def drawn(rng, *, sparse: bool):
    """A mechanism on 1 to 3 entities with 2 or 3 outputs, and a law; some zeros if sparse."""
    n, outputs = int(rng.integers(1, 4)), int(rng.integers(2, 4))
    rows = rng.dirichlet(np.full(outputs, 0.7), size=2**n)
    law = rng.dirichlet(np.full(2**n, 0.5))
    if sparse:
        rows[rng.random(rows.shape) < 0.15] = 0.0
        rows[rows.sum(axis=1) == 0] = 1.0
        law[rng.random(2**n) < 0.3] = 0.0
        law[-1] += law.sum() == 0
    rows, law = rows / rows.sum(axis=1, keepdims=True), law / law.sum()
    matrix = StochasticMatrix(Universe(tuple("abc"[:n])), tuple("xyz"[:outputs]), rows)
    members = np.array(list(itertools.product((False, True), repeat=n)))[:, ::-1]
    return matrix, TablePrior(members, law), n, outputs


def exactly(matrix, prior, n):
    """Law and mechanism by data set, as fractions."""
    sets = [tuple(row >> i & 1 for i in range(n)) for row in range(2**n)]
    law = {x: Fraction(float(p)) for x, p in zip(sets, prior.probabilities, strict=True)}
    table = {x: [Fraction(float(p)) for p in matrix.rows[row]] for row, x in enumerate(sets)}
    return law, table


def at_least(distance, spread):
    """Whether distance >= (√R − 1)/(√R + 1), in fractions."""
    if spread is None or distance >= 1:
        return distance == 1
    d = Fraction(distance)
    return ((1 + d) / (1 - d)) ** 2 >= spread


@pytest.mark.parametrize("sparse", [False, True])
def test_never_below_and_attained(sparse):
    rng = np.random.default_rng(22 + sparse)
    attained = 0
    for _ in range(PAIRS // 2):
        matrix, prior, n, outputs = drawn(rng, sparse=sparse)
        found = bayesian_semantic(matrix, prior)
        law, table = exactly(matrix, prior, n)
        searched = slow.searched(law, table, n, outputs, rng)
        assert searched <= found + 1e-12
        assert found == pytest.approx(searched, abs=1e-6)
        assert at_least(found, slow.spread(law, table, n, outputs))
        attained += found < 1
    assert attained > PAIRS // 10


@pytest.mark.parametrize("tiny", [1e-12, 1e-200, 4e-323])
def test_improbable_data_sets_are_not_forgotten(tiny):
    """Nobody else is believed to be there; beside b, if ever, the output tells of a."""
    rows = [[0.5, 0.5], [0.5, 0.5], [0.25, 0.75], [0.75, 0.25]]
    matrix = StochasticMatrix(Universe(("a", "b")), ("x", "y"), rows)
    law = TablePrior(matrix.universe.subsets(), [0.5 - tiny, 0.5 - tiny, tiny, tiny])
    assert bayesian_semantic(matrix, law) == pytest.approx(math.tanh(math.log(3) / 4), rel=1e-12)
    rows = np.array(rows) * [[1, 1], [1, 1], [tiny, 1], [tiny, 1]]
    rows[:, 1] = 1 - rows[:, 0]
    rare = StochasticMatrix(Universe(("a", "b")), ("x", "y"), rows)
    exact = Fraction(float(rows[3, 0])) / Fraction(float(rows[2, 0]))
    assert at_least(bayesian_semantic(rare, law), exact)


def test_what_a_derivation_makes_of_it_is_true():
    """The judge's figure as a spec: the Bayesian DP and the pure DP that follow hold."""
    rng = np.random.default_rng(24)
    for _ in range(usual(40, 150)):
        matrix, prior, n, outputs = drawn(rng, sparse=False)
        given = BayesianSemantic(bayesian_semantic(matrix, prior), Adjacency.ADD_REMOVE)
        law, table = exactly(matrix, prior, n)
        leak = max(
            abs(math.log(in_game) - math.log(default))
            for output in range(outputs)
            for rows in slow.games(law, table, output, n)
            for in_game, default in rows
        )
        claim = derive(given, "bayesian-dp@add-remove").target.epsilon
        assert leak <= claim * (1 + 1e-12)
        loss = max(
            abs(math.log(table[x][output]) - math.log(table[(*x[:i], 0, *x[i + 1 :])][output]))
            for x in table
            for i in range(n)
            for output in range(outputs)
        )
        assert loss <= derive(given, "pure-dp@add-remove").target.epsilon * (1 + 1e-12)


def test_over_all_laws_nothing_is_larger_and_extreme_laws_come_near():
    rng = np.random.default_rng(25)
    for case in range(usual(32, 120)):
        matrix, _, n, _ = drawn(rng, sparse=case % 4 == 3)
        bound, best = over_all_laws(matrix), 0.0
        members = np.array(list(itertools.product((False, True), repeat=n)))[:, ::-1]
        for size in range(1, min(2**n, 4) + 1):
            for kept in itertools.combinations(range(2**n), size):
                law = np.zeros(2**n)
                law[list(kept)] = 1 / size
                found = bayesian_semantic(matrix, TablePrior(members, law))
                assert found <= bound + 1e-12
                best = max(best, found)
        assert best == pytest.approx(bound, abs=1e-12)
