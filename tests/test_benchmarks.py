"""Every benchmark that has a tiny size runs through at it; what it says there means nothing."""

import pytest

from benchmarks import __main__ as benchmarks
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
    "population_whole_sums", "rules_judge", "unknown_keys",
)  # fmt: skip
APART = (
    "explorer", "gwas_attack", "gwas_release", "gwas_safe", "gwas_scan", "postgres", "reading",
    "risks", "spark", "structure", "training_curve",
)  # fmt: skip
"""In a process of their own: they start a server, a browser or other processes, or take long."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*QUICK, *(LONGER if THOROUGH else ())])
def test_a_benchmark_runs_through_at_a_tiny_size(name, monkeypatch, capfd):
    monkeypatch.setenv(TINY, "1")
    monkeypatch.setattr("sys.argv", [name])
    assert benchmarks.run_here(name) == 0
    assert capfd.readouterr().out


def test_no_benchmark_is_forgotten():
    assert sorted((*QUICK, *LONGER, *APART)) == benchmarks.names()


@pytest.mark.skipif(not THOROUGH, reason="a minute and a half")
@pytest.mark.parametrize("name", APART)
def test_a_benchmark_of_other_programs_runs_through_at_a_tiny_size(name, monkeypatch, capfd):
    monkeypatch.setenv(TINY, "1")
    monkeypatch.setattr("sys.argv", ["benchmarks", name])
    assert benchmarks.main() == 0
    assert len(capfd.readouterr().out.splitlines()) > 2


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
