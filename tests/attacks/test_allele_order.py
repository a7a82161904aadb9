"""One study in every format and with its alleles in both orders: one answer, or a refusal.

Which allele stands first in a file is its writer's choice: PLINK 1.9 puts the rarer one first,
plink2's files the alternative, a BGEN of plink2 the alternative unless told otherwise, one of UK
Biobank the reference. Missing calls that are read as two copies of the wrong one make a top hit
that is none.
"""

import itertools
import shutil
import subprocess

import numpy as np
import pytest

from deniable import gwas
from deniable.errors import DataError, InvalidArgument
from deniable.gwas.files import Filters, bgen, pgen, read_panel, vcf
from deniable.gwas.files.plink import PlinkWriter
from deniable.gwas.genotypes import Variants
from tests.cases.effort import usual
from tests.cases.left_out import left_out
from tests.cases.refusals import refuses

PEOPLE = 60
FREQUENCIES = {"rare": 0.05, "middle": 0.45, "common": 0.9, "holes": 0.1, "turned": 0.9}
"""Of the alternative; calls of the last two are missing of every sixth, all of them cases."""
HOLES = "holes", "turned"
FORMATS = {
    "vcf": ("--export", "vcf"),
    "pgen": ("--make-pgen",),
    "ref-first.bgen": ("--export", "bgen-1.2", "ref-first"),
    "ref-last.bgen": ("--export", "bgen-1.2"),
    "bed": ("--make-bed",),
}


def run(folder, program, *words):
    subprocess.run([program, *map(str, words)], check=True, capture_output=True, cwd=folder)


def lines_of(seed, turned=False):
    """Lines of a VCF; turned ones name the other allele the reference."""
    rng = np.random.default_rng(seed)
    for place, (name, frequency) in enumerate(FREQUENCIES.items(), 1):
        drawn = rng.random((PEOPLE, 2)) < frequency
        cells = ["/".join(str(int(a != turned)) for a in pair) for pair in drawn]
        if name in HOLES and seed == 1:
            cells[::6] = ["./."] * len(cells[::6])
        alleles = ("C", "A") if turned else ("A", "C")
        yield "\t".join(["1", str(place * 100), name, *alleles, ".", ".", ".", "GT", *cells])


def written(folder, name, seed, turned, people="s"):
    header = (
        "##fileformat=VCFv4.2\n##contig=<ID=1>\n"
        '##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n'
        "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t"
    )
    names = "\t".join(f"{people}{i}" for i in range(PEOPLE))
    path = folder / f"{name}.vcf"
    path.write_text(header + names + "\n" + "\n".join(lines_of(seed, turned)) + "\n")
    return path


@pytest.fixture(scope="module", name="files")
def every_file(tmp_path_factory):
    """The study by (format, whether turned), the phenotypes, and panels in both orders."""
    for program in ("plink2", "plink1.9"):
        if shutil.which(program) is None:
            left_out("PLINK", "apt install plink1.9 plink2")
    if None in (bgen.bgen, pgen.pgenlib, vcf.cyvcf2):
        pytest.skip("bgen, pgenlib and cyvcf2 are extras")
    folder = tmp_path_factory.mktemp("orders")
    studies = {}
    for turned in (False, True):
        word = "turned" if turned else "plain"
        source = written(folder, word, 1, turned)
        for kind, how in FORMATS.items():
            out = f"{word}-{kind.split('.')[0]}"
            run(folder, "plink2", "--vcf", source, *how, "--out", out)
            studies[kind, turned] = folder / (f"{out}.{kind.split('.')[-1]}")
        run(folder, "plink1.9", "--vcf", source, "--make-bed", "--out", f"{word}-rarer")
        studies["bed of PLINK 1.9", turned] = folder / f"{word}-rarer.bed"
        run(folder, "plink2", "--vcf", written(folder, f"p{word}", 2, turned, "p"), "--make-bed",
            "--out", f"panel-{word}")  # fmt: skip
        run(folder, "plink2", "--bfile", f"panel-{word}", "--freq", "--out", f"panel-{word}")
        studies["table", turned] = table_of(folder / f"{word}.tsv", source)
    return folder, studies


def phenotypes(folder, kind):
    """A file of phenotypes in the names of that format, whose first of each six are cases."""
    if kind == "table":
        return None
    path = folder / f"phenotypes-{kind}"
    family = "s{0}" if kind == "bed of PLINK 1.9" else "0"
    rows = [f"{family.format(i)} s{i} {1 + (i % 2 == 0)}\n" for i in range(PEOPLE)]
    path.write_text("".join(rows))
    return path


def table_of(path, source):
    """Counts of allele 1, the alternative, in cases and controls."""
    header = "variant\tallele_1\tallele_2\t" + "\t".join(
        f"{group}_{cell}" for group in ("cases", "controls") for cell in ("0", "1", "2", "missing")
    )
    lines = [header]
    for line in source.read_text().splitlines():
        if line.startswith("#"):
            continue
        _, _, name, other, one, *_ = words = line.split("\t")
        cells = [c.count("1") if "." not in c else 3 for c in words[9:]]
        counts = [np.bincount(part, minlength=4) for part in (cells[::2], cells[1::2])]
        lines.append("\t".join([name, one, other, *map(str, np.concatenate(counts))]))
    path.write_text("\n".join(lines) + "\n")
    return path


def asked(call, studies, folder, **given):
    """Each file's answer, or why it was refused."""
    answers = {}
    for (kind, turned), path in studies.items():
        options = dict(given)
        if kind.endswith(".bgen") and "order" in options:
            filters = options.get("filters") or Filters()
            order = "ref-first" if kind.startswith("ref-first") else "ref-last"
            options["filters"] = Filters(panel=filters.panel, allele_order=order)
        options.pop("order", None)
        try:
            answers[kind, turned] = call(path, phenotype=phenotypes(folder, kind), **options)
        except (DataError, InvalidArgument) as error:
            answers[kind, turned] = str(error)
    return answers


def statistics(path, **given):
    """χ² by variant; the order of alleles changes no bit but the last ones."""
    out = path.parent / "scan.tsv"
    out.unlink(missing_ok=True)
    gwas.scan(path, out=out, **given)
    header, *rows = (line.split("\t") for line in out.read_text().splitlines())
    name, value = header.index("variant"), header.index("statistic")
    return {row[name]: round(float(row[value]), 6) for row in rows}


def frequencies(path, **given):
    """Frequencies of C by variant, with noise too small to be seen."""
    out = path.parent / f"release-{next(NUMBERS)}"
    done = gwas.frequencies(path, all_variants=True, epsilon=1e9, out=out, **given)
    return {
        row.variant: round(row.frequency if row.allele == "C" else 1 - row.frequency, 6)
        for row in done.rows
    }


def top(path, **given):
    """The one variant that is released."""
    out = path.parent / f"release-{next(NUMBERS)}"
    done = gwas.release(path, top=1, score="allelic", epsilon=1e9, out=out, **given)
    return [each.variant for each in done.released]


NUMBERS = itertools.count()


def different(answers):
    return {str(answer) for answer in answers.values()}


def test_calls_that_are_left_out_give_one_answer(files):
    folder, studies = files
    answers = asked(statistics, studies, folder)
    assert len(different(answers)) == 1
    assert isinstance(answers["vcf", False], dict)


def test_what_the_owner_sees_is_one_answer_or_none(files):
    """Of all files with holes read as allele 2; right ones where it is the commoner one."""
    folder, studies = files
    answers = asked(statistics, studies, folder, missing="major", order=True)
    refused = {key for key, answer in answers.items() if isinstance(answer, str)}
    assert all("--missing panel" in answers[key] for key in refused)
    assert len(different({k: v for k, v in answers.items() if k not in refused})) == 1
    assert ("bed of PLINK 1.9", False) not in refused
    assert ("vcf", False) in refused  # of "turned" the reference is the rarer one


@pytest.mark.parametrize("call", [statistics, frequencies, top])
def test_a_bgen_with_holes_is_asked_for_its_order(files, call):
    folder, studies = files
    some = {key: path for key, path in studies.items() if path.suffix == ".bgen"}
    answers = asked(call, some, folder, missing="major")
    assert all("--allele-order ref-first" in answer for answer in answers.values())


@pytest.mark.parametrize("call", [frequencies, top])
def test_a_release_is_one_in_all_formats_that_say_which_allele_is_the_reference(files, call):
    folder, studies = files
    for turned in (False, True):
        some = {k: path for k, path in studies.items() if k[1] == turned and "1.9" not in k[0]}
        answers = asked(call, some, folder, missing="major", order=True)
        assert len(different(answers)) == 1, answers


PANELS = ["panel-plain", "panel-turned", "panel-turned.afreq"]


@pytest.mark.parametrize(
    ("call", "panel"),
    [
        *((statistics, panel) for panel in PANELS),
        # Releases take longer: each of them with two panels, each panel with one of them or both.
        *usual(
            [
                (frequencies, PANELS[0]),
                (frequencies, PANELS[1]),
                (top, PANELS[1]),
                (top, PANELS[2]),
            ],
            [*itertools.product([frequencies, top], PANELS)],
        ),
    ],
)
def test_a_panel_gives_one_answer_in_every_order(files, call, panel):
    folder, studies = files
    filters = Filters(panel=folder / panel)
    answers = asked(call, studies, folder, missing="panel", filters=filters)
    assert len(different(answers)) == 1, answers
    plain = asked(call, {("vcf", False): studies["vcf", False]}, folder, missing="panel",
                  filters=Filters(panel=folder / "panel-plain"))  # fmt: skip
    assert different(plain) == different(answers)


@pytest.mark.parametrize("counts", [(10, 5, 10), (10, 10, 5), (5, 10, 10), (7, 7, 7), (9, 2, 1)])
def test_what_a_panel_fills_does_not_depend_on_its_order(tmp_path, counts):
    copies = np.repeat([0, 1, 2], counts).astype(np.int8)[None]
    nobody = np.zeros(copies.shape[1], bool)
    filled = set()
    for turned in (False, True):
        alleles = (["C"], ["A"]) if turned else (["A"], ["C"])
        variants = Variants(["1"], ["v"], [1], *alleles)
        with PlinkWriter(tmp_path / f"p{turned}", nobody, nobody) as writer:
            writer.write(variants, 2 - copies if turned else copies)
        panel = read_panel(tmp_path / f"p{turned}")
        filled |= set(panel.fill(Variants(["1"], ["v"], [1], ["A"], ["C"])).tolist())
    assert len(filled) == 1


@pytest.mark.parametrize("kind", ["vcf", "pgen", "bed", "table"])
def test_an_order_is_refused_where_the_format_says_it(files, kind):
    folder, studies = files
    given = {"filters": Filters(allele_order="ref-last"), "phenotype": phenotypes(folder, kind)}
    with refuses(InvalidArgument, "bgen-file-with-allele-order"):
        gwas.scan(studies[kind, False], **given)
