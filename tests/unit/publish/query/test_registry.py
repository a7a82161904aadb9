"""Statistics of others: one module and a line of its entry points."""

import json
import subprocess
import sys

import attrs
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable
from deniable.certificate.tables import TableCertificate
from deniable.errors import InvalidArgument, PlanError
from deniable.publish.kind import KIND
from deniable.publish.query import STATISTICS
from tests.cases import third_statistic
from tests.cases.refusals import refuses
from tests.cases.third_statistic import Truths

PLAN = """\
[data]
entity = "person"
[limits]
rows_per_entity = 1
[target]
epsilon = 1e3
[[query]]
name = "answers"
statistic = "truths"
column = "yes"
group_by = ["ward"]
keys = { ward = ["A", "B"] }
"""
VOTES = pa.table(
    {
        "person": ["a", "b", "c", "d", "e"],
        "ward": ["A", "A", "B", "B", "C"],
        "yes": [True, False, True, True, None],
    }
)


@pytest.fixture
def truths(tmp_path, monkeypatch):
    third_statistic.register(tmp_path, monkeypatch)
    return tmp_path


def test_a_statistic_of_others_is_released_and_checked(truths):
    released = deniable.release(PLAN, truths / "out", data=VOTES)
    assert released.frame("answers")["value"].to_pylist() == [1, 2]
    assert deniable.check(truths / "out").holds
    report = (truths / "out" / "report.html").read_text(encoding="utf-8")
    assert "truths of" in report


def test_a_changed_number_of_it_is_refused(truths):
    deniable.release(PLAN, truths / "out", data=VOTES)
    certificate = json.loads((truths / "out" / "certificate.json").read_text(encoding="utf-8"))
    certificate["queries"][0]["parts"][0]["half_width_95"] = 0.5
    (truths / "out" / "certificate.json").write_text(json.dumps(certificate), encoding="utf-8")
    assert not deniable.check(truths / "out").holds


def test_it_is_previewed_explored_planned_and_audited(truths):
    (removed,) = deniable.preview(PLAN, data=VOTES).removed
    assert (removed.kept, removed.losses.missing) == (4, 0)
    plan = deniable.plan(PLAN, data=VOTES)
    (query,) = plan.queries
    assert [each.of for each in query.errors] == ["truths"]
    assert plan.as_json()["queries"][0]["statistic"] == "truths"
    assert "yes" in deniable.explore(PLAN, data=VOTES, out=truths / "page.html").out.read_text()
    pq.write_table(VOTES, truths / "votes.parquet")
    text = PLAN.replace("[data]", '[data]\nsource = "votes.parquet"').replace("1e3", "1.0")
    (truths / "plan.toml").write_text(text, encoding="utf-8")
    assert deniable.audit(truths / "plan.toml", runs=40).verdict != "violated"


@pytest.mark.usefixtures("truths")
def test_its_words_are_known():
    assert STATISTICS["truths"] is Truths
    assert "truths" in STATISTICS
    assert list(STATISTICS)[-1] == "variance"
    plan = PLAN.replace('"truths"', '"yes votes"')
    with refuses(PlanError, 'statistic-did-you-mean: "truths"'):
        deniable.plan(plan, data=VOTES)
    with refuses(PlanError, 'unknown-key: "bounds"'):
        deniable.plan(PLAN + "bounds = [0, 1]\n", data=VOTES)


def test_without_it_a_plan_is_refused():
    with refuses(PlanError, 'statistic-truths: "truths"'):
        deniable.plan(PLAN, data=VOTES)


def test_without_it_a_certificate_says_what_is_missing(truths):
    deniable.release(PLAN, truths / "out", data=VOTES)
    document = json.loads((truths / "out" / "certificate.json").read_text(encoding="utf-8"))
    made = TableCertificate.from_json(document)
    (query,) = made.queries
    other = attrs.evolve(made, plan=None, queries=(attrs.evolve(query, statistic="untruths"),))
    with refuses(InvalidArgument, "statistic-that-installed: 'untruths'"):
        KIND.again(other)


def test_a_statistic_that_the_plan_does_not_name_is_not_imported(tmp_path):
    plan = PLAN.replace('"truths"\ncolumn = "yes"', '"count"')
    program = f"""
import sys
import pyarrow as pa
import deniable
deniable.release({plan!r}, {str(tmp_path / "out")!r}, data=pa.table({VOTES.to_pydict()!r}))
print(*(name for name in sys.modules if name.startswith("deniable.publish.")))
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = {name.removeprefix("deniable.publish.") for name in run.stdout.split()}
    assert "statistics.count" in loaded
    others = {f"statistics.{word}" for word in STATISTICS} - {"statistics.count"}
    assert not loaded & others
    assert not {name for name in loaded if name.startswith(("margins", "survey", "population"))}
    assert not loaded & {"advice", "solve", "query.unknown_keys", "query.noise_sums"}
