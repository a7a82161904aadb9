"""Intervals of each record, the answer, and an attacker's success."""

import json
import math

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deniable
from deniable.errors import InvalidArgument, NotApplicable
from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.effort import Effort
from deniable.population.answer import (
    NoiseParameter,
    PopulationAnswer,
    RecordBound,
    RecordBounds,
    answer,
)
from deniable.population.choices.engine import optimal_success
from deniable.population.question import Ones, Question
from deniable.theorems.analysis import attack_success, bayes_success
from tests.cases.refusals import refuses
from tests.oracles import population as brute

BOUND = Bound(0.5, 0.6, Evidence.CONFIDENCE, confidence=0.95, draws=10, seed=1)
ANSWER = PopulationAnswer(
    BOUND, 3, 0.01, 5, 10, "crowd", NoiseParameter("sigma", 2.0), float("inf"), 2.0, 2.0, 1.5, 0.55,
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
    assert attrs.evolve(ANSWER, noise=NoiseParameter("epsilon", 0.7)).as_json()["epsilon"] == 0.7


def test_guarantees_are_not_added():
    for add in (
        lambda: ANSWER + ANSWER,
        lambda: ANSWER + 1,
        lambda: 1 + ANSWER,
        lambda: sum([ANSWER, ANSWER]),
    ):
        with refuses(NotApplicable, "do-not-compose-analyse-releases"):
            add()


@pytest.mark.parametrize(
    ("records", "listed"), [("worst", []), ("all", [3, 5, 7]), ([3, 5, 7], [3, 5, 7])]
)
def test_the_answer(records, listed):
    found = RecordBounds([3, 5, 7], [0.1, 0.4, 0.0], [0.3, 0.6, 0.7], Evidence.ENCLOSURE)
    said = answer(
        Question(Ones(1, 8), 2, 0.1, records), NoiseParameter("sigma", 2.0), found.by("crowd"),
        Effort(gap=0.5), epsilon=5.0, restricted=2.0, adjacent=1.0,
    )  # fmt: skip
    assert [each.record for each in said.records] == listed
    assert (said.worst_record, said.method, said.population_epsilon) == (
        7, "crowd", Bound(0.4, 0.7, Evidence.ENCLOSURE),
    )  # fmt: skip
    assert (said.epsilon, said.epsilon_restricted_sensitivity) == (5.0, 2.0)
    assert said.attack_success == pytest.approx(0.70137, abs=1e-5)
    assert said.bayes_success == pytest.approx(0.775)
    assert said.seconds >= 0
    assert (said.gap.goal, said.gap.reached, said.gap.is_reached) == (
        0.5, pytest.approx(0.75), False,
    )  # fmt: skip


def test_the_largest_ends_bound_the_maximum():
    found = RecordBounds([2, 7, 4], [0.1, 0.3, 0.2], [0.9, 0.5, 0.9], Evidence.ENCLOSURE)
    assert found.worst() == 2
    assert found.maximum() == Bound(0.3, 0.9, Evidence.ENCLOSURE)
    assert found.each()[1] == Bound(0.3, 0.5, Evidence.ENCLOSURE)


def test_confidence_goes_with_every_record():
    found = RecordBounds([1], [0.1], [0.2], Evidence.CONFIDENCE, 0.9, draws=5, seed=3)
    assert found.maximum() == Bound(0.1, 0.2, Evidence.CONFIDENCE, confidence=0.9, draws=5, seed=3)
    assert found.each() == [found.maximum()]


@pytest.mark.parametrize(
    ("records", "lower", "upper", "message"),
    [
        ([], [], [], "as-many-lower-and-upper"),
        ([1, 2], [0.0], [0.0], "as-many-lower-and-upper"),
        ([1], [0.2], [0.1], "lower-at-most-upper-for-every"),
        ([1], [float("nan")], [0.1], "lower-at-most-upper-for-every"),
    ],
)
def test_what_is_no_interval(records, lower, upper, message):
    with refuses(InvalidArgument, message):
        RecordBounds(records, lower, upper, Evidence.ENCLOSURE)


MIXED = RecordBounds(
    [3, 5, 8], [0.1, 0.4, 0.0], [0.3, 0.6, 0.7], Evidence.ENCLOSURE,
    lower_methods=("projection", "threshold", "none"), upper_methods=("crowd", "crowd", "pairwise"),
)  # fmt: skip


def test_the_worst_record_gives_the_method():
    assert MIXED.guaranteed_upper() == 0.7
    assert MIXED.method == "pairwise"
    assert MIXED.by("fourier").lower_methods == ("fourier",) * 3


def test_another_theorem_cuts_every_record():
    found = MIXED.cap(0.35, "restricted")
    assert found.upper.tolist() == [0.3, 0.35, 0.35]
    assert found.lower.tolist() == [0.1, 0.35, 0.0]
    assert found.upper_methods == ("crowd", "restricted", "restricted")
    assert MIXED.cap(0.35).upper_methods == MIXED.upper_methods


def test_only_some_records():
    found = MIXED.only([8, 3])
    assert found.records.tolist() == [8, 3]
    assert found.upper.tolist() == [0.7, 0.3]
    assert found.upper_methods == ("pairwise", "crowd")
    assert MIXED.only("worst") is MIXED.only("all") is MIXED


def test_an_estimate_certifies_nothing():
    with refuses(NotApplicable, "estimate-use-method-that-bounds"):
        RecordBounds([0], [0.1], [0.2], Evidence.ESTIMATE).guaranteed_upper()


epsilons = st.floats(0, 8)


chances = st.floats(0, 1)


@given(epsilons, chances)
def test_prior_one_half_is_lemma_6(epsilon, delta):
    expected = (math.exp(epsilon) + delta) / (math.exp(epsilon) + 1)
    assert attack_success(epsilon, delta) == pytest.approx(expected, rel=1e-14)
    assert bayes_success(epsilon, delta, 0.5) == pytest.approx(max(expected, (1 + delta) / 2))


@given(epsilons, chances, chances)
def test_no_pair_of_rates_that_the_guarantee_allows_does_better(epsilon, delta, prior):
    most = math.exp(epsilon)
    fpr = np.linspace(0, 1, 20_001)
    # The largest TPR with TPR <= e^ε FPR + δ and 1 − FPR <= e^ε (1 − TPR) + δ.
    tpr = np.minimum(np.minimum(most * fpr + delta, 1.0), 1 - (1 - fpr - delta) / most)
    reached = (prior * tpr + (1 - prior) * (1 - fpr)).max()
    found = bayes_success(epsilon, delta, prior)
    assert reached <= found + 1e-12
    assert reached >= found - 1e-3  # the grid passes the corner by


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=2, max_size=5), chances)
def test_no_attacker_on_two_laws_does_better_than_their_epsilon_allows(weights, prior):
    p, q = (np.array(each) / sum(each) for each in zip(*weights, strict=True))
    for delta in (0.0, 0.05):
        epsilon = brute.smallest_epsilon(p, q, delta, 1.0) if delta else abs(np.log(p / q)).max()
        reached = brute.best_success(p, q, prior)
        assert reached <= bayes_success(float(epsilon) + 1e-9, delta, prior) + 1e-12


def test_three_outputs_attain_it():
    epsilon, delta, prior = 1.0, 0.1, 0.4
    share = (1 - delta) / (1 + math.exp(epsilon))
    p = [delta, (1 - delta) - share, share, 0.0]
    q = [0.0, share, (1 - delta) - share, delta]
    found = bayes_success(epsilon, delta, prior)
    assert brute.best_success(p, q, prior) == pytest.approx(found)


def test_guessing_by_the_prior_is_always_possible():
    assert bayes_success(0.0, 0.0, 0.01) == pytest.approx(0.99)
    assert bayes_success(0.0, 0.0, 0.75) == 0.75
    assert bayes_success(math.inf, 0.0, 0.3) == attack_success(math.inf, 0.0) == 1.0
    assert bayes_success(0.0, 1.0, 0.3) == 1.0


@pytest.mark.parametrize(("delta", "prior"), [(-0.1, 0.5), (1.1, 0.5), (0.1, -0.1), (0.1, 1.1)])
def test_out_of_range(delta, prior):
    with pytest.raises(InvalidArgument):
        bayes_success(1.0, delta, prior)


def test_the_best_attacker_by_all_decision_rules():
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(4), 3), rng.dirichlet(np.ones(4), 3)
    best = 0.0
    for record in range(3):
        for rule in range(16):
            says_in = np.array([rule >> w & 1 for w in range(4)], dtype=bool)
            right = 0.3 * p[record, says_in].sum() + 0.7 * q[record, ~says_in].sum()
            best = max(best, right)
    assert optimal_success(np.log(p), np.log(q), 0.3, 0.0) == pytest.approx(best, rel=1e-12)
    assert optimal_success(np.log(p), np.log(q), 0.3, 0.1) == pytest.approx(best * math.exp(0.1))
    assert optimal_success(np.log(p), np.log(q), 0.3, 9.0) == 1.0


def test_who_stands_out_is_drawn_by_distance_and_only_where_each_record_was_asked_for():
    found = deniable.population.gaussian(
        [0.0, 1.0, 2.0, 9.0], 2, sigma=2.0, delta=0.01, records="all"
    )
    chart = found.plot(by="distance").to_dict()
    (rows,) = chart["datasets"].values()
    assert sorted(row["distance"] for row in rows) == [1.0, 2.0, 3.0, 6.0]
    worst = deniable.population.gaussian([0.0, 1.0, 2.0, 9.0], 2, sigma=2.0, delta=0.01)
    with refuses(NotApplicable, "ask-for-records-all"):
        worst.plot(by="distance")
    with refuses(NotApplicable, "ask-for-records-all"):
        worst.records_csv()
