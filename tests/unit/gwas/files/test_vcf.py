import numpy as np
import pytest

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files import HowRead, VcfFile, vcf
from tests.cases.genotype_files import (
    CALLS,
    CASES,
    CONTROLS,
    VCF_HEADER,
    phenotype_file,
    vcf_file,
    vcf_line,
)
from tests.cases.refusals import refuses

LINES = [vcf_line(*each) for each in enumerate(CALLS)]
HAS_CYVCF2 = vcf.cyvcf2 is not None
needs_cyvcf2 = pytest.mark.skipif(not HAS_CYVCF2, reason="cyvcf2 is an extra")


@pytest.fixture
def open_vcf(tmp_path):
    def of(lines):
        return VcfFile(vcf_file(tmp_path, lines), HowRead(phenotype_file(tmp_path)))

    return of


@needs_cyvcf2
def test_counts_of_the_alternative_allele(open_vcf):
    variants, counts = open_vcf(LINES).counts()
    assert counts.cases.tolist() == CASES
    assert counts.controls.tolist() == CONTROLS
    assert variants == open_vcf(LINES).variants()
    assert variants.identifier.tolist() == ["rs0", "rs1", "rs2"]
    assert (variants.allele_1[0], variants.allele_2[0]) == ("A", "G")
    assert variants.position.tolist() == [1, 101, 201]


@needs_cyvcf2
def test_dosages(open_vcf):
    blocks = list(open_vcf(LINES).dosages(2))
    assert [len(block) for block in blocks] == [2, 1]
    expected = [[-1 if call is None else call for call in row] for row in CALLS]
    assert np.concatenate(blocks).tolist() == expected


@needs_cyvcf2
@pytest.mark.parametrize("word", ["./1", "0/.", ".|1", "."])
def test_a_half_call_is_missing(open_vcf, word):
    line = vcf_line(0, (0, 1, 2, 0, None)).replace("./.", word)
    (block,) = open_vcf([line]).dosages()
    assert block.tolist() == [[0, 1, 2, 0, -1]]


@needs_cyvcf2
def test_a_variant_without_a_name_and_one_without_an_alternative(open_vcf):
    lines = [LINES[0].replace("rs0", "."), vcf_line(1, (0, 0, 0, 0, 0)).replace("\tA\t", "\t.\t")]
    variants, _ = open_vcf(lines).counts()
    assert variants.identifier.tolist() == [".", "rs1"]
    assert variants.allele_1.tolist() == ["A", "0"]


@needs_cyvcf2
def test_several_alternatives(open_vcf):
    line = LINES[1].replace("\tA\t", "\tA,T\t")
    with refuses(DataError, "multiallelic-split: 2 | study.vcf, 1:101"):
        open_vcf([LINES[0], line]).counts()


@needs_cyvcf2
@pytest.mark.parametrize(
    "line",
    [
        LINES[0].replace("GT", "DP").replace("0/0", "1"),
        "\t".join(LINES[0].split("\t")[:-2]) + "\n",
        LINES[0].replace("\t1\t", "\tone\t"),
        "nonsense\n",
    ],
    ids=["no genotypes", "too few", "no position", "no line"],
)
def test_a_line_that_is_none(open_vcf, line):
    with refuses(DataError, "vcf-or-bcf-file"):
        open_vcf([line]).counts()


@needs_cyvcf2
@pytest.mark.parametrize("text", ["", "hello\n", VCF_HEADER])
def test_a_file_that_is_none(tmp_path, text):
    path = tmp_path / "study.vcf"
    path.write_text(text)
    with pytest.raises(DataError):
        VcfFile(path, HowRead(phenotype_file(tmp_path)))


@needs_cyvcf2
def test_a_file_without_variants(open_vcf):
    with refuses(DataError, "variant-or-more-none"):
        open_vcf([]).counts()


@needs_cyvcf2
def test_a_file_of_sites_only_is_refused_by_what_it_lacks(tmp_path):
    """As databases of variants are: no column of a person, though there are lines."""
    path = tmp_path / "sites.vcf"
    columns = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"
    path.write_text(VCF_HEADER + columns + "\t".join(LINES[0].split("\t")[:8]) + "\n")
    with refuses(DataError, "file-of-sites-only: sites.vcf"):
        VcfFile(path, HowRead(phenotype_file(tmp_path)))


@needs_cyvcf2
def test_a_missing_file(tmp_path):
    with refuses(InvalidArgument, "file-not-there: none.vcf"):
        VcfFile(tmp_path / "none.vcf", HowRead(phenotype_file(tmp_path)))


@needs_cyvcf2
def test_a_vcf_needs_a_phenotype_file(tmp_path):
    with refuses(InvalidArgument, "phenotype-file-no-phenotypes"):
        VcfFile(vcf_file(tmp_path, LINES), HowRead())


def test_without_cyvcf2_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(vcf, "cyvcf2", None)
    with refuses(InvalidArgument, "install-deniable-vcf"):
        VcfFile(vcf_file(tmp_path, LINES), HowRead(phenotype_file(tmp_path)))
