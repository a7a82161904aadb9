import numpy as np
import pytest

from deniable.errors import DataError
from deniable.gwas.files.packed import PackedGenotypes, bytes_of
from tests.cases.genotype_files import CALLS
from tests.oracles.genotypes import bed_bytes


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
    assert [block.tolist() for block in genotypes.dosages()] == [[[2, -1, 1, 0]]]
    (counts,) = genotypes.counts((np.ones(4, dtype=bool),))
    assert counts.tolist() == [[1, 1, 1, 1]]


def test_nobody_is_counted_in_an_empty_group(bed):
    none, one = PackedGenotypes(bed, 5, 3).counts((np.zeros(5, bool), np.arange(5) == 2))
    assert none.tolist() == [[0, 0, 0, 0]] * 3
    assert one.tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0]]


def test_progress_ends_at_one(bed):
    told = []
    PackedGenotypes(bed, 5, 3).counts((np.ones(5, bool),), told.append)
    assert told == sorted(told)
    assert told[-1] == 1


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"\x6c\x1b\x00", "got an individual-major one at .*Convert it with plink --make-bed"),
        (b"\x6c\x1b\x10", "begins with the bytes 6c 1b 01, got others"),
        (b"\x00\x00\x01", "begins with the bytes 6c 1b 01, got others"),
    ],
)
def test_another_header(bed, header, message):
    bed.write_bytes(header + bed.read_bytes()[3:])
    with pytest.raises(DataError, match=message):
        PackedGenotypes(bed, 5, 3)


@pytest.mark.parametrize("length", [0, 1, 2])
def test_less_than_a_header(bed, length):
    bed.write_bytes(bed.read_bytes()[:length])
    with pytest.raises(DataError, match="got others at"):
        PackedGenotypes(bed, 5, 3)


@pytest.mark.parametrize("change", [-1, 1, 2])
def test_another_size(bed, change):
    whole = bed.read_bytes() + bytes(2)
    bed.write_bytes(whole[: len(whole) - 2 + change])
    message = f"Expected 9 bytes for 3 variants and 5 individuals, got {9 + change} at .*study.bed"
    with pytest.raises(DataError, match=message):
        PackedGenotypes(bed, 5, 3)


def test_a_file_that_shrinks_while_it_is_read(bed):
    genotypes = PackedGenotypes(bed, 5, 3)
    bed.write_bytes(bed.read_bytes()[:-1])
    with pytest.raises(DataError, match="got the end of the file"):
        genotypes.counts((np.ones(5, bool),))
