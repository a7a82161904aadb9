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
    for words in ("intra-class correlation at most 0.2", "if the model is wrong", "0.45086",
                  "10 people, all in or all out", "0.94283"):  # fmt: skip
        assert words in answer.output


def test_a_budget_is_read_from_options_too():
    words = ("--epsilon", "0.5", "--adjacency", "add-remove", "--household", "2", "--json")
    assert json.loads(run(*words).output)["loss"] == 1.0
    with_delta = run(*words[:-1], "--delta", "1e-8", "--json")
    assert json.loads(with_delta.output)["guarantee"] == "approx-dp:0.5,1e-08@add-remove"


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (("pure-dp:1", "--household", "2"), "@add-remove"),
        (("pure-dp:1@add-remove", "--icc", "0.1"), "--household"),
        (("--household", "2"), "SPEC or --epsilon"),
        (("--half-width", "5", "--household", "2"), "--half-width"),
        (("pure-dp:1@add-remove", "--household", "0"), "household_size >= 1"),
    ],
)
def test_a_wrong_question_is_answered_with_what_to_type(words, remedy):
    answer = run(*words)
    assert answer.exit_code == 2
    assert remedy in answer.output
