import json
import re

import pytest
from click.testing import CliRunner

import deniable
from deniable.judge.verify import BELIEFS
from tests.cases.command_line import app
from tests.cases.prose import refusal_of

SPEC = {
    "universe": ["a", "b"],
    "outputs": ["0", "1"],
    "rows": {"": [0.8, 0.2], "a": [0.5, 0.5], "b": [0.5, 0.5], "a,b": [0.0, 1.0]},
}


@pytest.fixture
def spec(tmp_path):
    path = tmp_path / "spec.json"
    path.write_text(json.dumps(SPEC), encoding="utf-8")
    return str(path)


def run(*words):
    return CliRunner().invoke(app, ["verify", *words])


def answer(*words):
    found = run(*words, "--json")
    assert (found.exit_code, found.stderr) == (0, "")
    return json.loads(found.stdout, parse_constant=pytest.fail)


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        (["independent"], {}),
        (["bounded"], {}),
        (["sampling", "--rate", "0.3"], {"rate": 0.3}),
        (["bounded-prior", "--prior", "0.3", "0.7"], {"prior": (0.3, 0.7)}),
        (["independent-prior", "--prior", "0", "0.5"], {"prior": (0.0, 0.5)}),
    ],
    ids=lambda each: str(each[0]) if isinstance(each, list) else "",
)
def test_it_is_the_public_function(spec, words, arguments):
    found = answer(spec, "--family", *words)
    expected = deniable.verify(SPEC, words[0], **arguments).as_json()
    assert list(found) == list(expected)
    for key in ("positive_gamma", "witness", "semantic", "curve", "adjacency"):
        assert found[key] == json.loads(json.dumps(expected[key]).replace("Infinity", '"inf"'))


def test_infinity_is_text(spec):
    assert answer(spec, "--family", "independent")["negative_gamma"] == "inf"


def test_a_table_from_a_file(spec, tmp_path):
    table = tmp_path / "prior.json"
    table.write_text('{"": 0.5, "b,a": 0.5}', encoding="utf-8")
    found = answer(spec, "--family", "table", "--table", str(table))
    assert found["positive_gamma"] == pytest.approx(3.0)
    assert found["bayesian_dp"] == "inf"


def shown(*words):
    found = run(*words)
    assert (found.exit_code, found.stderr) == (0, "")
    return dict(line.strip().split("  ", 1) for line in found.stdout.splitlines())


def test_plain_lines(spec):
    lines = {name: value.strip() for name, value in shown(spec, "--family", "uninformed").items()}
    assert lines["positive gamma, uninformed"] == "1.5715"  # 11/7
    assert lines["shown by entity, output"] in {"a, 0", "a, 1"}
    assert lines["under the prior"] == "{} 0.25, {a} 0.25, {b} 0.25, {a,b} 0.25"
    assert lines["epsilon, add-remove"] == "inf"
    assert lines["identifiability among 2 worlds"] == "0.5"
    assert lines["advantage, add-remove"] == "0.5"
    assert "Bayesian-DP leakage" not in lines
    assert "epsilon under sampling" not in lines


def test_plain_lines_of_what_lacks(tmp_path):
    path = tmp_path / "spec.json"
    rows = {"a": [0.5, 0.5], "b": [0.25, 0.75]}
    path.write_text(json.dumps(SPEC | {"rows": rows}), encoding="utf-8")
    lines = shown(str(path), "--family", "bounded", "--rate", "0.5")
    lines = {name: value.strip() for name, value in lines.items()}
    assert lines["positive gamma, bounded"] == "2"
    assert lines["epsilon, add-remove"] == "not applicable"
    assert "epsilon under sampling" not in lines


def test_plain_lines_of_a_joint_law(spec, tmp_path):
    table = tmp_path / "prior.json"
    table.write_text('{"": 0.5, "a": 0.5}', encoding="utf-8")
    lines = shown(spec, "--family", "table", "--table", str(table), "--rate", "0.5")
    assert {"Bayesian-DP leakage", "epsilon under sampling"} <= set(lines)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--family", "nonsense"],
            {
                "expected": "--family to be one of "
                "independent, bounded, bounded-pair, universal, uninformed, "
                "identifiability, sampling, bounded-prior, independent-prior, table, population, "
                "households"
            },
        ),
        (["--family", "table"], {"expected": "--table with the family table"}),
        (
            ["--family", "bounded-prior", "--prior", "0.7", "0.3"],
            {"remedy": "Put the lower end first."},
        ),
        (["--family", "sampling"], {"expected": "--rate with the family sampling"}),
    ],
    ids=str,
)
def test_refusals_are_one_line_on_standard_error(spec, words, said):
    for form in (words, [*words, "--json"]):
        found = run(spec, *form)
        assert (found.exit_code, found.stdout) == (2, "")
        assert refusal_of(found.stderr).parts(*said) == said
        assert len(found.stderr.splitlines()) == 1


def test_a_row_that_is_no_law(tmp_path):
    path = tmp_path / "spec.json"
    rows = SPEC["rows"] | {"a": [0.5, 0.4]}
    path.write_text(json.dumps(SPEC | {"rows": rows}), encoding="utf-8")
    found = run(str(path), "--family", "independent")
    assert (found.exit_code, found.stdout) == (2, "")
    said = 'Expected the row of "a" to sum to 1, got a sum of 0.9.'
    assert found.stderr == f"{said} The file is {path}.\n"


def test_no_such_file(tmp_path):
    found = run(str(tmp_path / "none.json"), "--family", "independent")
    assert found.exit_code == 2
    missing = tmp_path / "none.json"
    assert refusal_of(found.stderr).got == f"'{missing}', not a file"


@pytest.mark.parametrize(
    ("words", "family"),
    [
        (["--prior", "0.25", "0.5"], "independent-prior"),
        (["--rate", "0.25"], "sampling"),
        (["--size", "1"], "population"),
    ],
)
def test_a_family_left_out_is_that_of_another_option(spec, words, family):
    assert answer(spec, *words) == answer(spec, "--family", family, *words)


def test_with_nothing_to_choose_by_every_family_is_named(spec):
    found = run(spec)
    assert found.exit_code == 2
    help_text = " ".join(run("--help").stdout.split())
    for word in BELIEFS:
        assert f"{word} (" in found.stderr
        assert word in help_text


LAW = [0.75, 0.25], [0.25, 0.75]


@pytest.mark.parametrize(
    "rows",
    [
        {"": LAW[0], "a": LAW[1]},
        list(LAW),
        {"universe": ["a"], "outputs": ["no", "yes"], "rows": {"": LAW[0], "a": LAW[1]}},
        {"universe": ["a", "b"], "outputs": ["0", "1"], "rows": {"b": LAW[0], "a,b": LAW[1]}},
    ],
)
def test_two_laws_of_one_person_need_no_family(tmp_path, rows):
    path = tmp_path / "law.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    found = answer(str(path))
    assert found["positive_gamma"] == found["negative_gamma"] == 3.0
    assert (found["adjacency"], found["advantage"]) == ("add-remove", 0.5)


def test_two_laws_of_one_of_two_need_no_family(tmp_path):
    path = tmp_path / "law.json"
    path.write_text(json.dumps({"a": LAW[0], "b": LAW[1]}), encoding="utf-8")
    found = answer(str(path))
    assert (found["family"], found["adjacency"]) == ("bounded-pair", "replace-one")
    assert found["positive_gamma"] == 3.0


def test_two_laws_of_data_sets_that_are_no_neighbours_need_a_family(tmp_path):
    path = tmp_path / "law.json"
    path.write_text(json.dumps({"": LAW[0], "a,b": LAW[1]}), encoding="utf-8")
    assert run(str(path)).exit_code == 2


def test_help_shows_a_file_that_is_taken(tmp_path):
    shown = re.search(r"JSON: (\{.*?\})\.", " ".join(run("--help").stdout.split()))
    path = tmp_path / "law.json"
    path.write_text(shown[1], encoding="utf-8")
    assert answer(str(path))["positive_gamma"] == 3.0
