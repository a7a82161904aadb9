"""Beliefs after exact tables that hold except with δ say that each end has a δ of its own."""

import json
import math
from fractions import Fraction

import pytest
from click.testing import CliRunner

from deniable.rules import Round, Rule
from tests.cases.command_line import app

MEMBERS, BASE, DELTA = 6, 3, 0.2
FILE = f"""
[[list]]
name = "a"
size = {MEMBERS}
[rule]
steps = [{{round = {BASE}}}]
[adversary]
prior = [0.5, 0.5]
[target]
max_posterior = 0.6
min_posterior = 0.4
delta = {DELTA}
"""


def run(*words):
    result = CliRunner().invoke(app, ["rules", *map(str, words)])
    assert result.exit_code == 0, result.stderr
    return result.stdout


def chances(low, high):
    """How often belief is above and below a range, given in and given out, by enumeration."""
    within: dict = {}
    for count in range(MEMBERS + 1):
        (mark,) = Rule((Round(BASE),)).publish(count)
        ways = within.setdefault(mark, [Fraction(0), Fraction(0)])
        ways[0] += Fraction(math.comb(MEMBERS - 1, count - 1) if count else 0, 2 ** (MEMBERS - 1))
        ways[1] += Fraction(math.comb(MEMBERS - 1, count), 2 ** (MEMBERS - 1))
    beliefs = [(a / (a + b), a, b) for a, b in within.values()]
    above = sum(a for belief, a, _ in beliefs if belief > high)
    below_in = sum(a for belief, a, _ in beliefs if belief < low)
    below = sum(b for belief, _, b in beliefs if belief < low)
    return above, below, above + below_in


WORDS = ["design", "--round", BASE, "--members", MEMBERS, "--prior", 0.5, 0.5, "--delta", DELTA]


def test_a_design_states_no_range_that_is_left_more_often():
    answer = json.loads(run(*WORDS, "--json"))["except"]
    low, high = answer["lowest"]["lower"], answer["worst"]["upper"]
    above, below, either = chances(low, high)
    assert max(above, below) <= DELTA < either
    assert answer["given"] == {"worst": "in", "lowest": "out"}
    lines = [line for line in run(*WORDS).splitlines() if line.startswith("except with")]
    assert [line.split(", ")[-1] for line in lines] == [
        "if the person is in",
        "if the person is out",
    ]


@pytest.mark.parametrize("words", [[], ["--json"]])
def test_a_repair_says_how_often_its_beliefs_are_passed(tmp_path, words):
    path = tmp_path / "rules.toml"
    path.write_text(FILE, encoding="utf-8")
    said = run("repair", path, *words)
    above, below, either = chances(Fraction(2, 5), Fraction(3, 5))
    assert max(above, below) <= DELTA < either  # the rule as it is meets the target
    for sided in ("is in exceeds", "is out falls below"):
        assert f"{sided} the stated limit with probability at most {DELTA}." in said
    assert "Each limit holds by itself" in said
    path.write_text(FILE.replace(f"delta = {DELTA}\n", ""), encoding="utf-8")
    assert "Each limit holds by itself" not in run("repair", path, *words)
