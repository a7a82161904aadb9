"""Audits at the ends of what can be asked: few runs, sure confidences, claims that allow all."""

import numpy as np
import pytest
from scipy.stats import binom

from deniable import Effort, audit
from deniable.auditing.models.single import audit_one_run
from deniable.errors import InvalidArgument
from tests.cases.effort import some_pairs, usual
from tests.cases.refusals import refuses


def in_bulk(data, rng, draws):
    return data + rng.geometric(0.5, size=draws) - rng.geometric(0.5, size=draws)


def words_in_bulk(data, rng, draws):
    return [f"group {data + value}" for value in rng.integers(0, 3, draws)]


@pytest.mark.parametrize("mechanism", [in_bulk, words_in_bulk])
@pytest.mark.parametrize("runs", [20, 50, 333])
def test_answers_at_once_in_blocks_of_one_kind_of_run(mechanism, runs):
    assert audit(mechanism, neighbours=(0, 1), runs=runs).runs == runs


def test_answers_at_once_that_are_empty_are_refused():
    with refuses(InvalidArgument, "as-many-numbers-1"):
        audit(lambda _, draws: np.empty((draws, 0)), neighbours=(0, 1), runs=20)


def never(_):
    raise AssertionError("a run was made before the question was looked at")


@pytest.mark.parametrize(
    ("claimed", "asked"),
    [
        ("pure-dp:1", {"confidence": 1 - 1e-15}),
        ("pure-dp:1", {"confidence": 1 - 2**-53}),
        ("pure-dp:1", {"confidence": 1.0}),
        ("pure-dp:1", {"delta": 1.0}),
        ("attack-success:1", {}),
        ("advantage:1", {}),
    ],
)
def test_what_cannot_be_told_is_refused_before_any_run(claimed, asked):
    with refuses(InvalidArgument, "expects-something"):
        audit(never, neighbours=(1, 2), claimed=claimed, runs=20, **asked)


@pytest.mark.parametrize(
    ("confidence", "claimed"),
    some_pairs(
        [1e-6, 0.5, 0.999999, 0.999999999999], ["pure-dp:0", "pure-dp:1e6", "approx-dp:0,0.999999"]
    ),
)
def test_no_leak_is_never_called_violated_at_any_confidence(claimed, confidence):
    answer = audit(
        lambda _, rng: rng.integers(0, 3),
        neighbours=(1, 2),
        claimed=claimed,
        runs=200,
        confidence=confidence,
    )
    assert answer.verdict != "violated"


FILES = ("a.csv", "without one.csv")
COLUMNS = ({"x": [1, 2]}, {"x": [1, 2, 3]})


@pytest.mark.parametrize(
    ("pair", "adjacency"),
    some_pairs([FILES, COLUMNS, tuple(map(str.encode, FILES))], ["add-remove", "replace-one"]),
)
def test_names_of_files_and_tables_of_columns_are_not_rows(pair, adjacency):
    claimed = f"pure-dp:1.0@{adjacency}"
    answer = audit(lambda _, rng: rng.normal(), neighbours=pair, claimed=claimed, runs=20)
    assert (answer.adjacency, answer.claimed_epsilon) == (adjacency, 1.0)


def test_one_training_that_just_keeps_its_claim_is_hardly_ever_called_a_liar():
    """Each record's bit is told rightly with probability e/(1 + e): the claim is attained."""
    people = (np.arange(400.0)[:, None], np.zeros(400))
    q, rng, lower, violated = np.e / (1 + np.e), np.random.default_rng(1), [], 0
    audits = usual(5, 80)

    def fit(features, _labels):
        return np.isin(people[0][:, 0], features[:, 0]) == (rng.random(400) < q)

    def losses(told, _features, _labels):
        return np.where(told, 0.0, 1.0) + rng.random(400) / 2

    for _ in range(audits):
        rng = np.random.default_rng(rng.integers(2**32))
        seed = int(rng.integers(2**31))
        answer = audit_one_run(
            fit, people, losses=losses, claimed="pure-dp:1.0@add-remove", effort=Effort(seed=seed)
        )
        lower.append(answer.found.lower)
        violated += answer.verdict == "violated"
    assert max(lower) > 0.5
    assert sum(each > 1.0 for each in lower) <= binom.isf(1e-4, audits, 0.05)
    assert violated == 0  # each at 0.005 %
