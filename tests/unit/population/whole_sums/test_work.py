import numpy as np
import pytest

from deniable.mechanisms import DiscreteLaplace
from deniable.population.whole_sums import ways as _ways
from deniable.population.whole_sums.multiset import multiset
from deniable.population.whole_sums.work import Asked, best_work, farther_work, losses
from deniable.population.work.effort import Effort
from deniable.population.work.time_limit import limited

NOISE = DiscreteLaplace(20.0)


def asked(values, size, noise=NOISE, delta=0.01):
    problem, _ = multiset(values, size)
    return Asked(problem, np.arange(len(problem.values)), noise, delta)


def crowd():
    return np.random.default_rng(0).integers(0, 11, 1000).tolist()


@pytest.mark.parametrize(
    ("values", "size", "way"),
    [
        (range(30), 15, _ways.Counted),
        (range(70), 35, _ways.Added),
        (crowd(), 500, _ways.Inverted),
        ([*crowd(), 5000], 500, _ways.Conditioned),
    ],
)
def test_the_way_that_is_taken(values, size, way):
    assert isinstance(best_work(asked(values, size)).way(), way)


def test_farthest_in_units_of_the_data():
    assert asked([0, 3, 30], 1).farthest().tolist() == [30, 27, 30]


def test_the_question_has_its_own_name():
    questions = [asked([0, 1, 5], 1), asked([0, 1, 6], 1), asked([0, 1, 5], 1, delta=0.1)]
    assert len({question.key() for question in questions}) == 3
    assert questions[0].key() == asked([0, 1, 5], 1).key() != questions[0].key("added")


def test_outputs_that_only_far_records_make():
    """Five far records are too many to condition on; more tilts narrow their intervals."""
    noise = DiscreteLaplace(2.0)
    question = asked([*crowd(), 200, 210, 220, 230, 240], 500, noise)
    work = best_work(question)
    again = farther_work(question, work)
    assert again is not None
    assert again.cost.total(1) > work.cost.total(1)
    first, second = (losses(question, each, Effort()) for each in (work, again))
    assert np.all((first[0] <= second[1]) & (second[0] <= first[1]))
    assert np.all(second[1] - second[0] < 1e-6)


def test_farther_tilts_are_for_inversion_with_delta():
    assert farther_work(asked(range(9), 3), best_work(asked(range(9), 3))) is None
    pure = asked(crowd(), 500, delta=0.0)
    assert farther_work(pure, best_work(pure)) is None


def test_no_time_at_all():
    question = asked([0, 1, 5, 50], 2, delta=0.0)
    with limited(0.0):
        lower, upper = losses(question, best_work(question), Effort())
    assert lower.tolist() == [0, 0, 0, 0]
    assert upper == pytest.approx(question.farthest() / 20, rel=1e-15)


@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_workers_and_checkpoints_do_not_change_the_answer(tmp_path, monkeypatch, delta):
    monkeypatch.setattr(_ways, "_BRIEF", 0.0)
    question = asked(range(70), 35, delta=delta)
    work = best_work(question)
    alone = losses(question, work, Effort())
    for effort in (Effort(workers=2), Effort(checkpoint=tmp_path), Effort(checkpoint=tmp_path)):
        again = losses(question, work, effort)
        np.testing.assert_array_equal(again, alone)
