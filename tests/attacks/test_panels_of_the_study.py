"""A panel or a reference that is the study itself, in a copy or in another format.

A choice of variants by the participants' own frequencies, and the digest of their file, would be a
release without protection. People are known by their names, and by their genotypes.
"""

import numpy as np
import pytest

from deniable import gwas
from deniable.errors import DataError
from deniable.gwas.files import same_people
from deniable.gwas.genotypes import Variants
from tests.cases.refusals import refuses
from tests.cases.study_formats import (
    installed,
    listed,
    with_other_people,
    write_study,
)

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


FREQUENCY = np.random.default_rng(9).uniform(0.2, 0.8, 400)
MORE = [*(listed(str(chromosome), 40) for chromosome in range(1, 11))]
MANY = Variants.join(MORE)


def people(seed, number=40):
    """Both chromosomes of unrelated people; (400, 2, number)."""
    rng = np.random.default_rng(seed)
    return (rng.random((400, 2, number)) < FREQUENCY[:, None, None]).astype(np.int8)


def children_of(seed, mothers, fathers):
    """Each chromosome as a whole from one of a parent's two."""
    rng = np.random.default_rng(seed)
    parts = []
    for parents in (mothers, fathers):
        which = np.repeat(rng.integers(2, size=(10, 1, parents.shape[2])), 40, axis=0)
        parts.append(np.take_along_axis(parents, which, axis=1)[:, 0])
    return np.stack(parts, axis=1)


def with_errors(seed, copies, share, holes=0.0):
    rng = np.random.default_rng(seed)
    wrong = rng.random(copies.shape) < share
    changed = np.where(wrong, (copies + rng.integers(1, 3, copies.shape)) % 3, copies)
    return np.where(rng.random(copies.shape) < holes, -1, changed).astype(np.int8)


OWN = people(1)


def panel_of(folder, copies, name="panel"):
    """A panel of 30 others and these, all under names that nobody of the study has."""
    both = np.concatenate([people(2, 30).sum(axis=1), copies], axis=1).astype(np.int8)
    return other_names(folder / name, MANY, both)


def other_names(prefix, variants, copies):
    cases = np.arange(copies.shape[1]) % 2 == 0
    write_study(prefix, "bed", variants, copies, cases)
    fam = prefix.with_suffix(".fam")
    fam.write_text(fam.read_text().replace("i", "other"))
    return prefix


@pytest.mark.parametrize("of", [release, frequencies, utility, scan])
@pytest.mark.parametrize("form", installed())
def test_participants_under_other_names_are_refused(tmp_path, form, of):
    """Once, twice and thrice, the samples of twins or of a second laboratory."""
    copies = OWN.sum(axis=1)
    study, status = write_study(tmp_path / "own", form, MANY, copies, CASES)
    how = {} if form == "bed" else {"phenotype": status}
    again = with_errors(3, copies[:, [5, 6, 20]], 0.01)
    panel = panel_of(tmp_path, again)
    with refuses(DataError, "participants-by-genotypes: 3 | 40 | panel") as refused:
        of(study, tmp_path / "out", **how, filters=gwas.Filters(panel=panel))
    assert not (tmp_path / "out").exists()
    message = str(refused.value).replace(str(panel), "")
    assert not any(name in message for name in ("i6", "other31", "v1_"))
    others = panel_of(tmp_path, people(4, 3).sum(axis=1), "others")
    of(study, tmp_path / "out", **how, filters=gwas.Filters(panel=others))


@pytest.mark.parametrize("form", installed())
def test_a_reference_of_participants_under_other_names_chooses_no_list(tmp_path, form):
    study, status = write_study(tmp_path / "own", form, MANY, OWN.sum(axis=1), CASES)
    how = {"prior": 0.5, "posterior": 0.9} | ({} if form == "bed" else {"phenotype": status})
    panel = panel_of(tmp_path, OWN.sum(axis=1)[:, [5]])
    with refuses(DataError, "participants-by-genotypes: 1 | 40 | reference"):
        gwas.safe(study, reference=panel, **how)
    gwas.safe(study, reference=panel_of(tmp_path, people(4, 3).sum(axis=1), "others"), **how)


def test_relatives_in_a_panel_are_other_people(tmp_path):
    """Brothers and sisters, parents and children of all participants, and unrelated people."""
    study = write_study(tmp_path / "own", "bed", MANY, OWN.sum(axis=1), CASES)[0]
    fathers, mothers = people(5), people(6)
    own = children_of(7, mothers, fathers).sum(axis=1)
    study = write_study(tmp_path / "children", "bed", MANY, own, CASES)[0]
    for seed, relatives in enumerate([children_of(8, mothers, fathers), mothers, people(11)]):
        panel = panel_of(tmp_path, relatives.sum(axis=1), f"panel{seed}")
        release(study, tmp_path / f"out{seed}", filters=gwas.Filters(panel=panel))


@pytest.mark.parametrize("holes", [0.0, 0.15])
def test_a_list_of_a_few_variants_hides_nobody_and_a_list_of_people_frees_who_is_removed(
    tmp_path, holes
):
    """People are compared at all variants, in any order and with either allele counted."""
    copies = OWN.sum(axis=1)
    study = write_study(tmp_path / "own", "bed", MANY, copies, CASES)[0]
    turned = Variants(MANY.chromosome, MANY.identifier, MANY.position, MANY.allele_2, MANY.allele_1)
    order = np.random.default_rng(12).permutation(10)
    places = (40 * order[:, None] + np.arange(40)).ravel()
    again = with_errors(13, 2 - copies, 0.01, holes)
    panel = other_names(tmp_path / "panel", turned.take(places), again[places])
    (tmp_path / "few.txt").write_text("v1_0\nv2_0\n")
    (tmp_path / "gone.txt").write_text("".join(f"i{i} i{i}\n" for i in range(1, 39)))
    few = {"panel": panel, "extract": tmp_path / "few.txt"}
    with refuses(DataError, "participants-by-genotypes: 40 | 40 | panel"):
        release(study, tmp_path / "out", filters=gwas.Filters(**few))
    with refuses(DataError, "participants-by-genotypes: 2 | 2 | panel"):
        release(study, tmp_path / "out", filters=gwas.Filters(**few, remove=tmp_path / "gone.txt"))


def test_a_participant_is_missed_as_seldom_as_the_docstring_says():
    """And no stranger is taken for one; 2 % of calls differ where both samples err at 1 %."""
    rng = np.random.default_rng(14)
    markers = rng.binomial(2, 0.45, (256, 2000)).astype(np.int8)
    names = [("", f"a{i}") for i in range(2000)], [("", f"b{i}") for i in range(2000)]
    places = [str(1 + i // 12) for i in range(256)]
    for share, most in ((0.01, 0), (0.02, 20)):  # expected are 0.002 and 5 of 2,000
        again = with_errors(15, markers, share)
        same = same_people(markers, again, names, places)
        assert same.by_genotypes
        assert 2000 - len(same.shared) <= most
        assert same.shared == same.others  # each with the own sample and nobody else
    assert 2000 - len(same.shared) > 0
    strangers = rng.binomial(2, 0.45, (256, 2000)).astype(np.int8)
    assert not same_people(markers, strangers, names, places).shared
