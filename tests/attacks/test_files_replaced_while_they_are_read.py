"""A study whose file is replaced by another of the same size and date while it is counted."""

import os
import shutil

import numpy as np
import pytest

from deniable.errors import DataError
from deniable.gwas.files import count_study, genotypes
from tests.cases.effort import some_pairs
from tests.cases.refusals import refuses
from tests.cases.study_formats import installed, listed, write_study

PEOPLE = 40
CALLS = np.random.default_rng(0).integers(0, 3, (6, PEOPLE))


def replace(path):
    other = path.with_name("other")
    shutil.copy2(path, other)
    os.replace(other, path)


def change(path):
    path.write_bytes(path.read_bytes())
    os.utime(path, ns=(1, 1))


@pytest.mark.parametrize(("form", "harm"), some_pairs(installed(), [replace, change]))
def test_no_counts_of_two_files(tmp_path, form, harm):
    """Some variants would be of one study, and some of another."""
    cases = [i % 2 for i in range(PEOPLE)]
    path, status = write_study(tmp_path / "s", form, listed("1", 6), CALLS, cases)
    files = [each for each in tmp_path.rglob("*") if each.is_file() and each.suffix != ".bgi"]
    expected = count_study(path, phenotype=status).counts
    for file in files:
        with refuses(DataError, f"nobody-changes: {file}"):
            count_study(path, phenotype=status, progress=lambda _, file=file: harm(file))
        assert count_study(path, phenotype=status).counts == expected


@pytest.mark.parametrize(("form", "harm"), some_pairs(installed(), [change, replace]))
def test_no_genotypes_of_two_files(tmp_path, form, harm):
    """Person by person, as attacks on a study read it, each time anew."""
    cases = [i % 2 for i in range(PEOPLE)]
    path, status = write_study(tmp_path / "s", form, listed("1", 6), CALLS, cases)
    study = genotypes(path, phenotype=status)
    assert sum(map(len, study.blocks(4))) == sum(map(len, study.blocks(4))) == 6
    for file in [each for each in tmp_path.rglob("*") if each.is_file() and each.suffix != ".bgi"]:
        study = genotypes(path, phenotype=status)
        harm(file)
        with refuses(DataError, f"nobody-changes: {file}"):
            list(study.blocks(4))
