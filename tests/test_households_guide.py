"""What the guide `protect-households.md` tells a reader to type works, on a table like Adult."""

import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from tests.cases.command_line import app

GUIDE = Path(__file__).resolve().parents[1] / "docs" / "how-to" / "protect-households.md"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with 400 people, and what the guide's script and plan make of them."""
    text = GUIDE.read_text(encoding="utf-8")
    people = ["Husband", "Wife", "Own-child", "Not-in-family"] * 100
    table = pd.DataFrame({"relationship": people, "hours-per-week": range(400)})
    table["hours-per-week"] %= 81
    table["income-per-year"] = [">50K" if n % 3 else "<=50K" for n in range(400)]
    table.to_csv(tmp_path / "adult.csv", index=False)
    [script] = re.findall(r"```python\n(.*?)```", text, re.S)
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
    [plan] = re.findall(r"```toml\n(.*?)```", text, re.S)
    (tmp_path / "people.toml").write_text(plan, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def typed(*words):
    answer = CliRunner().invoke(app, words)
    assert answer.exit_code == 0, answer.output
    return answer.output


def test_homes_have_at_most_four_people(folder):
    sizes = pd.read_csv(folder / "homes.csv").groupby("home").size()
    assert sizes.max() == 4
    assert sizes.sum() == 400


def test_each_way_costs_what_the_guide_says(folder):
    text = GUIDE.read_text(encoding="utf-8")
    plan = (folder / "people.toml").read_text(encoding="utf-8")
    model = plan.replace("household_size = 4", "household_size = 4\ncorrelation = { icc = 0.2 }")
    home = plan.replace('entity = "person"', 'household = "home"').replace("household_size = 4", "")
    home = home.replace("rows_per_entity = 1", "rows_per_household = 4")
    for name, changed in (("people", plan), ("model", model), ("home", home)):
        (folder / f"{name}.toml").write_text(changed, encoding="utf-8")
    lines = text.partition("| way |")[2]
    for name, way in (
        ("people", "`household_size = 4` |"),
        ("model", "`household_size = 4` with"),
        ("home", "`household ="),
    ):
        shown = re.search(rf"\| {re.escape(way)}.* ± (\d+) rows \|", lines)
        count = typed("plan", f"{name}.toml").partition("income above 50,000: count")[2]
        assert f"± {shown[1]} rows" in count


def test_the_release_is_checked(folder):
    typed("release", "people.toml", "--out", "published")
    assert "holds" in typed("check", "published")
    assert "household" in (folder / "published" / "report.html").read_text(encoding="utf-8")
