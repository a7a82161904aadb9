"""`deniable rules design` and `compare`: steps in the order typed, files, pages, JSON."""

import json
import shlex

import pytest
from click.testing import CliRunner

from tests.cases.command_line import app

ASK = "--members 12 --prior 0.5 0.5"


def run(line):
    result = CliRunner().invoke(app, ["rules", *shlex.split(line)])
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def steps(line):
    return json.loads(run(f"design {line} {ASK} --json"))["rule"]


@pytest.mark.parametrize(
    ("line", "typed"),
    [
        ("--hide 1 7 --round 5", [{"hide": [1, 7]}, {"round": 5, "halves": "up"}]),
        ("--round 5 --hide 1 7", [{"round": 5, "halves": "up"}, {"hide": [1, 7]}]),
        ("--hide 0 2 --top 9 --hide 4 6", [{"hide": [0, 2]}, {"top": 9}, {"hide": [4, 6]}]),
        ("--halves even --round 10", [{"round": 10, "halves": "even"}]),
        ("--preset cms --round 4", [{"hide": [1, 10]}, {"round": 4, "halves": "up"}]),
        ("--round-down 5 --midpoint 6", [{"round_down": 5}, {"midpoint": 6}]),
        ("--random 3 --bottom 2 --barnard 0.25",
         [{"random": 3}, {"bottom": 2}, {"barnard": 0.25}]),
    ],
)  # fmt: skip
def test_steps_stand_in_the_order_typed(line, typed):
    assert steps(line)["steps"] == typed


def test_zeros_are_those_of_the_policy_unless_typed():
    assert steps("--preset ehrql")["zero"] == "merged"
    assert steps("--preset ehrql --zero hidden")["zero"] == "hidden"
    assert steps("--hide 1 7")["zero"] == "shown"


def test_the_example_of_the_issue():
    line = "design --hide 1 7 --round 5 --members 9 --prior 0.5 0.5 --limit 0.75 --json"
    answer = json.loads(run(line))
    assert (answer["members"], answer["prior"]) == (9, [0.5, 0.5])
    assert answer["worst"]["belief"]["lower"] <= 0.9 <= answer["worst"]["belief"]["upper"]
    assert answer["worst"]["belief"]["evidence"] == "exact"
    assert answer["worst"]["output"] == 10
    assert answer["lowest"]["output"] == 0
    assert set(answer["exceedance"]) >= {"limit", "probability", "given"}
    sizes = json.loads(run("design --hide 1 7 --members 2..6 --prior 0.5 0.5 --json"))["sizes"]
    assert [each["members"] for each in sizes] == [2, 3, 4, 5, 6]


def test_a_file_stands_in_for_what_is_not_typed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.csv").write_text("count,noise,probability\n0,0,1\n1,0,0.5\n1,1,0.5\n")
    (tmp_path / "rules.toml").write_text(
        '[[list]]\nname = "a"\nsize = 9\n[rule]\nsteps = [{ cell_key = "p.csv" }]\n'
        "[adversary]\nsample = { n = 10, N = 20 }\n[target]\nmax_posterior = 0.75\n"
    )
    answer = json.loads(run("design rules.toml --json"))
    assert (answer["members"], answer["sample"]) == (9, {"n": 10, "N": 20})
    assert answer["exceedance"]["limit"] == 0.75
    typed = json.loads(run("design --cell-key p.csv --members 9 --sample 10 20 --limit 3/4 --json"))
    assert typed == answer
    other = json.loads(run("design rules.toml --members 5 --prior 0.5 0.5 --json"))
    assert (other["members"], other["prior"]) == (5, [0.5, 0.5])
    compared = json.loads(run(f"compare cms rules.toml {ASK} --json"))
    assert [each["name"] for each in compared["rules"]] == ["cms", "rules.toml"]


def test_a_page_is_written(tmp_path):
    page = tmp_path / "rule.html"
    run(f"design --preset opensafely {ASK} --page {page}")
    assert "Exact tables have no finite ε." in page.read_text(encoding="utf-8")


def test_words_say_what_is_impossible_and_what_hardly_ever_happens():
    assert "0, impossible" in run(
        "design --preset opensafely --members 12 --prior .5 .5 --limit .75"
    )
    assert "10^-301" in run("design --preset cms --members 1000 --prior .5 .5")
    shown = run("compare cms rr3 --members 10,20 --prior 0.5 0.5 --limit 0.75")
    assert shown.count("cms") == shown.count("rr3") == 2


def test_several_lists_lead_with_what_a_rare_event_leaves_out():
    """The worst of 200 people is all of them counted: of probability 10^-393 at a prior of 1 %."""
    lines = run("design --hide 1 7 --round 5 --members 50,200 --prior 0.01 0.01 --delta 1e-6")
    first, header, *rows = lines.splitlines()
    assert first == "Except with probability 1e-06: 0 to 6.6 %, whatever the list."
    assert "except with 1e-06" in header
    assert [row.split()[1:4] for row in rows[:2]] == [
        ["0", "to", "0.025317"],
        ["0", "to", "0.065761"],
    ]


def test_one_list_leads_with_it_too_and_compare_has_a_column():
    asked = "--members 50 --prior 0.01 0.01 --delta 1e-6"
    lines = run(f"design --hide 1 7 --round 5 {asked}").splitlines()
    assert lines[0] == "Except with probability 1e-06: 0 to 2.6 %."
    assert "except with 1e-06" in run(f"compare cms opensafely {asked}").splitlines()[0]


@pytest.mark.parametrize("members", ["200", "50,200"])
def test_a_very_rare_worst_case_names_delta(members):
    lines = run(f"design --preset cms --members {members} --prior 0.01 0.01")
    assert "Add --delta 1e-06" in lines
    assert "--delta" not in run("design --preset cms --members 9,12 --prior 0.5 0.5")


def test_a_floor_has_a_column():
    rows = run("design --preset cms --members 9,12 --prior 0.5 0.5 --floor 0.1").splitlines()
    assert rows[1].endswith("chance below floor")
