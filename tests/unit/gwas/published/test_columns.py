"""Columns by name."""

import numpy as np
import pytest
from scipy.stats import norm

from deniable.errors import DataError
from deniable.gwas.published import read_published_table
from tests.cases.refusals import refuses


def read(folder, *lines):
    path = folder / "table.txt"
    path.write_text("".join(f"{line}\n" for line in lines))
    return read_published_table(path)


def test_gwas_ssf(tmp_path):
    table = read(
        tmp_path,
        "chromosome\tbase_pair_location\teffect_allele\tother_allele\tbeta\tstandard_error\t"
        "effect_allele_frequency\tp_value\trsid\tn",
        "1\t100\tA\tG\t-0.25\t0.05\t0.31\t5.7e-07\trs1\t4000",
        "1\t200\tC\tT\t#NA\tNA\tNA\tNA\trs2\t4000",
    )
    assert table.names.tolist() == ["rs1", "rs2"]
    assert (table.effect.tolist(), table.other.tolist()) == (["A", "C"], ["G", "T"])
    assert table.frequencies["pool"].number.value[0] == 0.31
    assert table.effects.sign.tolist() == [-1, 0]
    assert table.effects.z.value[0] == pytest.approx(5, abs=0.01)
    assert table.people.tolist() == [4000, 4000]
    assert table.informative.tolist() == [True, False]


def test_places_stand_for_names_where_there_are_none(tmp_path):
    table = read(tmp_path, "chr\tpos\teffect_allele\teaf", "chr1\t100\tA\t0.5")
    assert table.names.tolist() == ["\t1:100"]


def test_plink2_counts_a1_and_names_the_other_of_ref_and_alt(tmp_path):
    head = "#CHROM POS ID REF ALT A1 TEST OBS_CT OR LOG(OR)_SE Z_STAT P ERRCODE"
    table = read(
        tmp_path,
        head,
        "1 5 rs1 T C C ADD 400 1.5 0.2 2.03 0.04 .",
        "1 6 rs2 T C T ADD 400 1.5 0.2 2.03 0.04 .",
        "1 6 rs2 T C T COVAR1 400 1.5 0.2 2.03 0.04 .",
    )
    assert list(zip(table.effect, table.other, strict=True)) == [("C", "T"), ("T", "C")]


def test_genotypes_are_counted(tmp_path):
    table = read(
        tmp_path,
        "variant\tallele_1\tallele_2\tcases_0\tcases_1\tcases_2\tcontrols_0\tcontrols_1\tcontrols_2",
        "rs1\tA\tG\t5\t3\t2\t6\t4\t0",
    )
    cases, controls = table.frequencies["cases"], table.frequencies["controls"]
    assert (cases.number.value[0], cases.alleles[0]) == (7, 20)
    assert (controls.number.value[0], controls.alleles[0]) == (4, 20)


@pytest.mark.parametrize(
    ("column", "word", "z"),
    [
        ("P", "1", 0.0),
        ("P", "0.05", norm.isf(0.025)),
        ("P", "1e-320", 38.3),
        ("P", "1.5", None),
        ("P", "-0.1", None),
        ("P", "NA", None),
        ("CHISQ", "4", 2.0),
        ("CHISQ", "-4", None),
        ("STAT", "-3", 3.0),
        ("neg_log_10_p_value", "400", 42.83),
    ],
)
def test_the_size_of_z(tmp_path, column, word, z):
    effects = read(tmp_path, f"SNP A1 OR {column}", f"rs1 A 1.2 {word}").effects
    if z is None:
        assert np.isnan(effects.z.value[0])
    else:
        assert effects.z.value[0] == pytest.approx(z, abs=0.05)
        assert np.isfinite(effects.z.half[0])


def test_a_p_value_printed_as_zero_is_below_its_last_digit(tmp_path):
    effects = read(tmp_path, "SNP A1 P", "rs1 A 0.00", "rs2 A 0.01").effects
    assert effects.z.value[0] > effects.z.value[1]
    assert effects.z.half[0] > 0.1


@pytest.mark.parametrize("ratio", ["0", "-1", "inf", "NA"])
def test_impossible_odds_ratios_are_nothing(tmp_path, ratio):
    effects = read(tmp_path, "SNP A1 OR P", f"rs1 A {ratio} 0.5").effects
    assert np.isnan(effects.beta.value[0])
    assert effects.sign[0] == 0


@pytest.mark.parametrize("share", ["-0.1", "1.01", "1e300"])
def test_impossible_frequencies_are_nothing(tmp_path, share):
    table = read(tmp_path, "SNP A1 A2 MAF", f"rs1 A G {share}", "rs2 A G 0.5")
    assert table.informative.tolist() == [False, True]


def test_an_interval_gives_the_error(tmp_path):
    effects = read(tmp_path, "SNP A1 OR L95 U95", "rs1 A 1.3512 0.66450 2.7460").effects
    assert effects.error.value[0] == pytest.approx(0.362, rel=1e-3)


@pytest.mark.parametrize(
    ("lines", "word"),
    [
        (("A1 MAF", "A 0.1"), "column-of-variants-variant-id-snp"),
        (("SNP MAF", "rs1 0.1"), "effect-allele-a1-alt"),
        (("SNP A1 HWE", "rs1 A 0.1"), "frequencies-allele-counts"),
        (("SNP A1 MAF", "rs1 A NA"), "frequencies-allele-counts"),
        (("SNP A1 OR", "rs1 A -1"), "number-or-more"),
    ],
)
def test_what_is_missing_is_named(tmp_path, lines, word):
    with refuses(DataError, word):
        read(tmp_path, *lines)
