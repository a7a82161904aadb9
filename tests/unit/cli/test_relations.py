import json
import statistics

import pytest
from click.testing import CliRunner

import deniable
from deniable.notions.notation import parse
from deniable.theorems.catalogue import CATALOGUE
from tests.cases.command_line import app
from tests.cases.effort import usual


def run(*words):
    return CliRunner().invoke(app, ["derive", *words])


def answer(*words):
    """The one JSON object on standard output."""
    found = run(*words, "--json")
    assert (found.exit_code, found.stderr) == (0, "")
    return json.loads(found.stdout, parse_constant=pytest.fail)


@pytest.mark.parametrize(
    ("words", "prior"),
    [
        (["pure-dp:1.0", "positive-membership", "--prior", "0.3", "0.7"], (0.3, 0.7)),
        (["pure-dp:1.0@add-remove", "pure-dp"], None),
        (["zcdp:0.05", "approx-dp:?,1e-6"], None),
        (["pure-dp:1.0", "identifiability:0.1,100"], None),
    ],
    ids=str,
)
def test_derive_is_the_public_function(words, prior):
    found = answer(*words)
    assert found == deniable.derive(words[0], words[1], prior=prior).as_json()
    assert set(found["to"]) >= {"notion", "parameters"}
    assert {"from", "to", "theorem"} == set(found["chain"][0])


def test_plain_lines():
    found = run("pure-dp:1.0@add-remove", "pure-dp")
    assert (found.exit_code, found.stderr) == (0, "")
    assert found.stdout.splitlines() == [
        "holds    pure-dp:2.0",
        "that is  epsilon = 2",
        "because  pure-dp:1.0@add-remove gives pure-dp:2.0: "
        "add_remove_dp_to_replace_one_dp (triangle inequality)",
    ]


def test_the_list_has_a_row_a_theorem():
    assert len(answer("--list")["theorems"]) == len(CATALOGUE)
    found = run("--list")
    assert found.exit_code == 0
    assert len(found.stdout.splitlines()) == len(CATALOGUE)


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ([], 2, "Expected FROM and TO, got fewer."),
        (["pure-dp:1.0"], 2, "Give both, or --list."),
        (["nonsense", "pure-dp"], 2, "Expected a notion such as pure-dp:1.0"),
        (["pure-dp:1", "pure-dp", "--prior", "0.7", "0.3"], 2, "Put the lower end first."),
        (["attack-success:0.6", "pure-dp"], 3, "got none. No theorem leads to pure-dp"),
        (["pure-dp:1.0", "identifiability"], 3, "needs the number of worlds"),
    ],
    ids=str,
)
def test_refusals_are_one_line_on_standard_error(words, status, message):
    for form in (words, [*words, "--json"]):
        found = run(*form)
        assert (found.exit_code, found.stdout) == (status, "")
        assert message in found.stderr
        assert found.stderr.startswith("Expected ")
        assert len(found.stderr.splitlines()) == 1


def test_risk_is_the_public_function():
    words = [
        "risk",
        "pure-dp:1.0",
        "--baseline",
        "0.01",
        "--baseline",
        "0.5",
        "--candidates",
        "100",
    ]
    done = CliRunner().invoke(app, [*words, "--json"])
    assert (done.exit_code, done.stderr) == (0, "")
    expected = deniable.risk("pure-dp:1.0", [0.01, 0.5], candidates=100).as_json()
    assert json.loads(done.stdout) == expected
    lines = CliRunner().invoke(app, ["risk", "pure-dp:1.0@add-remove"]).stdout.splitlines()
    assert lines[:4] == [
        "guarantee      pure-dp:1.0@add-remove",
        "baseline 0.01  success at most 0.027183",
        "baseline 0.1   success at most 0.27183",
        "baseline 0.5   success at most 0.81607",
    ]
    assert [line.split()[0] for line in lines[4:]] == ["means", "assumes", "about", "because"]


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["population:0.5"], 3, "who was drawn from a list"),
        (["attack-success:0.6"], 3, "No theorem leads to baseline-risk"),
        (["pure-dp:1", "--baseline", "2"], 2, "0 <= --baseline <= 1"),
        (["pure-dp:1", "--dataset", "visits"], 2, "Expected --dataset with a ledger only"),
    ],
)
def test_risk_refuses(words, status, message):
    done = CliRunner().invoke(app, ["risk", *words])
    assert (done.exit_code, done.stdout) == (status, "")
    assert message in done.stderr


def test_a_trade_off_is_a_curve_below_which_no_attack_is():
    found = answer("gaussian-dp:1", "trade-off")
    assert found == deniable.trade_off("gaussian-dp:1").as_json()
    points = [(each["fpr"], each["fnr"]) for each in found["to"]["points"]]
    assert len(points) == 11
    exact = statistics.NormalDist()
    for fpr, fnr in points:
        assert fnr == pytest.approx(exact.cdf(exact.inv_cdf(1 - fpr) - 1), rel=1e-9)
    lines = run("gaussian-dp:1", "f-dp").stdout.splitlines()
    assert len(lines) == 13
    curve = parse(found["to"]["spec"])
    assert lines[-2] == f"holds    {curve.spec}"
    assert found["to"]["parameters"] == {"points": [list(point) for point in curve.points]}
    assert answer(curve.spec, "advantage")["to"]["parameters"]["value"] < 0.3833
    assert lines[1].startswith("members missed, flagging 0.01 of the others   0.90763")
    refused = run("advantage:0.1", "trade-off")
    assert refused.exit_code == 3


@pytest.mark.parametrize("given", ["zcdp:0.1", "rdp:4,0.7", "pure-dp:1@add-remove"])
def test_a_trade_off_falls_and_is_no_better_than_guessing(given):
    points = deniable.trade_off(given).points
    misses = [each.fnr for each in points]
    assert misses == sorted(misses, reverse=True)
    assert all(0 <= each.fnr < 1 - each.fpr for each in points)


def test_a_curve_may_stand_in_a_file(tmp_path):
    place = tmp_path / "curve.csv"
    place.write_text("alpha,beta\n0,1\n0.25,0.25\n1,0\n", encoding="utf-8")
    for labels in usual(("@add-remove",), ("", "@add-remove")):
        written = f"trade-off:0,1/0.25,0.25/1,0{labels}"
        for words in (["derive", "approx-dp:?,0.01"], ["risk"], ["explain"], ["compose"]):
            lines = [
                CliRunner().invoke(app, [words[0], spec, *words[1:]]).stdout
                for spec in (written, f"f-dp:{place}{labels}")
            ]
            assert lines[0] == lines[1] != ""
    missing = CliRunner().invoke(app, ["derive", f"trade-off:{place}x", "advantage"])
    assert missing.exit_code == 2
    assert "no readable file" in missing.stderr


def test_two_guarantees_of_one_release_are_used_together():
    found = answer("approx-dp:0.5,0.01", "approx-dp:1,?", "--also", "approx-dp:2,1e-6")
    assert found["to"]["parameters"]["delta"] < 0.0082
    assert found["from"] == ["approx-dp:0.5,0.01", "approx-dp:2.0,1e-06"]
    printed = run("approx-dp:0.5,0.01", "f-dp", "--also", "approx-dp:2,1e-6").stdout
    assert "5 points (alpha, beta)" in printed
    assert " give trade-off:" in printed
    risks = CliRunner().invoke(
        app, ["risk", "approx-dp:0.5,0.01", "--also", "approx-dp:2,1e-6", "--json"]
    )
    assert json.loads(risks.stdout)["guarantee"] == "approx-dp:0.5,0.01 and approx-dp:2.0,1e-06"


def test_compose_says_where_exceedances_differ():
    words = ["compose", "approx-dp:1,1e-6", "pure-dp:0.5"]
    said = CliRunner().invoke(app, words).stdout
    assert "Caution: These beliefs are read at an exceedance of 0.0001" in said
    assert "pure-dp:0.5 without exception" in said
    asked = CliRunner().invoke(app, [*words, "--exceedance", "1e-5"]).stdout
    assert "Caution" not in asked
    assert deniable.compose(["zcdp:0.1", "zcdp:0.2"]).cautions == ()
    assert deniable.compose(["pure-dp:400"]).as_json()["cautions"][0].startswith("This protects")
