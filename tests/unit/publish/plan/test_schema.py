import datetime

import pytest

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
