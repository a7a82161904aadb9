"""The how-to about running totals: its plan runs week after week, and costs what it says."""

import re
from pathlib import Path

import deniable

PAGE = Path(__file__).resolve().parents[1] / "docs" / "how-to" / "publish-every-week.md"
SHOWN = re.findall(r"```(text|toml)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)


def test_the_plan_that_the_guide_shows_is_released_and_continued(tmp_path):
    (_, table), (_, plan), (_, figures), (_, line) = SHOWN
    (tmp_path / "deaths.csv").write_text(table, encoding="utf-8")
    path = tmp_path / "deaths.toml"
    path.write_text(plan, encoding="utf-8")
    (query,) = deniable.plan(path).as_json()["queries"]
    shown = dict(re.findall(r"half-width of (.+?) +± (\d+) rows", figures))
    assert {each["of"]: round(each["half_width_95"]) for each in query["published_errors"]} == {
        name: int(width) for name, width in shown.items()
    }
    (tmp_path / "releases").mkdir()
    deniable.release(path, tmp_path / "releases" / "2024-W02")
    path.write_text(line + plan.replace("..2024-W02", "..2024-W03"), encoding="utf-8")
    after = deniable.release(path, tmp_path / "releases" / "2024-W03")
    assert deniable.check(after.out).holds
    assert len(after.rows) == 3 * 2 * 2
