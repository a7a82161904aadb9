"""Where rows go, on random tables, against a count in plain Python; and what is printed of it."""

import collections
import json
import math
import random
import re
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from deniable.notions import Adjacency
from deniable.publish.owner import count_removed
from deniable.publish.query import Condition, Grouping, Protection, Query
from deniable.publish.sources import Source
from deniable.publish.statistics import Count, Entities, Histogram, Mean, Quantile, Sum, Top
from tests.cases.command_line import app
from tests.cases.effort import one_in

LIMIT = 2
KEYS = ("a", "b")
WHERE = (Condition("keep", "==", True),)
STEPS = ("without_entity", "truncated", "where", "keys", "missing", "outside", "kept")
STATISTICS = [
    Count(),
    Entities(),
    Sum("x", (0, 10)),
    Mean("x", (0, 10)),
    Mean("x", (0, 10), nulls=1.0),
    Quantile("x", (0, 10)),
    Histogram("x", (0, 5, 10)),
    Top("g", KEYS, 1),
]


def random_rows(seed):
    """Rows of one person are alike, so that it makes no difference which of them are kept."""
    draw = random.Random(seed)
    rows = []
    for person in range(40):
        row = {
            "p": draw.choice([f"p{person}", f"p{person}", f"p{person}", None]),
            "g": draw.choice(["a", "b", "c", "d", "d", None]),
            "x": draw.choice(
                [None, math.nan, -math.inf, -1.0, 0.0, 3.0, 5.0, 10.0, 11.0, math.inf]
            ),
            "keep": draw.choice([True, True, False, None]),
        }
        rows += [row] * draw.randint(1, 5)
    draw.shuffle(rows)
    return rows


def stored(folder, rows):
    kinds = {"p": pa.string(), "g": pa.string(), "x": pa.float64(), "keep": pa.bool_()}
    pq.write_table(pa.Table.from_pylist(rows, pa.schema(kinds)), folder / "t.parquet")
    return Source("t.parquet", folder)


def expected(rows, statistic, *, entity, limit, where, grouped):
    """Each row at the first step that loses it."""
    found, used = collections.Counter(), collections.Counter()
    for row in rows:
        x = row["x"]
        absent = x is None or math.isnan(x)
        used[row["p"]] += 1
        if entity and row["p"] is None:
            step = "without_entity"
        elif entity and limit and used[row["p"]] > limit:
            step = "truncated"
        elif where and row["keep"] is not True:
            step = "where"
        elif grouped and row["g"] not in KEYS:
            step = "keys"
        elif statistic.kind == "top":
            step = "missing" if row["g"] is None else "kept" if row["g"] in KEYS else "keys"
        elif statistic.column and absent and getattr(statistic, "nulls", None) is None:
            step = "missing"
        elif statistic.kind == "histogram" and not 0 <= x <= 10:
            step = "outside"
        else:
            step = "kept"
        found[step] += 1
        if step == "kept" and statistic.bounds is not None and not absent:
            found["below"] += x < 0
            found["above"] += x > 10
    return found


def frequent(rows, *, entity, where, nothing):
    counted = collections.Counter(
        row["g"]
        for row in rows
        if not (entity and row["p"] is None)
        and not (where and row["keep"] is not True)
        and row["g"] not in KEYS
        and (nothing or row["g"] is not None)
    )
    return dict(counted)


@pytest.mark.parametrize(("entity", "passes", "seed"), [("p", 1, 0), ("p", 3, 1), (None, 1, 1)])
def test_every_row_is_lost_once_or_kept(tmp_path, monkeypatch, seed, entity, passes):
    monkeypatch.setattr("deniable.publish.totals.passes.passes_needed", lambda *_: passes)
    rows, truncated = random_rows(seed), Protection(Adjacency.REPLACE_ONE, LIMIT)
    work = [
        (Query("q", each, Grouping(("g",), (KEYS,)) if grouped else Grouping(), where), truncated)
        for each in STATISTICS
        for where, grouped in (((), False), ((), True), (WHERE, True), (WHERE, False))
        if each.kind in ("sum", "top") or bool(where) == grouped
        if each.kind != "top" or not grouped
    ]
    work = one_in(2, work, int(passes == 1))  # each with entities once, in one pass or in several
    if entity:
        scaled = Protection(Adjacency.REPLACE_ONE, None, 3.0)
        work.append((Query("q", Count(scaled=True), where=WHERE), scaled))
    for (query, protection), each in zip(
        work, count_removed(stored(tmp_path, rows), entity, work), strict=True
    ):
        where, grouped = bool(query.where), bool(query.grouping.columns)
        wanted = expected(
            rows, query.statistic, entity=entity, limit=protection.rows, where=where,
            grouped=grouped,
        )  # fmt: skip
        told = each.losses
        assert told.total == len(rows) == sum(getattr(told, step) or 0 for step in STEPS)
        for step in (*STEPS, "below", "above"):
            assert (getattr(told, step) or 0) == wanted[step], (query, step)
        chosen = query.statistic.kind == "top"
        lost = told.keys and frequent(rows, entity=entity, where=where, nothing=not chosen)
        assert dict(told.not_keys.get("g", ())) == (lost or {})


def test_a_step_that_a_query_does_not_have_is_not_told(tmp_path):
    source, limit = stored(tmp_path, random_rows(0)), Protection(Adjacency.REPLACE_ONE, LIMIT)
    (count,) = count_removed(source, None, [(Query("q", Count()), limit)])
    told = count.losses.as_json()
    assert {name for name, value in told.items() if value is None} == {
        "without_entity", "truncated", "where", "keys", "missing", "outside", "below", "above",
        "other",
    }  # fmt: skip
    (total,) = count_removed(source, "p", [(Query("q", Sum("x", (0, 10)), where=WHERE), limit)])
    told = total.losses.as_json()
    assert {name for name, value in told.items() if value is None} == {
        "keys", "outside", "other",
    }  # fmt: skip


def test_the_ten_most_frequent_values_are_named_most_frequent_first(tmp_path):
    rows = [
        {"p": f"{value} {n}", "g": f"v{value:02}", "x": 1.0, "keep": True}
        for value in range(15)
        for n in range(value + 1)
    ]
    work = [
        (Query("q", Count(), Grouping(("g",), (KEYS,))), Protection(Adjacency.REPLACE_ONE, LIMIT))
    ]
    (found,) = count_removed(stored(tmp_path, rows), "p", work)
    told = found.losses.not_keys["g"]
    assert list(told) == [(f"v{value:02}", value + 1) for value in range(14, 4, -1)]


PLAN = """
[data]
source = "t.parquet"
entity = "p"

[target]
gamma = 2.0

[limits]
rows_per_entity = 2

[[query]]
name = "by group"
statistic = "sum"
column = "x"
bounds = [0, 10]
group_by = ["g"]
keys = { g = ["a", "b"] }
where = [["keep", "==", true]]
"""
LABELS = {
    "without an entity": "without_entity",
    "beyond rows_per_entity": "truncated",
    "not passing where": "where",
    "not among the keys": "keys",
    "without a value": "missing",
    "rows that are left": "kept",
    "values raised to the lower bound": "below",
    "values lowered to the upper bound": "above",
}


@pytest.mark.parametrize("seed", [3, 4])
def test_what_is_printed_adds_up_with_shares_and_says_whom_it_is_for(tmp_path, seed):
    rows = random_rows(seed)
    stored(tmp_path, rows)
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    wanted = expected(rows, Sum("x", (0, 10)), entity="p", limit=2, where=True, grouped=True)
    answer = CliRunner().invoke(app, ["preview", str(tmp_path / "plan.toml")])
    assert answer.exit_code == 0
    assert answer.stdout.startswith("NOT FOR PUBLICATION")
    printed = dict(
        re.split(r"\s{2,}", line.strip(), maxsplit=1)
        for line in answer.stdout.splitlines()
        if re.search(r"\S\s{2,}\S", line)
    )
    assert printed["rows in the table"] == f"{len(rows)}"
    for label, step in LABELS.items():
        number, share = re.fullmatch(r"([\d,]+)(?: \((.*) %\))?", printed[label]).groups()
        assert int(number) == wanted[step]
        base = wanted["kept"] if step in ("below", "above") else len(rows)
        outwards = math.floor if step == "kept" else math.ceil  # no loss is shown as less
        assert share is None or float(share) == outwards(Fraction(1000 * wanted[step], base)) / 10
    (label,) = (label for label in printed if "no keys" in label)
    assert "for you only" in label
    values = dict(part.rsplit(": ", 1) for part in printed[label].split("; "))
    named = {"no readable value" if value is None else f'"{value}"': str(count) for value, count in
             frequent(rows, entity="p", where=True, nothing=True).items()}  # fmt: skip
    assert values == named
    told = json.loads(
        CliRunner().invoke(app, ["preview", str(tmp_path / "plan.toml"), "--json"]).stdout
    )
    assert told["not_for_publication"] is True
    (query,) = told["removed"]
    assert query["losses"]["total"] == len(rows)
    assert {step: query["losses"][step] for step in LABELS.values()} == {
        step: wanted[step] for step in LABELS.values()
    }


def test_dates_that_are_no_keys_are_json(tmp_path):
    table = pa.table({"d": pa.array([1, 1, 2], pa.date32())})
    pq.write_table(table, tmp_path / "t.parquet")
    text = PLAN.split("[[query]]")[0].replace('entity = "p"', "").replace("rows_per_entity = 2", "")
    query = '[[query]]\nname = "q"\nstatistic = "count"\ngroup_by = ["d"]\n'
    (tmp_path / "plan.toml").write_text(
        f"{text}{query}keys = {{ d = [2024-01-31] }}\n", encoding="utf-8"
    )
    answer = CliRunner().invoke(app, ["preview", str(tmp_path / "plan.toml"), "--json"])
    (found,) = json.loads(answer.stdout)["removed"]
    assert found["losses"]["not_keys"] == {"d": [["1970-01-02", 2], ["1970-01-03", 1]]}
