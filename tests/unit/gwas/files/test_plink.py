import gzip
from pathlib import Path

import pytest

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files.plink import bim_variants, plink_study
from deniable.gwas.genotypes import Variants
from tests.cases.genotype_files import bim_line, phenotype_file, plink_files

VARIANTS = Variants(
    ["1", "2", "3"], ["rs0", "rs1", "rs2"], [0, 100, 200], ["A", "A", "A"], ["G", "G", "G"]
)


@pytest.fixture
def prefix(tmp_path):
    return plink_files(tmp_path)


def packed(path):
    path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()


def test_three_files_are_a_study(prefix):
    study = plink_study(prefix)
    assert study.variants == VARIANTS
    assert (len(study.individuals), study.genotypes.variants) == (5, 3)


def test_packed_files_are_the_same_study(prefix):
    plain = plink_study(prefix)
    packed(prefix.with_suffix(".bim"))
    packed(prefix.with_suffix(".fam"))
    assert plink_study(prefix) == plain


def test_a_phenotype_file(prefix, tmp_path):
    everybody = ["case", "case", "control", "control", "control"]
    study = plink_study(prefix, phenotype_file(tmp_path, everybody))
    assert study.individuals.cases.tolist() == [True, True, False, False, False]


def test_dots_in_a_prefix(prefix):
    for suffix in ("bed", "bim", "fam"):
        prefix.with_suffix(f".{suffix}").rename(prefix.with_name(f"study.v2.{suffix}"))
    assert len(plink_study(prefix.with_name("study.v2")).variants) == 3


@pytest.mark.parametrize("suffix", ["bed", "bim", "fam"])
def test_a_missing_file(prefix, suffix):
    prefix.with_suffix(f".{suffix}").unlink()
    with pytest.raises(InvalidArgument, match=rf"Expected a file .*study\.{suffix}.* got none"):
        plink_study(prefix)


@pytest.mark.parametrize("suffix", ["bim", "fam"])
def test_files_that_disagree(prefix, suffix):
    path = prefix.with_suffix(f".{suffix}")
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    if suffix == "fam":  # 5 and 6 individuals need as many bytes, 4 need fewer
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:4]))
    with pytest.raises(DataError, match=r"Use the bim and fam files it was written with"):
        plink_study(prefix)


def test_a_bim_file_between_spaces(tmp_path):
    path = tmp_path / "study.bim"
    path.write_text("".join(map(bim_line, range(3))).replace("\t", "  "))
    assert bim_variants(path) == VARIANTS


@pytest.mark.parametrize("line", ["1 rs 0 A G\n", "1 rs 0 1e6 A G\n", "1 rs 0 1 A G extra\n"])
def test_a_bim_file_with_other_columns(tmp_path, line):
    path = tmp_path / "study.bim"
    path.write_text(bim_line(0) + line)
    with pytest.raises(DataError, match=r"Expected 6 columns .* got others at .*study\.bim"):
        bim_variants(path)


@pytest.mark.parametrize("name", ["", ".", "..", "/"])
def test_a_prefix_without_a_name(name):
    with pytest.raises(InvalidArgument, match=r"Expected a file .*\.bed, got none"):
        plink_study(Path(name))
