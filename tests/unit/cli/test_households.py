"""`deniable explain --household`: the options and the lines."""

import json

import pytest
from click.testing import CliRunner

from tests.cases.command_line import app


def run(*words):
    return CliRunner().invoke(app, ["explain", *words])


def test_the_table_names_the_model_and_what_holds_if_it_is_wrong():
    answer = run("pure-dp:0.5@add-remove", "--household", "4", "--icc", "0.2")
    assert answer.exit_code == 0
    for words in ("intra-class correlation at most 0.2, Beta(a, b) prior", "if the model is wrong",
                  "0.45086", "10 people, all in or all out", "0.94283"):  # fmt: skip
        assert words in answer.output


def test_a_budget_is_read_from_options_too():
    words = ("--epsilon", "0.5", "--adjacency", "add-remove", "--household", "2", "--json")
    assert json.loads(run(*words).output)["households"]["loss"] == 1.0
    with_delta = run(*words[:-1], "--delta", "1e-8", "--json")
    assert json.loads(with_delta.output)["adjacency"] == "add-remove"


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (("pure-dp:1", "--household", "2"), "@add-remove"),
        (("pure-dp:1@add-remove", "--icc", "0.1"), "--household"),
        (("--household", "2"), "SPEC or --epsilon"),
        (("--half-width", "5", "--household", "2"), "--half-width"),
        (("pure-dp:1@add-remove", "--household", "0"), "--household >= 1"),
    ],
)
def test_a_wrong_question_is_answered_with_what_to_type(words, remedy):
    answer = run(*words)
    assert answer.exit_code == 2
    assert remedy in answer.output


def ask(*words):
    return CliRunner().invoke(app, words)


CALIBRATE = (
    "calibrate", "--max-posterior", "0.5", "--prior", "0.01", "0.1", "--adjacency", "add-remove",
)  # fmt: skip


@pytest.mark.parametrize(
    ("model", "epsilon"),
    [((), 0.5493), (("--icc", "0.2"), 1.0704), (("--odds-ratio", "2"), 0.9715)],
)
def test_a_budget_is_found_from_the_belief_about_one_of_a_household(model, epsilon):
    answer = json.loads(ask(*CALIBRATE, "--household", "4", *model, "--json").output)
    assert answer["epsilon"] == pytest.approx(epsilon, abs=5e-5)
    explained = json.loads(
        run(
            f"pure-dp:{answer['epsilon']!r}@add-remove", "--household", "4", *model, "--json"
        ).output
    )
    assert 0.4999 < explained["households"]["posterior"][-1]["upper"] <= 0.5
    assert answer["derivation"][-1]["to"].startswith("max-posterior:0.5@add-remove")
    lines = ask(*CALIBRATE, "--household", "4", *model).output
    assert ("if the model is wrong" in lines) == bool(model)


def test_the_risk_about_one_of_a_household_is_that_of_the_larger_loss():
    tied = json.loads(ask("risk", "pure-dp:0.5@add-remove", "--household", "3", "--json").output)
    alone = json.loads(ask("risk", "pure-dp:1.5@add-remove", "--json").output)
    assert [x["success"] for x in tied["risks"]] == [x["success"] for x in alone["risks"]]
    assert tied["guarantee"] == "pure-dp:0.5@add-remove"
    assert "households of up to 3" in tied["households"]
    said = ask("risk", "zcdp:0.01@add-remove", "--household", "2").output
    assert "right about one person's presence" in said
    assert "attribute" not in said  # what members' records say of each other is not covered
    group = json.loads(ask("risk", "zcdp:0.01@add-remove", "--household", "2", "--json").output)
    four = json.loads(ask("risk", "zcdp:0.04@add-remove", "--json").output)
    assert [x["success"] for x in group["risks"]] == [x["success"] for x in four["risks"]]


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (("calibrate", "--gamma", "2", "--household", "2"), "--adjacency add-remove"),
        (("calibrate", "--gamma", "2", "--adjacency", "add-remove", "--icc", "0.2"), "--household"),
        ((*CALIBRATE, "--household", "2", "--delta", "1e-6", "--icc", "0.2"), "odds ratio"),
        ((*CALIBRATE, "--household", "2", "--icc", "0.1", "--odds-ratio", "2"), "one model"),
        (("risk", "pure-dp:1", "--household", "2"), "@add-remove"),
        (("risk", "zcdp:0.1@add-remove", "--household", "2", "--odds-ratio", "2"), "model out"),
        (("risk", "pure-dp:1@add-remove", "--household", "2", "--candidates", "3"), "candidates"),
        (("risk", "pure-dp:1@add-remove", "--difference", "0.1"), "--household"),
        (("risk", "positive-membership:2@add-remove", "--household", "2"), "pure-dp"),
    ],
)
def test_a_wrong_question_to_calibrate_and_risk_names_the_remedy(words, remedy):
    answer = ask(*words)
    assert answer.exit_code == 2
    assert remedy in answer.output
