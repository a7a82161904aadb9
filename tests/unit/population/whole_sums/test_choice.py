import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteLaplace
from deniable.population.whole_sums import choice, methods
from deniable.population.whole_sums.multiset import multiset
from deniable.population.whole_sums.parts import losses
from deniable.population.whole_sums.reduced import Reduced
from deniable.population.work.effort import Effort

NOISE = DiscreteLaplace(20.0)
MEMORY = 2**34


def reduced(values, size, noise=NOISE, delta=0.01):
    problem, _ = multiset(values, size)
    return Reduced(problem, np.arange(len(problem.values)), noise, delta)


def crowd():
    return np.random.default_rng(0).integers(0, 11, 1000).tolist()


@pytest.mark.parametrize(
    ("values", "size", "method"),
    [
        (range(30), 15, methods.Counted),
        (range(70), 35, methods.Added),
        ([0, 1] * 500, 500, methods.Inverted),
        (crowd(), 500, methods.Inverted),
        ([*crowd(), 5000], 500, methods.Conditioned),
    ],
)
def test_the_method_that_is_taken(values, size, method):
    assert isinstance(choice.best(reduced(values, size), MEMORY).ready(), method)


def test_only_what_does_not_fit_into_memory_is_refused():
    question = reduced(range(30), 15)
    needed = choice.best(question, MEMORY).cost.bytes
    assert choice.best(question, needed).cost.bytes == needed
    with pytest.raises(InvalidArgument, match=r"take 0\.2 GiB, of 0\.0 GiB for each worker"):
        choice.best(question, 1000)
    wide = reduced(np.random.default_rng(0).integers(0, 10**9, 1000), 500)
    with pytest.raises(InvalidArgument, match="Round the records to a coarser unit"):
        choice.best(wide, MEMORY)


def test_outputs_that_only_outliers_make():
    """Five outliers are too many to condition on; more tilts narrow their intervals."""
    question = reduced([*crowd(), 200, 210, 220, 230, 240], 500, DiscreteLaplace(2.0))
    first = choice.best(question, MEMORY)
    again = choice.farther_tilts(question, MEMORY)
    assert again.cost.total(1) > first.cost.total(1)
    one, other = (losses(question, each, Effort()) for each in (first, again))
    assert np.all((one.lower <= other.upper) & (other.lower <= one.upper))
    assert np.all(other.upper - other.lower < 1e-6)


def test_no_farther_tilts_without_delta():
    assert choice.farther_tilts(reduced(crowd(), 500, delta=0.0), MEMORY) is None


def test_narrower_intervals_are_worth_little():
    question = reduced(range(70), 35)
    first = choice.best(question, MEMORY)
    assert choice.is_worth_it(first, question, first, question)
    wide = reduced(np.random.default_rng(1).integers(0, 30_000, 900), 450)
    dear = choice.exact(wide, 2**60)
    assert not choice.is_worth_it(dear, wide, first, question)
    assert choice.exact(wide, 2**30) is None
