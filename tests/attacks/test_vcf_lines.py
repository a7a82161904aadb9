"""Lines of a VCF that an adversary would write: both readers say the same of each.

Plain lines are read by this package, and from the first other line on all are read by cyvcf2. A
first line with another field makes cyvcf2 read all of a file, so that the two can be compared.
"""

import gzip
import re

import numpy as np
import pytest

from deniable.errors import DataError
from deniable.gwas.files import vcf
from deniable.gwas.files.how_read import HowRead
from deniable.gwas.files.vcf import VcfFile
from tests.cases.effort import some_pairs
from tests.cases.genotype_files import CALLS, phenotype_file, vcf_file, vcf_line

pytestmark = pytest.mark.skipif(vcf.cyvcf2 is None, reason="cyvcf2 is an extra")

PEOPLE = len(CALLS[0])
LINES = [vcf_line(index, CALLS[index % len(CALLS)]) for index in range(6)]
OTHER = LINES[0].replace("\tGT\t", "\tGT:DP\t").replace("rs0", "first")

WORDS = [
    *("0/1", "1|0", "./.", ".|.", "0/.", ".|1", "1/1", "0|0"),
    *("2/0", "0/3", "1|2", "-1/0", "+1/0", "0\\1", "0/1/1", "1", "0", ".", "", "0/", "/1", "//0"),
    *(
        "0/ 1",
        " 0/1",
        "0/1 ",
        "./.:3",
        "0/1:",
        "a/b",
        "0,1",
        "00/1",
        "10/1",
        "0/1|0",
        "..0",
        "\x000/",
    ),
    *("0/\x00", "\xb2/0", "1\t0", "0\t/1", "/0\t", "0/\n1"),
]
"""In place of one call."""

FIELDS = {
    0: ["chr1", "X", "Y", "MT", "23", "99", "1.1", "1_alt", "<1>", " 1", ""],
    1: ["0", "01", "-5", "1e3", "1.0", "999999999", "2147483647", "2147483648", "99999999999", ""],
    2: [".", "a;b", "rs 1", "\u00fc", "r,s", ""],
    3: ["N", "g", "GAT", "R", "<DEL>", "*", ".", "G,A", ""],
    4: [".", "t", "AT", "*", "<DEL>", "A,T", "A,", ",", "]1:5]A", ""],
    5: ["30", "30.5", "-1", "1e3", "nan", "x", ""],
    6: ["PASS", "q10", "q10;s50", "0", ";", ""],
    7: ["DP", "AC=1", "AC=x", "AC=1;AC=2", "=", ";;", "END=5", "a b", ""],
    8: ["GT:DP", "DP:GT", "DP", "gt", "GT:", ":GT", "GT:GT", "GT::DP", "."],
}
"""In place of a field before the calls."""


def with_word(word, place):
    line = LINES[3].rstrip("\n").split("\t")
    line[9 + place] = word
    return "\t".join(line) + "\n"


def with_field(number, text):
    line = LINES[3].rstrip("\n").split("\t")
    line[number] = text
    return "\t".join(line) + "\n"


def of(file):
    """What a reader says: variants and calls, or its refusal."""
    try:
        variants, counts = file.counts()
        calls = np.concatenate(list(file.dosages(4)))
    except DataError as refusal:
        return str(refusal)
    names = [getattr(variants, name).tolist() for name in ("chromosome", "identifier", "position")]
    alleles = variants.allele_1.tolist(), variants.allele_2.tolist()
    tables = counts.cases.tolist(), counts.controls.tolist()
    return [*names, *alleles, *tables, calls.tolist()], file.not_autosomal


def both(folder, lines):
    """By both readers, and by cyvcf2 alone, of which the first line is taken away."""
    path, status = vcf_file(folder, lines), phenotype_file(folder)
    here = of(VcfFile(path, HowRead(status)))
    vcf_file(folder, [OTHER, *lines])
    there = of(VcfFile(path, HowRead(status)))
    if isinstance(there, str):  # A line's number counts the first one.
        return here, re.sub(r"line (\d+)", lambda found: f"line {int(found[1]) - 1}", there)
    return here, ([column[1:] for column in there[0]], there[1])


@pytest.mark.parametrize(("word", "place"), some_pairs([*WORDS], [0, 2, PEOPLE - 1]))
def test_a_call(tmp_path, word, place):
    here, there = both(tmp_path, [*LINES[:3], with_word(word, place), *LINES[4:]])
    assert here == there


@pytest.mark.parametrize(
    ("number", "text"), [(number, text) for number, texts in FIELDS.items() for text in texts]
)
def test_a_field(tmp_path, number, text):
    here, there = both(tmp_path, [*LINES[:3], with_field(number, text), *LINES[4:]])
    assert here == there


@pytest.mark.parametrize("calls", [(0, 0, 0, 0, 0), (0, 1, 0, 0, 0), (None, 0, 0, 0, None)])
def test_calls_of_a_line_without_an_alternative(tmp_path, calls):
    line = vcf_line(3, calls).replace("\tA\t", "\t.\t")
    here, there = both(tmp_path, [*LINES[:3], line, *LINES[4:]])
    assert here == there


@pytest.mark.parametrize(
    "line",
    [
        LINES[3].replace("\n", "\t0/0\n"),
        LINES[3].replace("\n", "\t\n"),
        LINES[3].replace("\n", "\r\n"),
        LINES[3].rsplit("\t", 1)[0] + "\n",
        LINES[3].replace("\t", " "),
        LINES[3].replace("\tGT", ""),
        LINES[3] * 2,
        "\n",
        "#a comment\n",
        "##contig=<ID=2>\n",
        "\x00\n",
    ],
    ids=[
        "more",
        "tab",
        "return",
        "less",
        "spaces",
        "none",
        "twice",
        "empty",
        "comment",
        "header",
        "0",
    ],
)
def test_a_line(tmp_path, line):
    here, there = both(tmp_path, [*LINES[:3], line, *LINES[4:]])
    assert here == there


@pytest.mark.parametrize("cut", [1, 5, 30])
def test_a_file_that_ends_early(tmp_path, cut):
    here, there = both(tmp_path, [*LINES[:3], LINES[3][:-cut]])
    assert here == there


@pytest.fixture(scope="module")
def long_file(tmp_path_factory):
    """Its calls, and its bytes packed."""
    calls = np.random.default_rng(5).integers(0, 3, (20_000, PEOPLE)).tolist()
    lines = [vcf_line(index, row) for index, row in enumerate(calls)]
    plain = vcf_file(tmp_path_factory.mktemp("long"), lines)
    return calls, gzip.compress(plain.read_bytes(), mtime=0)


@pytest.mark.parametrize("cut", [0, 1, 9, 40, 20_000])
def test_a_packed_file_that_ends_early_is_refused_or_whole(long_file, tmp_path, cut):
    """Nothing is left out without a word."""
    calls, content = long_file
    packed, status = tmp_path / "study.vcf.gz", phenotype_file(tmp_path)
    packed.write_bytes(content[: len(content) - cut])
    try:
        calls_read = list(VcfFile(packed, HowRead(status)).dosages())
    except DataError:
        assert cut
    else:
        assert np.concatenate(calls_read).tolist() == calls


def test_lines_of_both_kinds_come_in_order(tmp_path):
    """More lines than a block of either reader, with all calls as they were written."""
    rng = np.random.default_rng(4)
    calls = rng.integers(-1, 3, (400, PEOPLE))
    words = [[None if call < 0 else int(call) for call in row] for row in calls.tolist()]
    lines = [vcf_line(index, row) for index, row in enumerate(words)]
    lines[250] = lines[250].replace("\tGT\t", "\tGT:DP\t")
    file = VcfFile(vcf_file(tmp_path, lines), HowRead(phenotype_file(tmp_path)))
    assert np.concatenate(list(file.dosages(37))).tolist() == calls.tolist()
    assert file.variants().identifier.tolist() == [f"rs{index}" for index in range(400)]
