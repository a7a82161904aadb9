"""`deniable rules judge` and `repair`: words, JSON, pages and exit statuses."""

import json

import pytest
from click.testing import CliRunner

from deniable.rules import judge
from deniable.rules.judgement import UNDECIDED
from deniable.rules.judgement_lines import print_judgement
from tests.cases.command_line import app
from tests.cases.refusals import says

RULES = """
[[list]]
name = "a"
size = 6
[[list]]
name = "b"
size = 6
[[table]]
lists = ["a", "b"]
total = "independent"
[rule]
steps = [{ round = 5 }]
[adversary]
prior = [0.5, 0.5]
[target]
max_posterior = 0.75
"""


@pytest.fixture
def files(tmp_path):
    rules, table = tmp_path / "rules.toml", tmp_path / "table.csv"
    rules.write_text(RULES, encoding="utf-8")
    table.write_text("list,count\na,5\nb,0\ntotal,10\n", encoding="utf-8")
    return rules, table


def run(*words):
    return CliRunner().invoke(app, ["rules", *map(str, words)])


def test_judge_says_who_is_certain_and_what_counts_may_be(files):
    result = run("judge", *files)
    assert result.exit_code == 0
    assert "a: all of 6 people are in" in result.stdout
    assert "table, b: 0 stands for 2 to 2" in result.stdout
    assert "missed" in result.stdout
    assert "Exact tables have no finite ε" in result.stdout


def test_judge_prints_one_object(files):
    answer = json.loads(run("judge", *files, "--json").stdout)
    assert answer["certain"] == [{"list": "a", "in": True, "people": 6, "proof": "integers"}]
    assert answer["feasible"][0] == {
        "table": "table", "cell": "a", "published": 5, "lower": 6, "upper": 6, "proof": "integers"
    }  # fmt: skip
    assert {"beliefs", "assumes", "differences", "target"} <= set(answer)


def test_tables_that_the_rules_cannot_have_made_end_with_4(files):
    rules, table = files
    table.write_text("list,count\na,0\nb,0\ntotal,10\n", encoding="utf-8")
    result = run("judge", rules, table)
    assert (result.exit_code, result.stdout) == (4, "")
    assert says(result.stderr, 'number-at: "10" | "table" | "total"')


def test_a_table_that_cannot_be_read_ends_with_2(files):
    rules, table = files
    table.write_text("list,count\na,-5\nb,0\ntotal,10\n", encoding="utf-8")
    assert run("judge", rules, table).exit_code == 2


def test_judge_writes_a_page(files, tmp_path):
    page = tmp_path / "page.html"
    result = run("judge", *files, "--page", page, "--json")
    assert result.exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert "The target is missed:" in text
    assert "An adversary who knows whether all others are counted" in text


def test_repair(files):
    result = run("repair", files[0])
    assert result.exit_code == 0
    assert "Within the target, the cheapest first:" in result.stdout
    answer = json.loads(run("repair", files[0], "--json").stdout)
    assert answer["cheapest"] == answer["options"][0]
    assert answer["cheapest"]["verdict"] == "met"


def test_an_undecided_verdict_names_the_next_step(tmp_path):
    """A crossing of 7 by 7 lists of 40 is bounded outwards."""
    names = [[f"{i}-{j}" for j in range(7)] for i in range(7)]
    lists = [{"name": name, "size": 40} for row in names for name in row]
    lists += [{"name": f"r{i}", "parts": row} for i, row in enumerate(names)]
    lists += [{"name": f"c{j}", "parts": [row[j] for row in names]} for j in range(7)]
    for kind in "rc":
        counts = "".join(f"{kind}{i},140\n" for i in range(7))
        (tmp_path / f"{kind}.csv").write_text(f"list,count\n{counts}", encoding="utf-8")
    rules = {
        "list": lists,
        "table": [{"lists": [f"{kind}{i}" for i in range(7)]} for kind in "rc"],
        "rule": {"steps": [{"round": 5}]},
        "adversary": {"prior": [0.5, 0.5]},
        "target": {"max_posterior": 0.75},
    }
    answer = judge(rules, tmp_path / "r.csv", tmp_path / "c.csv")
    with CliRunner().isolation() as (out, *_):
        print_judgement(answer)
    said = out.getvalue().decode()
    assert "undecided" in said
    assert UNDECIDED in said
    assert "`deniable rules repair`" in UNDECIDED
