"""A plan says of its table what is needed to make one up."""

from deniable.auditing.plans import read_audited_plan
from deniable.errors import PlanError
from deniable.publish.release import release
from deniable.publish.sources import Kind
from tests.cases.attacked_plans import written
from tests.cases.refusals import refuses
from tests.cases.release_case import write_case


def test_columns_of_a_table_that_exists_nowhere_are_told_by_their_use(tmp_path):
    told = read_audited_plan(written(tmp_path, "count in cells", "mean"))
    assert told.kinds == {"person": Kind.TEXT, "plan": Kind.TEXT, "age": Kind.NUMBER}


def test_the_header_of_a_source_tells_more(tmp_path):
    assert read_audited_plan(write_case(tmp_path)).kinds["age"] is Kind.INTEGER


def test_a_published_plan_can_be_attacked_by_anybody(tmp_path):
    release(write_case(tmp_path), tmp_path / "out")
    mine, theirs = (
        read_audited_plan(write_case(tmp_path)),
        read_audited_plan(tmp_path / "out" / "plan.toml"),
    )
    assert mine.plan.queries == theirs.plan.queries
    assert "visits.parquet" not in mine.text


def test_a_wrong_plan_is_refused_in_words(tmp_path):
    path = written(tmp_path, "count")
    path.write_text(path.read_text().replace("epsilon = 1.0", ""), encoding="utf-8")
    with refuses(PlanError, "exactly-one-target-none"):
        read_audited_plan(path)
