import json

import attrs
import pytest

from deniable.bounds import Bound, Evidence
from deniable.errors import NotApplicable
from deniable.population.answer.answer import Noise, PopulationAnswer, RecordBound, answer
from deniable.population.answer.record_bounds import RecordBounds
from deniable.population.question import Ones, Question

BOUND = Bound(0.5, 0.6, Evidence.CONFIDENCE, confidence=0.95, draws=10, seed=1)
ANSWER = PopulationAnswer(
    BOUND, 3, 0.01, 5, 10, "crowd", Noise("sigma", 2.0), float("inf"), 2.0, 2.0, 1.5, 0.55,
    0.66, 0.66, None, 0.1,
)  # fmt: skip


def test_json():
    found = ANSWER.as_json()
    assert next(iter(found)) == "population_epsilon"
    assert found["population_epsilon"] == BOUND.as_json()
    assert {name: found[name] for name in ("worst_record", "size", "population", "sigma")} == {
        "worst_record": 3, "size": 5, "population": 10, "sigma": 2.0,
    }  # fmt: skip
    assert {"noise", "records"} & set(found) == set()
    json.dumps(found)


def test_json_of_each_record():
    each = RecordBound(3, BOUND, "projection", "crowd")
    found = attrs.evolve(ANSWER, records=(each,)).as_json()["records"]
    assert found == [
        {
            "record": 3,
            "population_epsilon": BOUND.as_json(),
            "lower_method": "projection",
            "upper_method": "crowd",
        }
    ]


def test_the_noise_may_be_an_epsilon():
    assert attrs.evolve(ANSWER, noise=Noise("epsilon", 0.7)).as_json()["epsilon"] == 0.7


def test_guarantees_are_not_added():
    for add in (
        lambda: ANSWER + ANSWER,
        lambda: ANSWER + 1,
        lambda: 1 + ANSWER,
        lambda: sum([ANSWER, ANSWER]),
    ):
        with pytest.raises(NotApplicable, match=r"do not compose\. Analyse the releases jointly"):
            add()


@pytest.mark.parametrize(
    ("records", "listed"), [("worst", []), ("all", [3, 5, 7]), ([3, 5, 7], [3, 5, 7])]
)
def test_the_answer(records, listed):
    found = RecordBounds([3, 5, 7], [0.1, 0.4, 0.0], [0.3, 0.6, 0.7], Evidence.ENCLOSURE)
    said = answer(
        Question(Ones(1, 8), 2, 0.1, records), Noise("sigma", 2.0), found.by("crowd"),
        epsilon=5.0, restricted=2.0, adjacent=1.0,
    )  # fmt: skip
    assert [each.record for each in said.records] == listed
    assert (said.worst_record, said.method, said.population_epsilon) == (
        7, "crowd", Bound(0.4, 0.7, Evidence.ENCLOSURE),
    )  # fmt: skip
    assert (said.epsilon, said.epsilon_restricted_sensitivity) == (5.0, 2.0)
    assert said.attack_success == pytest.approx(0.70137, abs=1e-5)
    assert said.bayes_success == pytest.approx(0.775)
    assert said.seconds >= 0
