"""[columns] of a plan: what is read, in which order, and every misuse that is refused."""

import datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable
from deniable.errors import PlanError
from deniable.publish.derived import Arithmetic, Bands, CalendarPart, Days, TruthValue
from deniable.publish.plan import (
    MOST_COLUMNS,
    MOST_STEPS,
    as_toml,
    parse_plan,
    public_plan,
    queries,
    read_columns,
    read_plan,
)
from deniable.publish.query import Condition
from deniable.publish.sources import Kind, schema
from tests.cases.prose import refusal_of
from tests.cases.refusals import refuses

TABLE = pa.table(
    {
        "person": pa.array([1, 1, 2], pa.int64()),
        "admitted": pa.array([datetime.date(2024, 1, 31)] * 3, pa.date32()),
        "at": pa.array([datetime.datetime(2024, 1, 31)] * 3, pa.timestamp("us")),
        "age": pa.array([17, 18, 65], pa.int64()),
        "cost": pa.array([1.5, 2.5, None], pa.float64()),
        "ward": pa.array(["a", "b", "a"], pa.string()),
    }
)
PLAN = """
[data]
source = "visits.parquet"
{data}
[columns]
{columns}
[keys]
{keys}
[target]
gamma = 2.0
[[query]]
name = "q"
{query}
"""
QUERY = 'statistic = "count"\nwhere = [["ward", "==", "a"]]'


def text(columns, keys="", query=QUERY, data=""):
    return PLAN.format(columns=columns, keys=keys, query=query, data=data)


def read(folder, *given, **more):
    pq.write_table(TABLE, folder / "visits.parquet")
    (folder / "p.toml").write_text(text(*given, **more), encoding="utf-8")
    return read_plan(folder / "p.toml")


def derived(columns):
    return read_columns(parse_plan(text(columns), "p.toml")).derived


FORMS = [
    ('{ of = "d", part = "week" }', CalendarPart("x", "d", "week")),
    ('{ days = ["a", "b"] }', Days("x", "a", "b")),
    ('{ of = "n", bands = [0, 18, 65.0] }', Bands("x", "n", (0.0, 18.0, 65.0), ("0-17", "18-65"))),
    ('{ of = "n", bands = [-0.0, 1], labels = ["u"] }', Bands("x", "n", (0.0, 1.0), ("u",))),
    ('{ sum = ["a", "b"] }', Arithmetic("x", "sum", "a", "b")),
    ('{ difference = ["a", 2] }', Arithmetic("x", "difference", "a", 2)),
    ('{ product = [0.5, "b"] }', Arithmetic("x", "product", 0.5, "b")),
    ('{ ratio = [0, "b"] }', Arithmetic("x", "ratio", 0, "b")),
    ('{ condition = ["d", "in", ["u", "v"]] }', TruthValue("x", Condition("d", "in", ("u", "v")))),
]


@pytest.mark.parametrize(("written", "column"), FORMS)
def test_every_form_is_read(written, column):
    (one,) = derived(f"x = {written}")
    assert one == column


def test_columns_are_ordered_by_what_they_read():
    written = 'c = { sum = ["a", "b"] }\na = { sum = ["b", 1] }\nb = { sum = ["s", "t"] }'
    assert [each.name for each in derived(written)] == ["b", "a", "c"]


def test_kinds_follow_from_the_schema(tmp_path):
    columns = """
month = { of = "at", part = "month" }
days = { days = ["admitted", "at"] }
group = { of = "days", bands = [0, 7] }
whole = { product = ["age", 2] }
real = { product = ["age", 2.0] }
long = { condition = ["days", ">", 14] }
"""
    known = schema(read(tmp_path, columns).source)
    assert {name: known[name] for name in list(known)[-6:]} == {
        "month": Kind.TEXT, "days": Kind.INTEGER, "group": Kind.TEXT, "whole": Kind.INTEGER,
        "real": Kind.NUMBER, "long": Kind.BOOLEAN,
    }  # fmt: skip


GROUPS = 'statistic = "count"\ngroup_by = ["k"]\n'
KEYS = [
    ('k = { of = "at", part = "year" }', 'k = "2023..2025"', ("2023", "2024", "2025")),
    ('k = { of = "at", part = "quarter" }', 'k = "2023-Q4 .. 2024-Q1"', ("2023-Q4", "2024-Q1")),
    ('k = { of = "at", part = "month" }', 'k = "2023-12..2024-01"', ("2023-12", "2024-01")),
    ('k = { of = "at", part = "week" }', 'k = "2020-W53..2021-W01"', ("2020-W53", "2021-W01")),
    ('k = { of = "at", part = "weekday" }', 'k = "6..7"', ("6", "7")),
    ('k = { of = "at", part = "weekday" }', "", tuple("1234567")),
    ('k = { of = "at", part = "hour" }', "", tuple(f"{hour:02}" for hour in range(24))),
    ('k = { of = "age", bands = [0, 18, 65] }', "", ("0-17", "18-65")),
    ('k = { of = "age", bands = [0, 18, 65] }', 'k = ["18-65"]', ("18-65",)),
    ('k = { condition = ["age", ">", 17] }', "", (False, True)),
]


@pytest.mark.parametrize(("columns", "keys", "listed"), KEYS)
def test_keys_are_a_range_or_what_the_column_can_be(tmp_path, columns, keys, listed):
    for own in (False, True):
        query = GROUPS + (f"keys = {{ {keys} }}\n" if own and keys else "")
        plan = read(tmp_path, columns, "" if own else keys, query)
        assert plan.queries[0].grouping.keys == (listed,)
        again = public_plan(plan.published)
        assert (again.queries, again.derived) == (plan.queries, plan.derived)
        assert "\n[columns]\nk = {" in as_toml(plan.published)


def test_days_have_ranges_too(tmp_path):
    query = 'statistic = "count"\ngroup_by = ["admitted"]\n'
    plan = read(tmp_path, "", 'admitted = "2024-02-28..2024-03-01"', query)
    days = [datetime.date(2024, 2, 28), datetime.date(2024, 2, 29), datetime.date(2024, 3, 1)]
    assert plan.queries[0].grouping.keys == (tuple(days),)


def test_a_ranking_finds_its_keys_too():
    given = text('k = { of = "at", part = "weekday" }', query='statistic = "top"\ncolumn = "k"')
    top = parse_plan(given, "p.toml")
    (query,) = queries(top, read_columns(top).derived)
    assert query.entries["keys"] == {"k": list("1234567")}


def test_a_csv_is_read_as_what_its_columns_are_computed_with(tmp_path):
    (tmp_path / "v.csv").write_text("age,at,on\n17,2024-01-31T08:00:00,true\n")
    plan = f"""
[data]
source = "{tmp_path / "v.csv"}"
[columns]
group = {{ of = "age", bands = [0, 18, 65] }}
hour = {{ of = "at", part = "hour" }}
yes = {{ condition = ["on", "==", true] }}
[target]
gamma = 2.0
[[query]]
name = "q"
statistic = "count"
group_by = ["group", "hour", "yes"]
"""
    assert dict(read_plan(plan).source.types) == {
        "age": "number",
        "at": "timestamp",
        "on": "boolean",
    }


CHAIN = "\n".join(
    f'c{number} = {{ sum = ["{f"c{number - 1}" if number else "age"}", 1] }}'
    for number in range(MOST_STEPS + 1)
)
MONTH = 'k = { of = "at", part = "month" }'
BANDS = 'k = { of = "age", bands = [0, 18] }'
GROUP = 'statistic = "count"\ngroup_by = ["k"]\n'
PART = "year, quarter, month, week, weekday, hour"
FORM = "one of part, days, bands, sum, difference, product, ratio, condition"
WRONG = [
    # the place, what was expected and got, and what to do
    ('k = "at"', "k", "a table", '"at"', 'Write k = { of = "admitted", part = "month" }'),
    ("k = {}", "k", FORM, "none", "Write k ="),
    *(
        (f'k = {{ {part} = "at" }}', f"k.{part}", "of and part", part, f'part = "{part}"')
        for part in ("year", "month", "hour")
    ),
    ('k = { column = "at", part = "year" }', "k.column", "only known keys", '"column"', '"of"'),
    ('k = { of = "at" }', "k", FORM, "none", "Write k ="),
    ('k = { of = "at", part = "year", bands = [0, 1] }', "k", FORM, "part and bands", ""),
    ('k = { of = "at", parts = "year" }', "k.parts", "only known keys", '"parts"', '"part"'),
    ('k = { days = ["at", "at"], labels = ["x"] }', "k.labels", "only known", "labels", ""),
    ('k = { of = "at", part = "day" }', "k.part", "a part of the calendar", '"day"', "Known"),
    ('k = { part = "year" }', "k.of", "a value", "none", "Add of"),
    ('k = { of = 3, part = "year" }', "k.of", "text", "3", "quotation marks"),
    ('k = { days = ["at"] }', "k.days", "two columns", '["at"]', "Write days"),
    ('k = { days = ["at", ""] }', "k.days", "two columns", '["at", ""]', "Write days"),
    ('k = { days = ["at", 3] }', "k.days", "a list of texts", "3", ""),
    ('k = { of = "age", bands = [0] }', "k.bands", "2 to 1001 numbers", "1", "Write where"),
    ('k = { of = "age", bands = [0, 0] }', "k.bands", "numbers that increase", "0", "order"),
    ('k = { of = "age", bands = [1, 0] }', "k.bands", "numbers that increase", "1", "order"),
    ('k = { of = "age", bands = [0, inf] }', "k.bands", "a finite number", "inf", ""),
    ('k = { of = "age", bands = [0, nan] }', "k.bands", "a finite number", "nan", ""),
    ('k = { of = "age", bands = "0-18" }', "k.bands", "a list", '"0-18"', "brackets"),
    ('k = { of = "age", bands = [0, 0.5] }', "k.labels", "a label for each", "none", "1 of"),
    ('k = { of = "age", bands = [0, 1], labels = ["a", "b"] }', "k.labels", "1 label", "2",
     "1 band"),
    ('k = { of = "age", bands = [0, 1], labels = [""] }', "k.labels", "labels", "empty", ""),
    ('k = { of = "age", bands = [0, 1, 2], labels = ["a", "a"] }', "k.labels", "once",
     '"a" twice', ""),
    ('k = { sum = ["age"] }', "k.sum", "two columns, or a column and", '["age"]', "Write"),
    ('k = { sum = ["age", "age", 1] }', "k.sum", "two columns, or", "age", "Write sum"),
    ("k = { sum = [1, 2] }", "k.sum", "a column among the two", "[1, 2]", "Write sum"),
    ('k = { sum = ["age", true] }', "k.sum", "a column or a number", "true", "Write sum"),
    ('k = { sum = ["age", ""] }', "k.sum", "a column or a number", '""', "Write sum"),
    ('k = { sum = ["age", nan] }', "k.sum", "a finite number", "nan", ""),
    ('k = { sum = ["age", 9223372036854775808] }', "k.sum", "64 bits", "9223372036854775808",
     ""),
    ('k = { ratio = ["age", 0] }', "k.ratio", "a number to divide by", "0", "Divide by"),
    ('k = { ratio = ["age", -0.0] }', "k.ratio", "a number to divide by", "0", "Divide by"),
    ('k = { condition = "age > 3" }', "k.condition", "[column, operator, value]", '"age > 3"',
     "Write condition"),
    ('k = { condition = ["age", "~", 3] }', "k.condition", "an operator", '"~"', "Use one of"),
    ('k = { condition = ["age", "in", 3] }', "k.condition", "a list after", "3", ""),
    ('k = { sum = ["k", 1] }', "k", "no column that is computed from itself",
     '"k" from "k"', "Compute it"),
    ('k = { sum = ["l", 1] }\nl = { condition = ["k", ">", 1] }', "k", "computed from itself",
     '"k" from "l" from "k"', "Compute it"),
    (CHAIN, f"c{MOST_STEPS}", f"at most {MOST_STEPS} columns", "more", "fewer steps"),
    (f"{BANDS}\nK = {{ of = 'age', bands = [0, 1] }}", "K", "names that differ", '"K" twice',
     "another name"),
    ('"" = { days = ["at", "at"] }', "[columns]", "names that differ", "an empty name", ""),
    (f'{MONTH}\nl = {{ condition = ["k", "in", ["5"]] }}', "l.condition", 'values that "k"',
     '"5"', "2024-01"),
    ('k = { of = "born", part = "year" }', "k.of", "a column of the source", '"born"', "Known"),
    ('k = { of = "ward", part = "year" }', "k.of", '"ward" to be a date or timestamp', "text",
     'types = { ward = "date" }'),
    ('k = { of = "admitted", part = "hour" }', "k.of", '"admitted" to be a timestamp', "date",
     "Choose another"),
    ('k = { days = ["at", "age"] }', "k.days", '"age" to be a date', "integer", "Choose"),
    ('k = { of = "ward", bands = [0, 1] }', "k.of", "the kind number", "text", "numbers"),
    ('k = { sum = ["ward", 1] }', "k.sum", "the kind number", "text", "numbers"),
    ('k = { ratio = ["age", "at"] }', "k.ratio", "the kind number", "timestamp", "numbers"),
    ('k = { condition = ["age", "==", "x"] }', "k.condition", "the kind integer", '"x"', ""),
    (f'{BANDS}\nl = {{ sum = ["k", 1] }}', "l.sum", "the kind number", "text", "numbers"),
    ('age = { of = "cost", bands = [0, 1] }', "age", "no column of the source has", '"age"',
     "another name"),
    ('Ward = { of = "cost", bands = [0, 1] }', "Ward", "no column of the source has", '"Ward"',
     "upper and lower"),
]  # fmt: skip
WRONG_USES = [
    # columns, keys and a query, and the same parts
    (MONTH, "", GROUP, "keys", "public keys", "none", "Fill"),
    (MONTH, 'k = "2024-01"', GROUP, "k", 'a list, or a range such as "2024-01..2024-01"',
     '"2024-01"', "two points"),
    (MONTH, 'k = "2024-01..2024-13"', GROUP, "k", "a range such as", "2024-13", "two points"),
    (MONTH, 'k = "2024..2025"', GROUP, "k", "a range such as", "2024..2025", "two points"),
    (MONTH, 'k = "2024-02..2024-01"', GROUP, "k", "a range that goes forward", "2024-02",
     "earlier"),
    (MONTH, 'k = "0001-01..9999-12"', GROUP, "k", "at most 10000 keys", "119988 in", "Shorten"),
    (BANDS, 'k = "0-18..19-20"', GROUP, "k", "a list", '"0-18..19-20"', "square brackets"),
    ("", 'ward = "a..b"', "", "ward", "a list, or a range such as", '"a..b"', "two points"),
    ("", 'ward = "a"', "", "ward", "a list", '"a"', "square brackets"),
    (MONTH, "", GROUP + 'keys = { k = "x..y" }', "keys.k", "a range such as", "x..y", "two points"),
    (MONTH, 'k = ["January"]', GROUP, "keys.k", 'values that "k" can have', '"January"',
     '"2024-01"'),
    (BANDS, 'k = ["0-17"]', GROUP, "keys.k", 'values that "k" can have', '"0-17"', '["0-18"]'),
    (MONTH, "k = [1]", GROUP, "keys.k", "the kind text", "1", "values of the kind text"),
    (MONTH, "", 'statistic = "count"\nwhere = [["k", "==", "May"]]', "where", 'values that "k" can',
     '"May"', "2024-01"),
    (MONTH, "", 'statistic = "sum"\ncolumn = "k"\nbounds = [0, 1]', "column", "the kind number",
     "text", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("columns", "keys", "query", "place", "expected", "got", "remedy"),
    [*((columns, "", "", *parts) for columns, *parts in WRONG), *WRONG_USES],
)
def test_a_misuse_names_file_table_and_key(
    tmp_path, columns, keys, query, place, expected, got, remedy
):
    with pytest.raises(PlanError) as caught:
        read(tmp_path, columns, keys, query or QUERY)
    refusal = refusal_of(caught.value, str(tmp_path / "p.toml"))
    assert refusal.place.split(", ")[-1] == place
    assert expected in refusal.expected
    assert got in refusal.got
    assert remedy in refusal.remedy


def test_a_derived_column_is_no_entity(tmp_path):
    with pytest.raises(PlanError) as caught:
        read(tmp_path, MONTH, data='entity = "k"')
    refusal = refusal_of(caught.value, str(tmp_path / "p.toml"))
    assert refusal.parts("place", "got") == {"place": "[data], entity", "got": '"k" of [columns]'}
    assert "protected as one" in refusal.remedy


def test_there_are_not_too_many_columns():
    many = "\n".join(f'c{n} = {{ sum = ["x", 1] }}' for n in range(MOST_COLUMNS + 1))
    with refuses(PlanError, f"at-most-columns: {MOST_COLUMNS}"):
        derived(many)


def test_what_the_schema_refuses_nobody_learns_from_values():
    """Two tables of one schema give the same answer, whatever cannot be computed in them."""
    odd = TABLE.slice(0, 1).set_column(3, "age", pa.array([None], pa.int64()))
    plans = []
    for table in (TABLE, odd, TABLE.slice(0, 0)):
        plans.append(deniable.plan(text('k = { product = ["age", "age"] }').replace(
            'source = "visits.parquet"', ""), data=table))  # fmt: skip
    assert len({repr(each.as_json()) for each in plans}) == 1
