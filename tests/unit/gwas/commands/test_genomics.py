import html
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from tests.cases.command_line import app
from tests.cases.genotype_files import plink_files
from tests.cases.prose import labelled, refusal_of

COMMITTED = Path(__file__).resolve().parents[3] / "data" / "plink" / "study"
PEOPLE = 40


def run(*words: object) -> Any:
    return CliRunner().invoke(app, ["gwas", *(str(word) for word in words)])


def printed(*words: object) -> Any:
    answer = run(*words, "--json")
    assert answer.exit_code == 0, answer.stderr
    assert answer.stderr == ""
    return json.loads(answer.stdout)


def study(folder: Path, seed: int = 0) -> Path:
    folder.mkdir(exist_ok=True)
    calls = np.random.default_rng(seed).binomial(2, 0.4, (8, PEOPLE))
    calls[0] = [2 if i % 2 == 0 else 0 for i in range(PEOPLE)]
    return plink_files(folder, calls.tolist(), ["case", "control"] * (PEOPLE // 2))


@pytest.fixture
def prefix(tmp_path):
    return study(tmp_path / "study")


def test_scan_counts_writes_and_draws(tmp_path, prefix):
    out, plot = tmp_path / "scan.tsv", tmp_path / "plot.svg"
    document = printed("scan", prefix, "--out", out, "--plot", plot, "--top", 2)
    keys = {"individuals", "cases", "controls", "variants", "missing_calls", "top", "not_autosomal"}
    assert set(document) == keys | {"lambda_gc", "multiallelic_left_out", "left_out"}
    assert len(document["top"]) == 2
    assert set(document["top"][0]) == {
        "variant",
        "chromosome",
        "position",
        "statistic",
        "p_value",
    }
    assert document["top"][0]["variant"] == "rs0"
    assert len(out.read_text().splitlines()) == 9
    assert "NOT FOR PUBLICATION" in plot.read_text()


def test_release_then_check(tmp_path, prefix):
    out = tmp_path / "out"
    document = printed("release", prefix, "--top", 2, "--gamma", 2, "--out", out)
    keys = {"released", "epsilon", "gamma", "gamma_outside", "prior", "score", "sensitivity"}
    assert keys | {"adjacency", "out"} <= set(document)
    assert document["out"] == str(out)
    checked = CliRunner().invoke(app, ["check", str(out / "certificate.json"), "--json"])
    assert checked.exit_code == 0
    assert json.loads(checked.stdout)["holds"] is True


WORDS = {
    "title": "Study <7>",
    "organisation": "A & B",
    "study": "Cohort 7",
    "contact": "office@example.org",
    "text": "For the board.\n\nSecond thoughts.",
}


def test_a_study_has_a_report_in_the_releasers_words(tmp_path, prefix):
    out = tmp_path / "out"
    said = [part for key, word in WORDS.items() for part in (f"--{key}", word)]
    printed("release", prefix, "--top", 1, "--gamma", 2, *said, "--out", out)
    assert json.loads((out / "certificate.json").read_text("utf-8"))["report"] == WORDS
    page = html.unescape(re.sub("<[^>]*>", "\n", (out / "report.html").read_text("utf-8")))
    lines = [line.strip() for line in page.split("\n")]
    assert lines.count(WORDS["title"]) == 2  # of the window, and on the page
    assert {
        WORDS["organisation"],
        WORDS["contact"],
        *WORDS["text"].split("\n"),
    } <= {*lines}
    checked = json.loads(CliRunner().invoke(app, ["check", str(out), "--json"]).stdout)
    assert checked["holds"] is True
    assert {f"/report/{key}" for key in WORDS} <= {each["what"] for each in checked["on_trust"]}


@pytest.mark.parametrize("key", WORDS)
def test_a_report_with_other_words_than_its_certificate_is_found(tmp_path, prefix, key):
    out = tmp_path / "out"
    printed("release", prefix, "--top", 1, "--gamma", 2, f"--{key}", "Mine", "--out", out)
    page = (out / "report.html").read_text("utf-8")
    (out / "report.html").write_text(page.replace("Mine", "Ours"), encoding="utf-8")
    assert CliRunner().invoke(app, ["check", str(out)]).exit_code == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--title", " "], "Expected --title to be text, got none. Fill it in."),
        (["--contact", "x" * 201], "Expected --contact to be at most 200 characters, got 201."),
        (["--text", "\udcff"], "Expected --text to be Unicode, got something else."),
    ],
)
def test_words_that_no_report_shows_are_refused_before_the_study_is_read(tmp_path, words, said):
    answer = run("release", "nowhere", "--top", 1, "--gamma", 2, *words, "--out", tmp_path / "out")
    assert answer.exit_code == 2
    assert answer.stderr.startswith(said)


def test_a_forged_certificate_fails_the_check(tmp_path, prefix):
    printed("release", prefix, "--top", 2, "--gamma", 2, "--out", tmp_path / "out")
    path = tmp_path / "out" / "certificate.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["guarantee"]["gamma"] = 1.5
    path.write_text(json.dumps(document))
    answer = CliRunner().invoke(app, ["check", str(path)])
    assert answer.exit_code == 2
    assert dict(labelled(answer.stdout)[0])["guarantee"] == (
        "Expected 2.0, got 1.5 at /guarantee/gamma."
    )


def test_a_release_in_words_says_what_is_protected_and_who_said_the_prior(tmp_path, prefix):
    words = run(
        "release", prefix, "--top", 1, "--gamma", 2, "--adjacency", "swap", "--prior", 0.4, 0.6,
        "--publish-statistics", "--out", tmp_path / "out",
    ).stdout  # fmt: skip
    assert words.startswith("Neighbouring studies have the same participants")
    (_, (adversary, _)), facts, ((rank, variant),), _, ((files, _),) = labelled(words)
    assert adversary.startswith("An assumption of the owner: ")
    assert dict(facts)["gamma, prior in [0.4, 0.6]"] == "2"
    assert rank == "1"
    assert variant.split(", ")[2].startswith("allele 1 in cases ")
    assert files.split(": ")[1].split(", ") == [
        "results.parquet", "results.csv", "certificate.json", "report.html",
    ]  # fmt: skip


def test_counts_of_somebody_else_can_be_released(tmp_path, prefix):
    run("scan", prefix, "--out", tmp_path / "counts.tsv")
    document = printed(
        "release", tmp_path / "counts.tsv", "--top", 1, "--epsilon", 10_000, "--threshold", 0.01,
        "--out", tmp_path / "out",
    )  # fmt: skip
    assert document["released"] == ["rs0"]


def test_utility_says_that_it_is_not_private(prefix):
    arguments = "utility", prefix, "--top", 2, "--gamma", 2, "--trials", 500, "--seed", 7
    document = printed(*arguments)
    assert {"lower", "upper", "evidence"} <= set(document["probability_exact_top"])
    assert document["recall"]["seed"] == 7
    assert "without protection" in document["warning"]
    words = run(*arguments).stdout
    ((warning, _),), facts = labelled(words)
    assert warning == f"NOT FOR PUBLICATION. {document['warning']}"
    assert dict(facts)["recall"].split("], ")[1] == "covers with probability 0.95, seed 7"


def test_attack_measures_both_attacks(tmp_path, prefix):
    other = study(tmp_path / "other", seed=1)
    arguments = "attack", prefix, "--reference", other, "--fpr", 0.1
    keys = "power_lr", "power_homer", "auc_lr", "auc_homer", "power_formula", "variants_used"
    document = printed(*arguments)
    assert all(document[key] >= 0 for key in keys)
    lines = dict(labelled(run(*arguments).stdout)[1])
    assert float(lines["by the likelihood ratio"]) == pytest.approx(document["power_lr"], abs=1e-4)
    larger = float(lines["members found at fpr 0.1"].split(",")[0])
    assert larger == pytest.approx(document["power"], abs=1e-4)
    assert (
        larger
        >= max(
            document["power_lr"],
            document["power_homer"],
            document["power_formula"],
        )
        - 1e-4
    )


def test_an_attack_says_when_pool_and_reference_differ(tmp_path):
    groups = ["case", "control"] * (PEOPLE // 2)
    prefixes = []
    for seed, share in enumerate((0.3, 0.6)):
        (tmp_path / str(seed)).mkdir()
        calls = np.random.default_rng(seed).binomial(2, share, (60, PEOPLE)).tolist()
        prefixes.append(plink_files(tmp_path / str(seed), calls, groups))
    arguments = "attack", prefixes[0], "--reference", prefixes[1]
    document = printed(*arguments)
    assert document["ancestry_differs"] is True
    assert document["ancestry_p_value"] == 0.001
    assert document["only_named"] == PEOPLE
    words = run(*arguments).stdout
    assert "NOT FROM ONE POPULATION" in words.split("variants used")[0]


def test_a_reference_with_people_of_the_pool_is_refused(tmp_path):
    calls = np.random.default_rng(0).binomial(2, 0.4, (60, PEOPLE)).tolist()
    prefixes = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        groups = ["case", "control"] * (PEOPLE // 2)
        prefixes.append(plink_files(tmp_path / folder, calls, groups))
    answer = run("attack", prefixes[0], "--reference", prefixes[1], "--json")
    assert (answer.exit_code, answer.stdout) == (2, "")
    assert refusal_of(answer.stderr).got.split(", ")[0] == f"{PEOPLE} of {PEOPLE} in both"


def test_simulate_makes_a_pool_and_a_reference_for_attack(tmp_path):
    pytest.importorskip("msprime")
    document = printed(
        "simulate", "--individuals", 60, "--cases", 20, "--variants", 80, "--causal", 1,
        "--seed", 3, "--reference", 50, "--out", tmp_path / "made",
    )  # fmt: skip
    attacked = printed("attack", tmp_path / "made", "--reference", document["reference"])
    assert (attacked["members"], attacked["strangers"]) == (60, 50)


@pytest.mark.parametrize(("people", "words"), [(2_000_000, "12 minutes"), (60, "")])
def test_a_long_simulation_says_how_long_it_takes_before_it_starts(tmp_path, people, words):
    """The arguments are refused right after: nothing is simulated here."""
    result = run(
        "simulate", "--individuals", people, "--cases", 20, "--variants", 1000, "--causal", 2000,
        "--seed", 1, "--out", tmp_path / "s",
    )  # fmt: skip
    assert result.exit_code == 2
    assert ("minutes" in result.stderr) == bool(words)
    assert words in result.stderr


def test_simulate_writes_a_study_that_scan_reads(tmp_path):
    pytest.importorskip("msprime")
    arguments = (
        "simulate", "--individuals", 60, "--cases", 20, "--variants", 40, "--causal", 1,
        "--seed", 3, "--out",
    )  # fmt: skip
    document = printed(*arguments, tmp_path / "made")
    assert (document["cases"], document["variants"], len(document["causal"])) == (
        20,
        40,
        1,
    )
    assert "odds ratio" in run(*arguments, tmp_path / "again").stdout
    assert printed("scan", tmp_path / "made")["controls"] == 40


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--top", "9", "--gamma", "2"], 2, "Expected --top <= 8, the number of variants"),
        (["--top", "1"], 2, "Expected exactly one target of --gamma"),
        (["--top", "1", "--gamma", "1"], 3, "Expected a target that some noise meets"),
        (["--top", "1", "--gamma", "2", "--threshold", "fdr"], 2, "Expected --threshold to be"),
        (["--top", "1", "--gamma", "2", "--prior", "0.7", "0.3"], 2, "Expected 0 <= a <= b"),
        (["--top", "1", "--gamma", "2", "--adjacency", "both"], 2, "Expected --adjacency to be"),
    ],
)
def test_wrong_requests_exit_2_and_unreachable_targets_3(tmp_path, prefix, words, status, said):
    answers = [
        run("release", prefix, *words, "--out", tmp_path / "out"),
        run("utility", prefix, *words),
    ]
    for answer in answers[: 1 if "number of variants" in said else 2]:
        assert answer.exit_code == status, answer.stderr
        assert answer.stderr.startswith(said)
        assert answer.stdout == ""
    assert not (tmp_path / "out").exists()


def test_missing_calls_missing_files_and_bad_plots_are_wrong_input(tmp_path, prefix):
    for words, said in [
        (["release", COMMITTED, "--top", 1, "--gamma", 2, "--out", tmp_path / "out"], "--missing"),
        (["scan", tmp_path / "none"], "Expected a file"),
        (["scan", prefix, "--plot", tmp_path / "plot.png"], "Expected a plot named .html or .svg"),
    ]:
        answer = run(*words)
        assert answer.exit_code == 2
        assert said in answer.stderr
        assert "Traceback" not in answer.stderr
