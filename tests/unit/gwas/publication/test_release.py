import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from deniable import gwas
from deniable.errors import DataError, InfeasibleTarget, InvalidArgument
from deniable.gwas.publication import release as module
from deniable.pipeline.check import check
from tests.cases.genotype_files import phenotype_file, plink_files, vcf_file, vcf_line
from tests.cases.refusals import refuses

COMMITTED = Path(__file__).resolve().parents[3] / "data" / "plink" / "study"
FILES = ["certificate.json", "report.html", "results.csv", "results.parquet"]
PEOPLE = 60


def small(folder, seed=0, calls=None):
    """Thirty cases, thirty controls, twelve variants of which the first is a hit."""
    rng = np.random.default_rng(seed)
    if calls is None:
        calls = rng.binomial(2, 0.4, (12, PEOPLE))
        calls[0] = [2 if i % 2 == 0 else 0 for i in range(PEOPLE)]
    groups = ["case", "control"] * (PEOPLE // 2)
    return plink_files(folder, [list(map(int, row)) for row in calls], groups)


def test_a_release_writes_its_four_files_and_says_what_it_did(tmp_path):
    answer = gwas.release(small(tmp_path), tmp_path / "out", top=2, gamma=2.0)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == FILES
    printed = answer.as_json()
    assert set(printed) == {
        "released", "epsilon", "gamma", "gamma_outside", "prior", "prior_source", "score",
        "sensitivity", "adjacency", "out", "reach", "not_autosomal",
    }  # fmt: skip
    assert printed["adjacency"] == "genotype"
    assert printed["prior"] == [0.0, 1.0]
    assert printed["gamma"] <= 2
    table = pq.read_table(tmp_path / "out" / "results.parquet")
    assert table["variant"].to_pylist() == printed["released"]
    assert len(set(printed["released"])) == 2
    text = (tmp_path / "out" / "certificate.json").read_text(encoding="utf-8")
    assert json.loads(text) == answer.certificate.as_json()
    assert check(tmp_path / "out" / "certificate.json").holds


@pytest.mark.parametrize("adjacency", ["genotype", "swap"])
@pytest.mark.parametrize("score", ["distance", "allelic", "genotypic"])
def test_with_a_large_budget_the_best_comes_out_first(tmp_path, adjacency, score):
    """At ε = 10,000 another choice has a probability below e^-100."""
    answer = gwas.release(
        small(tmp_path),
        tmp_path / "out",
        top=1,
        epsilon=10_000.0,
        adjacency=adjacency,
        score=score,
        threshold=0.01,
    )
    assert answer.as_json()["released"] == ["rs0"]
    assert check(tmp_path / "out" / "certificate.json").holds


def test_published_statistics_are_the_counts_with_noise(tmp_path):
    prefix = small(tmp_path)
    answer = gwas.release(
        prefix, tmp_path / "out", top=3, epsilon=10_000.0, publish_statistics=True
    )
    (first, *_) = answer.as_json()["statistics"]
    # Noise other than 0 has a probability below e^-100.
    assert (first["variant"], first["cases_allele_1"], first["controls_allele_1"]) == (
        "rs0",
        60,
        0,
    )
    assert first["half_width_95"] == 0
    assert first["chi_squared"] == pytest.approx(120)
    shares = answer.certificate.selection.part.epsilon, answer.certificate.statistics.epsilon
    assert shares == (5_000.0, 5_000.0)


def test_a_table_of_counts_gives_what_its_study_gives(tmp_path):
    prefix = small(tmp_path)
    gwas.scan(prefix, out=tmp_path / "counts.tsv")
    from_table, from_files = (
        gwas.release(source, tmp_path / f"out{index}", top=1, epsilon=10_000.0, threshold=0.01)
        for index, source in enumerate((tmp_path / "counts.tsv", prefix))
    )
    assert from_table.released == from_files.released
    assert from_table.certificate == from_files.certificate


def test_missing_calls_are_refused_or_filled(tmp_path):
    with refuses(DataError, "fill-them-with-missing-major"):
        gwas.release(COMMITTED, tmp_path / "out", top=2, gamma=2.0)
    assert not (tmp_path / "out").exists()
    answer = gwas.release(COMMITTED, tmp_path / "out", top=2, gamma=2.0, missing="major")
    assert answer.certificate.missing == "major"
    assert "two copies of allele 2" in " ".join(answer.certificate.assumptions)


def test_wrong_arguments_and_places_are_found_before_anything_is_read(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes.txt").touch()
    with refuses(InvalidArgument, "new-or-empty-folder"):
        gwas.release(tmp_path / "none", tmp_path / "out", top=2, gamma=2.0)
    with refuses(InvalidArgument, "exactly-one-target-of-in-theorems: gamma"):
        gwas.release(tmp_path / "none", tmp_path / "free", top=2)
    with refuses(InvalidArgument, "one-of-missing-refuse: refuse | major"):
        gwas.release(tmp_path / "none", tmp_path / "free", top=2, gamma=2.0, missing="leave")
    with refuses(InvalidArgument, "file-none: none.pgen"):
        gwas.release(tmp_path / "none", tmp_path / "free", top=2, gamma=2.0)
    assert not (tmp_path / "free").exists()


def test_what_fails_later_leaves_nothing_behind(tmp_path, monkeypatch):
    prefix = small(tmp_path)
    with refuses(InvalidArgument, "top-at-most-number-of-variants: 12"):
        gwas.release(prefix, tmp_path / "out", top=13, gamma=2.0)
    with pytest.raises(InfeasibleTarget):
        gwas.release(prefix, tmp_path / "out", top=2, gamma=1.0)

    def fail(*_):
        raise OSError("the disk is full")

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(OSError, match="full"):
        gwas.release(prefix, tmp_path / "out", top=2, gamma=2.0)
    assert [path.name for path in tmp_path.iterdir() if "out" in path.name] == []


def test_scores_on_another_grid_than_the_noise_was_made_for_are_never_released(
    tmp_path, monkeypatch
):
    prefix, real = small(tmp_path), module.scores
    other = {"score": module.Score.ALLELIC}
    monkeypatch.setattr(module, "scores", lambda counts, **options: real(counts, **options | other))
    with pytest.raises(AssertionError, match="another grid"):
        gwas.release(prefix, tmp_path / "out", top=2, gamma=2.0)
    assert not (tmp_path / "out").exists()


def test_a_vcf_and_a_phenotype_file(tmp_path):
    """rs0 alone is associated; at ε = 10,000 another choice has a probability below e^-100."""
    pytest.importorskip("cyvcf2")
    groups = ["case", "control"] * 20
    calls = [[2 if i % 2 == 0 else 0 for i in range(40)], [1] * 40, [0, 0, 1, 1] * 10]
    lines = [vcf_line(index, row) for index, row in enumerate(calls)]
    answer = gwas.release(
        vcf_file(tmp_path, lines, individuals=40),
        tmp_path / "out",
        top=1,
        epsilon=10_000.0,
        score="genotypic",
        phenotype=phenotype_file(tmp_path, groups),
    )
    assert answer.as_json()["released"] == ["rs0"]
    assert answer.certificate.study.cases == 20
