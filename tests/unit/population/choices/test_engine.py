import numpy as np
import pytest

from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from deniable.population import choices
from deniable.population.question import Question

TABLE = np.random.default_rng(0).uniform(size=(3, 6))
SCORES = choices.Scores(TABLE, 0.0, 2.0)
EASY = Effort(time_limit=2.0, gap=0.9)


def own_loss():
    def loss(candidate, rows):
        return float(2 * TABLE[candidate, rows.astype(int)].sum())

    return choices.OwnLoss(choices.LossFunction(loss, np.arange(6.0), [0, 1, 2], 2), 1.0)


@pytest.mark.parametrize("records", ["worst", "all", [5, 1]])
def test_all_engines_hold_the_same_truth(records):
    question = Question(SCORES, 2, 0.0, records)
    exact = choices.by_enumeration(question, 1.5, EASY)
    assert exact.records.tolist() == question.targets.tolist()
    assert exact.subsets == 15
    assert 0.5 < exact.bayes_optimal < 1
    for engine in (choices.by_sampling, choices.by_exchange, choices.worst_case):
        found = engine(question, 1.5, EASY)
        assert found.records.tolist() == exact.records.tolist()
        assert np.all(found.lower <= exact.upper)
        assert np.all(exact.lower <= found.upper)


def test_a_loss_function_that_adds_up_is_its_table():
    table, own = (
        choices.by_enumeration(Question(data, 2), 1.5, EASY) for data in (SCORES, own_loss())
    )
    assert own.upper == pytest.approx(table.upper, rel=1e-9)
    drawn = choices.by_sampling(Question(own_loss(), 2), 1.5, EASY)
    assert drawn.evidence is Evidence.CONFIDENCE
    assert np.all(drawn.lower <= own.upper)


def test_operations_grow_with_the_samples_and_the_spread():
    few, many = (choices.enumeration_operations(Question(SCORES, n), 1.0) for n in (1, 3))
    assert 0 < few < many < choices.allowed_operations(1.0)
    assert choices.enumeration_operations(Question(SCORES, 3), 1e6) > many
