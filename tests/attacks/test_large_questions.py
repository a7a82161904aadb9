"""Questions that are as large as a request may be: refused before anything of them is read."""

import json

import pyarrow as pa
import pytest

from deniable.errors import PlanError
from deniable.serve import session as sessions
from deniable.serve.access import MOST_BYTES
from deniable.serve.server import answer
from deniable.serve.session import MOST_CELLS, MOST_COLUMNS, MOST_WORDS
from tests.cases.refusals import refuses
from tests.cases.served import COUNT, people, start


def nested(value, depth, wrap):
    for _ in range(depth):
        value = wrap(value)
    return value


COUNTED = {"statistic": "count"}
LARGE = {
    "conditions": COUNTED | {"where": [["age", ">=", n] for n in range(3000)]},
    "one condition": COUNTED | {"where": [["age", "in", list(range(9000))]]},
    "columns of conditions": COUNTED | {"where": [[f"c{n}", ">=", n] for n in range(3000)]},
    "columns": COUNTED | {"group_by": [f"c{n}" for n in range(5000)]},
    "edges": {"statistic": "histogram", "column": "age", "edges": list(range(1000))},
    "words": COUNTED | {f"word {n}": n for n in range(4000)},
    "lists": COUNTED | {"where": nested(1, 9000, lambda value: [value])},
    "tables": COUNTED | {"x": nested(1, 9000, lambda value: {"a": value})},
    "keys": COUNTED | {"group_by": ["age"], "keys": {"age": [[[n]] for n in range(9000)]}},
    "keys of columns": COUNTED | {"keys": {f"c{n}": [n, n] for n in range(7000)}},
    "lists of keys": COUNTED | {"keys": {"age": nested(1, 30_000, lambda value: [value])}},
}


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    table = people()
    for number in range(40):
        table = table.append_column(f"c{number}", pa.array([1] * len(table)))
    with start(tmp_path_factory.mktemp("large"), table) as it:
        yield it


@pytest.mark.parametrize("kind", LARGE)
@pytest.mark.parametrize("word", ["cost", "ask"])
def test_a_question_with_too_many_values_is_refused_first(session, monkeypatch, kind, word):
    def never(*_):
        raise AssertionError("it was read")

    monkeypatch.setattr(sessions, "public_content", never)
    with refuses(PlanError, "more-ask-for-less"):
        getattr(session, word)(LARGE[kind])


def test_the_largest_question_that_is_read_is_answered(session):
    each = 4  # a condition is a list of three
    where = [["age", ">=", -n] for n in range((MOST_WORDS - 2) // each)]
    assert session.ask(COUNTED | {"where": where})["cost"] == 0.25
    with refuses(PlanError, "columns-and-edges-more"):
        session.cost(COUNTED | {"where": [*where, ["age", ">", 0]]})
    keys = {"age": list(range(MOST_CELLS))}
    assert len(json.dumps(keys)) < MOST_BYTES
    assert session.cost(COUNTED | {"group_by": ["age"], "keys": keys})["cost"] == 0.25


# One key a column: there are few cells, and there would be 2 to the power of all columns margins.
def test_a_crosstab_of_many_columns_is_refused(session):
    def table(columns):
        names = [f"c{number}" for number in range(columns)]
        query = {"statistic": "crosstab", "columns": names, "keys": {name: [1] for name in names}}
        return answer(session, "cost", "dashboard", {"query": query})

    assert table(MOST_COLUMNS)[0] == 200
    for columns in (MOST_COLUMNS + 1, 40):
        status, said = table(columns)
        assert status == 400
        assert "at most 10 columns" in said["error"]


def test_after_all_of_them_the_session_answers(session):
    assert session.ask(COUNT)["rows"]
