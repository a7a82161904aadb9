"""How batches were drawn, on the command line and in certificates."""

import html
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import deniable
from deniable.errors import InvalidArgument
from tests.cases.command_line import app
from tests.cases.effort import usual
from tests.cases.refusals import refuses

DRAWN = ["--batches", "allocation", "--steps-per-epoch", "10", "--epochs", "3"]
NOISE = ["--noise-multiplier", "1.5"]


def run(*words):
    return CliRunner().invoke(app, list(map(str, words)))


def answer(*words):
    """The one JSON object on standard output."""
    done = run(*words, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.fixture
def history(tmp_path):
    path = tmp_path / "history.json"
    path.write_text(json.dumps([[1.5, 0.1, 30]]), encoding="utf-8")
    return path


def test_explain_says_both_directions_and_how_batches_were_drawn():
    found = answer("training", "explain", *DRAWN, *NOISE)
    assert (found["batches"], found["neighbours"], found["records_per_person"]) == (
        "allocation", "zero-out", 1,
    )  # fmt: skip
    ends = found["epsilon_remove"], found["epsilon_add"]
    assert found["epsilon"] == max(end["upper"] for end in ends)
    assert all(end["lower"] <= end["upper"] for end in (*ends, found["fnr_bound"]))


def test_a_history_and_a_way_are_the_same_training(history):
    numbers = answer("training", "explain", *DRAWN, *NOISE)
    of_history = answer("training", "explain", history, "--batches", "allocation")
    assert of_history["epsilon_bound"] == numbers["epsilon_bound"]


def test_rates_and_steps_stay_poisson_samples():
    numbers = ["--sample-rate", "0.1", "--steps", "30"]
    found = answer("training", "explain", *numbers, *NOISE)
    assert found["batches"] == "poisson"
    said = answer("training", "explain", *numbers, *NOISE, "--batches", "poisson")
    assert said["epsilon_bound"] == found["epsilon_bound"]


def test_calibration_is_two_sided_and_meets_its_target():
    found = answer("training", "calibrate", *DRAWN, "--advantage", "0.2")
    enough, little = found["noise_multiplier"], found["noise_multiplier_lower"]
    assert little < enough < 1.01 * little
    assert found["advantage"]["upper"] <= 0.2
    less = deniable.BatchedTraining("allocation", little * 0.999, 10, 3)
    assert deniable.explain_training(less).advantage.lower > 0.2


def test_a_certificate_asks_how_batches_were_drawn(history, tmp_path):
    refused = run("training", "certify", history, "--engine", "opacus", "--out", tmp_path / "out")
    assert (refused.exit_code, "--batches" in refused.output) == (2, True)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("way", ["allocation", "shuffled", "fixed-order"])
def test_what_was_answered_stands_in_the_certificate_on_trust(history, tmp_path, way):
    out = tmp_path / "out"
    words = [history, "--engine", "opacus", "--batches", way]
    answer("training", "certify", *words, "--out", out)
    document = json.loads((out / "certificate.json").read_text(encoding="utf-8"))
    assert document["training"]["sampling"] == way
    assert document["training"]["batches"]["steps_per_epoch"] == 10
    assert not any("Poisson" in each for each in document["assumptions"])
    checked = deniable.check(out)
    assert checked.holds
    assert "/training/sampling" in {each.what for each in checked.on_trust}
    leaves = ["epochs", "neighbours", "records_per_person"]
    for leaf in usual(leaves[:1], leaves) if way == "allocation" else leaves:  # of two: seconds
        other = {"epochs": 2, "neighbours": "replace-one", "records_per_person": 2}[leaf]
        forged = json.loads(json.dumps(document))
        forged["training"]["batches"][leaf] = other
        (out / "certificate.json").write_text(json.dumps(forged), encoding="utf-8")
        assert not deniable.check(out).holds, leaf


def test_a_shuffled_run_is_no_charge_to_a_ledger_of_presence(history, tmp_path):
    book = tmp_path / "models.ledger"
    deniable.ledger.new(
        book, "records", epsilon=20.0, delta=1e-5, adjacency="add-remove", each_row=True
    )
    account = {"ledger": book, "dataset": "records", "engine": "opacus"}
    with refuses(InvalidArgument, "leave-ledger-out"):
        deniable.certify_training(history, tmp_path / "out", batches="shuffled", **account)
    deniable.certify_training(history, tmp_path / "out", batches="allocation", **account)


def test_no_way_of_drawing_protects_best_in_everything():
    words = ["--noise-multiplier", "1", "--steps-per-epoch", "40", "--epochs", "4"]
    found = answer("training", "compare", *words)
    rows = {row["batches"]: row for row in found["rows"]}
    assert len(rows) == 7
    assert (
        rows["allocation"]["epsilon_remove"]["upper"] < rows["poisson"]["epsilon_remove"]["lower"]
    )
    assert rows["poisson"]["epsilon_add"]["upper"] < rows["allocation"]["epsilon_add"]["lower"]
    assert "Choose by the belief" in found["verdict"]


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["explain", *NOISE, "--drop-last", "--sample-rate", "0.1", "--steps", "30"], "--batches"),
        (["explain", *NOISE, "--batches", "bucketed", "--epochs", "1"], "batches"),
        (["explain", *NOISE, "--batches", "shuffled", "--epochs", "3"], "--steps-per-epoch"),
        (["explain", *DRAWN], "--noise-multiplier"),
        (["explain", *NOISE, *DRAWN, "--neighbours", "some"], "neighbours"),
        (["compare", "--epochs", "3", "--steps-per-epoch", "10"], "noise_multiplier"),
    ],
)
def test_what_is_missing_is_named(words, named):
    refused = run("training", *words)
    assert refused.exit_code == 2
    assert named.strip("-").replace("-", "_") in refused.output.replace("-", "_")


def words_of(page):
    """The text of a page, blanks joined."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


@pytest.mark.parametrize(
    ("settings", "said", "unsaid"),
    [
        ({"batches": "shuffled"}, ["shuffled by chance before", "nobody knows", "silent"], []),
        ({"batches": "allocation"}, ["drew one step of each epoch", "silent"], ["nobody knows"]),
        ({"batches": "fixed-order", "neighbours": "replace-one"}, ["exchanged for"], ["nobody kn"]),
        (
            {"batches": "poisson", "records_per_person": 3},
            ["up to 3 records of one person", "More than 3 records that belong together"],
            ["is not protected as one. Other", "a person who owns several records"],
        ),
    ],
)
def test_a_report_says_how_batches_were_drawn(tmp_path, settings, said, unsaid):
    trained = deniable.BatchedTraining(
        noise_multiplier=2.0, steps_per_epoch=10, epochs=3, **settings
    )
    deniable.certify_training(trained, tmp_path / "out", engine="dp-sgd")
    text = words_of((tmp_path / "out" / "report.html").read_text(encoding="utf-8"))
    assert all(each in text for each in said)
    assert not any(each in text for each in [*unsaid, "took part with a probability"])
    assert deniable.check(tmp_path / "out").holds


def test_the_second_checker_covers_no_training(history, tmp_path):
    out = tmp_path / "out"
    deniable.certify_training(history, out, engine="opacus", batches="shuffled")
    done = subprocess.run(
        [sys.executable, "-m", "second_checker", str(out)],
        cwd=Path(__file__).parents[4], capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert lines[-1] == "cannot tell"
    assert any(line.startswith("not covered: /guarantee/epsilon") for line in lines)
    assert not any(line.startswith(("verified: /guarantee", "verified: /train")) for line in lines)


def test_a_history_may_say_in_plain_words_how_it_drew(tmp_path):
    path = tmp_path / "plain.json"
    stated = {"batches": "allocation", "noise_multiplier": 1.5, "steps_per_epoch": 10, "epochs": 3}
    path.write_text(json.dumps(stated), encoding="utf-8")
    by_numbers = answer("training", "explain", *DRAWN, *NOISE)
    assert answer("training", "explain", path)["epsilon_bound"] == by_numbers["epsilon_bound"]
    words = ["training", "certify", path, "--engine", "dp-sgd"]
    assert answer(*words, "--out", tmp_path / "out")["batches"] == "allocation"
    assert deniable.check(tmp_path / "out").holds
    other = run(*words, "--batches", "shuffled", "--out", tmp_path / "other")
    assert other.exit_code == 2
    path.write_text(json.dumps(stated | {"packed": True}), encoding="utf-8")
    assert "packed" in run(*words, "--out", tmp_path / "other").output


@pytest.mark.parametrize("way", ["shuffled", "fixed-order", "allocation", "poisson"])
def test_no_label_of_a_record_that_is_gone_stands_on_one_that_is_silent(history, tmp_path, way):
    """Where add-remove is refused, nothing that is printed or derived later says it."""
    out = tmp_path / "out"
    words = [history, "--engine", "opacus", "--batches", way]
    answer("training", "certify", *words, "--out", out)
    explained = answer("training", "explain", history, "--batches", way)
    document = json.loads((out / "certificate.json").read_text(encoding="utf-8"))
    labels = json.dumps([document["unit"], document["derivation"], explained["adjacency"]])
    is_gone = way in {"allocation", "poisson"}
    assert ("add-remove" in labels) == is_gone
    risk = run("risk", out / "certificate.json")
    assert risk.exit_code == (0 if is_gone else 3)
    assert ("add-remove" in risk.output) == is_gone
    dossier = run("dossier", out, "--for", "nist")
    assert is_gone or "one unit more than the other" not in dossier.output
    assert dossier.exit_code == 0
    assert deniable.check(out).holds
