"""A panel or a reference that is the study itself, in a copy or in another format.

A choice of variants by the participants' own frequencies, and the digest of their file, would be a
release without protection. Genotypes are not compared: people are known by their names.
"""

import numpy as np
import pytest

from deniable import gwas
from deniable.errors import DataError
from tests.cases.refusals import refuses
from tests.cases.study_formats import installed, listed, with_other_people, write_study

CASES = np.arange(40) % 2 == 0
VARIANTS = listed("1", 30)
COPIES = np.random.default_rng(7).integers(0, 3, (30, 40))
NAMES = [f"i{i + 1}" for i in range(40)]


def release(study, out, **how):
    gwas.release(study, out, top=2, epsilon=9, **how)


def frequencies(study, out, **how):
    gwas.frequencies(study, out, all_variants=True, epsilon=9, **how)


def utility(study, _, **how):
    gwas.utility(study, top=2, epsilon=9, trials=5, **how)


def scan(study, _, **how):
    gwas.scan(study, **how)


@pytest.fixture
def panel(tmp_path):
    return write_study(tmp_path / "panel", "bed", VARIANTS, COPIES, CASES)[0]


def study_of(folder, form, names=None):
    study, status = write_study(folder / "own", form, VARIANTS, COPIES, CASES, names)
    return study, {} if form == "bed" else {"phenotype": status}


@pytest.mark.parametrize("of", [release, frequencies, utility, scan])
@pytest.mark.parametrize("form", installed())
def test_a_panel_with_participants_is_refused_in_every_format(tmp_path, panel, form, of):
    study, how = study_of(tmp_path, form)
    rules = {"filters": gwas.Filters(panel=panel, min_frequency=0.1)}
    with refuses(DataError, "participants-in-a-panel: panel"):
        of(study, tmp_path / "out", **how, **rules)
    assert not (tmp_path / "out").exists()
    others = with_other_people(panel, tmp_path / "other")
    of(study, tmp_path / "out", **how, filters=gwas.Filters(panel=others, min_frequency=0.1))


@pytest.mark.parametrize("joined", [False, True])
def test_one_participant_is_enough_and_names_are_joined_as_plink2_does(tmp_path, panel, joined):
    others = with_other_people(panel, tmp_path / "other")
    fam = others.with_suffix(".fam")
    lines = fam.read_text().splitlines()
    fam.write_text("\n".join([*lines[:-1], "f1 i7 0 0 0 1"]) + "\n")
    names = [f"f1_{name}" if joined and name == "i7" else name for name in NAMES]
    study, how = study_of(tmp_path, "vcf", names)
    rules = {"filters": gwas.Filters(panel=others)}
    with refuses(DataError, "participants-in-a-panel: panel"):
        release(study, tmp_path / "out", **how, **rules)


def test_whoever_takes_no_part_may_be_in_the_panel(tmp_path, panel):
    """People of unknown status, and those whom a list removes."""
    own = write_study(tmp_path / "own", "bed", VARIANTS, COPIES, CASES)[0]
    others = with_other_people(panel, tmp_path / "other")
    lines = others.with_suffix(".fam").read_text().splitlines()
    others.with_suffix(".fam").write_text("\n".join([*lines[:-1], "i7 i7 0 0 0 1"]) + "\n")
    removed = tmp_path / "removed.txt"
    removed.write_text("i7 i7\n")
    chosen = gwas.Filters(panel=others, remove=removed)
    release(own, tmp_path / "out", filters=chosen)
    fam = own.with_suffix(".fam")
    fam.write_text(fam.read_text().replace("i7 i7 0 0 0 2", "i7 i7 0 0 0 0"))
    release(own, tmp_path / "again", filters=gwas.Filters(panel=others))


@pytest.mark.parametrize("form", installed())
def test_a_reference_with_participants_chooses_no_list(tmp_path, panel, form):
    study, how = study_of(tmp_path, form)
    limit = {"prior": 0.5, "posterior": 0.9}
    with refuses(DataError, "participants-in-a-panel: reference"):
        gwas.safe(study, reference=panel, **limit, **how)
    others = with_other_people(panel, tmp_path / "other")
    gwas.safe(study, reference=others, **limit, **how)
