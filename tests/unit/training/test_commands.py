import json
import re

import pytest
from click.testing import CliRunner

import deniable
from tests.cases.command_line import app
from tests.cases.refusals import says

RUN = ["--sample-rate", "0.125", "--steps", "8", "--noise-multiplier", "2"]
HISTORY = [(2.0, 0.125, 8)]


def run(*words):
    return CliRunner().invoke(app, ["training", *map(str, words)])


def answer(*words):
    """The one JSON object on standard output."""
    found = run(*words, "--json")
    assert (found.exit_code, found.stderr) == (0, ""), found.output
    return json.loads(found.stdout, parse_constant=pytest.fail)


def lines(*words):
    """Names and values, as they are printed for people."""
    found = run(*words)
    assert (found.exit_code, found.stderr) == (0, ""), found.output
    pairs = [re.split(r" {2,}", line, maxsplit=1) for line in found.stdout.splitlines() if line]
    assert all(len(line) <= 2 for line in pairs)
    return pairs


def test_explain_is_the_public_function_from_numbers_and_from_a_file(tmp_path):
    path = tmp_path / "history.json"
    path.write_text(json.dumps(HISTORY))
    asked = {"delta": 1e-5, "prior": (0.01, 0.1), "fpr": 0.05}
    words = ["--delta", 1e-5, "--prior", 0.01, 0.1, "--fpr", 0.05]
    expected = deniable.explain_training(HISTORY, **asked).as_json()
    assert answer("explain", *RUN, *words) == answer("explain", path, *words) == expected


def test_without_delta_the_default_is_used_and_named():
    told = dict(pair for pair in lines("explain", *RUN) if len(pair) == 2)
    assert float(told["delta"].split(",")[0]) == 1e-6
    assert "delta" not in dict(pair for pair in lines("explain", *RUN, "--delta", 1e-6))
    assert answer("explain", *RUN) == deniable.explain_training(HISTORY).as_json()


def test_what_is_printed_is_rounded_to_the_safe_side():
    told = dict(lines("explain", *RUN, "--prior", 0.01, 0.1))
    exact = deniable.explain_training(HISTORY, prior=(0.01, 0.1))
    epsilon = float(told["epsilon"].split(",")[0])
    assert exact.epsilon.upper <= epsilon < exact.epsilon.upper * 1.001
    low, high = json.loads(told["belief 0.1 stays in"])
    assert low <= exact.posterior[1].lower
    assert exact.posterior[1].upper <= high
    low, high = json.loads(told["advantage"].removeprefix("in "))
    assert low <= exact.advantage.lower
    assert exact.advantage.upper <= high
    missed = float(told["members missed, flagging 0.01 of the others"].removeprefix("at least "))
    assert missed <= exact.fnr.lower


def test_calibrate_prints_noise_that_is_enough_and_noise_that_is_not():
    words = ["--sample-rate", 0.125, "--steps", 8, "--advantage", 0.2]
    told = dict(pair for pair in lines("calibrate", *words) if pair[0] != "because")
    exact = answer("calibrate", *words)
    assert exact["advantage"]["upper"] <= 0.2
    assert float(told["noise multiplier to apply"]) >= exact["noise_multiplier"]
    assert float(told["too little, certainly, below"]) <= exact["noise_multiplier_lower"]
    assert exact == deniable.calibrate_training(sample_rate=0.125, steps=8, advantage=0.2).as_json()


def test_certify_writes_both_files_charges_and_says_so(tmp_path):
    book, out = tmp_path / "book.ledger", tmp_path / "out"
    deniable.ledger.new(
        book, "records", advantage=0.9, delta=1e-5, adjacency="add-remove", each_row=True
    )
    found = answer("certify", *RUN, "--out", out, "--ledger", book, "--dataset", "records")
    certificate = json.loads((out / "certificate.json").read_text(encoding="utf-8"))
    assert found["ledger"] == certificate["ledger"]
    assert (found["target"], found["out"]) == (None, str(out))
    assert found["delta"] == certificate["guarantee"]["delta"] == 1e-6
    assert {path.name for path in out.iterdir()} == {"certificate.json", "report.html"}
    refused = run("certify", *RUN, "--out", tmp_path / "less", "--advantage", 0.01)
    assert (refused.exit_code, refused.stdout) == (3, "")
    assert not (tmp_path / "less").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["explain"],
        ["explain", *RUN[:4]],
        ["explain", "history.json", *RUN],
        ["explain", *RUN, "--delta", "0"],
        ["explain", *RUN, "--fpr", "1"],
        ["calibrate", *RUN[:4]],
        ["calibrate", *RUN[:4], "--gamma", "2", "--epsilon", "1"],
        ["certify", *RUN, "--out", "{out}", "--fnr", "0.5"],
        ["certify", *RUN, "--out", "{out}", "--dataset", "records"],
    ],
)
def test_wrong_words_are_one_line_and_nothing_is_written(tmp_path, words):
    found = run(*(word.format(out=tmp_path / "out") for word in words))
    assert (found.exit_code, found.stdout) == (2, "")
    assert len(found.stderr.splitlines()) == 1
    assert found.stderr.startswith("Expected ")
    assert list(tmp_path.iterdir()) == []


def test_both_directions_are_printed_with_the_one_that_decides():
    found, stated = run("explain", *RUN).stdout, answer("explain", *RUN)
    remove, add = (stated[f"epsilon_{name}"]["upper"] for name in ("remove", "add"))
    assert remove > add
    removed, added = re.findall(r"epsilon of a record (?:removed|added):? +(.+)", found)
    assert removed.endswith(", which decides")
    assert "decides" not in added
    ends = [float(re.search(r", ([\d.]+)\]", line)[1]) for line in (removed, added)]
    assert ends == pytest.approx([remove, add], rel=1e-2)
    full = run("explain", "--noise-multiplier", "1", "--sample-rate", "1", "--steps", "1").stdout
    assert "of a record" not in full  # the same both ways


SCRIPT = ["--records", "1000", "--batch-size", "64", "--epochs", "3"]


def test_a_script_s_numbers_are_its_rate_and_steps():
    """64 of 1,000 records, and three times the 16 steps that cover them."""
    words = ["--noise-multiplier", "1"]
    direct = answer("explain", *words, "--sample-rate", "0.064", "--steps", "48")
    found = run("explain", *words, *SCRIPT, "--json")
    assert json.loads(found.stdout) == direct
    note = "sample rate and steps: 0.064 and 48: rate 64/1000; 3 times 16 steps (1000/64, rounded"
    assert found.stderr.startswith(note)
    printed = run("explain", *words, *SCRIPT).stdout
    assert "3 times 16 steps" in printed
    assert "Poisson" in printed


def test_a_true_positive_rate_is_one_minus_what_is_missed():
    words = ["--sample-rate", "1", "--steps", "1", "--fpr", "0.25"]
    by_fnr, by_tpr = (
        answer("calibrate", *words, *each) for each in (["--fnr", "0.5"], ["--tpr", "0.5"])
    )
    assert by_fnr == by_tpr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["explain", *SCRIPT[:4], "--noise-multiplier", "1"], "got --records and --batch-size"),
        (["explain", *SCRIPT, "--steps", "1", "--noise-multiplier", "1"], "and --steps. Give all"),
        (["calibrate", "--epsilon", "1"], "--sample-rate and --steps, or --records, --batch-size"),
        (["explain", "--records", "5", "--batch-size", "6", "--epochs", "1"], "--batch-size 6"),
        (["calibrate", *SCRIPT, "--fpr", "0.1", "--fnr", "0.5", "--tpr", "0.5"], "got both"),
        (["calibrate", *SCRIPT, "--fpr", "0.1", "--tpr", "50"], "--tpr"),
    ],
)
def test_half_a_script_is_refused(words, message):
    found = run(*words)
    assert found.exit_code == 2
    assert message in found.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--fpr", "0.1", "--tpr", "0"], "Expected 0 < --tpr < 1, got --tpr 0"),
        (["--fpr", "0.1", "--tpr", "1"], "Expected 0 < --tpr < 1, got --tpr 1"),
        (["--fpr", "0.5", "--tpr", "0.3"], "Expected --tpr > --fpr, got --tpr 0.3, --fpr 0.5"),
        (["--tpr", "0.3"], "Expected --fpr with --tpr, got --tpr alone"),
        (["--fpr", "0.1", "--tpr", "0.3", "--gamma", "2"], "got --tpr and --gamma"),
        (["--fpr", "0.5", "--fnr", "0.7"], "Expected --fnr + --fpr < 1, got --fnr 0.7"),
        (["--fnr", "0.7"], "Expected --fpr with --fnr, got --fnr alone"),
    ],
)
def test_what_is_wrong_is_said_of_the_rate_that_was_typed(words, message):
    found = run("calibrate", "--sample-rate", "0.1", "--steps", "10", *words)
    assert found.exit_code in (2, 3)
    assert message in found.stderr
    assert ("fnr" in found.stderr) == ("--fnr" in words)


def test_an_option_of_a_command_leads_to_the_nearest_that_has_it():
    ran = CliRunner().invoke(app, ["training", "--records", "100"])
    assert ran.exit_code == 2
    assert says(ran.stderr, "belongs-to-command: training calibrate")


def test_of_two_ends_that_print_alike_neither_decides():
    """Which of them is larger by the last digit depends on the machine."""
    nearly_all = ["--noise-multiplier", "2", "--sample-rate", "0.999999", "--steps", "3"]
    stated = answer("explain", *nearly_all)
    remove, add = (stated[f"epsilon_{name}"]["upper"] for name in ("remove", "add"))
    assert remove != add
    removed, added = re.findall(
        r"record (?:removed|added):? +(.+)", run("explain", *nearly_all).stdout
    )
    assert removed == added
