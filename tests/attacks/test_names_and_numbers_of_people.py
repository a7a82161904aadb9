"""Names of people that hold a space, and numbers that only Python reads: never a silent mismatch.

A person whom a list should leave out takes part where the list's line is read as another name; a
phenotype that one program reads and another does not makes two studies of one file.
"""

import numpy as np
import pytest

from deniable import gwas
from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files import (
    Filters,
    bgen,
    count_study,
    from_fam,
    from_names,
    genotypes,
    read_panel,
    vcf,
)
from deniable.gwas.files.individuals import from_psam
from deniable.gwas.files.plink import PlinkWriter
from deniable.gwas.genotypes import Variants
from tests.cases.refusals import refuses

NAMES = ["John Smith", "Ann Mary Lee", "Smith", "x1", "x2", "x3", "x4"]
HEADER = (
    "##fileformat=VCFv4.2\n##contig=<ID=1>\n"
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n'
    "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t"
)


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def vcf_study(folder, names=NAMES):
    if vcf.cyvcf2 is None:
        pytest.skip("cyvcf2 is an extra")
    line = "\t".join(["1", "9", "rs1", "A", "C", ".", ".", ".", "GT", *["0/1"] * len(names)])
    file = written(folder / "study.vcf", HEADER + "\t".join(names) + f"\n{line}\n")
    rows = "".join(f"{name}\t{1 + place % 2}\n" for place, name in enumerate(names))
    return file, written(folder / "pheno", "#IID\tP\n" + rows)


def gone(folder, text, names=NAMES):
    """Whom a list removes from a VCF."""
    file, phenotype = vcf_study(folder, names)
    filters = Filters(remove=written(folder / "list", text))
    people = genotypes(file, phenotype=phenotype, filters=filters).individuals
    return [name for (_, name), kept in zip(people.names, people.kept, strict=True) if not kept]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann Mary Lee\n", ["Ann Mary Lee"]),
        ("#IID\nJohn Smith\n", ["John Smith"]),
        ("#IID\nJohn Smith\nAnn Mary Lee\nx1\n", ["John Smith", "Ann Mary Lee", "x1"]),
        ("Ann Mary Lee\nx1\n", ["Ann Mary Lee", "x1"]),
        ("0\tJohn Smith\n0\tAnn Mary Lee\n", ["John Smith", "Ann Mary Lee"]),
        ("0\tJohn Smith\n", ["John Smith"]),
        ("#FID\tIID\n0\tJohn Smith\n0\tx1\n", ["John Smith", "x1"]),
        ("#IID\tSEX\nJohn Smith\t1\nx1\t2\n", ["John Smith", "x1"]),
        ("#IID\tSEX\nJohn Smith\t\nAnn Lee\t\n", ["John Smith"]),
        ("x1 x1\nx2 x2\n", ["x1", "x2"]),
    ],
)
def test_a_line_of_a_list_is_the_person_of_that_name(tmp_path, text, expected):
    assert gone(tmp_path, text) == expected


@pytest.mark.parametrize(
    ("text", "number"),
    [("John Smith\n", 1), ("x1 x2\n\nJohn Smith\n", 3), ("q Smith\tSmith 1\n", 1)],
)
def test_a_line_that_may_be_two_people_is_refused_by_its_number(tmp_path, text, number):
    """By family and individual it is Smith, and by the whole line or by tabs another."""
    with refuses(DataError, f"list-line: {number}") as refused:
        gone(tmp_path, text, [*NAMES, "Smith 1"])
    assert "Smith" not in str(refused.value)


def test_one_name_alone_is_no_family(tmp_path):
    assert gone(tmp_path, "John Smith\n", ["John Smith", "x1", "x2"]) == ["John Smith"]


def test_a_psam_file_whose_names_hold_spaces(tmp_path):
    phenotype = written(tmp_path / "pheno", "#IID\tP\nJohn Smith\t1\nAnn Lee\t2\nx\t1\n")
    alone = written(tmp_path / "alone.psam", "#IID\nJohn Smith\nAnn Lee\nx\n")
    assert from_psam(alone, phenotype).names == (("0", "John Smith"), ("0", "Ann Lee"), ("0", "x"))
    holes = written(tmp_path / "holes.psam", "#IID\tSEX\nJohn Smith\t\nAnn Lee\t\n")
    assert [name for _, name in from_psam(holes, phenotype).names] == ["John Smith", "Ann Lee"]


def test_a_fam_file_whose_names_hold_spaces_and_whose_phenotype_is_empty(tmp_path):
    lines = "f\tJohn Smith\t0\t0\t1\t\ng\tAnn Lee\t0\t0\t2\t\n"
    phenotype = written(tmp_path / "pheno", "f\tJohn Smith\t2\ng\tAnn Lee\t1\n")
    people = from_fam(written(tmp_path / "a.fam", lines), phenotype)
    assert people.names == (("f", "John Smith"), ("g", "Ann Lee"))
    assert people.cases.tolist() == [True, False]


ODD_NUMBERS = ["0_1", "1_0", "\u0661", "\uff12", "1_0e0", "inf", "0x1"]


@pytest.mark.parametrize("odd", ODD_NUMBERS)
@pytest.mark.parametrize("header", ["", "#FID\tIID\tP\n"])
def test_a_phenotype_is_a_decimal_in_ascii(tmp_path, odd, header):
    """What Python alone takes for a number is refused, and is no unknown phenotype either."""
    if odd == "0x1" and not header:
        pytest.skip("a word, as PLINK has it: unknown")
    text = header + f"f\ta\t1\nf\tb\t2\nf\tc\t{odd}\n"
    phenotype = written(tmp_path / "pheno", text)
    fam = written(tmp_path / "a.fam", "".join(f"f {name} 0 0 0 1\n" for name in "abc"))
    with refuses(DataError, "pheno-divide-quantitative-phenotype") as refused:
        from_fam(fam, phenotype)
    assert odd not in str(refused.value)
    own = "".join(
        f"f {name} 0 0 0 {word}\n" for name, word in zip("abc", ("1", "2", odd), strict=True)
    )
    if odd != "0x1":
        with refuses(DataError, "divide-quantitative-phenotype-into: b.fam"):
            from_fam(written(tmp_path / "b.fam", own))


@pytest.mark.parametrize("word", ["2", "2.0", "+2", "2.", "2e0", "02", ".2e1"])
def test_every_way_to_write_a_decimal(tmp_path, word):
    phenotype = written(tmp_path / "pheno", f"#IID P\na 1\nb {word}\n")
    assert from_names(["a", "b"], phenotype).cases.tolist() == [False, True]


@pytest.mark.parametrize("odd", ["0_1", "\u0660.1", "0.1_0"])
def test_a_frequency_of_a_panel_is_a_decimal_in_ascii(tmp_path, odd):
    panel = written(tmp_path / "p.frq", f"SNP A1 A2 MAF\na A G 0.2\nb A G {odd}\n")
    with refuses(DataError, "frequencies-with-columns"):
        read_panel(panel)


@pytest.mark.parametrize(
    ("prefix", "kind"),
    [
        ((each for each in ["a", "b"]), "generator"),
        (iter(["a"]), "list_iterator"),
        (b"study", "bytes"),
        ([b"study"], "bytes"),
        (7, "int"),
        (None, "NoneType"),
    ],
)
@pytest.mark.parametrize("function", [count_study, gwas.scan, genotypes])
def test_a_prefix_that_is_none_is_refused_at_once(prefix, kind, function):
    with refuses(InvalidArgument, f"prefix-as-text-or-path: {kind}"):
        function(prefix)


def test_the_order_of_alleles_is_of_the_parts_that_are_bgen(tmp_path):
    """A study of a BGEN and another file has to say the order of the one alone."""
    cases = np.array([True, False] * 4)
    with PlinkWriter(tmp_path / "two", cases) as writer:
        writer.write(
            Variants(["2"], ["b"], [7], ["A"], ["C"]), np.array([[1, 0, 1, 2, 0, 1, 2, 0]])
        )
    with refuses(InvalidArgument, "bgen-file-with-allele-order"):
        count_study(tmp_path / "two", filters=Filters(allele_order="ref-first"))
    (tmp_path / "one.bgen").write_bytes(b"none")
    parts = [tmp_path / "one.bgen", tmp_path / "two"]
    expected = "whole-bgen-file" if bgen.bgen else "bgen-to-read"
    with refuses((DataError, InvalidArgument), expected):
        count_study(parts, missing="major", filters=Filters(allele_order="ref-first"))


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (from_fam, "f\ta\t0\t0\t1\t1\nf\tb\t0\t0\t1\t2\nf\tc\t0\t0\t1\t"),
        (from_psam, "#IID\tSEX\tP\na\t1\t1\nb\t1\t2\nc\t1\t"),
        (lambda path: from_names(["a", "b", "c"], path), "#IID\tP\na\t1\nb\t2\nc\t"),
    ],
    ids=["fam", "psam", "phenotypes"],
)
def test_a_file_cut_behind_its_last_tab_is_refused(tmp_path, read, text):
    """The last person would have no phenotype; an empty cell with an end of its line has none."""
    with refuses(DataError, "behind-last-tab: people"):
        read(written(tmp_path / "people", text))
    people = read(written(tmp_path / "people", f"{text}\n"))
    assert people.cases.tolist() == [False, True, False]
