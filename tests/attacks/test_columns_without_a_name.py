"""Row numbers without a name, as pandas' to_csv and R's write.csv put them first."""

import pandas as pd
import pytest
from click.testing import CliRunner

from deniable.errors import PlanError
from deniable.publish.sources import csv_source
from deniable.publish.sources.csv_source import Dialect
from deniable.rules import judge
from tests.cases.command_line import app
from tests.cases.refusals import refuses

PLAN = """
[data]
source = "people.csv"
entity = "person"
[adversary]
prior = [0.1, 0.1]
[target]
max_posterior = 0.5
[limits]
rows_per_entity = 1
[[query]]
name = "regions"
statistic = "entities"
group_by = ["region"]
keys = { region = ["north", "south"] }
"""


def pandas_csv(folder, **options):
    frame = pd.DataFrame({"person": [f"p{i}" for i in range(60)], "region": ["north"] * 60})
    frame.to_csv(folder / "people.csv", **options)


def r_csv(folder):
    lines = [f'"{i}","p{i}","north"' for i in range(1, 61)]
    (folder / "people.csv").write_text("\n".join(['"","person","region"', *lines, ""]))


def between(folder):
    lines = [f"p{i},{i},north,x" for i in range(60)]
    (folder / "people.csv").write_text("\n".join(["person,,region,", *lines, ""]))


@pytest.mark.parametrize("write", [pandas_csv, r_csv, between])
@pytest.mark.parametrize("command", ["new", "plan", "release"])
def test_a_column_without_a_name_is_out_of_reach(tmp_path, write, command):
    write(tmp_path)
    (tmp_path / "plan.toml").write_text(PLAN)
    words = {
        "new": ["new", str(tmp_path / "people.csv")],
        "plan": ["plan", str(tmp_path / "plan.toml")],
        "release": [
            "release",
            str(tmp_path / "plan.toml"),
            "--out",
            str(tmp_path / "out"),
            "--yes",
        ],
    }[command]
    run = CliRunner().invoke(app, words)
    assert run.exit_code == 0, run.stderr
    assert "\x1f" not in run.stdout + run.stderr


def test_the_release_is_that_of_a_file_without_the_column(tmp_path):
    """The same counts in certificate and results but for noise: 60 people are counted."""
    pandas_csv(tmp_path)
    (tmp_path / "plan.toml").write_text(
        PLAN.replace("max_posterior = 0.5", "max_posterior = 0.999999")
    )
    words = ["release", str(tmp_path / "plan.toml"), "--out", str(tmp_path / "out"), "--yes"]
    run = CliRunner().invoke(app, words)
    assert run.exit_code == 0, run.stderr
    results = pd.read_csv(tmp_path / "out" / "results.csv").set_index("group:region")
    assert abs(results.loc["north", "value"] - 60) < 25


def test_no_plan_reaches_the_column(tmp_path):
    pandas_csv(tmp_path)
    name = csv_source.header(tmp_path / "people.csv", Dialect())[0]
    assert name.startswith(csv_source.UNNAMED)
    for column in (name, ""):
        plan = PLAN.replace('"region"', f"'{column}'").replace("region =", '"x" =')
        (tmp_path / "plan.toml").write_text(plan)
        run = CliRunner().invoke(app, ["plan", str(tmp_path / "plan.toml")])
        assert run.exit_code == 2


@pytest.mark.parametrize("content", [",,\n1,2,3\n", '""\n1\n', "\n1,2\n"])
def test_a_file_in_which_no_column_has_a_name_has_no_header(tmp_path, content):
    (tmp_path / "x.csv").write_text(content)
    with refuses(PlanError, "header-of-column-names"):
        csv_source.header(tmp_path / "x.csv", Dialect())


def rules(names, total="none"):
    return {
        "list": [{"name": name, "size": 30} for name in names],
        "table": [{"lists": list(names), "total": total}],
        "rule": {"steps": [{"hide": [1, 3]}]},
        "adversary": {"prior": [0.2, 0.2]},
    }


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("quote", ["", '"'])
def test_rules_read_a_numbered_table(tmp_path, first, quote):
    file = tmp_path / "t.csv"
    rows = [("a", 9), ("b", "*"), ("c", 12)]
    lines = [f"{quote}{i}{quote},{quote}{n}{quote},{c}" for i, (n, c) in enumerate(rows, first)]
    file.write_text("\n".join([f"{quote}{quote},group,count", *lines, ""]))
    asked = rules("abc")
    expected = [9, "*", 12]
    assert [each.cell.published for each in judge(asked, file).feasible] == expected
    del asked["table"]
    assert [each.cell.published for each in judge(asked, file).feasible] == expected


def test_rules_read_a_numbered_crosstab_and_one_of_numbers(tmp_path):
    frame = pd.DataFrame({"r": list("aabb") * 9, "c": list("xyxy") * 9})
    table = pd.crosstab(frame.r, frame.c, margins=True)
    numbered, plain = tmp_path / "numbered.csv", tmp_path / "plain.csv"
    table.reset_index().to_csv(numbered)
    table.rename_axis(index=None).to_csv(plain)
    asked = rules(["ax", "ay", "bx", "by"], "exact")
    published = [
        [each.cell.published for each in judge(asked, file).feasible] for file in (numbered, plain)
    ]
    assert published[0] == published[1] == [9, 9, 9, 9, 18, 18, 18, 18, 36]
    # Groups that are called 0 and 1 are no row numbers.
    table.rename(index={"a": "0", "b": "1"}).drop(index="All").rename_axis(index=None).to_csv(plain)
    assert [each.cell.published for each in judge(asked, plain).feasible] == [9, 9, 9, 9, 18, 18]
