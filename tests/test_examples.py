"""The demonstration's plans, the tutorial's and the README's release from start to check."""

import json
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest

import deniable
from examples import data, few_types, member_list

ROOT = Path(__file__).resolve().parents[1]
FILES = {"certificate.json", "plan.toml", "report.html", "results.csv", "results.parquet"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like the repository's after the demonstration's first step."""
    folder = tmp_path_factory.mktemp("clone")
    data.write(folder / "demo-output")
    shutil.copytree(ROOT / "examples", folder / "examples")
    return folder


def released(plan: Path, out: Path) -> None:
    answer = deniable.release(plan, out)
    assert {path.name for path in out.iterdir()} == FILES
    assert len(pd.read_parquet(out / "results.parquet")) == len(answer.rows)
    assert deniable.check(out / "certificate.json").holds
    assert deniable.check(out).holds


def shown_plan(page: str) -> str:
    text = (ROOT / page).read_text(encoding="utf-8")
    (plan,) = (block for block in re.findall(r"```toml\n(.*?)```", text, re.S) if "[data]" in block)
    return plan


@pytest.mark.parametrize("name", ["health-insurance", "wages"])
def test_a_demonstrated_plan_releases(folder, name):
    released(folder / "examples" / f"{name}.toml", folder / name)


def test_the_tutorial_releases(folder):
    plan = folder / "examples" / "tutorial.toml"
    plan.write_text(shown_plan("docs/tutorials/first-release.md"), encoding="utf-8")
    released(plan, folder / "tutorial")


def test_the_readme_releases(tmp_path):
    visits = pd.DataFrame({"person": ["a", "b"], "visits": [3, 60], "plan": ["free", "shared"]})
    visits.to_csv(tmp_path / "visits.csv", index=False)
    plan = tmp_path / "visits.toml"
    plan.write_text(shown_plan("README.md"), encoding="utf-8")
    released(plan, tmp_path / "published")


def test_the_health_table_has_a_row_for_each_person_year(folder):
    table = pd.read_parquet(folder / "demo-output" / "health-insurance.parquet")
    assert table.shape == (20_190, 5)


def test_the_men_of_the_wage_panel_have_eight_rows_each(folder):
    table = pd.read_parquet(folder / "demo-output" / "wages.parquet")
    assert table.groupby("nr").size().tolist() == [8] * 545


def numbers(text):
    return [float(each) for each in re.findall(r"(?<![\w.])\d+\.\d+", text)]


def test_a_list_of_members_leads_to_a_table_that_checks(tmp_path, capsys):
    member_list.main(tmp_path / "club")
    published = tmp_path / "club" / "published"
    assert {path.name for path in published.iterdir()} == FILES
    assert deniable.check(published).holds
    told = json.loads((published / "certificate.json").read_text(encoding="utf-8"))["population"]
    said = capsys.readouterr().out
    assert re.search(r"^ +list of members: ", said, re.M)
    printed = numbers(said)
    shown = (told["attack_success"], told["population_epsilon"]["upper"], told["noise_factor"])
    for value in shown:
        assert any(0 <= each - value <= 1e-4 for each in printed)
    assert told["attack_success"] <= 0.6


def test_records_of_few_types_lead_to_a_page(tmp_path, capsys):
    few_types.main(tmp_path)
    printed = capsys.readouterr().out
    ends = re.findall(r"([\d.]+) to ([\d.]+)", printed)
    assert len(ends) == len(few_types.SCALES) + len(few_types.DISTRICTS)
    assert all(float(low) <= float(high) <= few_types.LIMIT for low, high in ends)
    page = (tmp_path / "few-types.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 3
