"""Every benchmark that has a tiny size runs through at it; what it says there means nothing."""

import ast
import runpy
from pathlib import Path

import pytest

from benchmarks import __main__ as benchmarks
from benchmarks import curves, pairs
from benchmarks._sizes import TINY
from tests.cases.effort import THOROUGH

QUICK = (
    "audit", "cli_help", "crosstab", "framework_mechanisms", "gwas_distance", "gwas_strata",
    "judge", "ledger", "noise", "pairs", "population_crowd", "population_enumeration",
    "population_one_dimensional", "population_types", "rules_cases", "running_counts",
    "small_commands", "trees",
)  # fmt: skip
"""Below a second each or so; the others take some, most of it in processes of their own."""
LONGER = (
    "audited_releases", "coverage", "curves", "frames", "grouped_sum", "peers", "population_plan",
    "population_whole_sums", "rules_judge", "sequential_audits", "unknown_keys",
)  # fmt: skip
APART = (
    "all_pairs", "batches", "explorer", "gwas_attack", "gwas_biobank", "gwas_release", "gwas_safe",
    "gwas_scan", "postgres", "reading", "risks", "rules_peers", "rules_values", "serve",
    "spark", "statistics_files", "structure", "survival", "training_curve",
)  # fmt: skip
"""In a process of their own: they start a server, a browser or other processes, or take long."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*QUICK, *(LONGER if THOROUGH else ())])
def test_a_benchmark_runs_through_at_a_tiny_size(name, monkeypatch, capfd):
    monkeypatch.setenv(TINY, "1")
    monkeypatch.setattr("sys.argv", [name])
    assert benchmarks.run_here(name) == 0
    assert capfd.readouterr().out


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["__main__", *benchmarks.names()])
def test_a_benchmark_that_is_asked_for_help_gives_it_and_does_not_run(name, monkeypatch, capsys):
    monkeypatch.setenv(TINY, "1")
    monkeypatch.setattr("sys.argv", [name, "--help"])
    try:
        with pytest.raises(SystemExit) as ended:
            runpy.run_module(f"benchmarks.{name}", run_name="__main__", alter_sys=True)
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0] in benchmarks.OURS:
            raise
        pytest.skip(f"{error.name} is not installed")
    assert ended.value.code in (None, 0)
    out, err = capsys.readouterr()
    own = ast.get_docstring(ast.parse(Path(benchmarks.FOLDER, f"{name}.py").read_text("utf-8")))
    assert "".join(own.split())[:60] in "".join(out.split())
    assert err == ""


def test_no_benchmark_is_forgotten():
    assert sorted((*QUICK, *LONGER, *APART)) == benchmarks.names()


@pytest.mark.skipif(not THOROUGH, reason="a minute and a half")
@pytest.mark.parametrize("name", APART)
def test_a_benchmark_of_other_programs_runs_through_at_a_tiny_size(name, monkeypatch, capfd):
    monkeypatch.setenv(TINY, "1")
    monkeypatch.setattr("sys.argv", ["benchmarks", name])
    assert benchmarks.main() == 0
    assert len(capfd.readouterr().out.splitlines()) > 2


@pytest.mark.parametrize("power", [0.5, 1.0, 1.73])
@pytest.mark.parametrize("share", [0.0, 0.2, 20.0])
def test_an_exponent_is_that_of_what_grows(power, share):
    sizes = (100, 200, 400, 800)
    seconds = [share * 100**power + size**power for size in sizes]
    assert curves.exponent(sizes, seconds) == pytest.approx(power, abs=0.02)


def test_the_first_program_that_runs_a_command_is_what_it_is_compared_with(tmp_path):
    programs = [str(tmp_path / name) for name in ("old", "newer", "newest")]
    for program, status in zip(programs, (2, 0, 0), strict=True):
        with open(program, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\necho "$0 $*" >> ran.txt\nexit {status}\n')
        (tmp_path / program).chmod(0o700)
    assert pairs.first_able(programs, "check MINE --out OUT", tmp_path, 7) == programs[1]
    ran = (tmp_path / "ran.txt").read_text().splitlines()
    assert [line.split()[0] for line in ran] == programs[:2]
    folders = {line.split()[2] for line in ran}
    assert len(folders) == 2  # each has a release of its own
    assert {line.split()[-1] for line in ran} == {"out-7"}
    assert pairs.first_able(programs[:1], "check MINE", tmp_path, 8) is None


def test_a_benchmark_that_fails_is_named(monkeypatch, capfd):
    class Ended:
        returncode = 1

    monkeypatch.setattr("subprocess.run", lambda *_, **__: Ended)
    monkeypatch.setattr("sys.argv", ["benchmarks", "noise", "trees"])
    assert benchmarks.main() == 1
    assert capfd.readouterr().out.endswith("Failed: noise, trees\n")


@pytest.mark.parametrize(("missing", "status"), [("jax", 0), ("deniable.nothing", None)])
def test_what_needs_a_library_that_is_missing_is_left_out_by_name(
    missing, status, monkeypatch, capsys
):
    def run(*_, **__):
        raise ModuleNotFoundError(f"No module named {missing!r}", name=missing)

    monkeypatch.setattr("runpy.run_module", run)
    monkeypatch.setattr("sys.argv", [])
    if status is None:
        with pytest.raises(ModuleNotFoundError):
            benchmarks.run_here("noise")
    else:
        assert benchmarks.run_here("noise") == status
        assert capsys.readouterr().out == "jax: not installed, noise is left out\n"
