"""Questions in which anything stands anywhere: refused or answered, and never a fault."""

import copy
import json
import random

import pytest

from deniable.errors import PlanError
from deniable.serve import access, server
from tests.cases.effort import usual
from tests.cases.refusals import refuses
from tests.cases.served import plan_of, start

QUESTIONS = [
    {"query": {"statistic": "count", "name": "n", "group_by": ["ward"],
               "keys": {"ward": ["a", "b"]}, "where": [["age", ">=", 3], ["ward", "in", ["a"]]]},
     "target": {"epsilon": 0.25}},
    {"query": {"statistic": "sum", "column": "age", "bounds": [0, 64], "weight": 1.0}},
    {"query": {"statistic": "mean", "column": "age", "bounds": [0, 64]}, "target": {"gamma": 1.1}},
    {"query": {"statistic": "histogram", "column": "age", "edges": [0, 20, 40], "precision": 4000}},
    {"query": {"statistic": "crosstab", "columns": ["ward", "age"],
               "keys": {"ward": ["north"], "age": [1, 2]}}},
]  # fmt: skip
OTHERS = (
    None, True, 0, -1, -0.0, 1e400, 1e308, 5e-324, 2**53 + 1, 2**63, -(10**30), "", "age", "1",
    "\x00", "\ud800", "\u202e<b>", "x" * 300, [], {}, [[]], [{}], [None], ["age"], ["age", "age"],
    [1, 2], [2, 1], [float("inf"), 0], {"a": 1}, {"": []}, {"$date": 5}, {"$date": []},
    {"$date": "x"}, {"$date": "2026-01-01"}, {"$date": "2026-01-01", "a": 1}, {"$moment": "x"},
    {"file": "/etc/passwd"}, "unknown", "2024-01..2024-12", "duckdb:/tmp/x", {"of": "age"},
    {"epsilon": 1e308, "delta": 0.01}, {"epsilon": 5e-324}, {"max_posterior": 1 - 1e-16},
)  # fmt: skip


def places_in(value, at=()):
    yield at
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places_in(value[key], (*at, key))


def mutated(question, place, other):
    """The question with something else in one place, or with one thing more there."""
    content = {"": copy.deepcopy(question)}
    inner, last = content, ""
    for key in place:
        inner, last = inner[last], key
    if isinstance(inner[last], dict) and isinstance(other, str):
        inner[last][other] = 1
    else:
        inner[last] = other
    return content[""]


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    with start(tmp_path_factory.mktemp("types"), plan=plan_of(epsilon=2.0**-9)) as it:
        yield it


CASES = [
    (question, place, other)
    for question in QUESTIONS
    for place in places_in(question)
    for other in OTHERS
]


def test_no_question_is_a_fault(session, capfd):
    for question in QUESTIONS:
        assert server.answer(session, "cost", "agent", question)[0] == 200, question
    for case in random.Random(52).sample(CASES, usual(300, len(CASES))):
        given = mutated(*case)
        status, said = server.answer(session, "cost", "agent", given)
        assert status in (200, 400, 409), (given, said)
        json.dumps(said, allow_nan=False)
    assert capfd.readouterr().err == ""


def test_no_target_is_a_fault(session, capfd):
    for target in [each for each in OTHERS if isinstance(each, dict)]:
        given = {"query": {"statistic": "count"}, "target": target}
        assert server.answer(session, "cost", "agent", given)[0] in (200, 400, 409), target
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "body",
    [b'{"query": {"statistic": "count"}, "query": {"statistic": "sum"}}',
     b'{"query": {"statistic": "count", "statistic": "entities"}}',
     b'{"query": {"statistic": "count", "keys": {"a": [1], "a": [2]}}}',
     b'{"query": {"statistic": "count", "where": [["age", ">", {"$date": "x", "$date": "y"}]]}}'],
)  # fmt: skip
def test_a_name_that_stands_twice_is_refused(body):
    with refuses(PlanError, "each-name-once"):
        access.parse(body)
