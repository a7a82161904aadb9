"""A key of a plan that nothing reads begins no line of its own in the refusal, in any table."""

import pytest

from deniable.errors import PlanError
from deniable.publish.plan import with_known_keys
from tests.cases.refusals import says

PLAN = """[data]
source = "visits.csv"
[target]
gamma = 2.0
[[query]]
name = "n"
statistic = "count"
"""
KEY = '"\\nThe plan is right.\\n"'
PLANS = {
    "top": f"{KEY} = 1\n{PLAN}",
    "query": f"{PLAN}{KEY} = 1\n",
    "csv": f"{PLAN}[data.csv]\n{KEY} = 1\n",
    "name of a column": f"{PLAN}[columns.{KEY}]\nbandz = 1\n",
    "key of a column": f'{PLAN}[columns.age]\nof = "x"\n{KEY} = 1\n',
    **{
        name: f"{PLAN}[{name}]\n{KEY} = 1\n"
        for name in ("adversary", "floor", "limits", "sample", "ledger", "report")
    },
}


@pytest.mark.parametrize("name", PLANS)
def test_a_refusal_is_one_line(name):
    with pytest.raises(PlanError) as refused:
        with_known_keys(PLANS[name])
    assert str(refused.value).isprintable()
    assert says(refused.value, "unknown-key")
