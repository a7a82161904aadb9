"""VCF Zarr: calls, their padding, the order of alleles, and stores that are not whole."""

import shutil

import numpy as np
import pytest

from deniable.errors import DataError, InvalidArgument
from deniable.errors.late import late
from deniable.gwas.files import count_study, genotypes, vcz
from tests.cases.refusals import refuses
from tests.cases.study_formats import write_store

pytest.importorskip("zarr")

PEOPLE = ["a", "b", "c", "d"]


def store(folder, calls, *, alleles=None, contigs=("1",), places=None, name="study.vcz", **how):
    """Calls of shape (n_variants, 4, ploidy) as a store, and a phenotype file beside it."""
    calls = np.array(calls, np.int8)
    number = len(calls)
    arrays = {
        "contig_id": list(contigs),
        "sample_id": PEOPLE,
        "variant_contig": np.array(places or [0] * number, np.int8),
        "variant_position": np.arange(1, number + 1, dtype=np.int32),
        "variant_id": [f"rs{i}" for i in range(number)],
        "variant_allele": alleles or [["G", "A"]] * number,
        "call_genotype": calls,
    }
    write_store(folder / name, arrays, chunk=(2, 3, 9), **how)
    status = folder / "status.txt"
    status.write_text("#IID P\n" + "".join(f"{n} {1 + i % 2}\n" for i, n in enumerate(PEOPLE)))
    return folder / name, status


def copies(folder, calls, **how):
    path, status = store(folder, calls, **how)
    study = genotypes(path, phenotype=status, multiallelic="split")
    return np.concatenate(list(study.blocks(3))).tolist(), study.variants


@pytest.mark.parametrize("form", [2, 3])
def test_copies_are_of_the_alternative_which_is_allele_1(tmp_path, form):
    calls = [[[0, 0], [0, 1], [1, 0], [1, 1]], [[1, 1], [-1, -1], [0, 0], [0, -1]], [[0, 0]] * 4]
    alleles = [["G", "A"], ["AT", "A"], ["C", ""]]
    counted, variants = copies(tmp_path, calls, alleles=alleles, zarr_format=form)
    assert counted == [[0, 1, 1, 2], [2, -1, 0, -1], [0, 0, 0, 0]]
    assert variants.allele_1.tolist() == ["A", "A", "0"]
    assert variants.allele_2.tolist() == ["G", "AT", "C"]
    assert variants.identifier.tolist() == ["rs0", "rs1", "rs2"]


def test_padding_is_no_missing_call(tmp_path):
    """A call of one allele is an error on an autosome; −1 alone is missing."""
    wide = [[[0, 1, -2], [-1, -2, -2], [1, 1, -2], [-1, -1, -2]]]
    assert copies(tmp_path, wide)[0] == [[1, -1, 2, -1]]
    for wrong in ([0, -2], [1, -2], [-2, -2], [-2, 1], [0, 2], [-3, 1]):
        path, status = store(tmp_path, [[[0, 0], [0, 0], wrong, [0, 0]]])
        with refuses(DataError, "study-vcz"):
            count_study(path, phenotype=status, missing="leave")
    path, status = store(tmp_path, [[[0, 0, -2], [0, 0, 1], [0, 0, -2], [0, 0, -2]]])
    with refuses(DataError, "two-alleles-in-each-one: study.vcz | 1:1"):
        count_study(path, phenotype=status)


def test_men_on_x_are_left_out_with_their_chromosome(tmp_path):
    calls = [[[0, 1]] * 4, [[0, -2]] * 4, [[1, 1]] * 4]
    path, status = store(tmp_path, calls, contigs=("chrX", "7"), places=[1, 0, 1])
    study = count_study(path, phenotype=status)
    assert study.not_autosomal == 1
    assert study.variants.identifier.tolist() == ["rs0", "rs2"]


def test_each_alternative_is_a_variant(tmp_path):
    calls = [[[0, 1], [2, 2], [1, 2], [0, -1]]]
    counted, variants = copies(tmp_path, calls, alleles=[["G", "A", "T"]])
    assert counted == [[1, 0, 1, -1], [0, 2, 1, -1]]
    assert variants.allele_1.tolist() == ["A", "T"]


def test_pieces_are_the_whole(tmp_path):
    rng = np.random.default_rng(0)
    path, status = store(tmp_path, rng.integers(0, 2, (11, 4, 2)))
    how = vcz.HowRead(status)
    whole = vcz.VczFile(path, how)
    variants, counts = whole.counts()
    for rows, number in ((1, 6), (2, 6), (5, 3), (100, 1)):
        parts = [part.counts() for part in whole.pieces(rows)]
        assert len(parts) == number
        names = [name for part, _ in parts for name in part.identifier]
        assert names == variants.identifier.tolist()
        assert np.array_equal(np.concatenate([c.cases for _, c in parts]), counts.cases)
        assert np.array_equal(np.concatenate([c.controls for _, c in parts]), counts.controls)


def test_a_store_that_does_not_say_which_allele_is_the_reference_is_refused(tmp_path):
    """sgkit numbers the alleles of a BED file in the other order."""
    path, status = store(tmp_path, [[[0, 1]] * 4], version=None)
    with refuses(DataError, "attribute-vcf-zarr-version: study.vcz"):
        count_study(path, phenotype=status)


@pytest.mark.parametrize(
    "array",
    ["call_genotype", "sample_id", "variant_contig", "variant_allele", "variant_position"],
)
def test_an_array_that_is_gone_or_cut_off_is_named_with_its_store(tmp_path, array):
    for number, harm in enumerate((shutil.rmtree, _cut)):
        how = {"contigs": "21", "places": [1] * 3, "name": f"s{number}.vcz"}
        path, status = store(tmp_path, [[[0, 1]] * 4] * 3, **how)
        harm(path / array)
        with refuses(DataError, f"vcz-whole-store-of-vcf: {number}"):
            count_study(path, phenotype=status)


def _cut(folder):
    for file in folder.iterdir():
        if not file.name.startswith("."):
            file.write_bytes(file.read_bytes()[:5])


def test_what_is_not_there_is_an_error_in_a_sentence(tmp_path, monkeypatch):
    path, status = store(tmp_path, [[[0, 1]] * 4])
    with refuses(InvalidArgument, "folder-of-vcf-zarr-none: other.vcz"):
        count_study(tmp_path / "other.vcz", phenotype=status)
    with refuses(InvalidArgument, "phenotype-file-no-phenotypes"):
        count_study(path)
    monkeypatch.setattr(vcz, "zarr", late("nowhere", extra="zarr"))
    with refuses(InvalidArgument, "deniable-nowhere-for-this-none: nowhere | zarr"):
        count_study(path, phenotype=status)
