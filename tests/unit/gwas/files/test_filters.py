"""Public filters: PLINK's own choice of variants and people, and lists that are none."""

import subprocess
from pathlib import Path

import numpy as np
import pytest

from deniable import gwas
from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files import Filters, PlinkWriter, count_study, genotypes, read_panel
from deniable.gwas.genotypes import MISSING, Variants
from tests.cases.programs import need
from tests.cases.refusals import refuses
from tests.cases.study_formats import with_other_people

STUDY = Path(__file__).resolve().parents[4] / "tests" / "data" / "plink" / "study"
PEOPLE = [line.split()[:2] for line in STUDY.with_suffix(".fam").read_text().splitlines()]
NAMES = [line.split()[1] for line in STUDY.with_suffix(".bim").read_text().splitlines()]


def listed(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def count_all():
    return count_study(STUDY, missing="leave")


def test_variants_and_people_are_those_that_plink_leaves(tmp_path):
    need("plink1.9")
    words = {
        "extract": listed(tmp_path / "e", [*NAMES[3:90], "unknown"]),
        "exclude": listed(tmp_path / "x", NAMES[50:60]),
        "keep": listed(tmp_path / "k", [" ".join(each) for each in PEOPLE[:150]]),
        "remove": listed(tmp_path / "r", [" ".join(each) for each in PEOPLE[100:110]]),
    }
    said = [word for name, path in words.items() for word in (f"--{name}", str(path))]
    make = ["plink1.9", "--bfile", str(STUDY), *said, "--chr", "1,3-5", "--keep-allele-order"]
    made = [*make, "--make-bed", "--out", str(tmp_path / "theirs")]
    subprocess.run(made, check=True, capture_output=True)
    filters = Filters(**words, chromosomes="1,chr3,4,5")
    ours = count_study(STUDY, missing="leave", filters=filters)
    theirs = count_study(tmp_path / "theirs", missing="leave")
    assert (ours.counts, ours.variants) == (theirs.counts, theirs.variants)
    assert (ours.individuals, ours.missing_calls) == (140, theirs.missing_calls)
    read = genotypes(STUDY, filters=filters)
    copies = np.concatenate(list(read.blocks(9)))
    counted = (copies[:, read.individuals.cases] == 1).sum(axis=1)
    assert counted.tolist() == ours.counts.cases[:, 1].tolist()
    assert read.variants == ours.variants


@pytest.mark.parametrize("reader", ["plink1.9", "plink2", "bed"])
def test_frequencies_are_the_panels(tmp_path, reader):
    panel = with_other_people(STUDY, tmp_path / "other")
    if reader != "bed":
        need(reader)
        make = [reader, "--bfile", str(STUDY), "--freq", "--out", str(tmp_path / "panel")]
        subprocess.run(make, check=True, capture_output=True)
        panel = tmp_path / ("panel.frq" if reader == "plink1.9" else "panel.afreq")
    calls = np.concatenate(list(genotypes(STUDY).blocks(64))).astype(int)
    called = (calls >= 0).sum(axis=1)
    frequency = np.where(calls < 0, 0, calls).sum(axis=1) / np.maximum(2 * called, 1)
    rarer = np.where(called > 0, np.minimum(frequency, 1 - frequency), -1)
    assert np.abs(rarer - 0.1).min() > 1e-4  # PLINK rounds to four digits
    filters = Filters(min_frequency=0.1, panel=panel)
    names = count_study(STUDY, missing="leave", filters=filters).variants.identifier.tolist()
    assert names == [name for name, p in zip(NAMES, rarer, strict=True) if p >= 0.1]
    assert 0 < len(names) < len(NAMES)


def test_missing_calls_are_the_panels_most_frequent_genotype(tmp_path):
    every = count_all()
    others = with_other_people(STUDY, tmp_path / "other")
    filled = count_study(STUDY, missing="panel", filters=Filters(panel=others))
    called = every.counts.cases + every.counts.controls
    kept = called[:, :3].sum(axis=1) > 0
    assert filled.variants == every.variants.take(kept)
    panel = read_panel(STUDY)
    most = panel.fill(filled.variants)
    for ours, before in (
        (filled.counts.cases, every.counts.cases[kept]),
        (filled.counts.controls, every.counts.controls[kept]),
    ):
        expected = before.copy()
        for row, copies in enumerate(most):
            expected[row, copies] += expected[row, MISSING]
            expected[row, MISSING] = 0
        assert ours.tolist() == expected.tolist()
    assert filled.missing_calls == every.counts.take(kept).missing_calls > 0


def test_variants_without_a_name_are_those_of_a_panel_at_the_same_place(tmp_path):
    cases = np.array([True, False, True, False])
    for name, chromosome, places in (("in", "1", [100, 200]), ("panel", "chr1", [100])):
        number = len(places)
        listed_in = Variants(
            [chromosome] * number, ["."] * number, places, ["A"] * number, ["G"] * number
        )
        copies = np.full((number, 4), 2, np.int8)
        copies[:, 0] = 2 if name == "panel" else -1
        with PlinkWriter(tmp_path / name, cases, first=9 if name == "panel" else 1) as writer:
            writer.write(listed_in, copies)
    filled = count_study(
        tmp_path / "in", missing="panel", filters=Filters(panel=tmp_path / "panel")
    )
    assert filled.variants.position.tolist() == [100]
    assert filled.counts.cases.tolist() == [[0, 0, 2, 0]]
    table = listed(tmp_path / "panel.frq", ["CHR SNP A1 A2 MAF NCHROBS", "1 . A G 0.3 8"])
    with refuses(DataError, "variant-or-more-that-passes"):  # of which place?
        count_study(tmp_path / "in", missing="leave", filters=Filters(panel=table))


def test_a_panel_that_counts_the_other_allele_says_the_same(tmp_path):
    lines = ["CHR SNP A1 A2 MAF NCHROBS", "1 a A G 0.7 10", "1 b G A 0.7 10", "1 c A,T G 0.1 10"]
    lines += ["1 d A G NA 0", "1 e A G .5 10", "1 e A G .5 10"]
    panel = read_panel(listed(tmp_path / "x.frq", lines))
    variants = Variants(["1"] * 2, ["a", "b"], [1, 2], ["A", "A"], ["G", "G"])
    assert panel.rarer(variants).round(9).tolist() == [0.3, 0.3]
    assert panel.fill(variants).tolist() == [2, 0]
    others = Variants(["1"] * 4, ["a", "c", "d", "e"], [1] * 4, ["A"] * 4, ["T", "G", "G", "G"])
    assert np.isnan(panel.rarer(others)).all()
    assert len(panel) == 2


@pytest.mark.parametrize(
    "text",
    ["i1\r\ni3\r\n", "\ufeffi1\ni3\n", "i1\ni1\ni3\nnobody", "#IID\ni3\ni1\n", "i1 i1\ni3 i3\n",
     "FID IID\ni1 i1\ni3 i3\n", "\n\n i1 \n\ti3\n\n", "i1 i1 0 0 1 2\ni3 i3 0 0 2 1\n",
     "i1 i1 2\ni3 i3 1\n", "##made\n#IID SEX\ni1 1\ni3 2\n",
     "#FID IID P Q\ni1 i1 1 .\ni3 i3 2 NA\n"],
)  # fmt: skip
def test_lists_of_people_however_they_are_written(tmp_path, text):
    path = tmp_path / "list"
    path.write_bytes(text.encode())
    people = genotypes(STUDY, filters=Filters(remove=path)).individuals
    gone = [name for name, kept in zip(people.names, people.kept, strict=True) if not kept]
    assert gone == [("i1", "i1"), ("i3", "i3")]


@pytest.mark.parametrize(
    "text", ["i1\u00a0\ni3\n", "#IID\ni1\u00a0\ni3\n", "i1\u00a0\ti1\ni3\ti3\n"]
)
def test_a_list_does_not_name_whose_name_has_one_more_character(tmp_path, text):
    path = tmp_path / "list"
    path.write_bytes(text.encode())
    people = genotypes(STUDY, filters=Filters(remove=path)).individuals
    assert sum(not kept for kept in people.kept) == 1


LISTS = {
    "empty": b"", "blank": b"\n \n", "ragged": b"a\nb c\n", "not UTF-8": b"\xff\xfe\n",
}  # fmt: skip


@pytest.mark.parametrize("name", ["extract", "exclude", "keep", "remove"])
@pytest.mark.parametrize("content", LISTS.values(), ids=LISTS)
def test_what_is_no_list_is_refused(tmp_path, name, content):
    path = tmp_path / "list"
    path.write_bytes(content)
    with refuses(DataError, "list-identifiers") as refused:
        count_study(STUDY, missing="leave", filters=Filters(**{name: path}))
    assert "i1" not in str(refused.value)


@pytest.mark.parametrize("name", ["extract", "exclude"])
def test_a_list_of_variants_has_one_column(tmp_path, name):
    path = tmp_path / "list"
    path.write_text("a b c\n")
    with refuses(DataError, "variants-one-line-columns: 3"):
        count_study(STUDY, missing="leave", filters=Filters(**{name: path}))


@pytest.mark.parametrize("name", ["extract", "exclude", "keep", "remove", "panel"])
def test_a_list_that_is_not_there(tmp_path, name):
    with refuses(InvalidArgument, "file-not-there"):
        count_study(STUDY, filters=Filters(**{name: tmp_path / "none.frq"}))


def test_nothing_left_is_refused(tmp_path):
    strangers = listed(tmp_path / "strangers", ["nobody"])
    with refuses(DataError, "case-and-control-or-more"):
        count_study(STUDY, missing="leave", filters=Filters(keep=strangers))
    for words in ({"extract": strangers}, {"chromosomes": "77"}):
        with refuses(DataError, "variant-or-more-that-passes"):
            count_study(STUDY, missing="leave", filters=Filters(**words))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"min_frequency": 0.1}, "panel-of-other-people"),
        ({"min_frequency": 0.6, "panel": STUDY}, "min-frequency-at-most-0-5"),
        ({"min_frequency": -0.1, "panel": STUDY}, "not-from-0-to-1: min_frequency"),
        ({"min_frequency": float("nan"), "panel": STUDY}, "not-a-number: min_frequency"),
        ({"chromosomes": "1,,2"}, "empty-one-names-of-chromosomes-between"),
    ],
)
def test_filters_that_cannot_be(words, message):
    with refuses(InvalidArgument, message):
        Filters(**words)


def test_filling_needs_a_panel():
    with refuses(InvalidArgument, "fill-missing-calls"):
        gwas.scan(STUDY, missing="panel")


def test_counts_have_no_people_to_keep(tmp_path):
    gwas.scan(STUDY, out=tmp_path / "study.tsv")
    people = listed(tmp_path / "k", ["i1"])
    with refuses(InvalidArgument, "counts-not-people-one-by-one"):
        count_study(tmp_path / "study.tsv", filters=Filters(keep=people))
    names = listed(tmp_path / "e", NAMES[:5])
    study = count_study(tmp_path / "study.tsv", missing="leave", filters=Filters(extract=names))
    assert study.variants.identifier.tolist() == NAMES[:5]
