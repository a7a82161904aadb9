"""The same numbers as PLINK 1.9, to the digits it prints; see tests/data/plink/README.md.

The small study is committed with PLINK's outputs. Larger and real ones are run where plink1.9 and
the data are at hand.
"""

import math
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from deniable import gwas
from deniable.gwas.association.linkage import WINDOW, Genotypes, Pruning
from deniable.gwas.association.statistics import copies, count_called, hardy_weinberg_p_value
from deniable.gwas.files import vcf
from deniable.gwas.files.plink import PlinkWriter
from deniable.gwas.genotypes import Variants
from tests.cases.genotype_files import plink_files
from tests.cases.programs import need

ROOT = Path(__file__).resolve().parents[1]
STUDY = ROOT / "tests" / "data" / "plink" / "study"
DATA = Path(os.environ.get("DENIABLE_DATA", ROOT.parent / "shared" / "data"))

COMMANDS = {
    "assoc": ["--assoc"],
    "model": ["--model", "--cell", "0"],
    "hwe": ["--hardy"],
    "lmiss": ["--missing"],
    "frq": ["--freq"],
    "cmh": ["--mh", "--within", "{strata}"],
}


def rows(path: Path, **wanted: str) -> list[dict[str, str]]:
    """A table that PLINK wrote; only rows with the wanted words."""
    header, *lines = [line.split() for line in path.read_text().splitlines()]
    found = [dict(zip(header, line, strict=True)) for line in lines]
    return [row for row in found if all(row[name] == word for name, word in wanted.items())]


def printed(rows: list[dict[str, str]], name: str) -> np.ndarray:
    return np.array([math.nan if row[name] == "NA" else float(row[name]) for row in rows])


def assert_as_printed(ours: np.ndarray, theirs: np.ndarray) -> None:
    """Equal to four significant digits, half a unit of the last one either way."""
    assert np.array_equal(np.isnan(ours), np.isnan(theirs))
    known = ~np.isnan(theirs)
    ours, theirs = ours[known], theirs[known]
    size = np.abs(np.where(theirs == 0, 1, theirs))
    unit = np.where(theirs == 0, 1e-300, 10.0 ** (np.floor(np.log10(size)) - 3))
    assert np.all(np.abs(ours - theirs) <= 0.5000001 * unit)


def in_three(prefix: Path, folder: Path) -> Path:
    """Strata by everybody's place in the file, of very different sizes."""
    people = [line.split()[:2] for line in prefix.with_suffix(".fam").read_text().splitlines()]
    path = folder / "study.strata"
    names = (("a", "b", "b", "c", "c", "c", "c")[i % 7] for i in range(len(people)))
    rows = (f"{family} {name} {of}\n" for (family, name), of in zip(people, names, strict=True))
    path.write_text("".join(rows))
    return path


def written_by_plink(prefix: Path, folder: Path, *options: str) -> Path:
    strata = in_three(prefix, folder)
    for words in COMMANDS.values():
        command = [word.format(strata=strata) for word in words]
        common = ["--bfile", str(prefix), "--out", str(folder / "study"), "--allow-no-sex"]
        kept = ["--keep-allele-order", "--prune"]
        subprocess.run(
            ["plink1.9", *common, *kept, *options, *command], check=True, capture_output=True
        )
    return folder / "study"


@pytest.fixture(
    params=[
        "committed",
        "hapsample/hapsample",
        "mouse_hs1940/mouse_cd8 --chr-set 19",
    ]
)
def study(request, tmp_path):
    """The prefix of a study, and of PLINK's outputs."""
    if request.param == "committed":
        return STUDY, STUDY
    name, *options = request.param.split()
    prefix = DATA / "gwas" / name
    if not prefix.with_suffix(".bed").is_file():
        pytest.skip("the data are not here; $DENIABLE_DATA names their folder")
    need("plink1.9")
    return prefix, written_by_plink(prefix, tmp_path, *options)


def output(prefix: Path, kind: str, **wanted: str) -> list[dict[str, str]]:
    return rows(prefix.with_suffix(f".{kind}"), **wanted)


def test_allelic_association(study):
    prefix, theirs = study
    scan, table = gwas.scan(prefix), output(theirs, "assoc")
    assert [row["SNP"] for row in table] == scan.study.variants.identifier.tolist()
    assert [row["A1"] for row in table] == scan.study.variants.allele_1.tolist()
    assert [int(row["BP"]) for row in table] == scan.study.variants.position.tolist()
    assert_as_printed(scan.columns.statistic, printed(table, "CHISQ"))
    assert_as_printed(scan.columns.p_value, printed(table, "P"))


def test_genotypic_association_and_counts(study):
    prefix, theirs = study
    scan, table = gwas.scan(prefix, statistic="genotypic"), output(theirs, "model", TEST="GENO")
    assert_as_printed(scan.columns.statistic, printed(table, "CHISQ"))
    assert_as_printed(scan.columns.p_value, printed(table, "P"))
    for column, counts in (("AFF", scan.study.counts.cases), ("UNAFF", scan.study.counts.controls)):
        assert [row[column] for row in table] == [f"{c[2]}/{c[1]}/{c[0]}" for c in counts.tolist()]


def test_trend(study):
    prefix, theirs = study
    scan, table = gwas.scan(prefix, statistic="trend"), output(theirs, "model", TEST="TREND")
    assert_as_printed(scan.columns.statistic, printed(table, "CHISQ"))
    assert_as_printed(scan.columns.p_value, printed(table, "P"))


def test_cochran_mantel_haenszel(study):
    prefix, theirs = study
    strata, table = theirs.with_suffix(".strata"), output(theirs, "cmh")
    scan = gwas.scan(prefix, statistic="cmh", strata=strata)
    assert_as_printed(scan.columns.statistic, printed(table, "CHISQ"))
    assert_as_printed(scan.columns.p_value, printed(table, "P"))


CONFOUNDED = np.random.default_rng(17)


def test_lambda_of_two_populations(tmp_path):
    """PLINK divides the median by .456; within the strata the same variants are no news."""
    need("plink1.9")
    place = np.arange(400) % 2
    shares = CONFOUNDED.uniform(0.1, 0.9, (301, 2))
    case = CONFOUNDED.random(400) < np.array([0.8, 0.2])[place]
    calls = CONFOUNDED.binomial(2, shares[:, place]).tolist()
    prefix = plink_files(tmp_path, calls, ["case" if each else "control" for each in case])
    command = ["plink1.9", "--bfile", prefix, "--allow-no-sex", "--assoc", "--adjust", "--out"]
    subprocess.run([*command, tmp_path / "plink"], check=True, capture_output=True)
    log = (tmp_path / "plink.log").read_text()
    theirs = float(re.search(r"based on median chisq\) = (\S+)\.\n", log)[1])
    ours, median = gwas.scan(prefix).lambda_gc, 0.45493642311957283
    assert ours * median / 0.456 == pytest.approx(theirs, rel=1e-5)
    assert theirs > 10
    lines = (f"f{i} i{i} {of}\n" for i, of in enumerate(place))
    (tmp_path / "strata").write_text("".join(lines))
    within = gwas.scan(prefix, statistic="cmh", strata=tmp_path / "strata")
    assert 0.7 < within.lambda_gc < 1.4


def test_hardy_weinberg(study):
    prefix, theirs = study
    scan, table = gwas.scan(prefix), output(theirs, "hwe", TEST="UNAFF")
    nobody = count_called(scan.study.counts.controls) == 0  # PLINK says 1
    assert_as_printed(np.where(nobody, 1.0, scan.columns.hwe_p_value), printed(table, "P"))
    cases = hardy_weinberg_p_value(scan.study.counts.cases)
    nobody = count_called(scan.study.counts.cases) == 0
    table = output(theirs, "hwe", TEST="AFF")
    assert_as_printed(np.where(nobody, 1.0, cases), printed(table, "P"))


def test_frequency(study):
    prefix, theirs = study
    table = output(theirs, "frq")
    scan = gwas.scan(prefix)
    both = scan.study.counts.cases + scan.study.counts.controls
    assert [int(row["NCHROBS"]) for row in table] == (2 * count_called(both)).tolist()
    assert_as_printed(scan.columns.allele_frequency, printed(table, "MAF"))


def test_missing_calls(study):
    prefix, theirs = study
    table, scan = output(theirs, "lmiss"), gwas.scan(prefix)
    both = scan.study.counts.cases + scan.study.counts.controls
    assert [int(row["N_MISS"]) for row in table] == both[:, 3].tolist()
    assert [int(row["N_GENO"]) for row in table] == both.sum(axis=1).tolist()
    assert scan.study.missing_calls == sum(int(row["N_MISS"]) for row in table)


def test_the_vcf_that_plink_makes_has_the_same_counts(tmp_path):
    need("plink1.9")
    if vcf.cyvcf2 is None:
        pytest.skip("cyvcf2 is an extra")
    command = ["plink1.9", "--bfile", str(STUDY), "--recode", "vcf-iid", "--keep-allele-order"]
    subprocess.run([*command, "--out", str(tmp_path / "study")], check=True, capture_output=True)
    people = [line.split() for line in STUDY.with_suffix(".fam").read_text().splitlines()]
    lines = (f"{person[0]} {person[1]} {person[5]}\n" for person in people)
    (tmp_path / "phenotype.txt").write_text("".join(lines))
    ours = gwas.scan(tmp_path / "study.vcf", phenotype=tmp_path / "phenotype.txt")
    expected = gwas.scan(STUDY).study
    assert ours.study.counts == expected.counts
    assert ours.study.variants == expected.variants
    assert ours.as_json()["individuals"] == 211


def test_frequencies_of_either_group():
    scan, table = gwas.scan(STUDY), output(STUDY, "assoc")
    for column, group in (("F_A", scan.study.counts.cases), ("F_U", scan.study.counts.controls)):
        known = count_called(group) > 0
        ours = copies(group)[known] / (2 * count_called(group)[known])
        assert_as_printed(ours, printed(table, column)[known])


def test_the_committed_study_has_what_is_special():
    scan = gwas.scan(STUDY)
    counts, columns = scan.study.counts, scan.columns
    assert (scan.study.individuals, scan.study.cases + scan.study.controls) == (211, 203)
    assert np.isnan(columns.statistic).sum() >= 4
    assert (columns.allele_frequency > 0.5).any()
    assert np.nanmin(columns.p_value) < 1e-20
    assert np.nanmin(columns.hwe_p_value) < 1e-10
    assert ((count_called(counts.cases) == 0) & (count_called(counts.controls) > 0)).any()


def test_the_known_hits_of_hapsample():
    prefix = DATA / "gwas" / "hapsample" / "hapsample"
    if not prefix.with_suffix(".bed").is_file():
        pytest.skip("the data are not here; $DENIABLE_DATA names their folder")
    scan = gwas.scan(prefix)
    shown = scan.as_json()
    assert (shown["individuals"], shown["cases"], shown["controls"]) == (2000, 1000, 1000)
    assert (shown["variants"], shown["missing_calls"]) == (9935, 0)
    assert [row["variant"] for row in shown["top"][:2]] == ["rs4111409", "rs2324591"]
    assert [round(row["statistic"], 1) for row in shown["top"][:3]] == [72.7, 66.5, 15.0]
    both = scan.study.counts.cases + scan.study.counts.controls
    assert (both[:, :3] > 0).all(axis=1).sum() == 8531


def pedigree(folder: Path) -> Path:
    """Families on autosomes, X, Y, XY and MT, some with parents who are not in the file."""
    rng = np.random.default_rng(3)
    chromosomes = [1] * 30 + [23] * 20 + [24] * 5 + [25] * 10 + [26] * 5
    parents = [("0", "0"), ("i0", "i1"), ("i0", "0"), ("gone", "lost")]
    people = []
    for i in range(160):
        father, mother = parents[i % 4 if i > 20 else 0]
        calls = (" ".join(rng.choice(["A", "G"], 2)) for _ in chromosomes)
        people.append(f"f i{i} {father} {mother} {1 + i % 2} {1 + i // 80} " + " ".join(calls))
    (folder / "family.ped").write_text("\n".join(people) + "\n")
    places = (f"{c} v{i} 0 {i + 1}" for i, c in enumerate(chromosomes))
    (folder / "family.map").write_text("\n".join(places) + "\n")
    path = str(folder / "family")
    make = ["plink1.9", "--file", path, "--make-bed", "--out", path]
    subprocess.run(make, check=True, capture_output=True)
    return folder / "family"


def test_sex_chromosomes_are_left_out_and_founders_tested_as_plink_does(tmp_path):
    need("plink1.9")
    prefix = pedigree(tmp_path)
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    output_prefix = written_by_plink(prefix, theirs)
    scan = gwas.scan(prefix)
    assert scan.as_json()["not_autosomal"] == 30
    table = [row for row in output(output_prefix, "assoc") if row["CHR"] in ("1", "25")]
    assert [row["SNP"] for row in table] == scan.study.variants.identifier.tolist()
    assert_as_printed(scan.columns.statistic, printed(table, "CHISQ"))
    equilibrium = output(output_prefix, "hwe", TEST="UNAFF")
    of_autosomes = [row for row in equilibrium if row["CHR"] in ("1", "25")]
    assert_as_printed(scan.columns.hwe_p_value, printed(of_autosomes, "P"))
    everybody = hardy_weinberg_p_value(scan.study.counts.controls)
    assert not np.allclose(everybody, scan.columns.hwe_p_value)


def test_the_vcf_that_plink2_makes_of_all_chromosomes_has_the_same_counts(tmp_path):
    need("plink1.9")
    need("plink2")
    if vcf.cyvcf2 is None:
        pytest.skip("cyvcf2 is an extra")
    prefix = pedigree(tmp_path)
    command = ["plink2", "--bfile", str(prefix), "--export", "vcf", "id-paste=iid"]
    subprocess.run([*command, "--out", str(prefix)], check=True, capture_output=True)
    people = [line.split() for line in prefix.with_suffix(".fam").read_text().splitlines()]
    lines = (f"{person[0]} {person[1]} {person[5]}\n" for person in people)
    (tmp_path / "phenotype.txt").write_text("".join(lines))
    ours = gwas.scan(prefix.with_suffix(".vcf"), phenotype=tmp_path / "phenotype.txt")
    expected = gwas.scan(prefix)
    # PLINK 2 writes the pseudo-autosomal regions as PAR1, PAR2 or XY, and haploid calls elsewhere.
    assert ours.as_json()["not_autosomal"] == expected.as_json()["not_autosomal"]
    assert ours.study.counts == expected.study.counts


@pytest.mark.parametrize("bound", [0.1, 0.5])
def test_pruning_by_plink_s_own_correlations(tmp_path, bound):
    """No two kept ones are linked within a window, and each other one is with an earlier kept one.

    Where no call is missing; PLINK leaves out people of whom either call is missing, pair by pair.
    """
    need("plink1.9")
    rng = np.random.default_rng(6)
    copies = rng.binomial(2, rng.uniform(0.05, 0.6, (150, 1)), (150, 90)).astype(np.int8)
    for index in range(1, 150):
        same = rng.random(90) < rng.choice([0.0, 0.5, 0.8, 1.0])
        copies[index, same] = copies[index - 1, same]
    copies[[3, 77]] = 1
    names, places = [f"v{index}" for index in range(150)], range(1, 151)
    with PlinkWriter(tmp_path / "made", np.arange(90) % 2 == 0) as writer:
        writer.write(Variants(["1"] * 150, names, places, ["A"] * 150, ["G"] * 150), copies)
    command = ["plink1.9", "--bfile", str(tmp_path / "made"), "--out", str(tmp_path / "made")]
    command += ["--allow-no-sex", "--r2", "square"]
    subprocess.run(command, check=True, capture_output=True)
    theirs = np.loadtxt(tmp_path / "made.ld")
    kept = np.flatnonzero(Pruning(bound).keep(["1"] * 150, Genotypes.of(copies))).tolist()
    assert not {3, 77} & set(kept)
    assert 20 < len(kept) < 130
    for index in sorted({*range(150)} - {3, 77}):
        earlier = [each for each in kept if each < index][-WINDOW:]
        explained = any(theirs[index, each] >= bound for each in earlier)
        assert explained == (index not in kept)
