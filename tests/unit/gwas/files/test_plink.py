"""PLINK files: read, counted and written."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files import PackedGenotypes, PlinkWriter, bim_variants, bytes_of, plink_study
from deniable.gwas.genotypes import Variants
from tests.cases.genotype_files import (
    CALLS,
    CASES,
    CONTROLS,
    GROUPS,
    bim_line,
    phenotype_file,
    plink_files,
)
from tests.cases.refusals import refuses
from tests.oracles.genotypes import bed_bytes, bed_calls, study_counts

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
    with refuses(InvalidArgument, f"file-study-none: {suffix}"):
        plink_study(prefix)


@pytest.mark.parametrize(
    ("kinds", "prefix", "message"),
    [
        (["pgen", "pvar", "psam"], "study", "plink-2-convert: study"),
        (["pgen", "pvar", "psam"], "study.pgen", "plink-2-convert: study"),
        (["pgen"], "study.psam", "plink-2-convert"),
        (["bgen"], "study.bgen", "bgen-convert: study"),
        (["bgen", "sample"], "study", "bgen-convert"),
        ([], "study.bgen", "bgen-convert"),
    ],
)
def test_other_formats_are_told_with_how_to_convert_them(tmp_path, kinds, prefix, message):
    for kind in kinds:
        (tmp_path / f"study.{kind}").write_bytes(b"")
    with refuses(InvalidArgument, message):
        plink_study(tmp_path / prefix)


@pytest.mark.parametrize("suffix", ["bim", "fam"])
def test_files_that_disagree(prefix, suffix):
    path = prefix.with_suffix(f".{suffix}")
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    if suffix == "fam":  # 5 and 6 individuals need as many bytes, 4 need fewer
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:4]))
    with refuses(DataError, "use-bim-and-fam-files"):
        plink_study(prefix)


def test_a_bim_file_between_spaces(tmp_path):
    path = tmp_path / "study.bim"
    path.write_text("".join(map(bim_line, range(3))).replace("\t", "  "))
    assert bim_variants(path) == VARIANTS


@pytest.mark.parametrize("line", ["1 rs 0 A G\n", "1 rs 0 1e6 A G\n", "1 rs 0 1 A G extra\n"])
def test_a_bim_file_with_other_columns(tmp_path, line):
    path = tmp_path / "study.bim"
    path.write_text(bim_line(0) + line)
    with refuses(DataError, "others-columns-family: 6 | study.bim"):
        bim_variants(path)


@pytest.mark.parametrize("name", ["", ".", "..", "/"])
def test_a_prefix_without_a_name(name):
    with refuses(InvalidArgument, "file-bed-none"):
        plink_study(Path(name))


@pytest.fixture
def bed(tmp_path):
    path = tmp_path / "study.bed"
    path.write_bytes(bed_bytes(CALLS))
    return path


def test_four_individuals_share_a_byte():
    assert [bytes_of(n) for n in (1, 4, 5, 8, 9)] == [1, 1, 2, 2, 3]


def test_the_four_codes(tmp_path):
    path = tmp_path / "study.bed"
    path.write_bytes(bytes([0x6C, 0x1B, 0x01, 0b11_10_01_00]))
    genotypes = PackedGenotypes(path, 4, 1)
    assert genotypes.rows(np.array([0])).tolist() == [[2, -1, 1, 0]]
    (counts,) = genotypes.counts((np.ones(4, dtype=bool),))
    assert counts.tolist() == [[1, 1, 1, 1]]


def test_nobody_is_counted_in_an_empty_group(bed):
    none, one = PackedGenotypes(bed, 5, 3).counts((np.zeros(5, bool), np.arange(5) == 2))
    assert none.tolist() == [[0, 0, 0, 0]] * 3
    assert one.tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0]]


def test_progress_ends_at_one(bed):
    fractions = []
    PackedGenotypes(bed, 5, 3).counts((np.ones(5, bool),), fractions.append)
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"\x6c\x1b\x00", "individual-major-one-convert"),
        (b"\x6c\x1b\x10", "begins-with-bytes-6c-1b"),
        (b"\x00\x00\x01", "begins-with-bytes-6c-1b"),
    ],
)
def test_another_header(bed, header, message):
    bed.write_bytes(header + bed.read_bytes()[3:])
    with refuses(DataError, message):
        PackedGenotypes(bed, 5, 3)


@pytest.mark.parametrize("length", [0, 1, 2])
def test_less_than_a_header(bed, length):
    bed.write_bytes(bed.read_bytes()[:length])
    with refuses(DataError, "begins-with-bytes-6c-1b"):
        PackedGenotypes(bed, 5, 3)


@pytest.mark.parametrize("change", [-1, 1, 2])
def test_another_size(bed, change):
    content = bed.read_bytes() + bytes(2)
    bed.write_bytes(content[: len(content) - 2 + change])
    with refuses(DataError, f"bytes-for-variants: 9 | {9 + change}"):
        PackedGenotypes(bed, 5, 3)


def test_a_file_that_shrinks_while_it_is_read(bed):
    genotypes = PackedGenotypes(bed, 5, 3)
    bed.write_bytes(bed.read_bytes()[:-1])
    with refuses(DataError, "end-of-file"):
        genotypes.counts((np.ones(5, bool),))


COPIES = np.array([[-1 if call is None else call for call in row] for row in CALLS])
CASE = np.array([group == "case" for group in GROUPS])
CONTROL = np.array([group == "control" for group in GROUPS])
WRITE_PLINK_VARIANTS = Variants(
    ["1", "2", "X"], ["rs0", "rs1", "rs2"], [1, 2, 3], list("ACG"), list("TGT")
)


def some(*which):
    return WRITE_PLINK_VARIANTS.take(np.array(which)), COPIES[list(which)]


def test_what_is_written_is_read_bit_by_bit(tmp_path):
    with PlinkWriter(tmp_path / "study", CASE, CONTROL) as writer:
        writer.write(*some(0, 1))
        writer.write(*some(2))
    bed = (tmp_path / "study.bed").read_bytes()
    assert bed_calls(bed, 5) == [list(row) for row in CALLS]
    assert bed[4] >> 2 == bed[6] >> 2 == 0  # the last byte of a row is filled with zeros
    assert study_counts(tmp_path / "study") == (CASES, CONTROLS)
    first, _, last = (tmp_path / "study.bim").read_text().splitlines()
    assert (first, last) == ("1\trs0\t0\t1\tA\tT", "X\trs2\t0\t3\tG\tT")
    fam = [line.split() for line in (tmp_path / "study.fam").read_text().splitlines()]
    assert [line[5] for line in fam] == ["2", "1", "2", "1", "0"]
    assert len({line[1] for line in fam}) == 5


def test_everybody_else_is_a_control(tmp_path):
    with PlinkWriter(tmp_path / "study", CASE) as writer:
        writer.write(*some(0))
    fam = (tmp_path / "study.fam").read_text().splitlines()
    assert [line.split()[5] for line in fam] == ["2", "1", "2", "1", "1"]


def test_other_files_appear_with_them(tmp_path):
    with PlinkWriter(tmp_path / "study", CASE) as writer:
        writer.write(*some(0))
        writer.attach("causal.tsv", "variant\n")
        assert not (tmp_path / "study.causal.tsv").exists()
    assert (tmp_path / "study.causal.tsv").read_text() == "variant\n"
    assert len(list(tmp_path.iterdir())) == 4


def test_nothing_is_left_of_a_failure(tmp_path):
    def fail():
        with PlinkWriter(tmp_path / "study", CASE) as writer:
            writer.write(*some(0))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", ["bed", "bim", "fam"])
def test_nothing_is_written_over(tmp_path, suffix):
    (tmp_path / f"study.{suffix}").write_text("old")
    with refuses(InvalidArgument, f"new-file-study: {suffix}"):
        PlinkWriter(tmp_path / "study", CASE).__enter__()
    assert [path.name for path in tmp_path.iterdir()] == [f"study.{suffix}"]
    assert (tmp_path / f"study.{suffix}").read_text() == "old"


def test_a_file_that_appears_meanwhile_stays(tmp_path):
    def written():
        with PlinkWriter(tmp_path / "study", CASE) as writer:
            writer.write(*some(0))
            (tmp_path / "study.bed").write_text("another's")

    with refuses(InvalidArgument, "new-file"):
        written()
    assert [path.name for path in tmp_path.iterdir()] == ["study.bed"]
    assert (tmp_path / "study.bed").read_text() == "another's"


def test_a_folder_that_is_missing(tmp_path):
    with refuses(InvalidArgument, "existing-folder-above"):
        PlinkWriter(tmp_path / "none" / "study", CASE).__enter__()


@pytest.mark.parametrize(
    ("cases", "controls", "message"),
    [
        (CASE, CASE, "case-control-or-neither"),
        (CASE, CONTROL[:-1], "case-control-or-neither"),
        (CASE[:0], CONTROL[:0], "below-least: individuals | 1"),
    ],
)
def test_groups_that_are_none(tmp_path, cases, controls, message):
    with refuses(InvalidArgument, message):
        PlinkWriter(tmp_path / "study", cases, controls)


@pytest.mark.parametrize(
    ("copies", "message"),
    [
        (COPIES[:1, :4], "copies-of-shape: (1, 5) | (1, 4)"),
        (COPIES[:2], "copies-of-shape: (1, 5) | (2, 5)"),
        (COPIES[:1] + 1, "0-1-2-copies"),
        (COPIES[:1] - 1, "0-1-2-copies"),
    ],
)
def test_copies_that_are_none(tmp_path, copies, message):
    def written():
        with PlinkWriter(tmp_path / "study", CASE) as writer:
            writer.write(WRITE_PLINK_VARIANTS.take(np.array([0])), copies)

    with refuses(InvalidArgument, message):
        written()


def test_write_plink_a_prefix_without_a_name():
    with (
        refuses(InvalidArgument, "prefix-of-file-names"),
        PlinkWriter(Path(), CASE),
    ):
        raise AssertionError("entered")
