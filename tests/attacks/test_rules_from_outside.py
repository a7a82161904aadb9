"""What rules let one believe, tried from outside: ends of the range, labels that say too much."""

import json
from fractions import Fraction

import pytest
from typer.testing import CliRunner

from deniable.cli.main import app


def answer(*words):
    run = CliRunner().invoke(app, ["rules", "design", *words, "--json"])
    assert run.exit_code == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.parametrize("prior", [("0", "0.5"), ("0.5", "1"), ("0", "1")])
def test_a_mark_that_says_all_or_nobody_says_so_whatever_the_prior(prior):
    """The mark is impossible at one end of the range; wherever it is possible, it is certain."""
    after = answer("--round", "1", "--members", "3", "--prior", *prior, "--stated", "0.5")["after"]
    beliefs = {each["output"]: each["belief"] for each in after}
    assert beliefs[0] == {"lower": 0.0, "upper": 0.0}
    assert beliefs[3] == {"lower": 1.0, "upper": 1.0}


def test_a_belief_except_with_delta_is_exact_only_where_one_is_left():
    """Hundreds of counts tell beliefs within the last interval, of which two were looked at."""
    words = ("--hide", "1", "2", "--hide", "20", "1000", "--members", "1000")
    except_ = answer(*words, "--prior", "1e-10", "0.5", "--delta", "1e-80")["except"]
    # Count 11 alone, with the target at 1/2 and the others at a = 1e-10.
    a, m, x = Fraction(1, 10**10), 1000, 11
    odds = Fraction(x, m - x) * (1 - a) / a
    assert except_["worst"]["upper"] >= float(odds / (1 + odds))
    assert except_["worst"]["evidence"] != "exact"


KEYED = """
[[list]]
name = "a"
size = 1
[[list]]
name = "b"
size = 1
[rule]
steps = [{ cell_key = "keys.csv" }]
[adversary]
prior = [0.5, 0.5]
"""


def judged(folder, table):
    (folder / "keys.csv").write_text("count,noise,probability\n0,0,0.5\n0,1,0.5\n1,0,1\n")
    (folder / "rules.toml").write_text(KEYED)
    (folder / "t.csv").write_text(table)
    words = ["rules", "judge", str(folder / "rules.toml"), str(folder / "t.csv"), "--json"]
    return CliRunner().invoke(app, words)


def test_nobody_has_one_key_on_lists_that_share_nobody(tmp_path):
    """Were both out, both cells would show one number: 1 and 0 say that the first is in."""
    run = judged(tmp_path, "list,count\na,1\nb,0\n")
    assert run.exit_code == 0, run.stderr
    beliefs = json.loads(run.stdout)["beliefs"]
    assert [(each["lowest"]["upper"], each["highest"]["upper"]) for each in beliefs] == [
        (1.0, 1.0),
        (0.0, 0.0),
    ]


def test_a_file_without_a_header_loses_no_row(tmp_path):
    run = judged(tmp_path, "a,1\nb,0\n")
    assert run.exit_code == 2
    assert "Expected a header above the rows" in run.stderr
