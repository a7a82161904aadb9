import json
import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.cases.command_line import app
from tests.cases.prose import labelled, refusal_of
from tests.cases.refusals import says
from tests.cases.release_case import QUERIES, write_case
from tests.cases.signed_release import make_key, needs_ssh_keygen, public, release


def run(*words: object) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A plan's folder with its release, made once and only read, and what the command says."""
    folder = tmp_path_factory.mktemp("released")
    return folder, run("release", write_case(folder), "--out", folder / "out", "--json")


def test_release_then_check(released: tuple[Path, Any]) -> None:
    folder, answer = released
    assert answer.exit_code == 0, answer.stderr
    printed = json.loads(answer.stdout)
    assert printed["out"] == str(folder / "out")
    assert {"epsilon", "delta", "gamma", "gamma_outside", "queries"} <= set(printed)
    keys = {"name", "mechanism", "scale", "epsilon", "rho", "cells"}
    assert all(keys <= set(query) for query in printed["queries"])
    checked = run("check", folder / "out" / "certificate.json", "--json")
    assert checked.exit_code == 0
    assert json.loads(checked.stdout)["holds"] is True


def test_a_second_release_into_the_folder_is_wrong_input(released: tuple[Path, Any]) -> None:
    folder, _ = released
    again = run("release", folder / "visits.toml", "--out", folder / "out")
    assert again.exit_code == 2
    assert refusal_of(again.stderr).expected == "a new or empty folder"
    assert again.stdout == ""


def test_a_forged_certificate_fails_the_check(released: tuple[Path, Any], tmp_path: Path) -> None:
    path = shutil.copytree(released[0] / "out", tmp_path / "out") / "certificate.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["guarantee"]["gamma"] = 1.5
    path.write_text(json.dumps(document))
    answer = run("check", path)
    assert answer.exit_code == 2
    findings, (verdict, *_) = labelled(answer.stdout)
    guarantee = dict(findings)["guarantee"]
    assert guarantee == "Expected 2.0, got 1.5 at /guarantee/gamma."
    assert verdict == ("This release does not hold: do not rely on it.", "")


@pytest.mark.parametrize("command", ["plan", "preview"])
def test_plan_and_preview_answer_in_words_and_in_json(tmp_path: Path, command: str) -> None:
    path = write_case(tmp_path)
    words = run(command, path)
    assert words.exit_code == 0
    paragraphs = labelled(words.stdout)
    warning = ("NOT FOR PUBLICATION: exact figures of the data, for its owner only.", "")
    assert (paragraphs[0] == [warning]) == (command == "preview")
    printed = json.loads(run(command, path, "--json").stdout)
    assert len(printed["queries"]) == QUERIES
    first = 1 if command == "plan" else 2
    headings = [lines[0][0] for lines in paragraphs[first : first + QUERIES]]
    assert headings[0] == "rows by plan: count, 3 cells"
    assert [each.split(": ")[0] for each in headings] == [q["name"] for q in printed["queries"]]
    assert printed.get("not_for_publication", False) == (command == "preview")


def test_new_prints_a_plan_to_fill_in(tmp_path: Path) -> None:
    write_case(tmp_path)
    answer = run("new", tmp_path / "visits.parquet")
    assert answer.exit_code == 0
    plan = tomllib.loads(answer.stdout)
    assert plan["data"]["source"].endswith("visits.parquet")
    assert json.loads(run("new", tmp_path / "visits.parquet", "--json").stdout)["plan"]


@pytest.mark.parametrize(
    ("target", "status", "said"),
    [
        ("gamma = 0.5", 2, "gamma >= 1"),
        ("max_posterior = 0.4", 3, "max_posterior > 0.5, the upper end of `prior`"),
        ("gamma = 1", 3, "a target that some noise meets"),
        ("gamma = 2\nepsilon = 1", 2, "exactly one target"),
    ],
)
def test_wrong_plans_exit_2_and_unreachable_targets_3(
    tmp_path: Path, target: str, status: int, said: str
) -> None:
    path = write_case(tmp_path, target=target)
    for words in (("plan", path), ("release", path, "--out", tmp_path / "out")):
        answer = run(*words)
        assert answer.exit_code == status
        assert refusal_of(answer.stderr).expected == said
    assert not (tmp_path / "out").exists()


def test_an_unreadable_csv_value_changes_nothing_that_is_said_of_a_release(tmp_path: Path) -> None:
    said = []
    for value in ("secret", "30"):
        (tmp_path / "people.csv").write_text(f"age\n20\n{value}\n")
        (tmp_path / "plan.toml").write_text(
            '[data]\nsource = "people.csv"\n[target]\nepsilon = 1\n[[query]]\nname = "a"\n'
            'statistic = "sum"\ncolumn = "age"\nbounds = [0, 100]\n'
        )
        answer = run("release", tmp_path / "plan.toml", "--out", tmp_path / f"out {len(said)}")
        assert answer.exit_code == 0
        said.append(answer.stdout.replace("out 1", "out 0"))
    assert said[0] == said[1]


WRONG = {
    "a type": 'types = { day = "integer" }',
    "a date's format": 'csv = { date_format = "%d.%m.%Y" }\ntypes = { day = "date" }',
    "an encoding": 'csv = { encoding = "utf-8" }',
    "none": 'csv = { encoding = "latin-1" }',
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_a_wrong_declaration_is_told_to_the_terminal_and_to_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: str, as_json: list[str]
) -> None:
    """Whoever reads what is published cannot tell a declaration that empties a column."""
    monkeypatch.setattr("deniable.cli.publishing.is_watched", lambda: True)
    rows = [f"p{number},2024-01-{number % 28 + 1:02},m\xe4h" for number in range(60)]
    text = "\n".join(["person,day,word", *rows])
    (tmp_path / "x.csv").write_text(text, encoding="latin-1")
    (tmp_path / "plan.toml").write_text(
        f'[data]\nsource = "x.csv"\nentity = "person"\n{WRONG[wrong]}\n[target]\nepsilon = 1\n'
        '[limits]\nrows_per_entity = 1\n[[query]]\nname = "q"\nstatistic = "count"\n'
        + {
            "an encoding": 'where = [["word", "!=", "b"]]\n',
            "none": 'where = [["word", "!=", "b"]]\n',
            "a type": 'where = [["day", ">", 0]]\n',
        }.get(wrong, 'where = [["day", ">", 2024-01-05]]\n')
    )
    answer = run("release", tmp_path / "plan.toml", "--out", tmp_path / "out", *as_json)
    assert answer.exit_code == 0, answer.stderr
    told = re.findall(r'"(\w+)": ([\d.]+) % of its values cannot be read', answer.stderr)
    column = "word" if wrong == "an encoding" else "day"
    assert told == ([] if wrong == "none" else [(column, "100.0")])
    assert not re.search("cannot be read|unread|For you only", answer.stdout)
    for file in (tmp_path / "out").iterdir():
        content = file.read_bytes()
        assert b"unread" not in content
        assert b"cannot be read" not in content
        assert b"For you only" not in content


@pytest.mark.parametrize("command", ["release", "preview"])
def test_what_truncation_removes_is_told_to_the_terminal_and_to_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr("deniable.cli.publishing.is_watched", lambda: True)
    # Four rows a person: a limit of 1 leaves out three in four, a limit of 4 none.
    path = write_case(tmp_path, queries=["rows by plan"])
    plan = path.read_text(encoding="utf-8")
    answers = []
    for limit in (1, 4):
        text = plan.replace("rows_per_entity = 3", f"rows_per_entity = {limit}")
        path.write_text(text, encoding="utf-8")
        where = ["--out", tmp_path / f"out {limit}"] if command == "release" else []
        answers.append(run(command, path, *where, "--json"))
        assert answers[-1].exit_code == 0
    told = [re.findall(r"rows_per_entity = (\d+) left out ([\d.]+) %", a.stderr) for a in answers]
    assert told == [[("1", "75.0")], []]
    assert all("left out" not in answer.stdout for answer in answers)
    for file in tmp_path.glob("out*/*"):
        content = file.read_bytes()
        assert b"left out 75" not in content
        assert b"For you only" not in content


@pytest.mark.parametrize("command", ["plan", "preview", "release"])
@pytest.mark.parametrize(("epsilon", "cautious"), [("1e6", True), ("1.0", False)])
def test_an_extreme_budget_is_cautioned_of_wherever_it_is_told(
    tmp_path: Path, command: str, epsilon: str, cautious: bool
) -> None:
    path = write_case(tmp_path, target=f"epsilon = {epsilon}")
    # One query with little noise beside its bounds, so that only the budget can be extreme.
    text = path.read_text(encoding="utf-8").split("[[query]]")
    path.write_text(f"{text[0]}[[query]]{text[2]}", encoding="utf-8")
    where = {"release": ["--out", tmp_path / "out"]}.get(command, [])
    printed = json.loads(run(command, path, *where, "--json").stdout)
    assert bool(printed["cautions"]) is cautious
    where = {"release": ["--out", tmp_path / "again"]}.get(command, [])
    words = " ".join(run(command, path, *where).stdout.split())
    assert all(" ".join(each.split()) in words for each in printed["cautions"])


def test_a_plan_of_what_was_removed_is_previewed_released_and_checked(tmp_path: Path) -> None:
    path = write_case(tmp_path)
    text = path.read_text(encoding="utf-8").split("[[query]]")[0]
    path.write_text(
        f'{text}[[query]]\nname = "lost"\nstatistic = "removed"\nmost_rows = 9\n', encoding="utf-8"
    )
    (query,) = json.loads(run("preview", path, "--json").stdout)["removed"]
    assert (query["losses"]["total"], query["taking_part"], query["kept"]) == (161, 160, 120)
    assert run("release", path, "--out", tmp_path / "out").exit_code == 0
    assert json.loads(run("check", tmp_path / "out", "--json").stdout)["holds"] is True


def test_who_signed_is_told_and_a_signature_that_does_not_hold_ends_with_two(
    tmp_path: Path,
) -> None:
    needs_ssh_keygen()
    out, keys = release(tmp_path, "out"), tmp_path / "keys"
    key = make_key(tmp_path / "key")
    keys.write_text(f"kim@example.org {public(key)}\n", encoding="utf-8")
    signed = run("sign", out, "--key", key)
    assert (signed.exit_code, signed.stderr) == (0, "")
    assert re.match(
        r"Signed with the ED25519 key SHA256:\S+\.\nWritten to .*json\.sig\n", signed.stdout
    )
    answer = run("check", out, "--signed-by", keys)
    assert answer.exit_code == 0
    assert re.search(r"Signed by +kim@example.org, with the ED25519 key SHA256:", answer.stdout)
    assert "Signed by" not in run("check", out).stdout
    (out / "certificate.json.sig").unlink()
    for as_json in ([], ["--json"]):
        answer = run("check", out, "--signed-by", keys, *as_json)
        assert answer.exit_code == 2
        assert says(answer.stdout, "signature-by-one-of-the-keys")
    assert json.loads(answer.stdout)["signers"] == []


ROWS_PLAN = """
[data]
source = "people.csv"
types = { age = "integer" }
[target]
gamma = 2.0
[[query]]
name = "adults"
statistic = "count"
where = [["age", ">=", 18]]
"""


@pytest.mark.parametrize(
    ("text", "unreadable", "wrong"),
    [
        ("name,age\nTrillian,30\n", [], []),
        ("name,age\nTrillian,x\nFord,2\nMarvin,y\n", [("age", 2, [2, 4])], []),
        (
            "name,age\nTrillian\nFord,2,3\nMarvin,y\n",
            [],
            [("fewer values than columns", 1, [2]), ("more values than columns", 1, [3])],
        ),
        (
            'name,age\n"Trillian,30\nFord,2\n',
            [],
            [("a quotation mark that opens and never closes", None, [2])],
        ),
    ],
)
def test_preview_says_which_lines_cannot_be_read_and_no_value(tmp_path, text, unreadable, wrong):
    (tmp_path / "people.csv").write_text(text, encoding="utf-8")
    path = tmp_path / "people.toml"
    path.write_text(ROWS_PLAN, encoding="utf-8")
    answer = CliRunner().invoke(app, ["preview", str(path), "--rows", "--json"])
    assert answer.exit_code == 0, answer.stderr
    found = json.loads(answer.stdout)
    assert found["not_for_publication"] is True
    columns, lines = found["unreadable"], found["wrong_lines"]
    assert [(each["column"], each["count"], each["lines"]) for each in columns] == unreadable
    assert [(each["problem"], each["count"], each["lines"]) for each in lines] == wrong
    words = CliRunner().invoke(app, ["preview", str(path), "--rows"])
    told = re.findall(r"^people\.csv.*\n  line ([\d, ]+)$", words.stdout, re.MULTILINE)
    assert told == [", ".join(map(str, each[-1])) for each in [*wrong, *unreadable]]
    printed = answer.output + words.output
    assert not {"Trillian", "Ford", "Marvin"} & set(re.findall(r"\w+", printed))
