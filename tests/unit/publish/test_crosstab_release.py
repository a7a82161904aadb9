"""A crosstab through release, check, preview and audit."""

import json

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable
from deniable.auditing.plans import PRODUCTION, audit_plan
from deniable.publish.plan import read_plan
from deniable.publish.prepare import calibrate_plan
from deniable.publish.totals import exact_totals, passes
from tests.cases.audited import SURE
from tests.cases.effort import usual

PLAN = {
    "data": {"entity": "person", "adjacency": "add-remove"},
    "target": {"epsilon": 40.0, "delta": 1e-6},
    "limits": {"rows_per_entity": 2},
    "keys": {"ward": ["a", "b"], "month": [1, 2, 3]},
    "query": [
        {
            "name": "stays",
            "statistic": "crosstab",
            "columns": ["ward", "month"],
            "whole": True,
            "rows": 50,
        }
    ],
}
DATA = pa.table(
    {
        "person": [f"p{i // 2}" for i in range(3000)] + [None] * 20,
        "ward": (["a", "b", "c", None, "a"] * 604),
        "month": [1 + i % 4 for i in range(3020)],
    }
)


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    out = tmp_path_factory.mktemp("crosstab") / "out"
    return deniable.release(PLAN, out, data=DATA), out


def test_numbers_are_near_the_counts_and_rows_without_an_entity_are_in_none(released):
    answer, _ = released
    (total,) = [row for row in answer.rows if not row.groups]
    assert total.value == pytest.approx(3000, abs=12 * total.half_width_95)
    for row in answer.rows:
        if row.groups == {"ward": "other"}:
            assert row.value == pytest.approx(1200, abs=12 * row.half_width_95)


def test_results_leave_a_margin_empty_and_synthetic_rows_have_no_empty_cell(released):
    _, out = released
    results = pq.read_table(out / "results.parquet").to_pylist()
    assert (results[0]["group:ward"], results[0]["group:month"]) == (None, None)
    assert [row["group:month"] for row in results[4:8]] == ["1", "2", "3", "other"]
    assert all(row["rows_per_entity"] == 2 for row in results)
    rows = pq.read_table(out / "rows.parquet")
    assert rows.num_rows == 50
    assert set(rows["ward"].to_pylist()) <= {"a", "b", "other"}
    assert (out / "rows.csv").read_text().splitlines()[0] == "ward,month"


def test_the_certificate_states_every_margin_and_check_makes_rows_again(released):
    _, out = released
    document = json.loads((out / "certificate.json").read_bytes())
    margins = document["queries"][0]["margins"]
    assert [each["columns"] for each in margins] == [[], ["ward"], ["month"], ["ward", "month"]]
    assert [each["cells"] for each in margins] == [1, 3, 4, 12]
    checked = deniable.check(out)
    assert checked.holds
    assert {"rows.csv", "rows.parquet"} <= {each.what for each in checked.verified}


def test_the_page_shows_a_table_with_totals_and_what_rows_are_for(released):
    page = (released[1] / "report.html").read_text(encoding="utf-8")
    assert "Rows by" in page
    assert ">total</th>" in page
    assert "No row is a person." in page


def test_preview_counts_rows_in_other_cells():
    (removed,) = deniable.preview(PLAN, data=DATA).removed
    losses = removed.losses
    assert losses.without_entity == 20
    assert losses.keys is None
    in_other = sum(
        ward not in ("a", "b") or month == 4
        for person, ward, month in zip(*DATA.to_pydict().values(), strict=True)
        if person is not None
    )
    assert losses.other == in_other
    assert dict(losses.not_keys["month"]) == {4: 750}


def wrong_noise(factor):
    """Noise of a smaller scale than the claim needs."""

    def prepared(plan):
        made = calibrate_plan(plan)
        (query,) = made.queries
        mechanisms = tuple(type(each)(each.scale * factor) for each in query.mechanisms)
        return attrs.evolve(made, queries=(attrs.evolve(query, mechanisms=mechanisms),))

    return attrs.evolve(PRODUCTION, prepared=prepared)


AUDITED = {**PLAN, "target": {"epsilon": 1.0, "delta": 1e-6}}


def test_an_audit_finds_too_little_noise_and_passes_the_right_one():
    right = audit_plan(AUDITED, runs=usual(1000, 4000), releases=1, confidence=SURE)
    assert right.verdict == "consistent"
    assert not any(each.breaks for each in right.findings)
    laplace = {**AUDITED, "target": {"epsilon": 1.0}}
    wrong = audit_plan(laplace, runs=usual(1000, 4000), releases=0, steps=wrong_noise(0.25))
    assert wrong.verdict == "violated"


def test_an_audit_of_a_public_total_holds():
    plan = {key: value for key, value in AUDITED.items() if key != "limits"}
    answer = audit_plan({**plan, "data": {}}, runs=usual(1000, 2000), releases=1, confidence=SURE)
    assert answer.verdict == "consistent"
    assert not any(each.breaks for each in answer.findings)


@pytest.mark.parametrize("groups", [[], ["x"] * 5])
def test_a_table_without_rows_is_released(tmp_path, groups):
    data = pa.table(
        {"person": pa.array(groups, pa.string()), "ward": pa.array(groups, pa.string()),
         "month": pa.array([None] * len(groups), pa.int64())}
    )  # fmt: skip
    answer = deniable.release(PLAN, tmp_path / "out", data=data)
    assert deniable.check(tmp_path / "out").holds
    assert np.isfinite([row.value for row in answer.rows]).all()


def test_buckets_of_entities_count_as_the_whole_table(monkeypatch):
    plan = read_plan({**PLAN, "query": [{**PLAN["query"][0], "margins": 1}]}, DATA)
    work = [(query, plan.protection(query)) for query in plan.queries]
    (at_once,) = exact_totals(plan.source, "person", work, salt="aa")
    monkeypatch.setattr(passes, "passes_needed", lambda *_: 3)
    (in_buckets,) = exact_totals(plan.source, "person", work, salt="aa")
    assert in_buckets.tolist() == at_once.tolist()
    assert at_once.sum() == 2 * 3000
