"""A study in one file per chromosome is the merged study: in every format, by every command.

Files that do not belong together are refused, and the error names the file.
"""

import gzip
import itertools
import json
import re
import shutil
from pathlib import Path

import attrs
import numpy as np
import pytest
from click.testing import CliRunner

from deniable import gwas
from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files import StudyFiles, count_study, genotypes
from deniable.gwas.files.how_read import HowRead
from deniable.gwas.files.individuals import from_fam
from deniable.gwas.files.several import match_people
from deniable.gwas.files.vcf import VcfFile
from deniable.gwas.genotypes import Variants
from tests.cases.command_line import app
from tests.cases.effort import one_in, usual
from tests.cases.refusals import refuses, says
from tests.cases.study_formats import installed, listed, write_study

PEOPLE, SIZES = 60, {"1": 25, "2": 30, "10": 20, "X": 4}
CASES = np.arange(PEOPLE) % 2 == 0
NAMES = [f"i{i + 1}" for i in range(PEOPLE)]


def merged(parts):
    columns = zip(*(attrs.astuple(part, recurse=False) for part in parts), strict=True)
    return Variants(*(np.concatenate(column) for column in columns))


def drawn(seed, missing=0.0):
    rng = np.random.default_rng(seed)
    shares = {name: rng.uniform(0.15, 0.85, number) for name, number in SIZES.items()}
    copies = {
        name: rng.binomial(2, each[:, None], (len(each), PEOPLE)).astype(np.int8)
        for name, each in shares.items()
    }
    for each in copies.values():
        each[rng.random(each.shape) < missing] = -1
    return copies


def write_parts(folder, form, copies, *, shuffled=False, first=1):
    """The merged file, one a chromosome, the pattern of these, and a phenotype file."""
    names = [f"i{i + first}" for i in range(PEOPLE)]
    variants = {name: listed(name, number) for name, number in SIZES.items()}
    whole, status = write_study(
        folder / f"whole{first}", form, merged(variants.values()),
        np.concatenate(list(copies.values())), CASES, names,
    )  # fmt: skip
    parts = []
    for place, (name, each) in enumerate(copies.items()):
        order = np.random.default_rng(place).permutation(PEOPLE) if shuffled and place else None
        order = np.arange(PEOPLE) if order is None else order
        own = [names[i] for i in order]
        prefix = folder / f"s{first}.chr{name}"
        part, _ = write_study(prefix, form, variants[name], each[:, order], CASES[order], own)
        parts.append(part)
    suffix = "" if form == "bed" else f".{form}"
    return whole, parts, folder / f"s{first}.chr{{chr}}{suffix}", status


@pytest.mark.parametrize(
    ("form", "shuffled"),
    [
        (form, shuffled)
        for form in installed()
        for shuffled in usual([True] if form != "bed" else [False, True], [False, True])
    ],
)
def test_counts_and_genotypes_are_those_of_the_merged_file(tmp_path, form, shuffled):
    whole, parts, pattern, status = write_parts(tmp_path, form, drawn(1, 0.03), shuffled=shuffled)
    chosen = tmp_path / "chosen.txt"
    chosen.write_text("v2_3\nv10_4\nv1_0\n")
    kept = tmp_path / "kept.txt"
    kept.write_text("#IID\n" + "".join(f"{name}\n" for name in NAMES[:30]))
    strata = tmp_path / "strata.txt"
    strata.write_text("#IID S\n" + "".join(f"{n} {i % 3}\n" for i, n in enumerate(NAMES)))
    for filters, divided in (
        (None, strata),
        (gwas.Filters(extract=chosen), None),
        (gwas.Filters(chromosomes="2", keep=kept), None),
    ):
        how = {"phenotype": status, "filters": filters}
        count = {"missing": "leave", "strata": divided, **how}
        expected = count_study(whole, **count)
        for given in (parts, pattern):
            assert count_study(given, **count) == expected
        one, several = genotypes(whole, **how), genotypes(pattern, **how)
        assert one.variants == several.variants
        assert np.array_equal(one.individuals.cases, several.individuals.cases)
        copies = [np.concatenate(list(each.blocks(7))) for each in (one, several)]
        assert np.array_equal(*copies)


@pytest.mark.parametrize("forms", one_in(3, [*itertools.permutations(installed(), 2)]))
def test_parts_may_be_of_several_formats(tmp_path, forms):
    """Those of PLINK 1 name families, the others do not."""
    whole, own, _, status = write_parts(tmp_path, forms[0], drawn(1, 0.03))
    other = tmp_path / "other"
    other.mkdir()
    parts = write_parts(other, forms[1], drawn(1, 0.03), shuffled=True)[1]
    mixed = [own[0], parts[1], own[2], parts[3]]
    expected = count_study(whole, phenotype=status, missing="leave")
    assert count_study(mixed, phenotype=status, missing="leave") == expected


def test_an_individual_of_two_families_is_not_found_by_the_name_alone(tmp_path):
    _, own, _, status = write_parts(tmp_path, "bed", drawn(1))
    fam = Path(f"{own[0]}.fam")
    fam.write_text(fam.read_text().replace("i8 i8 ", "i8 i7 "))
    if "vcf" not in installed():
        pytest.skip("cyvcf2 is an extra")
    status.write_text(status.read_text().replace("#IID", "#FID IID").replace("\ni", "\nx i"))
    other = tmp_path / "other"
    other.mkdir()
    part = write_parts(other, "vcf", drawn(1))[1][1]
    with refuses(DataError, "same-people-in-all-files"):
        match_people(from_fam(fam), VcfFile(part, HowRead(status)).individuals, part)


@pytest.mark.parametrize("form", [form for form in installed() if form in ("bed", "vcf")])
def test_every_command_gives_one_answer(tmp_path, form):
    whole, parts, pattern, status = write_parts(tmp_path, form, drawn(2))
    others = write_parts(tmp_path, "bed", drawn(3), first=1001)
    names = tmp_path / "names.txt"
    names.write_text("v1_1\nv2_2\nv10_3\n")
    studies = tmp_path / "studies.txt"
    studies.write_text("".join(f"{part}\n" for part in parts))
    pheno = ["--pheno", status, "--json"]
    table = tmp_path / "table.tsv"
    gwas.scan(whole, phenotype=status, out=table)
    attack = ["attack", "--prune", "0.5", "--published", table, "--on", "cases"]
    safe = ["safe", "--posterior", "0.9", "--prior", "0.5"]
    utility = ["utility", "--top", "2", "--gamma", "2", "--trials", "50"]
    scan = ["scan", "--top", "100"]
    for command, reference, other in (
        (scan, [], []),
        (utility, [], []),
        (safe, ["--reference", others[0]], ["--reference", others[2]]),
        (attack, ["--reference", others[0]], [w for p in others[1] for w in ("--reference", p)]),
    ):
        expected = run(*command, whole, *pheno, *reference)
        for given in ([pattern], ["--studies", studies])[: 1 + (command is scan)]:
            assert run(*command, *given, *pheno, *other) == expected
    for command in (
        ["release", "--top", "2", "--gamma", "2"],
        ["frequencies", "--variants", names, "--gamma", "2"],
    ):
        given = (whole,), parts, ("--studies", studies)
        folders = [tmp_path / f"{command[0]}{i}" for i in range(3)]
        answers = [
            run(*command, *each, *pheno, "--out", folder)
            for each, folder in zip(given, folders, strict=True)
        ]
        assert len({answer["epsilon"] for answer in answers}) == 1
        documents = [json.loads((f / "certificate.json").read_text()) for f in folders]
        assert len({json.dumps(each.get("study"), sort_keys=True) for each in documents}) == 1


def run(*words):
    result = CliRunner().invoke(app, ["gwas", *map(str, words)])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def _replace(part, form, change):
    """Change the names of people in a part."""
    file = {"bed": ".fam", "pgen": ".psam", "vcf": ".vcf"}[form]
    path = Path(f"{part}.fam") if form == "bed" else part.with_suffix(file)
    path.write_text(change(path.read_text()))


@pytest.mark.parametrize("form", [form for form in installed() if form not in ("bgen", "vcz")])
def test_other_people_are_refused(tmp_path, form):
    _, parts, pattern, status = write_parts(tmp_path, form, drawn(1))
    _replace(parts[2], form, lambda text: text.replace("i7", "i999"))
    for read in (count_study, genotypes):
        with refuses(DataError, "same-people-in-all-files-s1") as refused:
            read(pattern, phenotype=status)
        assert "i999" not in str(refused.value)


@pytest.mark.parametrize("form", installed())
def test_fewer_people_are_refused(tmp_path, form):
    _, parts, _, status = write_parts(tmp_path, form, drawn(1))
    copies = drawn(1)["1"][:, :-2]
    part, _ = write_study(tmp_path / "few.chr3", form, listed("3", 25), copies, CASES[:-2])
    with refuses(DataError, "same-people-in-all-files-few"):
        count_study([*parts, part], phenotype=status)


def test_other_phenotypes_are_refused(tmp_path):
    _, parts, pattern, _ = write_parts(tmp_path, "bed", drawn(1))
    _replace(parts[1], "bed", lambda text: text.replace("i7 i7 0 0 0 2", "i7 i7 0 0 0 1"))
    with refuses(DataError, "same-phenotypes-s1-chr2"):
        count_study(pattern)


@pytest.mark.parametrize("form", installed())
def test_a_chromosome_twice_is_refused(tmp_path, form):
    _, parts, _, status = write_parts(tmp_path, form, drawn(1))
    again, _ = write_study(tmp_path / "again", form, listed("chr2", 5), drawn(1)["1"][:5], CASES)
    with refuses(DataError, "every-chromosome-in-one-file"):
        count_study([*parts, again], phenotype=status)
    with refuses(InvalidArgument, "each-part-of-study-once: s1.chr2"):
        count_study([*parts, parts[1]], phenotype=status)


def test_stretches_of_one_chromosome_are_parts(tmp_path):
    copies = drawn(1)["1"][:10]
    parts = [
        write_study(tmp_path / f"s{i}", "bed", listed("1", 5, 5 * i), copies[5 * i :][:5], CASES)[0]
        for i in range(2)
    ]
    whole, _ = write_study(tmp_path / "whole", "bed", listed("1", 10), copies, CASES)
    assert count_study(parts) == count_study(whole)


@pytest.mark.parametrize("form", installed())
def test_a_part_that_was_cut_off_is_named(tmp_path, form):
    _, parts, pattern, status = write_parts(tmp_path, form, drawn(1))
    file = Path(f"{parts[1]}.bed") if form == "bed" else parts[1]
    if form == "vcz":
        file = file / "call_genotype" / "1.0.0"
    data = file.read_bytes()
    if form == "vcf":
        packed = [Path(f"{part}.gz") for part in parts]
        for part, path in zip(parts, packed, strict=True):
            path.write_bytes(gzip.compress(part.read_bytes()))
        packed[1].write_bytes(packed[1].read_bytes()[:-200])
        pattern = Path(f"{pattern}.gz")
    else:
        file.write_bytes(data[: len(data) // 2])
    with refuses(DataError, "s1-chr2"):
        count_study(pattern, phenotype=status)


def test_names_of_chromosomes_are_found_and_no_others(tmp_path):
    _, parts, pattern, _ = write_parts(tmp_path, "bed", drawn(1))
    for end in ("bed", "bim", "fam"):
        shutil.copy(f"{parts[0]}.{end}", tmp_path / f"s1.chrother.{end}")
        shutil.copy(f"{parts[0]}.{end}", tmp_path / f"s1.chr1.old.{end}")
    assert len(count_study(pattern).variants) == sum(SIZES.values()) - SIZES["X"]
    with refuses(InvalidArgument, "files-of-chromosomes: chr | none1"):
        count_study(tmp_path / "none{chr}")
    with refuses(InvalidArgument, "prefix-or-more"):
        count_study([])


def test_a_table_of_counts_may_be_in_parts_too(tmp_path):
    whole, parts, _, _ = write_parts(tmp_path, "bed", drawn(1))
    tables = []
    for place, part in enumerate(parts[:3]):
        tables.append(tmp_path / f"t{place}.tsv")
        gwas.scan(part, out=tables[-1])
    gwas.scan(whole, out=tmp_path / "whole.tsv")
    assert count_study(tables) == count_study(tmp_path / "whole.tsv")


@pytest.mark.parametrize("form", installed())
def test_a_folder_is_the_study_of_its_files(tmp_path, form):
    copies = drawn(1)
    (tmp_path / "study").mkdir()
    (tmp_path / "empty").mkdir()
    _, parts, pattern, status = write_parts(tmp_path, form, copies)
    for part in parts:
        for file in tmp_path.glob(f"{part.name.removesuffix(f'.{form}')}.*"):
            shutil.move(file, tmp_path / "study" / file.name)
    given = count_study(tmp_path / "study", phenotype=status)
    assert given == count_study(tmp_path / "study" / pattern.name, phenotype=status)
    assert list(dict.fromkeys(given.variants.chromosome)) == ["1", "2", "10"]
    with refuses(InvalidArgument, "genotypes-in-folder-empty"):
        count_study(tmp_path / "empty", phenotype=status)


def test_a_panel_in_several_files_is_the_merged_panel(tmp_path):
    whole, _, pattern, _ = write_parts(tmp_path, "bed", drawn(2, 0.03))
    other, parts, others, _ = write_parts(tmp_path, "bed", drawn(3, 0.05), first=1001)
    for rule in ("panel", "major"):
        expected, given = (
            count_study(study, missing=rule, filters=gwas.Filters(min_frequency=0.3, panel=panel))
            for study, panel in ((whole, other), (pattern, others))
        )
        assert attrs.evolve(given, filters=expected.filters) == expected
        assert 0 < len(given.variants) < sum(SIZES.values())
    (tmp_path / "own").mkdir()
    _, own, _, _ = write_parts(tmp_path / "own", "bed", drawn(2, 0.03))
    with refuses(DataError, "participants-in-a-panel: panel"):
        gwas.release(whole, tmp_path / "o", top=1, gamma=2.0, filters=gwas.Filters(panel=own))
    with refuses(DataError, "one-file-of-panel: whole1001"):
        count_study(whole, filters=gwas.Filters(panel=[*parts, other]))
    _replace(parts[2], "bed", lambda text: text.replace("i1007", "i999"))
    with refuses(DataError, "same-people-s1001-chr10"):
        count_study(whole, filters=gwas.Filters(panel=others))


def refusal(*words):
    answer = CliRunner().invoke(app, ["gwas", *map(str, words)])
    assert answer.exit_code == 2, answer.output
    return answer.stderr


def test_a_part_of_other_people_is_blamed_and_not_the_phenotype_file(tmp_path):
    _, parts, pattern, _ = write_parts(tmp_path, "bed", drawn(1))
    status = tmp_path / "status.txt"
    fam = parts[0].parent / f"{parts[0].name}.fam"
    lines = [line.split() for line in fam.read_text().splitlines()]
    status.write_text("".join(f"{line[0]} {line[1]} {line[5]}\n" for line in lines))
    strangers = parts[1].parent / f"{parts[1].name}.fam"
    own = strangers.read_text()
    strangers.write_text("".join(f"Z Z{' '.join(line[1:])}\n" for line in lines))
    said = refusal("scan", pattern, "--pheno", status)
    assert "Expected the same people in all files" in said
    assert parts[1].name in said
    strangers.write_text(own.replace("i9 ", "other ", 1))
    assert "got 1 other among 60" in refusal("scan", pattern)


def test_a_chromosome_that_is_twice_there_names_both_files(tmp_path):
    _, parts, pattern, _ = write_parts(tmp_path, "bed", drawn(1))
    for suffix in ("bed", "bim", "fam"):
        shutil.copy(f"{parts[2]}.{suffix}", f"{parts[1]}.{suffix}")
    said = refusal("scan", pattern)
    assert parts[1].name in said
    assert parts[2].name in said


def test_a_gap_between_chromosomes_is_named_before_anything_else(tmp_path):
    _, _, pattern, _ = write_parts(tmp_path, "bed", drawn(1))
    answer = CliRunner().invoke(app, ["gwas", "scan", str(pattern)])
    assert answer.exit_code == 0
    assert says(answer.stderr, "no-files-of-chromosomes: 3, 4, 5, 6, 7, 8, 9")
    target = ["--top", "1", "--gamma", "4", "--out", "no/where"]
    assert says(
        refusal("release", pattern, *target), "no-files-of-chromosomes: 3, 4, 5, 6, 7, 8, 9"
    )


@pytest.mark.parametrize(
    ("names", "gaps"),
    [
        ("1 3 22 X", [2, *range(4, 22)]),
        ("1 2 23 26 MT", []),
        (" ".join(str(n) for n in range(1, 30) if n not in (5, 25)), [5, 25]),
    ],
)
def test_gaps_are_of_the_autosomes_of_any_species(tmp_path, names, gaps):
    for name in names.split():
        (tmp_path / f"cow.chr{name}.bed").touch()
    notes = StudyFiles.of(tmp_path / "cow.chr{chr}").notes
    assert [re.findall(r"chromosomes? ([0-9, ]+):", note) for note in notes] == (
        [[", ".join(map(str, gaps))]] if gaps else []
    )


@pytest.mark.parametrize("option", ["", "--reference", "--panel"])
@pytest.mark.parametrize("folder", [False, True])
def test_what_lies_beside_the_files_of_a_study_is_named(tmp_path, option, folder):
    (tmp_path / "others").mkdir()
    _, _, pattern, _ = write_parts(tmp_path, "bed", drawn(1))
    _, parts, others, _ = write_parts(tmp_path / "others", "bed", drawn(2))
    for suffix in ("bed", "bim", "fam"):
        shutil.copy(f"{parts[0]}.{suffix}", parts[0].with_name(f"s1.chr2L.{suffix}"))
        shutil.copy(f"{parts[0]}.{suffix}", parts[0].with_name(f"s1.chr1_old.{suffix}"))
    if folder:
        for left in parts[0].parent.glob("s1.chr*[Ld].*"):
            left.unlink()
        (parts[0].parent / "s1.chr23.gen").touch()
        others = parts[0].parent
    line = ["scan", str(others)]
    if option == "--panel":
        line = ["scan", str(pattern), "--panel", str(others), "--missing", "panel"]
    elif option:
        line = ["attack", str(pattern), "--reference", str(others)]
    said = CliRunner().invoke(app, ["gwas", *line]).stderr
    word = (
        "also-holds: s1.chr23.gen" if folder else "left-out-of-chromosomes: s1.chr1_old, s1.chr2L"
    )
    assert says(said, word)


def test_names_of_folders_without_a_name_are_read_or_refused(tmp_path, monkeypatch):
    (tmp_path / "made").mkdir()
    write_parts(tmp_path / "made", "bed", drawn(1))
    monkeypatch.chdir(tmp_path)
    for name in (".", "/", "..", ""):
        assert "Expected genotypes" in refusal("scan", name)
        assert "Expected" in refusal("simulate", "--out", name, *SIMULATED)
        with pytest.raises(InvalidArgument):
            gwas.scan(name)
    with pytest.raises(InvalidArgument):
        gwas.scan("s", filters=gwas.Filters(panel="/"))


SIMULATED = ["--individuals", "20", "--cases", "10", "--variants", "10", "--causal", "1"]
SIMULATED += ["--seed", "1"]


def test_lists_of_nobody_and_of_no_variant_are_refused(tmp_path):
    _, _, pattern, _ = write_parts(tmp_path, "bed", drawn(1))
    (tmp_path / "list.txt").write_text("nobody\n")
    target = ["--top", "1", "--gamma", "4", "--out", str(tmp_path / "out")]
    for option in ("--remove", "--exclude", "--keep", "--extract"):
        for command in (["scan", pattern], ["release", pattern, *target]):
            assert "list" in refusal(*command, option, tmp_path / "list.txt")
    assert not (tmp_path / "out").exists()


def test_lists_without_anything_and_ranges_say_what_to_write(tmp_path):
    _, _, pattern, _ = write_parts(tmp_path, "bed", drawn(1))
    (tmp_path / "empty.txt").write_text("")
    assert "got none" in refusal("scan", "--studies", tmp_path / "empty.txt")
    assert "Write 1,2,3." in refusal("scan", pattern, "--chr", "1-3")
