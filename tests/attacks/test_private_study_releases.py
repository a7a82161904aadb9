"""What may not decide how a study's release ends: places, ids and bytes nobody thought of."""

import itertools
import subprocess
from pathlib import Path

import numpy as np
import pytest

from deniable import gwas
from deniable.errors import DataError
from deniable.gwas.files import bgen, vcf
from deniable.gwas.files.how_read import HowRead
from deniable.gwas.files.individuals import Individuals, assign_strata
from deniable.gwas.files.reading import count_study
from deniable.gwas.files.vcf import VcfFile
from deniable.gwas.genotypes import Variants
from deniable.gwas.public_filters import Window
from deniable.gwas.publication.windows import Loci
from tests.cases.genotype_files import (
    CALLS,
    bim_line,
    phenotype_file,
    plink_files,
    vcf_file,
    vcf_line,
)
from tests.cases.programs import need
from tests.cases.refusals import refuses

STUDY = Path(__file__).resolve().parents[1] / "data" / "plink" / "study"

MAP = "1 start 0 0\n1 end 10 10000000\n"
"""A centimorgan is a megabase, so that places on the map are bases with six decimals."""
NEAR = [(701760, 901760, 0.2), (31231, 731231, 0.7), (854772, 1054772, 0.2)]
"""Two places as far apart as a window reaches, where x + r < y in float64 and x = y − r, or the
other way round."""


def loci_of(folder, bases, centimorgans):
    (folder / "genetic.map").write_text(MAP)
    number = len(bases)
    names = [f"rs{each}" for each in range(number)]
    variants = Variants(["1"] * number, names, bases, ["A"] * number, ["G"] * number)
    window = Window(cm=centimorgans, map_sha256="0" * 64)
    return Loci.of(variants, window, folder / "genetic.map")


def fewest_that_hold_all(loci, number):
    held = [set(loci.around(each).tolist()) for each in range(number)]
    return next(
        size
        for size in range(1, number + 1)
        if any(len(set().union(*chosen)) == number for chosen in itertools.combinations(held, size))
    )


def chains():
    """Places that are whole windows apart, where every comparison is one of equal numbers."""
    rng = np.random.default_rng(7)
    for start, end, reach in NEAR:
        yield [start, end], reach
    for _ in range(60):
        reach = float(rng.choice([0.1, 0.2, 0.3, 0.7]))
        start = int(rng.integers(0, 2_000_000))
        steps = np.cumsum(rng.integers(0, 2, 5)) * round(reach * 1_000_000)
        yield [start, *(start + steps).tolist()], reach


def test_windows_hold_each_other_and_rounds_never_run_out(tmp_path):
    """A release that ends because candidates ran out would tell which ones noise had chosen."""
    for bases, reach in chains():
        loci = loci_of(tmp_path, bases, reach)
        every = range(len(bases))
        around = [set(loci.around(each).tolist()) for each in every]
        assert all(
            (one in around[other]) == (other in around[one]) for one in every for other in every
        )
        assert loci.least <= fewest_that_hold_all(loci, len(bases)), (bases, reach)


@pytest.mark.parametrize(("start", "end", "reach"), NEAR)
def test_as_many_variants_are_chosen_as_windows_are_sure_to_leave(tmp_path, start, end, reach):
    prefix = plink_files(tmp_path, CALLS[:2])
    lines = [bim_line(0).split("\t"), bim_line(0).split("\t")]
    lines[0][3], lines[1][1], lines[1][3] = str(start), "other", str(end)
    prefix.with_suffix(".bim").write_text("".join("\t".join(line) for line in lines))
    (tmp_path / "genetic.map").write_text(MAP)
    asked = {"missing": "major", "epsilon": 1.0, "window_cm": reach}
    asked["genetic_map"] = tmp_path / "genetic.map"
    apart = loci_of(tmp_path, [start, end], reach).least
    answer = gwas.release(prefix, tmp_path / "out", top=apart, **asked)
    assert len(answer.released) == apart


BYTES = b"\xe9"
"""é as Latin-1 has it, which is no UTF-8."""
PLACES = {"a chromosome": b"\n1\t101", "a reference allele": b"rs1\tG\t", "a person": b"\ti1\t"}


@pytest.mark.skipif(vcf.cyvcf2 is None, reason="cyvcf2 is an extra")
@pytest.mark.parametrize("place", PLACES)
def test_names_of_other_bytes_than_utf_8_are_refused_in_a_sentence(tmp_path, place):
    file = vcf_file(tmp_path, [vcf_line(index, calls) for index, calls in enumerate(CALLS)])
    old = PLACES[place]
    assert file.read_bytes().count(old) == 1
    new = old.replace(b"G", BYTES) if b"G" in old else old.replace(b"1", BYTES, 1)
    file.write_bytes(file.read_bytes().replace(old, new))
    with refuses(DataError, "text-in-utf-8"):
        VcfFile(file, HowRead(phenotype_file(tmp_path))).counts()


FAMILIES = {"nobody": [], "one person": [0], "all but one": range(1, 211), "everybody": range(211)}
"""Which people of the study have a family."""


@pytest.fixture(scope="module", name="made")
def bgen_of_plink2(tmp_path_factory):
    if bgen.bgen is None:
        pytest.skip("bgen is an extra")
    need("plink2")
    folder = tmp_path_factory.mktemp("made")
    told = ["--threads", "1", "--out", str(folder / "study")]
    how = ["plink2", "--bfile", str(STUDY), "--export", "bgen-1.2", "ref-first", *told]
    subprocess.run(how, check=True, capture_output=True)
    return folder / "study.bgen"


@pytest.mark.parametrize("named", FAMILIES)
def test_one_person_s_family_does_not_decide_who_the_others_are(made, tmp_path, named):
    """Whoever has no family in a .sample file is known by the individual alone."""
    people = [line.split() for line in STUDY.with_suffix(".fam").read_text().splitlines()]
    status = tmp_path / "status.txt"
    status.write_text("".join(f"{one[0]} {one[1]} {one[5]}\n" for one in people))
    families = [one[0] if i in FAMILIES[named] else "0" for i, one in enumerate(people)]
    lines = [f"{family} {one[1]} 0 NA" for family, one in zip(families, people, strict=True)]
    sample = ["ID_1 ID_2 missing sex", "0 0 0 D", *lines]
    made.with_suffix(".sample").write_text("\n".join(sample) + "\n")
    found = count_study(made, phenotype=status, missing="leave")
    sizes = [sum(one[5] == code for one in people) for code in "21"]
    assert [found.cases, found.controls] == sizes


@pytest.mark.parametrize("named", ["", ".bed", "/../study"])
def test_the_study_itself_is_no_panel(tmp_path, named):
    """Its own frequencies would choose variants, and its digest would stand in the certificate."""
    prefix = plink_files(tmp_path, CALLS)
    (tmp_path / "study").mkdir()
    for end in (".bed", ".bim", ".fam"):
        (tmp_path / f"linked{end}").symlink_to(prefix.with_suffix(end))
    for panel in (f"{prefix}{named}", tmp_path / "linked"):
        filters = gwas.Filters(min_frequency=0.3, panel=panel)
        with refuses(DataError, "participants-in-a-panel: panel"):
            gwas.release(prefix, tmp_path / "out", top=1, epsilon=1.0, filters=filters)
    assert not (tmp_path / "out").exists()


ALIKE = {"f1 i1": {("f1", "i1")}, "0 i1": {("0", "i1")}, "i1": {("f1", "i1"), ("0", "i1")}}
"""A line of a list, and whom of two people of one name it means."""


@pytest.mark.parametrize("line", ALIKE)
@pytest.mark.parametrize("rule", ["keep", "remove"])
def test_a_list_means_the_person_that_it_names(tmp_path, rule, line):
    """Somebody without a family is nobody else who has one, where both are in the study."""
    names = [("f0", "i0"), ("f1", "i1"), ("0", "i1"), ("f3", "i3")]
    path = tmp_path / "people.txt"
    path.write_text(f"{line}\n" if len(line.split()) == 1 else f"f0 i0\n{line}\n")
    lists = gwas.Filters(**{rule: path}).opened()
    status = np.ones(len(names), bool)
    everybody = Individuals(status, status, names=tuple(names), families=True)
    kept = lists.people(everybody, path).kept
    meant = ALIKE[line] | ({("f0", "i0")} if " " in line else set())
    assert {name for name, kept in zip(names, kept, strict=True) if kept} == (
        meant if rule == "keep" else set(names) - meant
    )


def test_strata_whose_names_end_differently_stay_two(tmp_path):
    """NumPy's own texts end before a last NUL."""
    names = tuple((f"f{each}", f"i{each}") for each in range(4))
    path = tmp_path / "strata.txt"
    words = ["north", "north\0", "north\0", "north"]
    path.write_text("".join(f"{f} {i} {w}\n" for (f, i), w in zip(names, words, strict=True)))
    cases = np.array([True, True, False, False])
    first, second, third, fourth = assign_strata(
        Individuals(cases, ~cases, names=names, families=True), path
    )
    assert first == fourth != second == third
