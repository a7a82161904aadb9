"""`verify --household`: options, lines and refusals."""

import json

import pytest
from click.testing import CliRunner

from tests.cases.command_line import app

SPEC = {
    "universe": ["a", "b"],
    "outputs": ["0", "1"],
    "rows": {"": [0.75, 0.25], "a": [0.5, 0.5], "b": [0.5, 0.5], "a,b": [0.25, 0.75]},
}


@pytest.fixture
def judge(tmp_path):
    file = tmp_path / "spec.json"
    file.write_text(json.dumps(SPEC))
    return lambda *words: CliRunner().invoke(app, ["verify", str(file), *words])


def test_the_worst_law_stands_in_the_answer(judge):
    answer = json.loads(judge("--household", "2", "--json").output)
    assert answer["family"] == "households"
    assert answer["positive_gamma_here"] == 3.0  # .75 against .25: both in, or both out
    assert set(answer["witness"]["prior"]) == {"", "a,b"}
    lines = judge("--family", "households", "--household", "2", "--odds-ratio", "4").output
    assert "positive gamma, households" in lines
    assert "Bayesian-DP leakage" in lines


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (("--icc", "0.2"), "--household=4"),
        (("--family", "households"), "--household"),
        (("--family", "independent", "--household", "2"), "--household"),
        (("--household", "2", "--icc", "0.2", "--odds-ratio", "2"), "one model"),
        (("--household", "0"), "--household >= 1"),
    ],
)
def test_a_wrong_question_is_answered_with_what_to_type(judge, words, remedy):
    answer = judge(*words)
    assert answer.exit_code == 2
    assert remedy in answer.output.replace("--household 4", "--household=4")
