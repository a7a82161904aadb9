from pathlib import Path

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.gwas.files.write_plink import PlinkWriter
from deniable.gwas.genotypes import Variants
from tests.cases.genotype_files import CALLS, CASES, CONTROLS, GROUPS
from tests.oracles.genotypes import bed_calls, study_counts

COPIES = np.array([[-1 if call is None else call for call in row] for row in CALLS])
CASE = np.array([group == "case" for group in GROUPS])
CONTROL = np.array([group == "control" for group in GROUPS])
VARIANTS = Variants(["1", "2", "X"], ["rs0", "rs1", "rs2"], [1, 2, 3], list("ACG"), list("TGT"))


def some(*which):
    return VARIANTS.taken(np.array(which)), COPIES[list(which)]


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
    with pytest.raises(InvalidArgument, match=rf"Expected a new file .*study\.{suffix}"):
        PlinkWriter(tmp_path / "study", CASE).__enter__()
    assert [path.name for path in tmp_path.iterdir()] == [f"study.{suffix}"]
    assert (tmp_path / f"study.{suffix}").read_text() == "old"


def test_a_file_that_appears_meanwhile_stays(tmp_path):
    def written():
        with PlinkWriter(tmp_path / "study", CASE) as writer:
            writer.write(*some(0))
            (tmp_path / "study.bed").write_text("another's")

    with pytest.raises(InvalidArgument, match="Expected a new file"):
        written()
    assert [path.name for path in tmp_path.iterdir()] == ["study.bed"]
    assert (tmp_path / "study.bed").read_text() == "another's"


def test_a_folder_that_is_missing(tmp_path):
    with pytest.raises(InvalidArgument, match="Expected an existing folder above"):
        PlinkWriter(tmp_path / "none" / "study", CASE).__enter__()


@pytest.mark.parametrize(
    ("cases", "controls", "message"),
    [
        (CASE, CASE, "a case, a control or neither"),
        (CASE, CONTROL[:-1], "a case, a control or neither"),
        (CASE[:0], CONTROL[:0], "Expected individuals >= 1"),
    ],
)
def test_groups_that_are_none(tmp_path, cases, controls, message):
    with pytest.raises(InvalidArgument, match=message):
        PlinkWriter(tmp_path / "study", cases, controls)


@pytest.mark.parametrize(
    ("copies", "message"),
    [
        (COPIES[:1, :4], r"Expected copies of shape \(1, 5\), got \(1, 4\)"),
        (COPIES[:2], r"Expected copies of shape \(1, 5\), got \(2, 5\)"),
        (COPIES[:1] + 1, "Expected 0, 1, 2 copies or -1"),
        (COPIES[:1] - 1, "Expected 0, 1, 2 copies or -1"),
    ],
)
def test_copies_that_are_none(tmp_path, copies, message):
    def written():
        with PlinkWriter(tmp_path / "study", CASE) as writer:
            writer.write(VARIANTS.taken(np.array([0])), copies)

    with pytest.raises(InvalidArgument, match=message):
        written()


def test_a_prefix_without_a_name():
    with (
        pytest.raises(InvalidArgument, match="Expected a prefix of file names"),
        PlinkWriter(Path(), CASE),
    ):
        raise AssertionError("entered")
