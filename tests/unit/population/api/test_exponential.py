import numpy as np
import pytest

from deniable import population
from deniable.errors import InfeasibleTarget, InvalidArgument
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from tests.cases.refusals import refuses
from tests.oracles import population as brute

RNG = np.random.default_rng(3)
ROWS, CANDIDATES = RNG.normal(size=(7, 2)) * 3, RNG.normal(size=(5, 2))


@pytest.mark.parametrize("size", [1, 3, 5])
def test_enumeration(size):
    found = population.exponential(ROWS, CANDIDATES, size, epsilon=8.0, clip=2.0, records="all")
    exact = [
        brute.exponential_epsilon(ROWS, CANDIDATES, size, 8.0, 2.0, record) for record in range(7)
    ]
    assert [each.bound.upper for each in found.records] == pytest.approx(exact, rel=1e-9)
    assert found.population_epsilon.upper == pytest.approx(max(exact), rel=1e-9)
    assert found.population_epsilon.evidence is Evidence.ENCLOSURE
    assert (found.method, found.worst_record) == ("enumerate", int(np.argmax(exact)))
    assert found.population_epsilon.upper <= found.epsilon_adjacent_subsets
    prior = found.size / found.population
    assert max(prior, 1 - prior) <= found.bayes_optimal_success <= found.bayes_success
    assert found.epsilon_adjacent_subsets <= found.epsilon_restricted_sensitivity
    assert found.epsilon_restricted_sensitivity <= found.epsilon == 8.0


def test_one_column_from_a_file(tmp_path):
    data, candidates = tmp_path / "x.csv", tmp_path / "w.csv"
    data.write_text("0\n1\n2\n5\n")
    candidates.write_text("0\n3\n")
    found = population.exponential(data, candidates, 2, epsilon=1.0, clip=5.0)
    same = population.exponential([0, 1, 2, 5], [0, 3], 2, epsilon=1.0, clip=5.0)
    assert found.population_epsilon == same.population_epsilon
    assert found.subsets == 6


def test_sampling():
    found = population.exponential(
        ROWS, CANDIDATES, 3, epsilon=8.0, clip=2.0, method="sample", effort=Effort(time_limit=3.0)
    )
    exact = max(brute.exponential_epsilon(ROWS, CANDIDATES, 3, 8.0, 2.0, x) for x in range(7))
    assert found.population_epsilon.lower <= exact <= found.population_epsilon.upper
    assert (found.method, found.subsets, found.epsilon_adjacent_subsets) == ("sample", None, None)


def test_auto_samples_what_cannot_be_enumerated_in_time():
    rows = np.random.default_rng(0).normal(size=(60, 2))
    found = population.exponential(
        rows, CANDIDATES, 30, epsilon=1.0, clip=2.0, effort=Effort(time_limit=2.0)
    )
    assert found.method == "sample"
    assert found.population_epsilon.upper <= 1.0


@pytest.mark.parametrize("method", ["enumerate", "sample"])
def test_a_target(method):
    found = population.exponential(
        ROWS, CANDIDATES, 3, target=0.5, clip=2.0, method=method, effort=Effort(time_limit=8.0)
    )
    assert found.noise.parameter == "epsilon"
    assert found.epsilon == found.noise.value
    assert found.population_epsilon.upper <= 0.5
    exact = [
        brute.exponential_epsilon(ROWS, CANDIDATES, 3, found.noise.value, 2.0, x) for x in range(7)
    ]
    assert max(exact) <= 0.5
    if method == "enumerate":
        assert max(exact) > 0.499


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"candidates": [[1.0], [2.0]]}, "candidates-with-columns: 2"),
        ({"candidates": [[1.0, float("nan")]]}, "candidates-to-finite"),
        ({"loss": "variance"}, "not-one-of: loss | geometric-median"),
        ({"method": "guess"}, "not-one-of: method | auto, enumerate, sample"),
        ({"clip": 0.0}, "not-above-0: clip"),
        ({"size": 7}, "1-at-most-size-below-number: 7"),
        ({"epsilon": None}, "exactly-one: epsilon, target | none"),
        ({"epsilon": -1.0}, "not-above-0: epsilon"),
        ({"data": [[1.0, 2.0]] * 4, "epsilon": None, "target": 1.0}, "every-epsilon-meets"),
    ],
)
def test_wrong_arguments(changed, message):
    given = {"data": ROWS, "candidates": CANDIDATES, "size": 3, "epsilon": 1.0, "clip": 2.0}
    with refuses(InvalidArgument, message):
        population.exponential(**(given | changed))


def test_a_target_of_0():
    with refuses(InfeasibleTarget, "target-above-0"):
        population.exponential(ROWS, CANDIDATES, 3, target=0.0, clip=2.0)


def test_one_candidate_needs_no_target():
    with refuses(InvalidArgument, "every-epsilon-meets"):
        population.exponential(ROWS, CANDIDATES[:1], 3, target=1.0, clip=2.0)
