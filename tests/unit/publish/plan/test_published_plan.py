import datetime
import tomllib

import pytest

from deniable.errors import PlanError
from deniable.publish.plan import as_toml, entries, places, public_content, public_plan
from tests.cases.certified_case import PLANS
from tests.cases.refusals import refuses


@pytest.mark.parametrize("name", PLANS)
def test_the_published_text_reads_back_as_what_was_asked_but_for_the_source(name):
    asked = tomllib.loads(PLANS[name])
    again = tomllib.loads(as_toml(public_content(asked)))
    asked["data"]["source"] = "withheld"
    if "ledger" in asked:
        asked["ledger"]["file"] = "withheld"
    if "population" in asked.get("adversary", {}):
        asked["adversary"]["population"] = "withheld"
    assert again == asked
    assert public_content(again) == public_content(asked)
    assert public_plan(public_content(asked)) == public_plan(public_content(again))


def test_a_key_that_nobody_entered_as_public_is_withheld():
    asked = {"data": {"source": "a", "table_space": "b"}, "elsewhere": {"file": "c"}, "target": {}}
    assert public_content(asked) == {
        "data": {"source": "withheld", "table_space": "withheld"}, "target": {},
    }  # fmt: skip


VALUES = [
    True, 2**63 - 1, -0.0, 1e-300, "a\n\"b\"\u2028", "", [], [[1, "x"]], datetime.date(2024, 2, 29),
    datetime.datetime(2024, 2, 29, 1, 2, 3, 400), {"$date": "2024-02-29"}, {"$$x": 1}, {"a b": {}},
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_every_value_survives_json_and_toml(value):
    asked = {"target": {"x": value}}
    there = public_content(asked)
    assert entries(there) == asked
    assert tomllib.loads(as_toml(there)) == asked
    assert repr(entries(there)) == repr(asked)


@pytest.mark.parametrize(
    "value", [None, {"$date": "2024-2-29"}, {"$date": "x"}, {"$datetime": "2024-02-29"}], ids=repr
)
def test_what_no_plan_holds_is_refused(value):
    with refuses(PlanError, "plan-toml"):
        entries({"target": {"x": [value]}})


def test_a_plan_that_names_its_source_is_no_published_plan():
    with refuses(PlanError, "published-plan: 'withheld'"):
        public_plan({"data": {"source": "visits.csv"}})


@pytest.mark.parametrize("name", PLANS)
def test_nor_is_one_that_names_the_place_of_a_list_or_of_a_ledger(name):
    content = public_content(tomllib.loads(PLANS[name]))
    withheld = [
        (table, key)
        for table in ("data", "adversary", "ledger")
        for key, value in content.get(table, {}).items()
        if value == "withheld"
    ]
    assert withheld == places(content)
    for table, key in withheld:
        named = content | {table: content[table] | {key: "somewhere"}}
        with refuses(PlanError, "withheld-in-published-plan"):
            public_plan(named)
