"""The how-to about crosstabs: its plan runs on its file, and costs what it says."""

import csv
import re
import tomllib
from pathlib import Path

import deniable

PAGE = Path(__file__).resolve().parents[1] / "docs" / "how-to" / "publish-tables-that-add-up.md"
SHOWN = re.findall(r"```(text|toml)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)


def test_the_plan_that_the_guide_shows_is_released_and_checked(tmp_path):
    (_, table), (_, plan), (_, figures), *_ = SHOWN
    (tmp_path / "stays.csv").write_text(table, encoding="utf-8")
    path = tmp_path / "stays.toml"
    path.write_text(plan, encoding="utf-8")
    assert len(plan.splitlines()) <= 40
    query, _ = deniable.plan(path).as_json()["queries"]
    shown = dict(re.findall(r"half-width of (.+?) +± (\d+) rows", figures))
    assert {name: round(width) for name, width in query["half_widths_95"].items()} == {
        name: int(width) for name, width in shown.items()
    }
    assert f"{query['cells']} cells" in figures
    out = tmp_path / "published"
    deniable.release(path, out)
    assert deniable.check(out).holds
    with (out / "results.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    wards = [row for row in rows if row["group:ward"] and not row["group:month"]]
    assert [row["group:ward"] for row in wards] == ["medicine", "surgery", "children", "other"]
    assert sum(int(row["whole_number"]) for row in wards) == int(rows[0]["whole_number"])
    assert len((out / "rows.csv").read_text(encoding="utf-8").splitlines()) == 1001


def test_the_trees_that_the_guide_shows_are_released_and_checked(tmp_path):
    (_, table), (_, plan), _, (_, tree), (_, figures), (_, calendar) = SHOWN
    (tmp_path / "stays.csv").write_text(table, encoding="utf-8")
    path = tmp_path / "stays.toml"
    head = plan.partition("[keys]")[0]
    path.write_text(head + tree, encoding="utf-8")
    (query,) = deniable.plan(path).as_json()["queries"]
    shown = dict(re.findall(r"half-width of (.+?) +± (\d+) rows", figures))
    assert {name: round(width) for name, width in query["half_widths_95"].items()} == {
        name: int(width) for name, width in shown.items()
    }
    assert f"{query['cells']} cells" in figures
    rows = deniable.release(path, tmp_path / "published").rows
    assert deniable.check(tmp_path / "published").holds
    whole = {tuple(row.groups.values()): row.whole_number for row in rows}
    assert whole[()] == whole["north",] + whole["south",] + whole["other",]
    assert whole["north",] == whole["north", "General"] + whole["north", "St Mary"]
    added = tomllib.loads(head) | {"query": tomllib.loads(calendar)["query"]}
    added["columns"] |= tomllib.loads(calendar)["columns"]
    added["keys"] = tomllib.loads(calendar)["keys"]
    added["data"]["source"] = str(tmp_path / "stays.csv")
    (query,) = deniable.plan(added).as_json()["queries"]
    assert query["cells"] == 1 + 2 + 12
