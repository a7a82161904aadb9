"""Names, alleles and strands."""

import numpy as np
import pytest

from deniable.gwas.genotypes import Variants
from deniable.gwas.published import align, read_published_table

REFERENCE = Variants(
    ["1"] * 5, ["rs1", "rs2", "rs3", "rs4", "rs5"], [10, 20, 30, 40, 50], [*"AAACG"], [*"GCTGT"]
)
FREQUENCY = np.array([0.2, 0.3, 0.2, 0.5, 0.4])


def table(folder, *rows, head="SNP A1 A2 MAF"):
    path = folder / "t.txt"
    path.write_text("".join(f"{line}\n" for line in (head, *rows)))
    return read_published_table(path)


def shares(matched):
    values = matched.table.frequencies["pool"].number.value.tolist()
    return dict(zip(matched.places.tolist(), values, strict=True))


def reasons(matched):
    return {reason: number for reason, number in matched.left_out.items() if number}


def test_alleles_in_reverse_and_rows_in_any_order(tmp_path):
    matched = align(table(tmp_path, "rs2 C A 0.75", "rs1 A G 0.125"), REFERENCE, FREQUENCY)
    assert shares(matched) == {0: 0.125, 1: 0.25}
    assert reasons(matched) == {}


def test_small_letters_are_capitals(tmp_path):
    matched = align(table(tmp_path, "rs2 c a 0.75", "rs1 a G 0.125"), REFERENCE, FREQUENCY)
    assert shares(matched) == {0: 0.125, 1: 0.25}


def test_another_strand_is_read(tmp_path):
    matched = align(table(tmp_path, "rs1 T C 0.125", "rs2 G T 0.75"), REFERENCE, FREQUENCY)
    assert shares(matched) == {0: 0.125, 1: 0.25}


def test_ambiguous_variants_are_taken_as_named_where_the_strand_is_clear(tmp_path):
    matched = align(table(tmp_path, "rs1 A G 0.25", "rs3 A T 0.75"), REFERENCE, FREQUENCY)
    assert shares(matched) == {0: 0.25, 2: 0.75}


def test_ambiguous_variants_of_another_strand_go_by_frequency_or_are_left_out(tmp_path):
    rows = "rs1 T C 0.25", "rs3 A T 0.75", "rs4 C G 0.5"
    matched = align(table(tmp_path, *rows), REFERENCE, FREQUENCY)
    assert shares(matched) == {0: 0.25, 2: 0.25}
    assert reasons(matched) == {"published_ambiguous": 1}


def test_what_does_not_match_is_counted_by_reason(tmp_path):
    rows = ("rs1 A T 0.1", "rs2 A C 0.1", "rs2 A C 0.2", "rs9 A C 0.1", "rs5 G T NA", "rs4 G C .5")
    matched = align(table(tmp_path, *rows), REFERENCE, FREQUENCY)
    assert shares(matched) == {3: 0.5}
    assert reasons(matched) == {
        "published_other_alleles": 1,
        "published_repeats": 2,
        "published_only": 1,
        "published_no_number": 1,
    }


@pytest.mark.parametrize("place", ["1:20", "chr1:20"])
def test_by_place(tmp_path, place):
    where = place.split(":")
    rows = table(tmp_path, f"{where[0]} {where[1]} A 0.4", head="chr pos effect_allele eaf")
    assert shares(align(rows, REFERENCE, FREQUENCY)) == {1: 0.4}


def test_effects_turn_with_the_allele(tmp_path):
    rows = table(tmp_path, "rs1 G 1.25 0.04", head="SNP A1 OR P")
    (beta,) = align(rows, REFERENCE, FREQUENCY).table.effects.beta.value
    assert beta == pytest.approx(-np.log(1.25))


@pytest.mark.parametrize("word", ["<script>", "I", "ACGT" * 100, "*", "٣"])
def test_alleles_that_are_no_letters_match_only_themselves(tmp_path, word):
    rows = table(tmp_path, f"rs1 {word} G 0.25", "rs2 A C 0.25")
    assert shares(align(rows, REFERENCE, FREQUENCY)) == {1: 0.25}
