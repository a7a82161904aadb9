"""A tree through release, check, preview and audit."""

import json
import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable
from deniable.auditing.plans import audit_plan
from deniable.publish.plan import public_plan
from tests.cases.audited import SURE
from tests.cases.effort import usual
from tests.unit.publish.test_crosstab_release import wrong_noise
from tests.unit.report.test_escaped import ESCAPED

PLAN = {
    "data": {"entity": "person", "adjacency": "add-remove"},
    "target": {"epsilon": 40.0, "delta": 1e-6},
    "limits": {"rows_per_entity": 2},
    "query": [
        {
            "name": "stays",
            "statistic": "tree",
            "levels": ["region", "hospital", "ward"],
            "nested": {"north": {"General": ["a", "b"], "Mary": ["c"]}, "south": {"R": ["d"]}},
            "whole": True,
        }
    ],
}
WARDS = ["a", "b", "c", None, "a", "d", "elsewhere"]
DATA = pa.table(
    {
        "person": [f"p{i // 2}" for i in range(3000)] + [None] * 17,
        "ward": WARDS * 431,
    }
)


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    out = tmp_path_factory.mktemp("tree") / "out"
    return deniable.release(PLAN, out, data=DATA), out


def test_numbers_are_near_the_counts_of_every_node(released):
    wards = Counter(DATA["ward"].to_pylist()[:3000])
    at = {ward: wards[ward] for ward in "abcd"}
    expected = {
        (): 3000, ("north",): at["a"] + at["b"] + at["c"], ("south",): at["d"],
        ("other",): wards[None] + wards["elsewhere"],
        ("north", "General"): at["a"] + at["b"], ("north", "Mary"): at["c"],
        ("south", "R"): at["d"], ("north", "General", "a"): at["a"],
        ("north", "General", "b"): at["b"], ("north", "Mary", "c"): at["c"],
        ("south", "R", "d"): at["d"],
    }  # fmt: skip
    rows = {tuple(row.groups.values()): row for row in released[0].rows}
    assert list(rows) == list(expected)
    for path, row in rows.items():
        assert row.value == pytest.approx(expected[path], abs=12 * row.half_width_95)


def test_what_is_published_adds_up(released):
    results = pq.read_table(released[1] / "results.parquet").to_pylist()
    paths = [
        tuple(row[f"group:{each}"] for each in PLAN["query"][0]["levels"] if row[f"group:{each}"])
        for row in results
    ]
    for path, row in zip(paths, results, strict=True):
        below = [
            child
            for other, child in zip(paths, results, strict=True)
            if len(other) == len(path) + 1 and other[: len(path)] == path
        ]
        if below:
            total = sum(Fraction(child["value"]) for child in below)
            assert float(total) == pytest.approx(row["value"], rel=1e-14)
            assert sum(child["whole_number"] for child in below) == row["whole_number"]
    assert [row["measured"] is None for row in results] == [False] * 6 + [True] + [False] * 2 + [
        True
    ] * 2


def test_a_release_is_checked_and_its_parameters_stand_in_the_certificate(released):
    _, out = released
    document = json.loads((out / "certificate.json").read_bytes())
    (query,) = document["queries"]
    assert query["parameters"] == {
        "levels": ["region", "hospital", "ward"],
        "whole_numbers": True,
    }
    assert public_plan(document["plan"]).queries[0].name == "stays"
    assert deniable.check(out).holds


def test_the_page_has_every_node_below_its_parent(released):
    page = (released[1] / "report.html").read_text(encoding="utf-8")
    table = page[page.index('id="q1"') :]
    nodes = re.findall(r'<div class="level-([0-9])">(?:<[^>]*>)*([^<]*)<', table)
    assert [(int(level), label) for level, label in nodes][:11] == [
        (0, "total"), (1, "north"), (2, "General"), (3, "a"), (3, "b"), (2, "Mary"), (3, "c"),
        (1, "south"), (2, "R"), (3, "d"), (1, "other"),
    ]  # fmt: skip
    assert "each is the sum of those one step below it" in page
    assert not ESCAPED.search(page)


def test_preview_counts_rows_in_the_node_other():
    (removed,) = deniable.preview(PLAN, data=DATA).removed
    losses = removed.losses
    assert losses.without_entity == 17
    in_other = sum(ward in (None, "elsewhere") for ward in DATA["ward"].to_pylist()[:3000])
    assert losses.other == in_other
    wards = DATA["ward"].to_pylist()[:3000]
    frequent = {"elsewhere": wards.count("elsewhere"), None: wards.count(None)}
    assert dict(losses.not_keys["ward"]) == frequent


@pytest.mark.parametrize("delta", [{}, {"delta": 1e-6}])
def test_an_audit_passes_the_right_noise(delta):
    plan = {**PLAN, "target": {"epsilon": 1.0, **delta}}
    right = audit_plan(plan, runs=usual(1000, 4000), releases=1, confidence=SURE)
    assert right.verdict == "consistent"
    assert not any(each.breaks for each in right.findings)


def test_an_audit_finds_too_little_noise():
    plan = {**PLAN, "target": {"epsilon": 1.0}}
    wrong = audit_plan(plan, runs=usual(1000, 4000), releases=0, steps=wrong_noise(0.25))
    assert wrong.verdict == "violated"


def test_an_audit_of_a_public_total_holds():
    plan = {key: value for key, value in PLAN.items() if key != "limits"}
    plan = {**plan, "data": {}, "target": {"epsilon": 1.0, "delta": 1e-6}}
    answer = audit_plan(plan, runs=usual(1000, 2000), releases=1, confidence=SURE)
    assert answer.verdict == "consistent"


@pytest.mark.parametrize("groups", [[], ["x"] * 5])
def test_a_table_without_rows_is_released(tmp_path, groups):
    data = pa.table(
        {"person": pa.array(groups, pa.string()), "ward": pa.array(groups, pa.string())}
    )
    answer = deniable.release(PLAN, tmp_path / "out", data=data)
    assert deniable.check(tmp_path / "out").holds
    assert np.isfinite([row.value for row in answer.rows]).all()


def test_a_public_total_is_exact_and_without_an_error(tmp_path):
    plan = {key: value for key, value in PLAN.items() if key != "limits"}
    plan = {**plan, "data": {}, "target": {"epsilon": 3.0}}
    rows = deniable.release(plan, tmp_path / "out", data=DATA).rows
    assert (rows[0].value, rows[0].half_width_95, rows[0].measured) == (3017.0, 0.0, 3017)
    assert deniable.check(tmp_path / "out").holds
