import datetime

import pytest

import deniable
from deniable.errors import PlanError
from deniable.publish.plan import (
    TYPES,
    PlanTable,
    Use,
    check,
    check_column,
    infer_types,
    kind_of,
    uses,
)
from deniable.publish.plan.schema import ORDERED, refuse_day_as_text
from deniable.publish.query import Condition, Grouping, Query
from deniable.publish.sources import Kind
from deniable.publish.statistics import Count, Sum, Top
from tests.cases.refusals import refuses

TABLE = PlanTable("p.toml", '[[query]] "q"', {})
SCHEMA = {str(kind): kind for kind in Kind}
VALUES = {
    Kind.NUMBER: (1.5,),
    Kind.TEXT: ("a",),
    Kind.BOOLEAN: (True,),
    Kind.DATE: (datetime.date(2024, 1, 31),),
    Kind.TIMESTAMP: (datetime.datetime(2024, 1, 31),),
}


def use(column, values, *, key="where", operator="==", exact=False):
    return Use(TABLE, key, column, kind_of(values[0]), values, operator, exact)


def test_the_types_of_a_csv_are_the_kinds_that_a_plan_can_use():
    assert set(TYPES) == {"integer", "number", "text", "boolean", "date", "timestamp"}


@pytest.mark.parametrize(("kind", "values"), VALUES.items())
def test_public_values_have_a_kind(kind, values):
    assert kind_of(values[0]) is kind
    assert kind_of(3) is Kind.NUMBER


def test_every_column_of_a_query_is_a_use():
    query = Query(
        "q",
        Sum("x", (0, 1)),
        Grouping(("a b", "g"), (("u", "v"), (1,))),
        (Condition("d", "in", (True, False)), Condition("x", ">", 0)),
    )
    assert [(found.key, found.column, found.kind) for found in uses(TABLE, query)] == [
        ("column", "x", Kind.NUMBER),
        ('keys."a b"', "a b", Kind.TEXT),
        ("keys.g", "g", Kind.NUMBER),
        ("where", "d", Kind.BOOLEAN),
        ("where", "x", Kind.NUMBER),
    ]
    assert list(uses(TABLE, Query("q", Count()))) == []
    top = list(uses(TABLE, Query("q", Top("t", ("a", "b"), 1))))
    assert [(found.key, found.kind, found.exact) for found in top] == [
        ("column", None, False),
        ("keys.t", Kind.TEXT, True),
    ]


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("column", Kind)
def test_a_use_fits_its_kind_only(kind, column):
    wanted = use(column, VALUES[kind])
    if kind is column or (kind, column) == (Kind.NUMBER, Kind.INTEGER):
        check(wanted, SCHEMA)
        return
    with refuses(PlanError, "p-toml-query-q"):
        check(wanted, SCHEMA)


def test_a_missing_column_meets_a_suggestion():
    with refuses(PlanError, "source-near-another"):
        check(use("integr", (1,)), SCHEMA)


def test_a_column_of_another_type_is_refused():
    with refuses(PlanError, "other-of-another-type"):
        check_column(PlanTable("p.toml", "[data]", {}), "entity", "other", SCHEMA)


def test_numeric_statistics_want_numbers():
    total = next(uses(TABLE, Query("q", Sum("boolean", (0, 1)))))
    with refuses(PlanError, 'where-true-instead: "boolean"'):
        check(total, SCHEMA)
    total = next(uses(TABLE, Query("q", Sum("text", (0, 1)))))
    with refuses(PlanError, 'kind-text: "text" | number | text'):
        check(total, SCHEMA)


def test_keys_of_whole_numbers_have_no_point():
    with refuses(PlanError, 'whole-numbers-for-number: "integer"'):
        check(use("integer", (1.0, 2.0), key="keys.integer", exact=True), SCHEMA)
    check(use("integer", (1, 2), key="keys.integer", exact=True), SCHEMA)
    check(use("integer", (1.5,), operator=">="), SCHEMA)


def test_truth_values_have_no_order():
    with refuses(PlanError, 'for-truth-values: "boolean"'):
        check(use("boolean", (True,), operator="<="), SCHEMA)
    check(use("boolean", (True,), operator="!="), SCHEMA)


def test_a_csv_column_is_what_the_plan_takes_it_for():
    found = [
        use("n", (1,)),
        use("n", (2.5,)),
        use("t", ("a",)),
        use("b", (True,)),
        use("d", VALUES[Kind.DATE]),
        use("s", VALUES[Kind.TIMESTAMP]),
        Use(TABLE, "column", "free", None),
    ]
    assert infer_types(found, {"i": "integer"}) == {
        "i": "integer",
        "n": "number",
        "t": "text",
        "b": "boolean",
        "d": "date",
        "s": "timestamp",
    }


def test_conflicting_uses_of_a_csv_column_are_refused_unless_it_is_declared():
    found = [use("n", (1,)), use("n", ("1",), key="keys.n")]
    with pytest.raises(PlanError) as caught:
        infer_types(found, {})
    assert str(caught.value) == (
        'Expected one kind for the column "n", got number elsewhere and text here at p.toml, '
        '[[query]] "q", keys.n. Write 1 without quotation marks.'
    )
    assert infer_types(found, {"n": "integer"}) == {"n": "integer"}


DAYS = ["01.04.2024", "1/4/24", "4-1-2024", "2024/04/01", "2024-04-01", "01.04.2024 12:00"]


@pytest.mark.parametrize("day", DAYS)
@pytest.mark.parametrize("operator", ORDERED)
def test_texts_are_no_days_that_are_compared_by_their_order(day, operator):
    found = use("t", (day,), operator=operator)
    with refuses(PlanError, f"a-day-after: {operator}"):
        infer_types([found], {})
    with refuses(PlanError, "a-day-after"):
        refuse_day_as_text(found, is_text=day != "2024-04-01")
    refuse_day_as_text(use("t", ("2024-04-01",), operator=operator), is_text=True)
    refuse_day_as_text(use("t", (day,)), is_text=True)


@pytest.mark.parametrize("text", ["b", "10.0.0.1", "v1", "2024", "1.5", "12.2024"])
def test_other_texts_have_an_order(text):
    refuse_day_as_text(use("t", (text,), operator="<"), ("%d.%m.%Y", None), is_text=True)


@pytest.mark.parametrize("types", ["", 'types = { tag = "text" }'])
def test_a_day_in_the_declared_form_is_refused_in_a_whole_plan(tmp_path, types):
    (tmp_path / "t.csv").write_text("id;tag\na;15-Mar-2024\nb;02-Apr-2024\n")
    plan = tmp_path / "plan.toml"
    plan.write_text(
        f'[data]\nsource = "t.csv"\nentity = "id"\n{types}\n[data.csv]\ndelimiter = ";"\n'
        'date_format = "%d-%b-%Y"\n[target]\nepsilon = 1\n[limits]\nrows_per_entity = 1\n'
        '[[query]]\nname = "q"\nstatistic = "count"\nwhere = [["tag", "<", "01-Apr-2024"]]\n'
    )
    with refuses(PlanError, "a-day-after: <"):
        deniable.plan(plan)
