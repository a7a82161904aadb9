import json
import re

import pytest
from click.testing import CliRunner

import deniable
from deniable.notions.notation import FORMS, USUAL_NUMBERS, USUAL_ROWS
from tests.cases.command_line import app
from tests.cases.prose import refusal_of


def run(*words):
    return CliRunner().invoke(app, words)


def answer(*words):
    """The one JSON object on standard output."""
    found = run(*words, "--json")
    assert (found.exit_code, found.stderr) == (0, "")
    return json.loads(found.stdout, parse_constant=pytest.fail)


def test_explain_is_the_public_function():
    found = answer("explain", "--epsilon", "1", "--prior", "0.05", "0.5")
    assert found == deniable.explain(1.0, prior=(0.05, 0.5)).as_json()
    assert set(found) == {
        "epsilon",
        "delta",
        "adjacency",
        "prior",
        "gamma",
        "gamma_outside",
        "posterior",
        "attack_success",
        "advantage",
        "tied",
        "cautions",
    }
    assert found["prior"] == [0.05, 0.5]
    assert set(found["posterior"][0]) == {"prior", "lower", "upper"}


def test_explain_with_delta():
    found = answer(
        "explain", "--epsilon", "1", "--delta", "1e-6", "--exceedance", "1e-3", "--level", "0.9",
        "--adjacency", "add-remove", "--prior", "0.1", "0.1",
    )  # fmt: skip
    assert found["adjacency"] == "add-remove"
    assert found["exceedance"] == 1e-3
    assert set(found["level"]) == {"posterior", "probability"}
    expected = deniable.explain(
        1.0, 1e-6, exceedance=1e-3, level=0.9, adjacency="add-remove", prior=(0.1, 0.1)
    )
    assert found == expected.as_json()


def test_a_budget_written_as_a_guarantee_is_the_same_budget():
    by_numbers = answer("explain", "--epsilon", "1", "--delta", "1e-6", "--adjacency", "add-remove")
    assert answer("explain", "approx-dp:1,1e-6@add-remove") == by_numbers
    assert answer("explain", "dp:1") == answer("explain", "--epsilon", "1")


def test_any_other_guarantee_is_explained_by_what_follows():
    found = answer("explain", "zcdp:0.1", "--prior", "0.5", "0.5")
    assert found == deniable.explain_guarantee("zcdp:0.1", prior=(0.5, 0.5)).as_json()
    assert set(found) == {
        "guarantee", "says", "prior", "exceedance", "loss", "range_loss", "gamma", "gamma_outside",
        "posterior", "attack_success", "advantage", "tied", "cautions",
    }  # fmt: skip
    (only,) = found["posterior"]
    assert only["prior"] == 0.5


@pytest.mark.parametrize("spec", ["zcdp:0.1", "gaussian-dp:0.5", "rdp:8,1", "approx-dp:1,1e-6"])
def test_explain_and_compose_read_a_guarantee_at_one_exceedance(spec):
    """The default is one: 100 δ, and δ is 1e-6 where none is stated; both print it."""
    alone, added = (answer(word, spec, "--prior", "0.1", "0.1") for word in ("explain", "compose"))
    assert alone["exceedance"] == added["exceedance"] == pytest.approx(1e-4)
    assert alone["gamma"] == pytest.approx(added["gamma"], rel=1e-9)
    for word in ("explain", "compose"):
        assert "with probability at most 1e-4" in run(word, spec).stdout


def test_a_belief_at_a_point_prior_is_printed_once():
    for words in (["--epsilon", "1"], ["pure-dp:1"], ["zcdp:0.1"]):
        lines = run("explain", *words, "--prior", "0.05", "0.05").stdout.splitlines()
        assert sum(line.startswith("belief 0.05") for line in lines) == 1


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.word)
def test_every_notion_is_explained(form):
    example = ",".join(str(USUAL_NUMBERS[name]) for name in form.numbers[: form.required])
    suffix = "@add-remove" if form.word == "privacy-curve" else ""
    found = run("explain", f"{form.word}:{USUAL_ROWS if form.rows else example}{suffix}")
    assert (found.exit_code, found.stderr) == (0, "")


def test_a_number_too_small_to_be_one_is_not_read_as_nothing():
    for words in (["--epsilon", "1e-400"], ["--epsilon=1e-400"], ["pure-dp:1e-400"]):
        found = run("explain", *words)
        assert found.exit_code == 2
        assert "5e-324" in found.stderr
    assert run("explain", "--epsilon", "0.000").exit_code == 0
    assert run("explain", "--epsilon", "0e-400").exit_code == 0


def test_infinity_is_text():
    found = answer("explain", "--epsilon", "800")
    assert (found["gamma"], found["gamma_outside"], found["attack_success"]) == ("inf", "inf", 1.0)


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        (["--gamma", "2", "--prior", "0.3", "0.7"], {"gamma": 2.0, "prior": (0.3, 0.7)}),
        (
            ["--max-posterior", "0.6", "--prior", "0", "0.3"],
            {"max_posterior": 0.6, "prior": (0.0, 0.3)},
        ),
        (["--attack-success", "0.6"], {"attack_success": 0.6}),
        (
            ["--advantage", "0.1", "--adjacency", "add-remove"],
            {"advantage": 0.1, "adjacency": "add-remove"},
        ),
        (
            ["--identifiability", "0.3", "--worlds", "8"],
            {"identifiability": 0.3, "worlds": 8},
        ),
        (["--gamma", "2", "--delta", "1e-6"], {"gamma": 2.0, "delta": 1e-6}),
    ],
    ids=str,
)
def test_calibrate_is_the_public_function(words, arguments):
    found = answer("calibrate", *words)
    assert found == json.loads(json.dumps(deniable.calibrate(**arguments).as_json()))
    assert ("noise_multiplier" in found) == ("exceedance" in found) == ("delta" in arguments)


ONE_TARGET = (
    "exactly one target of --gamma, --max-posterior, --attack-success, --advantage, "
    "--identifiability"
)


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (
            ["explain", "--epsilon", "-1"],
            2,
            {"expected": "--epsilon >= 0", "got": "--epsilon -1.0"},
        ),
        (
            ["explain", "--epsilon", "nan"],
            2,
            {"expected": "--epsilon to be a number", "got": "nan"},
        ),
        (
            ["explain", "--epsilon", "inf"],
            2,
            {"expected": "--epsilon to be finite", "got": "--epsilon inf"},
        ),
        (
            ["explain", "--epsilon", "1", "--level", "0.5"],
            2,
            {"remedy": "Give --delta too, or write one, as in approx-dp:1,1e-6."},
        ),
        (
            ["explain", "--epsilon", "1", "--delta", "0.5"],
            2,
            {"expected": "--delta < --exceedance < 1"},
        ),
        (
            ["explain", "--epsilon", "1", "--prior", "0.7", "0.3"],
            2,
            {"remedy": "Put the lower end first."},
        ),
        (["explain", "--epsilon", "1", "--adjacency", "swap"], 2, {"got": "'swap'"}),
        (
            ["calibrate"],
            2,
            {"expected": ONE_TARGET},
        ),
        (
            ["calibrate", "--gamma", "2", "--advantage", "0.1"],
            2,
            {"expected": ONE_TARGET},
        ),
        (["calibrate", "--gamma", "0.9"], 2, {"expected": "--gamma >= 1"}),
        (["calibrate", "--gamma", "2", "--delta", "0"], 2, {"expected": "0 < --delta < 1"}),
        (
            ["calibrate", "--identifiability", "0.3"],
            2,
            {"expected": "--worlds with --identifiability"},
        ),
        (
            ["calibrate", "--gamma", "1"],
            3,
            {"remedy": "Ask for more than 1, a belief that stays as it was."},
        ),
        (
            ["calibrate", "--max-posterior", "0.5", "--prior", "0.1", "0.5"],
            3,
            {"expected": "--max-posterior > 0.5, the upper end of --prior"},
        ),
        (
            ["calibrate", "--max-posterior", "0.5", "--prior", "0", "0"],
            3,
            {"remedy": "Every release keeps such a target."},
        ),
        (
            ["calibrate", "--identifiability", "0.1", "--worlds", "4"],
            3,
            {"remedy": "Guessing among the worlds already succeeds that often; raise rho."},
        ),
        (
            ["calibrate", "--advantage", "0", "--delta", "0.1"],
            3,
            {"remedy": "Ask for more than 0, that of a guess."},
        ),
    ],
    ids=str,
)
def test_refusals_are_one_line_on_standard_error(words, status, said):
    for form in (words, [*words, "--json"]):
        found = run(*form)
        assert (found.exit_code, found.stdout) == (status, "")
        assert refusal_of(found.stderr).parts(*said) == said
        assert len(found.stderr.splitlines()) == 1


def test_a_fault_inside_a_command(monkeypatch):
    def boom(*_, **__):
        raise RuntimeError("secret")

    monkeypatch.delenv("DENIABLE_DEBUG", raising=False)
    monkeypatch.setattr("deniable.theorems.analysis.guarantee.explain", boom)
    found = run("explain", "--epsilon", "1", "--json")
    assert (found.exit_code, found.stdout) == (1, "")
    assert re.match(r"An internal error: RuntimeError at test_beliefs\.py:\d+\. ", found.stderr)
    assert "secret" not in found.stderr


def shown(*words):
    found = run(*words)
    assert (found.exit_code, found.stderr) == (0, "")
    return dict(line.split("  ", 1) for line in found.stdout.splitlines() if "  " in line)


def test_plain_lines_of_explain():
    lines = shown("explain", "--epsilon", "1.0986122886681", "--prior", "0.25", "0.5")
    lines = {name: value.strip() for name, value in lines.items()}
    assert lines["gamma, prior within [0.25, 0.5]"] == "2"
    assert lines["gamma, any prior"] == "3"
    assert lines["belief 0.5 stays in"] == "[0.25, 0.75]"
    assert lines["attack success at prior 1/2"] == "0.75"
    assert "exception, for each entity" not in lines


def test_plain_lines_with_delta_say_that_it_may_fail():
    lines = shown("explain", "--epsilon", "1", "--delta", "1e-6", "--level", "0.9", "--prior",
                  "0.1", "0.2")  # fmt: skip
    over = ", over the noise and what the adversary does not know"
    assert lines["exception, for each entity"].strip() == f"with probability at most 1e-4{over}"
    assert lines["belief passes 0.9"].strip().endswith(over)
    lines = shown("calibrate", "--gamma", "2", "--delta", "1e-6")
    assert lines["exception, for each entity"].strip() == f"with probability at most 1e-6{over}"
    first, *_ = lines
    assert first == "noise multiplier to apply"
    assert lines[first].split()[0] == "7.2352"
    assert lines["mu of Gaussian DP"].strip() == "0.13822"
    assert "epsilon to apply" not in lines
    assert "not an epsilon to apply" in lines["privacy loss passes 0.69315"]


def test_plain_lines_of_calibrate_round_the_budget_down():
    lines = shown("calibrate", "--gamma", "2", "--prior", "0.3", "0.7")
    assert lines["epsilon to apply"].strip() == "0.8873 (replace-one)"
    assert "pure_dp_to_positive_membership (tramer-2015, Theorem 2" in lines["because"]


@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
def test_explain_says_which_data_sets_its_numbers_are_about(adjacency):
    words = ["explain", "--epsilon", "0.25", "--delta", "1e-6", "--adjacency", adjacency]
    first = run(*words).stdout.splitlines()[0]
    assert first.split(maxsplit=1) == ["epsilon", f"0.25, delta 1e-06 ({adjacency})"]


@pytest.mark.parametrize(
    ("arguments", "cautions"),
    [
        (("explain", "--epsilon", "1e6"), 1),
        (("explain", "--epsilon", "1"), 0),
        (("calibrate", "--gamma", "1e300"), 1),
        (("calibrate", "--gamma", "2"), 0),
    ],
)
def test_an_extreme_answer_begins_with_a_caution(arguments, cautions):
    assert len(answer(*arguments)["cautions"]) == cautions
    lines = run(*arguments).stdout.splitlines()
    assert [line.startswith("Caution: ") for line in lines[: cautions or 1]] == [bool(cautions)]
