"""Questions that mean the same are one; messages about them speak of JSON."""

import datetime

import pyarrow as pa
import pytest

from deniable.errors import PlanError
from deniable.publish.plan import write_toml
from deniable.serve import session as sessions
from deniable.serve.server import answer, in_json
from tests.cases.refusals import says
from tests.cases.served import people, plan_of, start

KEYS = {"ward": ["north", "south"]}
DAY, MOMENT = {"$date": "2024-01-01"}, {"$datetime": "2024-06-01T00:00:00"}
BOTH = ["north", "south"]


def where(*conditions):
    return {"where": list(conditions)}


def crosstab(**more):
    return {"statistic": "crosstab", "columns": ["ward", "age"], "keys": {"age": [1, 2]}, **more}


SAME = {
    "a point": (where(["number", ">", 5]), where(["number", ">", 5.0])),
    "an exponent": (where(["number", ">", 10]), where(["number", ">", 1e1])),
    "minus zero": (where(["number", ">", 0]), where(["number", ">", -0.0])),
    "points in a list": (where(["number", "in", [1, 2]]), where(["number", "in", [2, 1.0]])),
    "order of conditions": (
        where(["number", ">", 3], ["ward", "==", "north"]),
        where(["ward", "==", "north"], ["number", ">", 3]),
    ),
    "a condition twice": (where(["age", ">", 3]), where(["age", ">", 3], ["age", ">", 3])),
    "order of a list": (where(["ward", "in", BOTH]), where(["ward", "in", BOTH[::-1]])),
    "a list of one": (where(["ward", "in", ["north"]]), where(["ward", "==", "north"])),
    "a refused list of one": (where(["ward", "not in", ["north"]]), where(["ward", "!=", "north"])),
    "no conditions": (where(), {}),
    "a date": (where(["day", ">=", "2024-01-01"]), where(["day", ">=", DAY])),
    "a moment": (where(["at", "<", "2024-06-01T00:00:00"]), where(["at", "<", MOMENT])),
    "a blank in a moment": (where(["at", "<=", "2024-06-01 00:00"]), where(["at", "<=", MOMENT])),
    "a key that is a date": (
        {"group_by": ["day"], "keys": {"day": ["2024-01-01"]}},
        {"group_by": ["day"], "keys": {"day": [DAY]}},
    ),
    "a range of dates": (
        {"group_by": ["day"], "keys": {"day": "2024-01-01..2024-01-02"}},
        {"group_by": ["day"], "keys": {"day": ["2024-01-01", "2024-01-02"]}},
    ),
    "keys of the plan": ({"group_by": ["ward"]}, {"group_by": ["ward"], "keys": KEYS}),
    "keys with a point": (
        {"group_by": ["number"], "keys": {"number": [1, 2]}},
        {"group_by": ["number"], "keys": {"number": [1.0, 2.0]}},
    ),
    "bounds": (
        {"statistic": "sum", "column": "age", "bounds": [0, 20]},
        {"statistic": "sum", "bounds": [0.0, 2e1], "column": "age"},
    ),
    "edges": (
        {"statistic": "histogram", "column": "age", "edges": [0, 10, 90]},
        {"statistic": "histogram", "column": "age", "edges": [0.0, 10.0, 90]},
    ),
    "order of margins": (
        crosstab(margins=[["ward"], ["age"]]), crosstab(margins=[["age"], ["ward"]])
    ),
    "another weight": (where(["age", ">", 7]), where(["age", ">", 7]) | {"weight": 3}),
}  # fmt: skip
OTHER = {
    "another operator": (where(["age", ">", 5]), where(["age", ">=", 5])),
    "a fraction": (where(["number", ">", 5]), where(["number", ">", 5.5])),
    "order of rows": (
        {"group_by": ["ward"]},
        {"group_by": ["ward"], "keys": {"ward": BOTH[::-1]}},
    ),
    "one condition less": (where(["age", ">", 33], ["age", "<", 39]), where(["age", ">", 33])),
    "a list and its contrary": (where(["ward", "in", BOTH]), where(["ward", "not in", BOTH])),
}


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    table, rows = people(), len(people())
    day, moment = datetime.date(2024, 1, 1), datetime.datetime(2024, 1, 1, 12)
    table = table.append_column("day", pa.array([day] * rows, pa.date32()))
    table = table.append_column("at", pa.array([moment] * rows, pa.timestamp("us")))
    table = table.append_column("number", pa.array([float(each) for each in range(rows)]))
    with start(
        tmp_path_factory.mktemp("same"), table, plan=plan_of(epsilon=2**-9, keys=KEYS)
    ) as it:
        yield it


def ask(session, query, word="ask", **more):
    return answer(session, word, "dashboard", {"query": {"statistic": "count", **query}, **more})


@pytest.mark.parametrize("case", SAME)
def test_the_same_question_in_other_words_costs_nothing(session, case):
    (first, one), (second, other) = (ask(session, each) for each in SAME[case])
    assert (first, second) == (200, 200), (one, other)
    assert (other["remembered"], other["cost"], other["rows"]) == (True, 0, one["rows"])


@pytest.mark.parametrize("case", OTHER)
def test_another_question_is_asked_anew(session, case):
    first, second = OTHER[case]
    ask(session, first)
    assert not ask(session, second, "cost")[1]["remembered"]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"statistic": "sum", "column": "age"}, 'at query, bounds. Add "bounds": …'),
        ({"where": "age > 5"}, 'at query, where. Write "where": [["age", ">", 5]].'),
        (where(["at", "<", "soon"]), 'timestamp, such as "2024-01-31T00:00:00".'),
        (where(["day", "<", "2024-1-1"]), 'date, such as "2024-01-31".'),
        (where(["age", "<", None]), "got null."),
        (where(["day", "<", {"$date": "x"}]), 'Expected an ISO date, got "x".'),
        ({"name": "n = 5", "statistic": "summe"}, 'got "summe" at query, statistic.'),
        ({"statistic": "avg", "column": "age"}, 'statistic. Did you mean "mean"?'),
        ({"statistic": "median", "column": "age"}, 'statistic. Known: "count", "crosstab", "e'),
        (
            {"group_by": ["ward"], "keys": ["x"]},
            'a JSON object, got ["x"] at query, keys. Write it',
        ),
        ({"group_by": ["wards"]}, 'a column of the service, got "wards". Did you mean "ward"?'),
    ],
)
def test_a_message_about_a_question_speaks_of_json(session, query, words):
    status, said = ask(session, query, "cost")
    assert status == 400
    assert words in said["error"]
    assert "plan.toml" not in said["error"]


def test_a_message_about_a_target_names_it(session):
    status, said = ask(session, {}, "cost", target={"epsilon": "1"})
    assert (status, said["error"].partition(" at ")[2]) == (
        400, "target, epsilon. Write it without quotation marks."
    )  # fmt: skip


def test_what_a_message_quotes_stays():
    assert in_json('got "x = [[query]] 2024-01-31" at p.toml') == (
        'got "x = [[query]] 2024-01-31" at p.toml'
    )


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ('got x. Choose one; for CSV, see [data], types of "a.b".', "got x. Choose one."),
        ('got x at p. Name it in [data]; without one, rows. Ask "x".', 'got x at p. Ask "x".'),
        ('got "; [data]" at p. Name "[data]".', 'got "; [data]" at p. Name "[data]".'),
        ("got none. Add delta to [target].", "got none. Add delta to target."),
    ],
)  # fmt: skip
def test_a_program_is_not_told_to_change_the_plan(message, said):
    assert in_json(message) == said


def test_shared_keys_of_another_column_answer_no_misspelt_one(tmp_path):
    with start(tmp_path, plan=plan_of(keys={"ward": ["north"]})) as session:
        _, said = ask(session, {"statistic": "count", "group_by": ["warts"]}, "cost")
        status, _ = ask(session, {"statistic": "count", "group_by": ["ward"]}, "cost")
    assert status == 200
    assert said["error"].startswith('Expected a column of the service, got "warts".')


def test_an_error_of_the_plan_names_its_file(tmp_path):
    plan = plan_of(limits={"rows_per_entity": 0})
    plan["data"]["source"] = "people.parquet"
    (tmp_path / "bad.toml").write_text(write_toml(plan))
    with pytest.raises(PlanError) as refused:
        start(tmp_path, "file", plan=tmp_path / "bad.toml")
    assert f"at {tmp_path / 'bad.toml'}, [limits]" in str(refused.value)


def test_what_is_not_installed_is_not_offered(tmp_path, monkeypatch):
    installed = {word: made for word, made in sessions.STATISTICS.items() if word != "crosstab"}
    monkeypatch.setattr(sessions, "STATISTICS", installed)
    with start(tmp_path) as session:
        offered = session.describe()["statistics"]
        _, said = ask(session, {"statistic": "crosstab"}, "cost")
    assert offered == ["count", "entities", "sum", "mean", "histogram"]
    assert says(said["error"], "a-served-statistic: crosstab")
    assert "Known" in said["error"]
    assert '"crosstab",' not in said["error"]
