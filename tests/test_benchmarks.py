"""Every benchmark that has a tiny size runs through at it; what it says there means nothing."""

import pytest

from benchmarks import __main__ as benchmarks
from benchmarks._sizes import TINY
from tests.cases.effort import THOROUGH

QUICK = (
    "audit", "cli_help", "framework_mechanisms", "gwas_distance", "gwas_strata", "judge", "ledger",
    "noise", "pairs", "population_crowd", "population_enumeration", "population_one_dimensional",
    "population_types", "rules_cases", "running_counts", "small_commands", "trees",
)  # fmt: skip
"""Below a second each or so; the others take some, most of it in processes of their own."""
LONGER = (
    "audited_releases", "coverage", "curves", "frames", "grouped_sum", "peers", "population_plan",
    "population_whole_sums", "rules_judge", "unknown_keys",
)  # fmt: skip
WITHOUT = {
    "crosstab", "explorer", "gwas_attack", "gwas_release", "gwas_safe", "gwas_scan", "postgres",
    "reading", "risks", "spark", "structure", "training_curve",
}  # fmt: skip
"""Those that need data, a server or a browser, or take longer at any size."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*QUICK, *(LONGER if THOROUGH else ())])
def test_a_benchmark_runs_through_at_a_tiny_size(name, monkeypatch, capfd):
    monkeypatch.setenv(TINY, "1")
    monkeypatch.setattr("sys.argv", [name])
    assert benchmarks.run_here(name) == 0
    assert capfd.readouterr().out


def test_no_benchmark_is_forgotten():
    assert sorted({*QUICK, *LONGER} | WITHOUT) == benchmarks.names()


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
