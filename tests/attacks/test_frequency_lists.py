"""Lists of variants and studies that somebody made to break a release of frequencies."""

import csv
from html.parser import HTMLParser

import pytest

from deniable import gwas
from deniable.errors import DataError, DeniableError, InvalidArgument
from deniable.gwas.allele_frequencies.release import read_names
from tests.cases.genotype_files import plink_files
from tests.cases.refusals import refuses

GROUPS = ["case", "control", "case", "control"]
CALLS = [[2, 1, 0, 2], [0, 0, 0, 0], [1, 1, 1, 0]]
ASKED = {"gamma": 2.0, "delta": 1e-6}


def study(folder, names=("rs0", "rs1", "rs2"), alleles=("A", "G"), chromosome="1"):
    prefix = plink_files(folder, CALLS, GROUPS)
    lines = [
        f"{chromosome}\t{name}\t0\t{100 + index}\t{alleles[0]}\t{alleles[1]}\n"
        for index, name in enumerate(names)
    ]
    prefix.with_suffix(".bim").write_text("".join(lines), encoding="utf-8")
    return prefix


LISTS = {
    "empty": b"",
    "blank": b"\n \n\t\n",
    "comments only": b"# rs0\n#rs1\n",
    "twice": b"rs0\nrs1\nrs0\n",
    "twice with spaces": b"rs0\n  rs0  \n",
    "twice with another line's end": b"rs0\r\nrs0\n",
    "not there": b"rs0\nrs9\n",
    "another case": b"RS0\n",
    "a column more": b"rs0 A\nrs1 G\n",
    "two to a line": b"rs0,rs1\n",
    "not text": b"\xff\xfe\x00r",
    "a zero byte": b"rs0\x00\n",
    "unseen marks": "rs0\u200b\n".encode(),
    "a terminal's escape": b"\x1b[2Jrs0\n",
    "one of a million letters": b"r" * 10**6,
}


@pytest.mark.parametrize("content", LISTS.values(), ids=LISTS)
def test_a_wrong_list_is_refused_in_one_short_line_and_nothing_is_written(tmp_path, content):
    wanted = tmp_path / "list.txt"
    wanted.write_bytes(content)
    with pytest.raises(DeniableError) as raised:
        gwas.frequencies(study(tmp_path), tmp_path / "out", variants=wanted, **ASKED)
    told = str(raised.value).replace(str(wanted), "")
    assert len(told) < 400
    assert told.replace("…", "").isprintable()
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("listed", [[], ["rs0", "rs0"], ["rs0", 1], [None], [b"rs0"], ""])
def test_wrong_lists_of_names_are_refused(listed):
    with pytest.raises(InvalidArgument):
        read_names(listed)


def test_marks_of_order_comments_and_blank_lines_are_no_names(tmp_path):
    wanted = tmp_path / "list.txt"
    wanted.write_bytes(b"\xef\xbb\xbf# a panel\r\nrs1\r\n\r\n rs0\t\n")
    assert read_names(wanted) == ("rs1", "rs0")


def test_a_name_that_several_variants_have_is_refused(tmp_path):
    prefix = study(tmp_path, names=(".", ".", "rs2"))
    with refuses(InvalidArgument, "one-variant-has-variants: 2"):
        gwas.frequencies(prefix, tmp_path / "out", variants=["."], **ASKED)
    whole = gwas.frequencies(prefix, tmp_path / "all", all_variants=True, **ASKED)
    assert [row.variant for row in whole.rows] == [".", ".", "rs2"]


def many(prefix, out):
    gwas.frequencies(prefix, out, all_variants=True, **ASKED)


def top(prefix, out):
    gwas.release(prefix, out, top=1, epsilon=1.0)


@pytest.mark.parametrize("door", [many, top])
@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("names", "=1+1"), ("names", "+1"), ("names", "@SUM(A1)"), ("names", "-2+3"),
        ("names", "\uff1d1+1"),
        ("alleles", "=HYPERLINK(1)"), ("alleles", "-A"), ("chromosome", "=1"),
    ],
)  # fmt: skip
def test_no_cell_of_the_results_is_a_formula_whatever_is_chosen(tmp_path, door, place, text):
    asked = {"names": ("rs0", "rs1", text), "alleles": (text, "G"), "chromosome": text}
    prefix = study(tmp_path, **{place: asked[place]})
    with refuses(InvalidArgument, "no-spreadsheet-runs"):
        door(prefix, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("door", [many, top])
def test_a_deleted_allele_is_none(tmp_path, door):
    door(study(tmp_path, alleles=("-", "ACT")), tmp_path / "out")


def test_a_variant_of_such_a_name_can_be_left_out(tmp_path):
    prefix, left_out = study(tmp_path, names=("rs0", "rs1", "=1+1")), tmp_path / "left-out.txt"
    left_out.write_text("=1+1\n")
    chosen = gwas.Filters(exclude=left_out)
    gwas.release(prefix, tmp_path / "out", top=1, epsilon=1.0, filters=chosen)


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = set()

    def handle_starttag(self, tag, _):
        self.found.add(tag)


HOSTILE = ("<script>alert(1)</script>", '"><img/src=x>', 'a,"b"')


def test_names_of_markup_stay_names(tmp_path):
    prefix = study(tmp_path, names=HOSTILE)
    gwas.frequencies(prefix, tmp_path / "out", all_variants=True, beacon=0.1, **ASKED)
    page = Tags()
    page.feed((tmp_path / "out" / "report.html").read_text(encoding="utf-8"))
    assert not page.found & {"script", "img", "iframe"}
    with (tmp_path / "out" / "results.csv").open(newline="", encoding="utf-8") as file:
        assert tuple(row["variant"] for row in csv.DictReader(file)) == HOSTILE


def test_a_list_packed_by_gzip_is_read_and_a_broken_one_refused(tmp_path):
    broken = tmp_path / "list.gz"
    broken.write_bytes(b"\x1f\x8b\x08broken")
    with refuses(DataError, "packed-by-gzip-another"):
        read_names(broken)
