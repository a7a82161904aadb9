import numpy as np
import pytest
from scipy.spatial.distance import pdist

from deniable.bounds import Evidence
from deniable.mechanisms import Gaussian
from deniable.population.bounds import pairwise
from deniable.population.vector_sums import vector
from deniable.population.vector_sums.vector import VectorSum
from deniable.population.work.effort import Effort
from tests.oracles import population as brute

ROWS = np.random.default_rng(6).normal(size=(8, 2))
EXACT = np.array([brute.gaussian_epsilon(ROWS, 4, 2.0, 0.1, x, step=0.2) for x in range(8)])


@pytest.mark.parametrize("asked", ["worst", "all"])
def test_the_crowd_brackets_every_record(asked):
    told = []
    effort = Effort(time_limit=4.0, gap=0.3, progress=told.append)
    found = VectorSum(ROWS, 4, 0.1, asked).crowd(2.0, effort)
    assert found.records.tolist() == list(range(8))
    assert np.all(found.lower <= EXACT + 1e-3)
    assert np.all(found.upper >= EXACT - 1e-3)
    assert found.maximum().evidence is Evidence.CONFIDENCE
    assert found.maximum().confidence == 0.95
    assert found.maximum().upper < 1.6 * EXACT.max()
    if asked == "all":
        assert np.all(found.upper < 2 * EXACT + 0.1)
    assert set(found.upper_methods) <= {"crowd", "pairwise"}
    assert set(found.lower_methods) <= {"projection", "threshold", "none"}
    assert told[-1] == 1.0


def test_every_record_has_a_lower_end_where_epsilon_is_large():
    exact = [brute.gaussian_epsilon(ROWS, 4, 1.0, 0.02, x, step=0.1) for x in range(8)]
    assert sorted(exact)[-2] > 3
    found = VectorSum(ROWS, 4, 0.02, "all").crowd(1.0, Effort(time_limit=3.0, gap=1.0))
    assert np.all(found.lower <= np.array(exact) + 1e-3)
    assert np.all(found.lower > 0.5 * np.array(exact))


def test_the_pairwise_bound_needs_no_draws():
    found = VectorSum(ROWS, 4, 0.1).pairwise(2.0, Effort())
    exact = [brute.pairwise_epsilon(ROWS, 2.0, 0.1, x) for x in range(8)]
    assert found.upper == pytest.approx(exact, rel=1e-9)
    assert np.all(found.lower <= EXACT + 1e-3)
    assert found.maximum().evidence is Evidence.ENCLOSURE
    assert found.maximum().lower > 0.5 * EXACT.max()
    assert found.pairwise == pytest.approx(max(exact))
    assert found.candidates is None


def test_of_very_many_records_no_pairs_are_formed(monkeypatch):
    for module in (vector, pairwise):
        monkeypatch.setattr(module, "MANY", 7)
    vectors = VectorSum(ROWS, 4, 0.1)
    found = vectors.pairwise(2.0, Effort())
    assert found.pairwise is None
    assert set(found.upper_methods) == {"restricted-sensitivity"}
    most = Gaussian(2.0).delta(found.maximum().upper, pdist(ROWS).max())
    assert most == pytest.approx(0.1, rel=1e-6)
    assert vectors.crowd(2.0, Effort(time_limit=2.0)).maximum().upper >= EXACT.max() - 1e-3


def test_the_same_seed_gives_the_same_ends():
    effort = Effort(time_limit=30.0, gap=0.5, seed=5)
    one, other = (VectorSum(ROWS, 4, 0.1).crowd(2.0, effort) for _ in range(2))
    assert one.lower.tolist() == other.lower.tolist()
    assert one.upper.tolist() == other.upper.tolist()
