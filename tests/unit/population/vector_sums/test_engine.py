import numpy as np
import pytest

from deniable.bounds import Evidence
from deniable.mechanisms import Gaussian
from deniable.population.question import Question, SampleFunction, Summands
from deniable.population.vector_sums import bracket, pairwise
from deniable.population.work.effort import Effort
from tests.oracles import population as brute

ROWS = np.random.default_rng(6).normal(size=(7, 2))
EASY = Effort(time_limit=2.0, gap=0.9)


@pytest.mark.parametrize("engine", [bracket, pairwise])
@pytest.mark.parametrize("records", ["worst", "all", [4, 0]])
def test_every_interval_holds_its_record(engine, records):
    question = Question(Summands(ROWS), 3, 0.1, records)
    found = engine(question, Gaussian(2.0), EASY)
    assert found.records.tolist() == question.targets.tolist()
    for record, lower, upper in zip(found.records, found.lower, found.upper, strict=True):
        exact = brute.gaussian_epsilon(ROWS, 3, 2.0, 0.1, record, step=0.2)
        assert lower <= exact + 1e-3
        assert exact - 1e-3 <= upper


@pytest.mark.parametrize(("engine", "method"), [(bracket, "crowd"), (pairwise, "pairwise")])
def test_constant_data_tell_nothing(engine, method):
    question = Question(Summands(np.ones((4, 2))), 2, 0.1)
    found = engine(question, Gaussian(1.0), EASY)
    assert (found.method, found.upper.tolist()) == (method, [0.0] * 4)
    assert found.evidence is Evidence.EXACT


def test_any_function():
    data = SampleFunction(lambda rows: rows.sum(axis=0), ROWS)
    found = bracket(Question(data, 3, 0.1, [4]), Gaussian(2.0), EASY)
    exact = brute.gaussian_epsilon(ROWS, 3, 2.0, 0.1, 4, step=0.2)
    assert found.records.tolist() == [4]
    assert found.lower[0] <= exact + 1e-3 <= found.upper[0] + 2e-3
    assert found.candidates >= 1
