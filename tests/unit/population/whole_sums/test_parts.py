import attrs
import numpy as np
import pytest

from deniable.mechanisms import DiscreteLaplace
from deniable.population.whole_sums import choice
from deniable.population.whole_sums.costs import TUNING
from deniable.population.whole_sums.multiset import multiset
from deniable.population.whole_sums.parts import losses
from deniable.population.whole_sums.reduced import Reduced
from deniable.population.work.effort import Effort
from deniable.population.work.time_limit import limited

MEMORY = 2**34


def reduced(values, size, delta):
    problem, _ = multiset(values, size)
    return Reduced(problem, np.arange(len(problem.values)), DiscreteLaplace(20.0), delta)


def dear(question):
    """The method that is taken, said to take a part for each target."""
    found = choice.best(question, MEMORY)
    return attrs.evolve(found, cost=attrs.evolve(found.cost, part=0.0, target=TUNING.part))


def test_no_time_at_all():
    question = reduced([0, 1, 5, 50], 2, 0.0)
    with limited(0.0):
        found = losses(question, dear(question), Effort())
    assert found.lower.tolist() == [0, 0, 0, 0]
    assert found.upper == pytest.approx(question.farthest() / 20, rel=1e-15)
    assert not found.reached.any()


@pytest.mark.parametrize("delta", [0.0, 0.02])
def test_parts_do_not_change_the_answer(delta):
    question, told = reduced(np.arange(12) ** 2, 5, delta), []
    whole = losses(question, choice.best(question, MEMORY), Effort())
    parts = losses(question, dear(question), Effort(progress=told.append))
    np.testing.assert_allclose(parts.lower, whole.lower, rtol=1e-12)
    np.testing.assert_allclose(parts.upper, whole.upper, rtol=1e-12)
    assert told == pytest.approx([(at + 1) / 12 for at in range(12)])
    assert parts.reached.all()


@pytest.mark.parametrize("delta", [0.0, 0.02])
def test_when_time_is_over_the_rest_is_what_the_noise_gives(monkeypatch, delta):
    question, told = reduced(np.arange(12) ** 2, 5, delta), []
    whole = losses(question, choice.best(question, MEMORY), Effort())
    monkeypatch.setattr("time.monotonic", lambda: 2.0 * len(told))  # a part takes 2 seconds
    with limited(1.0):
        cut = losses(question, dear(question), Effort(progress=told.append))
    assert np.all((cut.lower <= whole.upper) & (whole.lower <= cut.upper))
    assert cut.reached.sum() == 1
    assert cut.reached[0]  # the outermost come first
    assert np.all(cut.lower[1:] == 0)
    assert np.all(np.isfinite(cut.upper))
    assert told[-1] == 1


@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_workers_and_checkpoints_do_not_change_the_answer(tmp_path, delta):
    question = reduced(range(12), 5, delta)
    method = dear(question)
    alone = losses(question, method, Effort())
    for effort in (Effort(workers=2), Effort(checkpoint=tmp_path), Effort(checkpoint=tmp_path)):
        again = losses(question, method, effort)
        np.testing.assert_array_equal(again.lower, alone.lower)
        np.testing.assert_array_equal(again.upper, alone.upper)
