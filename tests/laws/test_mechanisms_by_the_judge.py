"""What the mechanisms claim against what the judge of finite mechanisms finds, tight on both sides.

Two implementations that share no code but the matrix and, for chains, the definition.
"""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.judge import positive_gamma_here
from deniable.judge.correlation.sums import AllOrNothing, MarkovSum
from deniable.judge.curve import privacy_curve
from deniable.judge.differential import Ratios, add_remove, replace_one_epsilon
from deniable.judge.semantic import leakage
from deniable.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    KMax,
    RandomisedResponse,
    StochasticMatrix,
)
from deniable.notions import Adjacency
from deniable.priors import GroupedPrior, ProductPrior
from deniable.priors.families import SinglePriors, UniformPriors
from deniable.priors.universe import Universe
from tests.cases.effort import usual

ADD, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE
REACH = 40
GRID = [0.0, 0.1, 0.4, 1.0, 2.0]


def universe(size):
    return Universe(tuple(f"e{i}" for i in range(size)))


def clipped(noise, count, most):
    """The law of count + X, with what lies beyond the reach at its end."""
    y = np.arange(-600, 601)
    return np.bincount(np.clip(y, -REACH, most + REACH) + REACH, noise.pmf(y - count))


def counting(noise, size):
    outputs = [str(y) for y in range(-REACH, size + REACH + 1)]
    return StochasticMatrix.tabulated(
        universe(size), outputs, lambda members: clipped(noise, members.sum(), size)
    )


@pytest.mark.parametrize("scale", [0.8, 2.0, 6.0])
def test_discrete_laplace(scale):
    noise = DiscreteLaplace(scale)
    matrix = counting(noise, 3)
    assert add_remove(Ratios(matrix)).epsilon == pytest.approx(
        noise.guarantee(1, ADD).epsilon, rel=1e-8
    )
    assert replace_one_epsilon(Ratios(matrix)) == 0
    curve = privacy_curve(matrix, ADD)
    for epsilon in GRID:
        assert curve.delta(epsilon) == pytest.approx(noise.delta(epsilon, 1), abs=1e-10)


@pytest.mark.parametrize("scale", [0.7, 2.0, 6.0])
def test_discrete_gaussian(scale):
    noise = DiscreteGaussian(scale)
    curve = privacy_curve(counting(noise, 3), ADD)
    for epsilon in GRID:
        assert noise.delta(epsilon, 1) == pytest.approx(curve.delta(epsilon), abs=1e-10)


@settings(max_examples=usual(11, 40))
@given(st.floats(0.05, 0.95), st.integers(2, 3))
def test_randomised_response(truth, size):
    coin = RandomisedResponse(truth)
    matrix = coin.membership(universe(size))
    found = add_remove(Ratios(matrix))
    assert found.epsilon == pytest.approx(coin.guarantee(1, ADD).epsilon, abs=1e-9)
    assert replace_one_epsilon(Ratios(matrix)) == pytest.approx(coin.epsilon(2), abs=1e-9)
    one, two = privacy_curve(matrix, ADD), privacy_curve(matrix, REPLACE)
    for epsilon in GRID:
        assert one.delta(epsilon) == pytest.approx(coin.delta(epsilon, 1), abs=1e-9)
        assert two.delta(epsilon) == pytest.approx(coin.delta(epsilon, 2), abs=1e-9)


@settings(max_examples=usual(11, 40))
@given(st.lists(st.sampled_from([0, 1]), min_size=3, max_size=3), st.floats(0.3, 4.0))
def test_exponential_mechanism(votes, scale):
    """Each entity votes for one of two candidates; the score is the number of votes."""
    choose = ExponentialMechanism(scale)

    def law(members):
        return choose.law(np.bincount(np.array(votes)[members], minlength=2))

    matrix = StochasticMatrix.tabulated(universe(3), ("x", "y"), law)
    assert add_remove(Ratios(matrix)).epsilon <= choose.epsilon(1.0, monotone=True) + 1e-9
    assert replace_one_epsilon(Ratios(matrix)) <= choose.epsilon(1.0) + 1e-9
    added, replaced = privacy_curve(matrix, ADD), privacy_curve(matrix, REPLACE)
    for epsilon in GRID:
        assert added.delta(epsilon) <= choose.delta(epsilon, 1.0, monotone=True) + 1e-9
        assert replaced.delta(epsilon) <= choose.delta(epsilon, 1.0) + 1e-9


@pytest.mark.parametrize("printed", [True, False])
@pytest.mark.parametrize(("n", "k"), [(1, 1), (3, 1), (3, 3), (5, 2), (6, 3)])
def test_k_max_under_the_uniform_prior(n, k, printed):
    mechanism = KMax(n, k, printed)
    found = positive_gamma_here(mechanism.matrix(universe(n)), UniformPriors()).bound.upper
    assert found == pytest.approx(mechanism.uninformed_gamma, rel=1e-9)
    assert found == pytest.approx(mechanism.worst([0.5] * n).gamma, rel=1e-9)


@settings(max_examples=usual(11, 40))
@given(st.lists(st.floats(0.02, 0.98), min_size=1, max_size=5), st.data(), st.booleans())
def test_k_max_under_independent_memberships(p, data, printed):
    mechanism = KMax(len(p), data.draw(st.integers(1, len(p))), printed)
    found = positive_gamma_here(mechanism.matrix(universe(len(p))), SinglePriors(ProductPrior(p)))
    worst = mechanism.worst(p).gamma
    # A posterior of 1 is infinite γ, up to the rounding of sums of probabilities.
    assert (
        found.bound.upper == pytest.approx(worst, rel=1e-9) or min(worst, found.bound.upper) > 1e9
    )


@settings(max_examples=usual(11, 40))
@given(st.integers(1, 4), st.floats(0.05, 0.95), st.floats(0.3, 1.5))
def test_all_or_nothing(members, p, epsilon):
    matrix = counting(DiscreteLaplace(1 / epsilon), members)
    prior = GroupedPrior([tuple(range(members))], [p])
    found = positive_gamma_here(matrix, SinglePriors(prior)).bound.upper
    assert found == pytest.approx(AllOrNothing(members, p, epsilon).gamma().upper, rel=1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_markov_chains(seed):
    rng = np.random.default_rng(seed)
    n, values = 4, np.array([0, 1, 3])
    initial, steps = rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(3), size=(n - 1, 3))
    noise = DiscreteLaplace(1.5)
    law = np.empty((3,) * n)
    likelihood = []
    for states in itertools.product(range(3), repeat=n):
        moves = zip(steps, itertools.pairwise(states), strict=True)
        law[states] = initial[states[0]] * math.prod(step[pair] for step, pair in moves)
        likelihood.append(clipped(noise, values[list(states)].sum(), 3 * n))
    found = leakage(law, np.reshape(likelihood, (*law.shape, -1)))
    chain = MarkovSum(initial, steps, values, noise.scale)
    claims = [chain.worst_leakage(record).upper for record in range(n)]
    assert found == pytest.approx(max(claims), rel=1e-7)
