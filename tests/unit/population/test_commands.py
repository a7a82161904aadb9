import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from click.testing import CliRunner

import deniable
from tests.cases.command_line import app
from tests.cases.processes import started
from tests.cases.prose import labelled, refusal_of

ROWS = np.random.default_rng(5).normal(size=(8, 2)).round(3)
COLUMN = [0.0, 0.5, 1.5, 1.5, 4.0, -2.0]
WHOLE = [0, 1, 1, 3, 6, 2]
COMMON = (
    "seed confidence gap records out-records page time-limit workers scheduler checkpoint device"
)


@pytest.fixture
def files(tmp_path):
    for name, values in (("rows", ROWS), ("column", COLUMN), ("whole", WHOLE), ("three", ROWS[:3])):
        np.savetxt(tmp_path / f"{name}.csv", np.asarray(values), delimiter=",")
    return {path.stem: str(path) for path in tmp_path.iterdir()}


def run(*words):
    return CliRunner().invoke(app, ["population", *words])


def answer(*words):
    found = run(*words, "--json")
    assert found.exit_code == 0
    said = json.loads(found.stdout, parse_constant=pytest.fail)
    wide = float(said["gap"]["reached"]) > said["gap"]["goal"]
    assert wide == found.stderr.startswith("The gap of ")
    assert len(found.stderr.splitlines()) == wide
    return said


def same(found, expected):
    plain = json.loads(json.dumps(expected.as_json()).replace("Infinity", '"inf"'))
    assert found.keys() == plain.keys()
    assert {k: v for k, v in found.items() if k != "seconds"} == {
        k: v for k, v in plain.items() if k != "seconds"
    }


def test_laplace_is_the_public_function(files):
    common = ["--size", "2", "--query", "sum"]
    found = answer("laplace", "--data", files["column"], "--scale", "1.5", "--clip", "3", *common)
    same(found, deniable.population.laplace(COLUMN, 2, scale=1.5, query="sum", clip=3.0))
    found = answer("laplace", "--data", files["column"], "--scale", "1", "--delta", "0.1", *common)
    same(found, deniable.population.laplace(COLUMN, 2, scale=1.0, query="sum", delta=0.1))
    assert found["epsilon"] == "inf"


def test_gaussian_is_the_public_function(files):
    words = ["--size", "2", "--delta", "0.05", "--records", "all"]
    found = answer("gaussian", "--data", files["column"], "--sigma", "1", *words)
    expected = deniable.population.gaussian(COLUMN, 2, sigma=1.0, delta=0.05, records="all")
    same(found, expected)
    assert [each["record"] for each in found["records"]] == list(range(6))
    words = ["--size", "3", "--delta", "0.05", "--epsilon", "1", "--clip", "2"]
    found = answer("gaussian", "--data", files["rows"], *words, "--method", "pairwise")
    same(
        found,
        deniable.population.gaussian(ROWS, 3, epsilon=1.0, clip=2.0, delta=0.05, method="pairwise"),
    )


def test_a_seed_gives_the_same_numbers_again(files):
    words = ["gaussian", "--data", files["rows"], "--size", "4", "--delta", "0.1", "--sigma", "0.4"]
    words += ["--gap", "0.5", "--confidence", "0.9", "--time-limit", "30"]
    found = answer(*words, "--seed", "3")
    assert found["population_epsilon"]["confidence"] == 0.9
    assert found["population_epsilon"]["seed"] == 3
    again = answer(*words, "--seed", "3", "--workers", "2")
    assert again["population_epsilon"] == found["population_epsilon"]
    other = answer(*words, "--seed", "4")
    assert other["population_epsilon"] != found["population_epsilon"]


@pytest.mark.parametrize("noise", ["discrete-laplace", "discrete-gaussian"])
def test_whole_noise_is_the_public_function(files, noise):
    found = answer(noise, "--data", files["whole"], "--size", "2", "--scale", "2", "--delta", "0.1")
    function = getattr(deniable.population, noise.replace("-", "_"))
    same(found, function(WHOLE, 2, scale=2.0, delta=0.1))


def test_count_is_the_public_function():
    sizes = ["--ones", "30", "--population", "100", "--size", "20"]
    same(answer("count", *sizes, "--scale", "2"), deniable.population.count(30, 100, 20, scale=2.0))
    same(
        answer("count", *sizes, "--target", "0.1", "--delta", "0.01"),
        deniable.population.count(30, 100, 20, target=0.1, delta=0.01),
    )


def test_every_analysis_takes_the_common_options():
    commands = app.commands["population"].commands
    common = {f"--{name}" for name in COMMON.split()}
    offered = {name: {o for p in each.params for o in p.opts} for name, each in commands.items()}
    assert len(offered) == 6
    assert {name: common - options for name, options in offered.items() if common - options} == {}


def test_options_that_mean_nothing_for_a_count_change_nothing(tmp_path):
    words = ["count", "--ones", "30", "--population", "100", "--size", "20", "--scale", "2"]
    idle = ["--seed", "7", "--confidence", "0.5", "--gap", "2", "--workers", "3"]
    idle += ["--checkpoint", str(tmp_path / "kept"), "--scheduler", "tcp://x:1", "--device", "cuda"]
    plain, found = answer(*words), answer(*words, *idle)
    assert (plain.pop("gap")["goal"], found.pop("gap")["goal"]) == (0.1, 2.0)
    assert plain | {"seconds": 0} == found | {"seconds": 0}
    assert not (tmp_path / "kept").exists()


def test_exponential_is_the_public_function(files):
    words = ["--data", files["rows"], "--candidates", files["three"], "--size", "4", "--clip", "2"]
    found = answer("exponential", *words, "--epsilon", "3", "--loss", "geometric-median")
    same(found, deniable.population.exponential(ROWS, ROWS[:3], 4, epsilon=3.0, clip=2.0))
    assert found["subsets"] == 70
    assert found["epsilon"] == 3.0


def test_a_table_of_losses_is_the_public_function(files):
    words = ["--losses", files["rows"], "--size", "4", "--epsilon", "3"]
    found = answer("exponential", *words, "--loss-bounds", "-0.5", "1")
    same(
        found,
        deniable.population.exponential(losses=ROWS, size=4, epsilon=3.0, loss_bounds=(-0.5, 1.0)),
    )
    found = answer("exponential", *words, "--sensitivity", "5")
    same(found, deniable.population.exponential(losses=ROWS, size=4, epsilon=3.0, sensitivity=5.0))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], {"expected": "--data with the mean distance"}),
        (
            ["--losses", "rows"],
            {"expected": "one of --sensitivity and --loss-bounds for given losses"},
        ),
        (["--losses", "rows", "--clip", "2"], {"expected": "no --clip with given losses"}),
        (
            ["--losses", "rows", "--sensitivity", "1e-9"],
            {"expected": "a sensitivity that exchanging two records of the table keeps to"},
        ),
        (
            ["--losses", "rows", "--loss-bounds", "1", "0"],
            {"expected": "--loss-bounds with low < high"},
        ),
        (
            ["--data", "rows", "--candidates", "three"],
            {"expected": "--clip with the mean distance"},
        ),
    ],
)
def test_losses_that_cannot_be_used(files, words, said):
    paths = [files.get(word, word) for word in words]
    found = run("exponential", *paths, "--size", "4", "--epsilon", "3")
    assert found.exit_code == 2
    assert refusal_of(found.stderr).parts(*said) == said


def lines(*words):
    """The lines with names, and the sentences below them."""
    found = run(*words)
    assert found.exit_code == 0
    named, below = labelled(found.stdout)
    return dict(named), " ".join(sentence for sentence, _ in below)


def test_a_page_stands_whole_beside_the_same_answer(files, tmp_path):
    words = ["gaussian", "--data", files["column"], "--size", "2", "--delta", "0.001"]
    words += ["--sigma", "4", "--records", "all"]
    page = tmp_path / "risk.html"
    page.write_text("<!DOCTYPE html>\nan older one")
    found = run(*words, "--page", str(page), "--json")
    assert found.exit_code == 0
    told = json.loads(found.stdout)
    assert told | {"seconds": 0} == answer(*words) | {"seconds": 0}
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert page.read_text().count("<svg") == 3
    assert [each.name for each in tmp_path.glob("*risk*")] == ["risk.html"]


@pytest.mark.parametrize("place", ["risk.csv", "none/risk.html"])
def test_a_page_that_cannot_be_written_is_refused_before_any_work(tmp_path, place):
    found = run("laplace", "--data", "none.csv", "--size", "2", "--page", str(tmp_path / place))
    assert found.exit_code == 2
    assert (
        refusal_of(found.stderr)
        .parts("expected")["expected"]
        .startswith(("a page named .html", "a file in an existing folder"))
    )


def test_plain_lines(files):
    column = ["laplace", "--data", files["column"], "--size", "2", "--scale", "1"]
    named, below = lines(*column, "--clip", "3")
    assert list(named) == [
        *("population epsilon", "rests on", "method", "worst record", "scale"),
        *("DP epsilon, against everyone", "DP epsilon, subsets of this set"),
        *("exact over adjacent subsets", "attack success, prior 1/2"),
        *("attack success, prior 0.3333", 'always saying "no"', "seconds"),
    ]
    assert named["rests on"] == "proof; every error is bounded"
    assert below == (
        "This concerns this parent set, samples of 2 of its 6 records, and one release. It does "
        "not compose: analyse several releases on one sample jointly, or report their differential "
        "privacy."
    )
    unbounded, _ = lines(*column)
    everyone = unbounded["DP epsilon, against everyone"]
    assert everyone == "inf: nothing bounds the records; a clip would"


def test_plain_lines_of_draws_and_of_each_record(files):
    words = ["gaussian", "--data", files["rows"], "--size", "4", "--delta", "0.1", "--sigma", "0.4"]
    named, _ = lines(*words, "--gap", "0.5", "--time-limit", "3", "--records", "all")
    evidence, drawn, seed = named["rests on"].rsplit(", ", 2)
    assert (evidence, seed) == ("draws: covers with probability 0.95", "seed 0")
    assert drawn.endswith(" draws")
    assert {"Gaussian estimate, no guarantee", "pairwise bound"} < set(named)
    records = [name.split(": ")[0] for name in named if name.startswith("record ")]
    assert records == [f"record {i}" for i in range(8)]


def test_plain_lines_of_what_time_cut_short(files):
    words = ["gaussian", "--data", files["rows"], "--size", "4", "--delta", "1e-5", "--sigma", "1"]
    named, _ = lines(*words, "--time-limit", "0.01")
    told = "pairwise; a longer --time-limit, or more workers, would narrow it"
    assert named["method"] == told


def test_plain_lines_of_an_enumeration(files):
    words = ["--data", files["rows"], "--candidates", files["three"], "--size", "4", "--clip", "2"]
    named, _ = lines("exponential", *words, "--epsilon", "3")
    assert (named["method"], named["samples enumerated"]) == ("enumerate", "70")
    assert {"exact over adjacent subsets", "of the best attacker"} < set(named)
    named, _ = lines("exponential", *words, "--epsilon", "3", "--method", "sample")
    assert "samples enumerated" not in named


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (
            ["laplace", "--data", "column", "--size", "6", "--scale", "1"],
            2,
            {"expected": "1 <= --size < 6, the number of records"},
        ),
        (
            ["laplace", "--data", "column", "--size", "0", "--scale", "1"],
            2,
            {"expected": "--size >= 1"},
        ),
        (
            ["laplace", "--data", "none", "--size", "2", "--scale", "1"],
            2,
            {"got": "'none', not a file"},
        ),
        (
            ["laplace", "--data", "column", "--size", "2"],
            2,
            {"expected": "exactly one of --scale, --target"},
        ),
        (
            ["laplace", "--data", "rows", "--size", "2", "--scale", "1"],
            2,
            {"expected": "one column for Laplace noise"},
        ),
        (
            ["laplace", "--data", "column", "--size", "2", "--target", "0"],
            3,
            {"remedy": "Choose a larger target, or a larger delta."},
        ),
        (
            ["gaussian", "--data", "rows", "--size", "2", "--sigma", "1", "--delta", "1"],
            2,
            {"expected": "0 < --delta < 1"},
        ),
        (
            ["gaussian", "--data", "rows", "--size", "2", "--epsilon", "1", "--delta", ".1"],
            2,
            {"expected": "--clip with --epsilon"},
        ),
        (
            ["discrete-gaussian", "--data", "whole", "--size", "2", "--target", "1"],
            3,
            {"expected": "a target that some noise meets"},
        ),
        (
            ["discrete-laplace", "--data", "column", "--size", "2", "--scale", "1"],
            2,
            {"expected": "whole numbers up to 2^51 for discrete-laplace noise"},
        ),
        (
            ["count", "--ones", "9", "--population", "5", "--size", "2", "--scale", "1"],
            2,
            {"expected": "0 <= --ones <= 5, the population"},
        ),
    ],
)
def test_refusals_are_one_line_on_standard_error(files, words, status, said):
    words = [files.get(word, word) for word in words]
    for form in (words, [*words, "--json"]):
        found = run(*form)
        assert (found.exit_code, found.stdout) == (status, "")
        assert refusal_of(found.stderr).parts(*said) == said
        assert len(found.stderr.splitlines()) == 1


@pytest.mark.parametrize("text", ["age\n1\n", "1\nsecret\n", "1\nnan\n", "1\n2,3\n", ""])
def test_files_that_are_no_numbers(tmp_path, text):
    path = tmp_path / "x.csv"
    path.write_text(text)
    found = run("laplace", "--data", str(path), "--size", "1", "--scale", "1")
    assert (found.exit_code, found.stdout) == (2, "")
    refusal_of(found.stderr)
    assert "secret" not in found.stderr


def test_an_interruption_says_how_to_go_on(files, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("deniable.population.api.gaussian.laplace", interrupted)
    words = ["laplace", "--data", files["column"], "--size", "2", "--scale", "1"]
    (tmp_path / "kept").mkdir()
    found = run(*words, "--checkpoint", str(tmp_path / "kept"))
    assert (found.exit_code, found.stdout) == (130, "")
    kept = tmp_path / "kept"
    assert found.stderr == (
        f"Interrupted. Finished parts are in {kept}; the same command goes on from there.\n"
    )
    found = run(*words)
    assert found.exit_code == 130
    assert found.stderr == "Interrupted. Nothing was written.\n"


def test_an_interrupted_run_goes_on_to_the_same_numbers(files, tmp_path):
    words = ["gaussian", "--data", files["rows"], "--size", "4", "--delta", "0.1", "--sigma", "0.4"]
    words += [
        "--gap",
        "0.5",
        "--checkpoint",
        str(tmp_path / "kept"),
        "--json",
        "--time-limit",
        "99",
    ]
    with started(
        [sys.executable, "-m", "deniable", "population", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        while not list((tmp_path / "kept").glob("*/*.npz")) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate()
    assert process.returncode in {0, 130}  # it may have been about to finish
    if process.returncode == 130:
        assert told == (
            f"Interrupted. Finished parts are in {tmp_path / 'kept'}; "
            "the same command goes on from there.\n"
        )
    resumed = answer(*words[:-3], "--time-limit", "99")
    whole = [word for word in words[:-3] if word not in {"--checkpoint", str(tmp_path / "kept")}]
    assert (
        resumed["population_epsilon"] == answer(*whole, "--time-limit", "99")["population_epsilon"]
    )


def test_what_a_guess_without_the_release_gets_right_stands_beside_the_attack():
    """At prior .1 an attack's .9 is what "no" gets right of itself; and "yes" at prior .7."""
    for size, word, share in (("10", "no", 0.9), ("70", "yes", 0.7)):
        words = ["count", "--ones", "30", "--population", "100", "--size", size, "--scale", "50"]
        assert answer(*words)["baseline"] == pytest.approx(share)
        (line,) = (row for row in run(*words).stdout.splitlines() if "always saying" in row)
        assert line.split() == (
            f'always saying "{word}" right {share:g} of the time, without the release'.split()
        )


def test_a_gap_that_is_not_reached_is_among_the_printed_lines():
    words = ["count", "--ones", "30", "--population", "100", "--size", "20", "--scale", "2"]
    words += ["--delta", "0.01"]
    for gap, is_reached in (("0.1", True), ("1e-19", False)):
        lines = run(*words, "--gap", gap).stdout.splitlines()
        assert any(line.startswith("gap ") for line in lines) != is_reached
        assert answer(*words, "--gap", gap)["gap"]["is_reached"] is is_reached
