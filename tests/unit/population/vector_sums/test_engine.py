import numpy as np
import pytest
from scipy.spatial.distance import pdist

from deniable.mechanisms import Gaussian
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from deniable.population.question import Question, SampleFunction, Summands
from deniable.population.vector_sums import bracket, pairwise
from tests.cases.effort import usual
from tests.oracles import population as brute

ROWS = np.random.default_rng(6).normal(size=(8, 2))
EXACT = np.array([brute.gaussian_epsilon(ROWS, 4, 2.0, 0.1, x, step=0.2) for x in range(8)])
EASY = Effort(time_limit=2.0, gap=0.9)
NOISE = Gaussian(2.0)


def asked(records="worst", rows=ROWS, delta=0.1):
    return Question(Summands(rows), len(rows) // 2, delta, records)


@pytest.mark.parametrize("engine", [bracket, pairwise])
@pytest.mark.parametrize("records", ["worst", "all", [4, 0]])
def test_every_interval_holds_its_record(engine, records):
    question = asked(records)
    found = engine(question, NOISE, EASY)
    exact = EXACT[question.targets]
    assert found.records.tolist() == question.targets.tolist()
    assert np.all(found.lower <= exact + 1e-3)
    assert np.all(found.upper >= exact - 1e-3)


@pytest.mark.parametrize("records", ["worst", "all"])
def test_the_crowd_narrows_what_is_asked_for(records):
    told = []
    found = bracket(
        asked(records), NOISE, Effort(time_limit=usual(2.0, 4.0), gap=0.3, progress=told.append)
    )
    assert found.maximum().evidence is Evidence.CONFIDENCE
    assert found.maximum().confidence == 0.95
    assert found.maximum().upper < 1.6 * EXACT.max()
    if records == "all":
        assert np.all(found.upper < 2 * EXACT + 0.1)
    assert set(found.upper_methods) <= {"crowd", "mixture", "pairwise"}
    assert set(found.lower_methods) <= {"projection", "threshold", "none"}
    assert told[-1] == 1.0


def test_every_record_has_a_lower_end_where_epsilon_is_large():
    exact = [brute.gaussian_epsilon(ROWS, 4, 1.0, 0.02, x, step=0.1) for x in range(8)]
    assert sorted(exact)[-2] > 3
    found = bracket(asked("all", delta=0.02), Gaussian(1.0), Effort(time_limit=3.0, gap=1.0))
    assert np.all(found.lower <= np.array(exact) + 1e-3)
    assert np.all(found.lower > 0.5 * np.array(exact))


def test_the_pairwise_bound_needs_no_draws():
    found = pairwise(asked(), NOISE, Effort())
    exact = [brute.pairwise_epsilon(ROWS, 2.0, 0.1, x) for x in range(8)]
    assert found.upper == pytest.approx(exact, rel=1e-9)
    assert found.maximum().evidence is Evidence.ENCLOSURE
    assert found.maximum().lower > 0.5 * EXACT.max()
    assert found.pairwise == pytest.approx(max(exact))
    assert found.candidates is None


def test_of_very_many_records_the_pairwise_bound_is_kept_to(monkeypatch):
    """Of 20,000, or of as many as are treated like them here."""
    many = usual(6_000, 20_000)
    monkeypatch.setattr("deniable.population.bounds.MANY", many)
    rows = np.concatenate([np.tile(ROWS, (many // 8 + 1, 1)), [[6.0, 5.0], [-7.0, 2.0]]])
    found = pairwise(asked(rows=rows), NOISE, Effort())
    places = [0, 5, len(rows) - 2, len(rows) - 1]
    exact = np.array([brute.pairwise_epsilon(rows, 2.0, 0.1, x) for x in places])
    assert np.all(found.upper[places] >= exact)
    # Those far out, which are few, are not far above it.
    assert found.upper[places[-2:]] == pytest.approx(exact[-2:], rel=0.05)
    assert found.pairwise == found.upper.max()
    most = NOISE.delta(found.maximum().upper, pdist(rows[-2:]).max())
    assert most > 2 * 0.1


def test_of_the_worst_alone_no_record_is_said_to_pass_it():
    found = bracket(asked(), NOISE, Effort(gap=0.5))
    worst = found.upper[found.worst()]
    own = pairwise(asked(), NOISE, Effort()).upper
    assert worst >= EXACT.max() - 1e-3
    # Only the largest end rests on all of the failure probability, so it is every record's.
    others = np.arange(8) != found.worst()
    assert found.upper[others] == pytest.approx(np.minimum(own, worst)[others], rel=1e-12)
    assert found.worst() in np.argsort(EXACT)[-4:]


def test_the_same_seed_gives_the_same_ends():
    effort = Effort(time_limit=30.0, gap=0.5, seed=5)
    one, other = (bracket(asked(), NOISE, effort) for _ in range(2))
    assert one.lower.tolist() == other.lower.tolist()
    assert one.upper.tolist() == other.upper.tolist()


@pytest.mark.parametrize(("engine", "method"), [(bracket, "crowd"), (pairwise, "pairwise")])
def test_constant_data_tell_nothing(engine, method):
    found = engine(asked(rows=np.ones((4, 2))), NOISE, EASY)
    assert (found.method, found.upper.tolist()) == (method, [0.0] * 4)
    assert found.evidence is Evidence.EXACT


def test_any_function():
    data = SampleFunction(lambda rows: rows.sum(axis=0), ROWS)
    found = bracket(Question(data, 4, 0.1, [4]), NOISE, EASY)
    assert found.records.tolist() == [4]
    assert found.lower[0] <= EXACT[4] + 1e-3 <= found.upper[0] + 2e-3
    assert found.candidates >= 1


def test_a_function_without_time():
    data = SampleFunction(lambda rows: rows.sum(axis=0), ROWS)
    found = bracket(Question(data, 4, 0.1, [4]), NOISE, Effort(time_limit=1e-9))
    assert (found.lower.tolist(), found.upper.tolist()) == ([0.0], [np.inf])
