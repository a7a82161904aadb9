import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom

from deniable.errors import InvalidArgument
from deniable.priors import MarkovPrior
from deniable.priors.universe import subsets
from tests.cases.refusals import refuses

INITIAL = [0.2, 0.5, 0.3]
STEPS = np.array(
    [
        [[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.3, 0.3, 0.4]],
        [[0.0, 0.5, 0.5], [1.0, 0.0, 0.0], [0.2, 0.2, 0.6]],
    ]
)
PRIOR = MarkovPrior(INITIAL, STEPS, [False, True, True])


def paths():
    """Every path of values and its probability."""
    for path in itertools.product(range(3), repeat=3):
        steps = [STEPS[i][path[i], path[i + 1]] for i in range(2)]
        yield np.array(path), INITIAL[path[0]] * math.prod(steps)


def test_the_definition():
    law = np.zeros(8)
    states = np.zeros((3, 3))
    for path, chance in paths():
        law[int((path > 0) @ [1, 2, 4])] += chance
        states[range(3), path] += chance
    assert np.exp(PRIOR.log_prob(subsets(3))) == pytest.approx(law)
    assert PRIOR.state_marginals == pytest.approx(states)
    assert PRIOR.marginals == pytest.approx(states[:, 1:].sum(axis=1))


@pytest.mark.parametrize("entity", range(3))
@pytest.mark.parametrize("factors", [[1.0, 2.0, 0.5], [0.0, 0.0, 1.0]])
def test_tilting_is_reweighting_every_path(entity, factors):
    tilted = PRIOR.tilted(entity, factors)
    total = math.fsum(chance * factors[path[entity]] for path, chance in paths())
    for path, chance in paths():
        steps = [tilted.transitions[i][path[i], path[i + 1]] for i in range(2)]
        found = tilted.initial[path[0]] * math.prod(steps)
        assert found == pytest.approx(chance * factors[path[entity]] / total, abs=1e-15)


def test_draws_of_values():
    draws = 100_000
    values = PRIOR.state_draws(np.random.default_rng(5), draws)
    counts = np.bincount(values @ [9, 3, 1], minlength=27)
    expected = [chance for _, chance in paths()]
    assert (binom.cdf(counts, draws, expected) > 1e-9 / 54).all()
    assert (binom.sf(counts - 1, draws, expected) > 1e-9 / 54).all()


def test_a_long_chain_stays_in_range():
    step = np.full((10, 10), 0.01) + 0.9 * np.eye(10)
    prior = MarkovPrior.homogeneous(np.full(10, 0.1), step, np.arange(10) > 0, n_entities=1000)
    assert prior.marginals == pytest.approx(0.9)
    nobody = prior.log_prob(np.zeros((1, 1000), dtype=bool))
    assert nobody == pytest.approx(math.log(0.1) + 999 * math.log(0.91))
    after = prior.given(999, member=False)
    assert after.marginals[998] == pytest.approx(0.09)
    assert after.marginals[0] == pytest.approx(0.9)


def test_one_entity_and_values_that_never_occur():
    prior = MarkovPrior([0.25, 0.75, 0.0], np.empty((0, 3, 3)), [False, True, True])
    assert prior.n_entities == 1
    assert prior.marginals.tolist() == [0.75]
    with refuses(InvalidArgument, "factors-that-leave-entity-value: 0"):
        prior.tilted(0, [0, 0, 1])
    everyone = MarkovPrior.homogeneous([1.0], [[1.0]], [True], n_entities=2)
    assert everyone.given(1, member=True) == everyone
    assert everyone.scaled(1, 1.0) is everyone
    with refuses(InvalidArgument, "entity-1-out-never"):
        everyone.given(1, member=False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.5, 0.4], [np.eye(2)], [False, True]), "initial-to-sum-to-1"),
        (([0.5, 0.5], [np.eye(2) / 2], [False, True]), "transitions-to-sum-to-1: 0.5"),
        (([0.5, 0.5], np.eye(2), [False, True]), "with-axes-transitions-shape: transitions | 3"),
        (([0.5, 0.5], [np.eye(3)], [False, True]), "between-states: 2 | (1, 3, 3)"),
        (([0.5, 0.5], [np.eye(2)], [True]), "present-for-states: 2 | 1"),
    ],
)
def test_wrong_chains(arguments, message):
    with refuses(InvalidArgument, message):
        MarkovPrior(*arguments)


@pytest.mark.parametrize("factors", [[1.0], [1.0, 1.0, -1.0], [1.0, 1.0, math.inf]])
def test_wrong_factors(factors):
    with refuses(InvalidArgument, "finite-factors-at-least-0: 3"):
        PRIOR.tilted(0, factors)
