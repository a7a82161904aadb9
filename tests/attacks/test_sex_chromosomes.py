"""Variants on X, Y and mitochondria must change nothing, whichever door they come through."""

import json

import numpy as np
import pytest

from deniable import gwas
from deniable.errors import DataError
from deniable.gwas.files import count_study, genotypes, vcf
from deniable.gwas.files.plink import PlinkWriter
from deniable.gwas.genotypes import Variants
from tests.cases.genotype_files import phenotype_file, vcf_file
from tests.cases.refusals import refuses
from tests.cases.study_formats import installed, listed, write_study

PEOPLE = 120
CASE = np.arange(PEOPLE) % 2 == 0
HAPLOID = ["X", "chrY", "24", "MT"]
"""Chromosomes of the variants put between the others, each with the largest effect there is."""


def variants(chromosomes):
    number = len(chromosomes)
    names = [f"v{i}" for i in range(number)]
    return Variants(chromosomes, names, range(1, number + 1), ["A"] * number, ["G"] * number)


def study(seed):
    """Names and copies of 30 autosomal variants, one pseudo-autosomal, and four of the others."""
    rng = np.random.default_rng(seed)
    copies = rng.binomial(2, rng.uniform(0.2, 0.8, 35)[:, None], (35, PEOPLE)).astype(np.int8)
    chromosomes = np.array(["1"] * 15 + HAPLOID[:2] + ["2"] * 15 + ["XY"] + HAPLOID[2:], object)
    copies[np.isin(chromosomes, HAPLOID)] = np.where(CASE, 2, 0)
    return chromosomes, copies


def write(prefix, chromosomes, copies, kept):
    with PlinkWriter(prefix, CASE) as writer:
        writer.write(variants(chromosomes).take(kept), copies[kept])
    return prefix


@pytest.fixture(name="pair")
def with_and_without(tmp_path):
    """Two studies, each with all of its variants and without the four."""
    found = []
    for seed in (1, 2):
        chromosomes, copies = study(seed)
        two = ~np.isin(chromosomes, HAPLOID)
        for name, kept in (("all", np.ones(35, bool)), ("two", two)):
            found.append(write(tmp_path / f"{name}{seed}", chromosomes, copies, kept))
    return found


def without(shown, key):
    return {name: value for name, value in shown.items() if name != key}


def test_scans_and_utilities_are_those_without_them(pair):
    whole, part, *_ = pair
    for statistic in ("allelic", "genotypic", "distance"):
        one, other = (gwas.scan(each, statistic=statistic).as_json() for each in (whole, part))
        assert without(one, "not_autosomal") == without(other, "not_autosomal")
        assert (one["not_autosomal"], other["not_autosomal"], one["variants"]) == (4, 0, 31)
    one, other = (gwas.utility(each, top=2, gamma=2, trials=50).as_json() for each in (whole, part))
    assert without(one, "not_autosomal") == without(other, "not_autosomal")


def test_a_release_never_names_them(pair, tmp_path):
    # At ε = 10^4 the four would stand first with certainty.
    found = gwas.release(pair[0], tmp_path / "out", top=4, epsilon=1e4)
    assert found.not_autosomal == 4
    assert not {each.chromosome for each in found.released} & set(HAPLOID)
    document = json.loads((tmp_path / "out" / "certificate.json").read_text())
    assert document["study"]["variants"] == 31
    assert {each["name"] for each in document["chromosomes"]} == {"1", "2", "XY"}
    assert any("mitochondrial" in sentence for sentence in document["assumptions"])


def test_attacks_are_those_without_them(pair):
    first, second, other_first, other_second = pair
    whole = gwas.attack(first, other_first).as_json()
    part = gwas.attack(second, other_second).as_json()
    assert without(whole, "variants_left_out") == without(part, "variants_left_out")
    assert whole["variants_left_out"]["not_autosomal"] == 4


def test_genotypes_person_by_person_are_those_without_them(pair):
    one, other = (genotypes(each) for each in pair[:2])
    assert one.variants == other.variants
    assert np.array_equal(*(np.concatenate(list(each.blocks(7))) for each in (one, other)))


def test_tables_of_counts_are_read_alike(pair, tmp_path):
    gwas.scan(pair[1], out=tmp_path / "two.tsv")
    lines = (tmp_path / "two.tsv").read_text().splitlines()
    header = lines[0].split("\t")
    row = dict(zip(header, lines[1].split("\t"), strict=True))
    for name in ("X", "26"):
        more = {**row, "chromosome": name, "cases_0": "60", "cases_1": "0", "cases_2": "0"}
        lines.append("\t".join(more[column] for column in header))
    (tmp_path / "all.tsv").write_text("\n".join(lines) + "\n")
    found = count_study(tmp_path / "all.tsv")
    assert found.not_autosomal == 2
    assert found.counts == count_study(tmp_path / "two.tsv").counts


def test_nothing_but_them_is_an_error(tmp_path):
    chromosomes, copies = study(1)
    prefix = write(tmp_path / "x", chromosomes, copies, np.isin(chromosomes, HAPLOID))
    with refuses(DataError, "variant-on-autosome-or-more"):
        gwas.scan(prefix)


def test_other_species_have_other_numbers(tmp_path):
    _, copies = study(1)
    dogs = np.array([str(n) for n in [*range(1, 32), 38, 39, 40, 42]], object)
    prefix = write(tmp_path / "dogs", dogs, copies, np.ones(35, bool))
    with refuses(DataError, "say-how-many-it-has"):
        gwas.scan(prefix)
    shown = gwas.scan(prefix, autosomes=38).as_json()
    assert (shown["variants"], shown["not_autosomal"]) == (32, 3)


def line(chromosome, place, calls, alternative="A"):
    return "\t".join(
        (chromosome, str(place), f"v{place}", "G", alternative, ".", ".", ".", "GT", *calls)
    )


WRONG = {
    "an allele that the line does not name": ("0/3", "A"),
    "one that a line without alternatives does not name": ("0/1", "."),
    "three alleles": ("0/1/1", "A"),
    "three alleles, of which one is missing": ("0/./1", "A"),
    "one allele": ("1", "A"),
    "one allele, the reference": ("0", "A"),
}


@pytest.mark.skipif(vcf.cyvcf2 is None, reason="cyvcf2 is an extra")
@pytest.mark.parametrize("word", WRONG)
def test_a_vcf_call_that_is_none_of_two_alleles_is_refused_on_autosomes_only(tmp_path, word):
    call, alternative = WRONG[word]
    status = phenotype_file(tmp_path)
    good = line("1", 1, ["0/0", "0/1", "1/1", "./.", "0/1"])
    # The call stands alone among others, and all calls are like it.
    for calls in (["0/0", call, "1/1", "0/0", "0/1"], [call] * 5):
        if alternative == ".":
            calls = [each.replace("1/1", "0/0") for each in calls]
        on_autosome = vcf_file(tmp_path, [f"{good}\n", line("1", 2, calls, alternative) + "\n"])
        with refuses(DataError, "two-alleles-in-every-call: study.vcf, 1:2"):
            count_study(on_autosome, phenotype=status, missing="leave")
        on_x = vcf_file(tmp_path, [f"{good}\n", line("X", 2, calls, alternative) + "\n"])
        found = count_study(on_x, phenotype=status, missing="leave")
        assert (len(found.variants), found.not_autosomal) == (1, 1)
        assert [each.shape for each in genotypes(on_x, phenotype=status).blocks(9)] == [(1, 5)]


@pytest.mark.parametrize("form", installed())
@pytest.mark.parametrize("chromosome", ["X", "chrY", "24", "MT"])
def test_a_file_of_them_alone_is_refused_for_that(tmp_path, form, chromosome):
    copies = np.random.default_rng(2).integers(0, 3, (5, 8)).astype(np.int8)
    made = write_study(tmp_path / "s", form, listed(chromosome, 5), copies, np.arange(8) % 2)
    for read in (
        lambda: count_study(made[0], phenotype=made[1], missing="leave"),
        lambda: np.concatenate(list(genotypes(made[0], phenotype=made[1]).blocks(3))),
        lambda: genotypes(made[0], phenotype=made[1]).variants,
    ):
        with refuses(DataError, "variant-on-autosome-or-more"):
            read()
