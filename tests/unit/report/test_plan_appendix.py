import re

import pytest

from deniable.report.plan_appendix import plan_appendix, written

PLAN = {
    "data": {"source": "withheld", "entity": "<i>person</i>"},
    "target": {"gamma": 2.0},
    "query": [{"name": "a", "where": [["age", ">=", 18]]}, {"name": "b"}],
}


def test_every_key_of_every_table_stands_there():
    page = plan_appendix(PLAN)
    assert re.findall(r"<h3><code>(.*?)</code></h3>", page) == [
        "[data]", "[target]", "[[query]]", "[[query]]",
    ]  # fmt: skip
    terms = re.findall(r"<dt><code>(.*?)</code></dt><dd><bdi>(.*?)</bdi></dd>", page)
    assert terms == [
        ("source", "withheld"),
        ("entity", "&lt;i&gt;person&lt;/i&gt;"),
        ("gamma", "2.0"),
        ("name", "a"),
        ("where", "age &gt;= 18"),
        ("name", "b"),
    ]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (True, "true"),
        ("", "(empty text)"),
        ([], ""),
        ({"rho": 0.1, "worlds": 100}, "rho: 0.1; worlds: 100"),
        ([{"$date": "2019-01-01"}, 3], "2019-01-01, 3"),
    ],
)
def test_values(value, told):
    assert written(value) == told
