"""PLINK 2's and BGEN's files: the calls that plink2 itself makes of them."""

import itertools
import subprocess
from pathlib import Path

import numpy as np
import pytest

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files import Multiallelic, bgen, count_study, genotypes, oxford_sample, pgen
from deniable.gwas.files.individuals import from_names, from_psam
from deniable.numerics.effort import Effort
from tests.cases.programs import need
from tests.cases.refusals import refuses

STUDY = Path(__file__).resolve().parents[4] / "tests" / "data" / "plink" / "study"
HEADER = (
    "##fileformat=VCFv4.2\n##contig=<ID=1>\n##contig=<ID=MT>\n"
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n'
    '##FORMAT=<ID=HDS,Number=.,Type=Float,Description="h">\n'
    "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t"
)
PEOPLE = 24


@pytest.fixture(autouse=True)
def _needed() -> None:
    if pgen.pgenlib is None or bgen.bgen is None:
        pytest.skip("pgenlib and bgen are extras")


def plink2(folder, *words):
    need("plink2")
    command = ["plink2", *map(str, words), "--threads", "1"]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)


def same_study(one, other):
    return (one.counts, one.variants) == (other.counts, other.variants)


def calls(prefix, **how):
    return np.concatenate(list(genotypes(prefix, **how).blocks(7)))


def vcf(folder, alternatives="GT", seed=0):
    """Phased and unphased calls, missing ones, one to three alternatives, and a line of MT."""
    rng = np.random.default_rng(seed)
    lines = []
    for i in range(30):
        number = 1 + (i % len(alternatives))
        drawn = rng.integers(0, number + 1, (PEOPLE, 2))
        cells = [f"{a}{'|/'[(i + a) % 2]}{b}" if a + b < 5 else "./." for a, b in drawn]
        cells[i % PEOPLE] = "./."
        named = ",".join(alternatives[:number])
        place = ("MT" if i == 29 else "1"), str(i + 1), f"v{i}", "A", named
        lines.append("\t".join([*place, ".", ".", ".", "GT", *cells]))
    names = "\t".join(f"i{i}" for i in range(PEOPLE))
    path = folder / "made.vcf"
    path.write_text(HEADER + names + "\n" + "\n".join(lines) + "\n")
    phenotype = folder / "status.txt"
    phenotype.write_text("#IID P\n" + "".join(f"i{i} {1 + i % 2}\n" for i in range(PEOPLE)))
    return path, phenotype


def test_the_committed_study_from_every_format(tmp_path):
    expected = count_study(STUDY, missing="leave")
    plink2(tmp_path, "--bfile", STUDY, "--make-pgen", "vzs", "--out", "two")
    plink2(tmp_path, "--bfile", STUDY, "--export", "bgen-1.2", "ref-first", "--out", "first")
    plink2(tmp_path, "--bfile", STUDY, "--export", "bgen-1.1", "--out", "one")
    assert same_study(count_study(tmp_path / "two", missing="leave"), expected)
    assert same_study(count_study(tmp_path / "two.pgen", missing="leave"), expected)
    assert same_study(count_study(tmp_path / "first.bgen", missing="leave"), expected)
    # plink2 puts the reference last if it is not told otherwise: then allele 1 is the reference.
    turned = count_study(tmp_path / "one.bgen", missing="leave")
    assert np.array_equal(turned.counts.cases[:, [2, 1, 0, 3]], expected.counts.cases)
    assert turned.variants.allele_2.tolist() == expected.variants.allele_1.tolist()


@pytest.mark.parametrize("name", ["two", "two.v2"])
def test_the_variants_of_a_prefix_with_dots_count_for_the_memory(tmp_path, name):
    plink2(tmp_path, "--bfile", STUDY, "--make-pgen", "--out", name)
    number = len(count_study(STUDY, missing="leave").variants)
    for prefix in (name, f"{name}.pgen"):
        with refuses(InvalidArgument, f"memory-for-so-many-variants: {number}"):
            count_study(tmp_path / prefix, missing="leave", effort=Effort(memory="100MB"))


@pytest.mark.parametrize("bits", [8, 16])
def test_dosages_are_called_as_plink2_calls_them(tmp_path, bits):
    made = ["--dummy", 60, 50, "0.1", "dosage-freq=0.6", "--seed", bits]
    plink2(tmp_path, *made, "--make-pgen", "--out", "made")
    plink2(tmp_path, "--pfile", "made", "--make-bed", "--out", "made")
    (tmp_path / "bed").mkdir()
    for suffix in ("bed", "bim", "fam"):
        (tmp_path / f"made.{suffix}").rename(tmp_path / "bed" / f"made.{suffix}")
    expected = calls(tmp_path / "bed" / "made")
    assert 0.2 < (expected < 0).mean() < 0.8
    assert np.array_equal(calls(tmp_path / "made.pgen"), expected)
    assert same_study(
        count_study(tmp_path / "made", missing="leave"),
        count_study(tmp_path / "bed" / "made", missing="leave"),
    )
    how = "--export", "bgen-1.2", f"bits={bits}", "ref-first"
    plink2(tmp_path, "--pfile", "made", *how, "--out", "wide")
    back = "--bgen", "wide.bgen", "ref-first", "--sample", "wide.sample"
    plink2(tmp_path, *back, "--make-bed", "--out", "bed/wide")
    assert np.array_equal(calls(tmp_path / "wide.bgen"), calls(tmp_path / "bed" / "wide"))


def counted_by_plink2(folder, prefix, people):
    """Genotypes of each alternative, by (position, allele): with 0, 1, 2 copies and missing."""
    (folder / "kept.txt").write_text("".join(f"{name}\n" for name in people))
    plink2(folder, "--pfile", prefix, "--keep", "kept.txt", "--geno-counts", "cols=+pos")
    header, *lines = [
        line.lstrip("#").split("\t") for line in (folder / "plink2.gcount").read_text().splitlines()
    ]
    counts = {}
    for row in (dict(zip(header, line, strict=True)) for line in lines):
        alleles = row["ALT"].split(",")
        one = [int(n) for n in row["HET_REF_ALT_CTS"].split(",")]
        two = [int(n) for n in row["TWO_ALT_GENO_CTS"].split(",")]
        pairs = [(i, j) for j in range(len(alleles)) for i in range(j + 1)]
        for k, allele in enumerate(alleles):
            both = dict(zip(pairs, two, strict=True))
            het = one[k] + sum(n for pair, n in both.items() if k in pair and pair != (k, k))
            missing = int(row["MISSING_CT"])
            none = len(people) - missing - het - both[k, k]
            counts[int(row["POS"]), allele] = [none, het, both[k, k], missing]
    return counts


def test_multiallelic_lines_are_split_as_plink2_counts_them(tmp_path):
    path, phenotype = vcf(tmp_path, "GTC")
    plink2(tmp_path, "--vcf", path, "--chr", 1, "--make-pgen", "vzs", "--out", "auto")
    plink2(tmp_path, "--vcf", path, "--make-pgen", "--out", "two")
    plink2(tmp_path, "--pfile", "auto", "vzs", "--make-pgen", "--out", "auto")
    groups = [[f"i{i}" for i in range(PEOPLE) if i % 2 == k] for k in (1, 0)]
    expected = [counted_by_plink2(tmp_path, "auto", group) for group in groups]
    how = {"phenotype": phenotype, "missing": "leave"}
    for source in (tmp_path / "two", tmp_path / "auto", path):
        study = count_study(source, multiallelic="split", **how)
        places = zip(study.variants.position.tolist(), study.variants.allele_1, strict=True)
        assert list(places) == list(expected[0])
        for ours, theirs in zip((study.counts.cases, study.counts.controls), expected, strict=True):
            assert ours.tolist() == list(theirs.values())
        assert study.not_autosomal == (source != tmp_path / "auto")
        single = count_study(source, multiallelic="leave-out", **how)
        assert (len(single.variants), single.multiallelic_left_out) == (10, 19)
        assert set(single.variants.allele_1) == {"G"}
        blocks = genotypes(source, phenotype=phenotype, multiallelic="split").blocks(8)
        cases = np.concatenate(list(blocks))[:, 1::2]
        by_copies = np.stack([(cases == copies).sum(axis=1) for copies in (0, 1, 2, -1)], axis=1)
        assert by_copies.tolist() == study.counts.cases.tolist()
        with refuses(DataError, "1-2-make-each-variant"):
            count_study(source, **how)


def test_a_phased_bgen_is_read_without_its_phase(tmp_path):
    path, phenotype = vcf(tmp_path, "G")
    path.write_text(path.read_text().replace("0/1", "0|1").replace("1/0", "1|0"))
    plink2(tmp_path, "--vcf", path, "--make-bed", "--out", "bed")
    how = "--vcf", path, "--chr", 1
    plink2(tmp_path, *how, "--export", "bgen-1.2", "ref-first", "bits=8", "--out", "two")
    how = {"phenotype": phenotype, "missing": "leave"}
    expected = count_study(tmp_path / "bed", **how)
    assert same_study(count_study(tmp_path / "two.bgen", **how), expected)


def test_a_psam_file_chooses_among_its_phenotypes(tmp_path):
    path, _ = vcf(tmp_path, "G")
    plink2(tmp_path, "--vcf", path, "--make-pgen", "--out", "two")
    rows = [f"i{i}\t1\t{7.5 + i}\t{1 + i // 12}\t{1 + i % 2}" for i in range(PEOPLE)]
    (tmp_path / "two.psam").write_text("#IID\tSEX\tBMI\tT1D\tT2D\n" + "\n".join(rows) + "\n")
    people = genotypes(tmp_path / "two", phenotype_name="T1D").individuals
    assert people.cases.tolist() == [i >= 12 for i in range(PEOPLE)]
    with refuses(DataError, "one-phenotype: 3 | BMI, T1D, T2D"):
        genotypes(tmp_path / "two")
    with refuses(DataError, "divide-quantitative-phenotype-into"):
        genotypes(tmp_path / "two", phenotype_name="BMI")


def test_every_reader_is_missed_by_its_extra(tmp_path, monkeypatch):
    (tmp_path / "two.pgen").write_bytes(b"")
    monkeypatch.setattr(pgen, "pgenlib", None)
    monkeypatch.setattr(bgen, "bgen", None)
    with refuses(InvalidArgument, "install-deniable-pgen-or-convert"):
        genotypes(tmp_path / "two")
    with refuses(InvalidArgument, "install-deniable-bgen-or-convert"):
        genotypes(tmp_path / "two.bgen")


def test_copies_of_alleles_by_column_of_a_bgen():
    pairs = [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)]
    expected = [[(pair == (k, k)) + (k in pair) for pair in pairs] for k in range(3)]
    copies = bgen.copies_of_alleles(3, phased=False)
    assert copies.tolist() == expected
    haplotypes = list(itertools.product(range(2), range(3)))
    expected = [[float(allele == k) for _, allele in haplotypes] for k in range(3)]
    assert bgen.copies_of_alleles(3, phased=True).tolist() == expected


SAMPLE = ["ID_1 ID_2 missing sex P", "0 0 0 D B", "f i0 0 1 0", "f i1 0 2 1", "f i2 0 2 NA"]


def test_oxfords_sample_file_codes_cases_1(tmp_path):
    path = tmp_path / "x.sample"
    path.write_text("\n".join(SAMPLE))
    people = oxford_sample(path)
    assert people.names == [("f", "i0"), ("f", "i1"), ("f", "i2")]
    assert people.phenotypes == {"P": ["1", "2", "0"]}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (SAMPLE[:2], "two-lines-of-names"),
        (SAMPLE[1:], "two-lines-of-names"),
        ([*SAMPLE, "f i3 0 1"], "two-lines-of-names"),
        ([*SAMPLE, SAMPLE[-1]], "every-individual-once-somebody-twice"),
        ([*SAMPLE, "f i3 0 1 2"], "binary-phenotypes"),
    ],
)
def test_other_sample_files(tmp_path, lines, message):
    path = tmp_path / "x.sample"
    path.write_text("\n".join(lines))
    with refuses(DataError, message) as refused:
        oxford_sample(path)
    assert "i3" not in str(refused.value)


def test_a_line_of_several_alternatives():
    assert list(Multiallelic.SPLIT.select(3, "x")) == [1, 2, 3]
    assert not Multiallelic.LEAVE_OUT.select(2, "x")
    assert list(Multiallelic.REFUSE.select(0, "x")) == [1]


def test_people_of_a_psam_without_families_are_found_by_the_individual_alone(tmp_path):
    """As those of a VCF and a BGEN, in a phenotype file that names families or not."""
    names = [f"i{i}" for i in range(4)]
    psam = tmp_path / "study.psam"
    psam.write_text("#IID\tSEX\n" + "".join(f"{name}\t2\n" for name in names))
    status = tmp_path / "status.txt"
    for line in ("f{0} i{0} {1}\n", "i{0} i{0} {1}\n", "0 i{0} {1}\n"):
        status.write_text("".join(line.format(i, 1 + i % 2) for i in range(4)))
        read = from_psam(psam, status), from_names(names, status)
        assert all(each.cases.tolist() == [False, True] * 2 for each in read)
    status.write_text("f0 i0 1\nf1 i0 2\n")
    with refuses(DataError, "every-individual-once-somebody-twice"):
        from_psam(psam, status)
