"""A variance and a regression through release, check, preview and audit."""

import json

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable
from deniable.auditing.plans import PRODUCTION, audit_plan
from deniable.certificate.results import csv_bytes
from deniable.errors import PlanError
from deniable.more_statistics.regression import UNDECIDED
from deniable.publish.prepare import calibrate_plan
from tests.cases.refusals import refuses

SPREAD = {"name": "spread", "statistic": "variance", "column": "y", "bounds": [-20, 60]}
LINE = {"name": "line", "statistic": "regression", "column": "y", "bounds": [-20, 60],
        "predictors": {"x": [0, 100], "w": [0, 10]}}  # fmt: skip
GROUPS = {"group_by": ["ward"], "keys": {"ward": ["a", "b"]}}
PLAN = {
    "data": {"entity": "person", "adjacency": "add-remove"},
    "target": {"epsilon": 8.0, "delta": 1e-6},
    "limits": {"rows_per_entity": 2},
    "query": [{**SPREAD, **GROUPS}, LINE],
}
GENERATOR = np.random.default_rng(1)
ROWS = 3000
X, W = GENERATOR.uniform(0, 100, ROWS), GENERATOR.uniform(0, 10, ROWS)
Y = 3 + 0.5 * X - 2 * W + GENERATOR.normal(size=ROWS)
MISSING = np.arange(ROWS) % 50 == 0
"""Rows with no value in one predictor only."""
DATA = pa.table(
    {
        "person": [f"p{i // 2}" for i in range(ROWS)],
        "ward": ["a", "b", "c"] * (ROWS // 3),
        "x": X,
        "w": pa.array(W, mask=MISSING),
        "y": Y,
    }
)


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    out = tmp_path_factory.mktemp("products") / "out"
    return deniable.release(PLAN, out, data=DATA), out


def test_published_numbers_are_near_the_tables(released):
    answer, _ = released
    by_ward = [row for row in answer.rows if row.query == "spread"]
    figures = (np.var, np.std, np.mean, np.sum, len)
    truth = [of(Y[place::3]) for place in (0, 1) for of in figures]
    assert [row.groups["ward"] for row in by_ward] == ["a"] * 5 + ["b"] * 5
    for row, exact in zip(by_ward, truth, strict=True):
        assert row.value == pytest.approx(exact, abs=3 * row.half_width_95)
    design = np.column_stack([np.ones(ROWS), X, W])[~MISSING]
    exact = np.linalg.lstsq(design, Y[~MISSING], rcond=None)[0]
    line = [row for row in answer.rows if row.statistic == "regression"]
    assert [row.category for row in line] == ["intercept", "x", "w"]
    for row, coefficient in zip(line, exact, strict=True):
        assert row.value == pytest.approx(coefficient, abs=3 * row.half_width_95)
    assert line[1].half_width_95 < 0.5


def test_limits_stand_beside_what_they_limit(released):
    rows = released[0].rows
    bounded = {row.statistic for row in rows if row.bound_low == -20.0}
    assert bounded == {"variance", "standard deviation", "mean", "sum", "regression"}


def test_check_computes_every_number_again_from_the_measured_ones(released):
    checked = deniable.check(released[1])
    assert checked.holds


@pytest.mark.parametrize("column", ["value", "half_width_95", "measured"])
@pytest.mark.parametrize("place", [0, 1, 2, 3, 9, 12])
def test_check_finds_a_changed_cell(released, tmp_path, column, place):
    """Whatever is written anew beside it: the table in both files, and their digests."""
    table = pq.read_table(released[1] / "results.parquet")
    values = table[column].to_pylist()
    if values[place] is None:
        assert column == "measured"
        return
    values[place] = values[place] + (1 if column == "measured" else abs(values[place]) * 2**-50)
    where = table.column_names.index(column)
    changed = table.set_column(where, column, pa.array(values, table.schema.field(column).type))
    for file in released[1].iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    pq.write_table(changed, tmp_path / "results.parquet")
    (tmp_path / "results.csv").write_bytes(csv_bytes(changed))
    checks = {each.name: each.holds for each in deniable.check(tmp_path).checks}
    assert not checks["results"]


def test_the_certificate_holds_what_was_asked_for(released):
    document = json.loads((released[1] / "certificate.json").read_bytes())
    spread, line = document["queries"]
    assert line["parameters"]["predictors"] == [["x", [0.0, 100.0]], ["w", [0.0, 10.0]]]
    assert (spread["cells"], line["cells"]) == (6, 10)
    assert line["parts"][0]["sensitivity"]["norm"] == "l2"


def test_the_page_says_what_the_numbers_mean(released):
    page = (released[1] / "report.html").read_text(encoding="utf-8")
    for words in (
        "Standard deviation",
        "They do not estimate a population",
        "The noisy sums",
    ):
        assert words in " ".join(page.split())
    assert UNDECIDED not in page


@pytest.mark.parametrize("rows", [0, 1, 40])
def test_too_little_signal_is_said_and_holds(tmp_path, rows):
    weak = {**PLAN, "target": {"epsilon": 0.5}, "query": [SPREAD, LINE]}
    answer = deniable.release(weak, tmp_path / "out", data=DATA.slice(0, rows))
    own = [row for row in answer.rows if row.statistic == "regression"]
    assert [(row.value, row.half_width_95) for row in own] == [(None, None)] * 3
    assert deniable.check(tmp_path / "out").holds
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert UNDECIDED in page
    first = page[: page.index("What is published")]
    assert first.count('<td class="number">open</td>') == 3


def test_preview_counts_rows_without_a_value_in_any_column():
    _, line = deniable.preview(PLAN, data=DATA).removed
    assert line.losses.missing == MISSING.sum()


def test_truth_values_count_as_0_and_1(tmp_path):
    """One of the table and one that the plan derives, which is no value where x is none."""
    table = DATA.append_column("early", pa.array(W < 3)).append_column("z", pa.array(X, mask=X < 9))
    plan = {
        **PLAN,
        "columns": {"long": {"condition": ["z", ">", 50]}},
        "target": {"epsilon": 150.0},
        "query": [{**LINE, "predictors": {"early": [0, 1], "long": [0, 1]}}],
    }
    answer = deniable.release(plan, tmp_path / "out", data=table)
    kept = X >= 9
    design = np.column_stack([np.ones(ROWS), W < 3, X > 50])[kept]
    exact = np.linalg.lstsq(design, Y[kept], rcond=None)[0]
    for row, coefficient in zip(answer.rows[:3], exact, strict=True):
        assert row.value == pytest.approx(coefficient, abs=row.half_width_95)
        assert row.half_width_95 < 5


@pytest.mark.parametrize(("change", "message"), [
    (GROUPS, "no-group-by-for-regression"),
    ({"precision": 1.0}, "its-error-depends-on-data"),
    ({"max_contribution": 3.0}, "no-max-contribution-for-remove: regression"),
    ({"predictors": {}}, "1-to-10-predictors-0"),
    ({"predictors": {"y": [0, 1]}}, "predictors-that-differ"),
    ({"predictors": {"x": [0, 1, 2]}}, "two-numbers-low-high"),
    ({"predictors": {"ward": [0, 1]}}, "kind-ward-number: number | text"),
    ({"predictors": {"nowhere": [0, 1]}}, "column-of-source"),
    ({"bounds": [0, 1e300]}, "whose-squares-are-numbers"),
])  # fmt: skip
def test_a_plan_that_cannot_be_kept_is_refused(change, message):
    with refuses(PlanError, message):
        deniable.plan({**PLAN, "query": [{**LINE, **change}]}, data=DATA)


def test_the_plan_says_what_the_errors_will_be():
    spread, line = deniable.plan(PLAN, data=DATA).as_json()["queries"]
    kinds = {each["of"]: each for each in spread["published_errors"]}
    assert [*kinds] == ["variance", "standard deviation", "mean", "sum", "count"]
    widths = [each["half_width_95"] for each in kinds["variance"]["among"]]
    assert widths == sorted(widths, reverse=True)
    assert line["published_errors"][0]["unit"] == "rows"


def test_nobody_is_advised_to_group_what_has_no_groups():
    wards = [{**LINE, "name": ward, "where": [["ward", "==", ward]]} for ward in ("a", "b")]
    assert deniable.plan({**PLAN, "query": wards}, data=DATA).advice == ()


def with_noise(factor):
    """Noise of another scale than the claim needs."""

    def prepared(plan):
        made = calibrate_plan(plan)
        queries = tuple(
            attrs.evolve(each, mechanisms=tuple(type(m)(m.scale * factor) for m in each.mechanisms))
            for each in made.queries
        )
        return attrs.evolve(made, queries=queries)

    return attrs.evolve(PRODUCTION, prepared=prepared)


def test_an_audit_sees_too_little_noise_in_what_was_measured():
    plan = {**PLAN, "target": {"epsilon": 1.0}, "query": [SPREAD, LINE]}
    wrong = audit_plan(plan, runs=600, releases=0, steps=with_noise(0.125))
    assert wrong.verdict == "violated"
