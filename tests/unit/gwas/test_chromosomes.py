"""Names of chromosomes as files spell them."""

import pytest

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.genotypes import autosomal
from tests.cases.refusals import refuses

NOT = ["X", "Y", "MT", "M", "23", "24", "26", "chrX", "ChrY", "chrM", "CHRMT", "chr23", "x"]
NOT += ["chromosomeX", "chrX_KI270880v1_alt", "chrY_KI270740v1_random", "NC_000023.11", "W", "Z"]
NOT += ["NC_012920.1", "nc_000024.9"]
ALL = ["1", "22", "chr1", "chr22", "XY", "25", "chrXY", "PAR1", "PAR2", "0", "01", "NC_000001.11"]
ALL += ["GL000191.1", "chrUn_KI270302v1", "HLA-A*01:01", "chr6_GL000250v2_alt", "", "II", "X1", "²"]


@pytest.mark.parametrize("name", NOT)
def test_not_everybody_has_two(name):
    assert autosomal([name]).tolist() == [False]


@pytest.mark.parametrize("name", ALL)
def test_everybody_has_two(name):
    assert autosomal([name]).tolist() == [True]


def test_numbers_follow_the_autosomes_of_the_species():
    numbers = [str(number) for number in range(1, 43)]
    masks = autosomal(numbers, 38).tolist()
    assert [number for number, kept in zip(numbers, masks, strict=True) if not kept] == [
        "39",
        "40",
        "42",
    ]
    assert autosomal(["20", "21", "22", "23"], 19).tolist() == [False, False, True, False]


def test_another_species_is_an_error():
    with refuses(DataError, "say-how-many-it-has: 27"):
        autosomal(["1", "27"])


@pytest.mark.parametrize("number", [0, 96, 2.5])
def test_numbers_of_autosomes_that_are_none(number):
    with refuses(InvalidArgument, "names-argument: autosomes"):
        autosomal([], number)
