import numpy as np
import pytest

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.population.whole_sums import inversion, methods, outliers
from deniable.population.whole_sums.multiset import multiset
from deniable.population.whole_sums.reduced import Reduced

PROBLEM = multiset([*np.random.default_rng(8).integers(0, 9, 40).tolist(), 150], 15)[0]


def reduced(noise, delta=0.0, problem=PROBLEM):
    return Reduced(problem, np.arange(len(problem.values)), noise, delta)


def every_method(question):
    far, targets = question.farthest_tilt(), question.targets
    tilts = inversion.tilts(PROBLEM, far)
    return [
        methods.Counted(),
        methods.Added(),
        methods.Inverted(inversion.plan(PROBLEM, targets, tilts)),
        methods.Conditioned(outliers.plan(outliers.split(PROBLEM), targets, far)),
    ]


@pytest.mark.parametrize(
    ("noise", "delta"),
    [(DiscreteLaplace(6.0), 0.0), (DiscreteLaplace(6.0), 0.003), (DiscreteGaussian(30.0), 0.003)],
)
def test_every_method_gives_the_same(noise, delta):
    question = reduced(noise, delta)
    found = [methods.losses(method, question) for method in every_method(question)]
    for lower, upper in found:
        assert np.all(lower <= found[0][1])
        assert np.all(found[0][0] <= upper)
    for at in (0, 1, 3):  # plain inversion is wide beside an outlier
        assert np.all(found[at][1] - found[at][0] < 1e-8)


@pytest.mark.parametrize("noise", [DiscreteLaplace(0.1), DiscreteLaplace(40.0)])
def test_counts_and_recursion_beyond_float64_and_in_steps(noise):
    """e^(−150/b) underflows; squares of multiples of 7 are counted in steps of 7."""
    steps = multiset(np.arange(10) ** 2 * 7, 4)[0]
    assert steps.step == 7
    for problem, delta in ((PROBLEM, 0.0), (steps, 0.0), (steps, 0.003)):
        question = reduced(noise, delta, problem)
        counted = methods.losses(methods.Counted(), question)
        added = methods.losses(methods.Added(), question)
        assert np.all((counted[0] <= added[1]) & (added[0] <= counted[1]))


def test_targets_a_few_at_a_time():
    wide = multiset(np.random.default_rng(0).integers(0, 90_000, 30), 15)[0]
    parts = list(methods.Counted().laws(wide, np.arange(3)))
    assert [laws.low.shape[1] for laws in parts] == [1, 1, 1]
