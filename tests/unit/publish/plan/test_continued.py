"""Running counts in a plan, and the [continue] of a published one: what is refused, and where."""

import re

import pytest

from deniable.errors import PlanError
from deniable.more_statistics.running_count import RunningCount
from deniable.publish.plan import public_plan, read_plan
from tests.cases.refusals import refuses

PLAN = """
[data]
source = "deaths.csv"
[target]
epsilon = 1.0
delta = 1e-6
[[query]]
name = "so far"
statistic = "running_count"
group_by = ["week"]
keys = { week = ["1", "2", "3"] }
"""
DIGEST = "0123456789abcdef" * 4


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "deaths.csv").write_text("week,ward,nr\n1,A,7\n")
    return tmp_path


def read(folder, text):
    path = folder / "plan.toml"
    path.write_text(text)
    return read_plan(path)


def test_periods_are_the_keys_of_the_first_column(folder):
    (query,) = read(folder, PLAN).queries
    assert query.statistic == RunningCount(3)
    assert query.grouping.keys == (("1", "2", "3"),)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (re.compile("group_by.*\n.*\n"), "", "column-of-periods"),
        (re.compile("delta = 1e-6"), "", "target-with-delta"),
        (re.compile(r"\[target\]"), 'entity = "nr"\n[limits]\nrows_per_entity = 1\n[target]',
         "no-entity-column"),
        (re.compile(r'\["1".*\]'), str([str(k) for k in range(5_201)]), "at-most-periods: 5200"),
        (re.compile("group_by"), "precision = 3\ngroup_by",
         "statistic-with-known-error: running_count"),
        (re.compile("group_by"), 'column = "nr"\ngroup_by', 'unknown-key: "column"'),
        (re.compile(r"\A"), "continue = 3\n", "text-continue-write"),
        (re.compile(r"\A"), 'continue = "nowhere"\n', "release-before-unreadable"),
        (re.compile(r"\A"), 'continue = "."\n', "release-before-unreadable"),
    ],
)  # fmt: skip
def test_what_has_no_periods_or_no_end_of_noise_is_refused(folder, old, new, expected):
    with refuses(PlanError, expected):
        read(folder, old.sub(new, PLAN, count=1))


def published(**continued):
    return {
        "continue": continued,
        "data": {"source": "withheld"},
        "target": {"epsilon": 1.0, "delta": 1e-6},
        "query": [
            {
                "name": "so far",
                "statistic": "running_count",
                "group_by": ["week"],
                "keys": {"week": ["1", "2", "3"]},
            }
        ],
    }


def test_a_published_plan_says_where_it_goes_on():
    plan = public_plan(published(statement_sha256=DIGEST, periods={"so far": 2}))
    assert plan.queries[0].statistic == RunningCount(3, before=2)
    assert plan.continued.statement_sha256 == DIGEST


@pytest.mark.parametrize(
    ("continued", "expected"),
    [
        ({}, "value-missing"),
        ({"statement_sha256": DIGEST}, "value-missing: periods"),
        ({"statement_sha256": DIGEST[1:], "periods": {"so far": 2}}, "64-hexadecimal-digits"),
        ({"statement_sha256": DIGEST[1:] + "G", "periods": {"so far": 2}}, "64-hexadecimal-digits"),
        ({"statement_sha256": DIGEST, "periods": {}}, "before-new-name"),
        (
            {"statement_sha256": DIGEST, "periods": {"so far": 3}},
            "more-periods-of-release-before: 3",
        ),
        ({"statement_sha256": DIGEST, "periods": {"so far": 0}}, "more-periods"),
        ({"statement_sha256": DIGEST, "periods": {"so far": -1}}, "more-periods"),
        ({"statement_sha256": DIGEST, "periods": {"so far": 1.5}}, "whole-number"),
        ({"statement_sha256": DIGEST, "periods": {"so far": 2}, "by": "me"}, "only-known-keys"),
    ],
)
def test_a_published_plan_that_says_it_wrongly_is_none(continued, expected):
    with refuses(PlanError, expected):
        public_plan(published(**continued))
