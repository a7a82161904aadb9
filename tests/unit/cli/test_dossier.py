"""`deniable dossier` and `check --dossier` on the command line."""

import json
from pathlib import Path

from click.testing import CliRunner

import deniable
from tests.cases.command_line import app

GOLDEN = Path(__file__).resolve().parents[2] / "data" / "golden"
PLAN = str(GOLDEN / "plan")


def run(*words):
    answer = CliRunner().invoke(app, [*words])
    return answer.exit_code, answer.stdout, answer.stderr


def test_it_prints_the_questions_with_their_answers():
    status, printed, told = run("dossier", PLAN, "--for", "gdpr", "--baseline", "0.2")
    assert (status, told) == (0, "")
    answer = deniable.dossier(PLAN, "gdpr", baselines=[0.2])
    for each in answer.answers:
        assert f"{each.question.words} [{each.status}]" in printed
    assert "success, from 0.2 without the release" in printed
    assert f"{len(answer.answers)} questions: {answer.counts['computed']} computed" in printed


def test_what_json_prints_is_checked(tmp_path):
    _, printed, _ = run("dossier", PLAN, "--for", "hipaa", "--candidates", "8", "--json")
    assert json.loads(printed) == deniable.dossier(PLAN, "hipaa", candidates=8).as_json()
    place = tmp_path / "dossier.json"
    place.write_text(printed, encoding="utf-8")
    status, said, _ = run("check", PLAN, "--dossier", str(place))
    assert status == 0
    assert "every word and figure is the same" in said
    success = json.loads(printed)["statements"][0]["figures"][0]["upper"]
    place.write_text(printed.replace(repr(success), repr(success * 0.5)), encoding="utf-8")
    status, said, _ = run("check", PLAN, "--dossier", str(place))
    assert status == 2
    assert repr(success * 0.5) in said


def test_a_page_is_written_and_checked(tmp_path):
    place = str(tmp_path / "dossier.html")
    status, printed, _ = run("dossier", PLAN, "--for", "nist", "--out", place)
    assert status == 0
    assert f"Written to {place}" in printed
    assert run("check", PLAN, "--dossier", place)[0] == 0
