"""The columns of GWAS-SSF: PLINK's odds ratios and standard errors, and what is left out."""

import csv
import math
import subprocess
from pathlib import Path

import numpy as np
import pytest

from deniable import gwas
from deniable.errors import InvalidArgument
from deniable.gwas.genotypes import CountedStudy, GenotypeCounts, MissingRule, Variants
from deniable.gwas.owner import COLUMNS, write_gwas_ssf
from tests.cases.programs import need
from tests.cases.refusals import refuses

STUDY = Path(__file__).resolve().parents[4] / "tests" / "data" / "plink" / "study"


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_effects_and_errors_are_plinks(tmp_path):
    need("plink1.9")
    out = tmp_path / "study.tsv"
    scan = gwas.scan(STUDY, out=out, format="gwas-ssf")
    make = ["plink1.9", "--bfile", str(STUDY), "--keep-allele-order", "--allow-no-sex"]
    command = [*make, "--assoc", "--ci", "0.95", "--out", str(tmp_path / "theirs")]
    subprocess.run(command, check=True, capture_output=True)
    header, *lines = [line.split() for line in (tmp_path / "theirs.assoc").read_text().splitlines()]
    theirs = [dict(zip(header, line, strict=True)) for line in lines]
    theirs = [
        row for row in theirs if row["SE"] not in ("NA", "inf") and row["OR"] not in ("0", "NA")
    ]
    ours = rows(out)
    assert tuple(ours[0]) == COLUMNS
    assert len(ours) == len(theirs) == len(scan.study.variants) - scan.left_out
    for mine, plink in zip(ours, theirs, strict=True):
        assert (mine["chromosome"], mine["base_pair_location"]) == (plink["CHR"], plink["BP"])
        assert (mine["effect_allele"], mine["other_allele"]) == (plink["A1"], plink["A2"])
        assert math.isclose(math.exp(float(mine["beta"])), float(plink["OR"]), rel_tol=6e-4)
        assert math.isclose(float(mine["standard_error"]), float(plink["SE"]), rel_tol=6e-4)
        assert math.isclose(float(mine["p_value"]), float(plink["P"]), rel_tol=6e-4)


def test_what_the_standard_has_no_words_for_is_left_out(tmp_path):
    good = ("1", "rs1", 5, "A", "G")
    others = [
        ("chrX", "x", 5, "A", "G"), ("contig7", "rs2", 5, "A", "G"), ("1", "rs3", 0, "A", "G"),
        ("1", "rs4", 5, "A", "0"), ("1", "rs5", 5, "<DEL>", "G"), ("1", "rs6", 5, "A", "A"),
    ]  # fmt: skip
    variants = Variants(*zip(good, *others, strict=True))
    counts = GenotypeCounts([[2, 5, 3, 0]] * 7, [[6, 3, 1, 0]] * 7)
    study = CountedStudy(variants, counts, 20, 10, 10, 0, MissingRule.LEAVE)
    assert write_gwas_ssf(tmp_path / "out.tsv", study, np.full(7, 0.05)) == 5
    first, second = rows(tmp_path / "out.tsv")
    assert (first["rsid"], first["n"], first["chromosome"]) == ("rs1", "20", "1")
    assert (second["rsid"], second["chromosome"]) == ("#NA", "23")
    assert float(first["effect_allele_frequency"]) == 0.4
    assert math.isclose(float(first["beta"]), math.log(11 * 15 / (9 * 5)))


@pytest.mark.parametrize(
    ("autosomes", "names", "numbers"),
    [
        (22, "9 19 22 25 PAR1", "9 19 22 23 23"),
        (19, "9 19 22 PAR1", "9 19 23 23"),  # of mice 22 is X's regions
        (38, "9 19 22 23 25 26 41 PAR1", "9 19 22 23 23"),  # of dogs 41 is, and 23 is none of ours
    ],
)
def test_no_chromosome_gets_the_number_of_another_one(tmp_path, autosomes, names, numbers):
    head = ["chromosome", "variant", "position", "allele_1", "allele_2"]
    head += [f"{group}_{copies}" for group in ("cases", "controls") for copies in "012"]
    lines = [[name, f"rs{name}", *"5AG253631"] for name in names.split()]
    text = "".join("\t".join(line) + "\n" for line in (head, *lines))
    (tmp_path / "counts.tsv").write_text(text)
    out = tmp_path / "out.tsv"
    scan = gwas.scan(tmp_path / "counts.tsv", out=out, format="gwas-ssf", autosomes=autosomes)
    assert [each["chromosome"] for each in rows(out)] == numbers.split()
    assert scan.left_out == len(lines) - len(numbers.split())


def test_an_empty_cell_has_no_finite_effect(tmp_path):
    variants = Variants(["1"], ["rs1"], [5], ["A"], ["G"])
    study = CountedStudy(
        variants, GenotypeCounts([[0, 0, 9, 0]], [[3, 3, 3, 0]]), 18, 9, 9, 0, MissingRule.LEAVE
    )
    assert write_gwas_ssf(tmp_path / "out.tsv", study, np.array([0.1])) == 1
    assert rows(tmp_path / "out.tsv") == []


@pytest.mark.parametrize(
    "words",
    [{"format": "vcf"}, {"format": "gwas-ssf", "statistic": "distance"}, {"format": "gwas-ssf"}],
)
def test_formats_that_cannot_be(tmp_path, words):
    place = {} if len(words) == 1 and words["format"] == "gwas-ssf" else {"out": tmp_path / "x.tsv"}
    with refuses(InvalidArgument, "format-p-values"):
        gwas.scan(STUDY, **place, **words)
