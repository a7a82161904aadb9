"""Titles and texts given with a study's release: refused, or words on a page and nothing else."""

import json
import unicodedata

import pytest
from click.testing import CliRunner

from tests.cases.command_line import app
from tests.cases.effort import usual
from tests.cases.prose import Page, refusal_of

OPTIONS = {"title": 200, "organisation": 200, "study": 200, "contact": 200, "text": 4000}
"""Each with the most characters that it may have."""
MARKUP = (
    "</title><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onload='alert(1)",
    "&lt;script&gt;&#60;b&#62;&amp",
    "]]><!-- <![CDATA[",
    "<svg/onload=alert(1)><style>*{display:none}",
    "javascript:alert(1)//{{7*7}}${7*7}",
    "</script></style></textarea></body></html>",
)
OBEYED = (
    "a\x00b",
    "a\x1b]0;owned\x07\x1b[2Jb",
    "a\x7f\x9b2Jb",
    "a\r\n\tb",
    "a\u2028b\u2029",
    "gpj.\u202egpj\u202c",
    "\u2066a\u2069\u200f\u061c",
    "\ufeffa\u200b\u2060b",
    "\U000e0041\U000e0042x",
    "e" + "\u0301" * 150,
)
REFUSED = ("", " \n", "\u3000", "a\udcffb")


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    lines = ["variant cases_0 cases_1 cases_2 controls_0 controls_1 controls_2"]
    lines += ["rs1 5 25 70 60 30 10", *(f"rs{i} 25 50 25 25 50 25" for i in range(2, 9))]
    path = tmp_path_factory.mktemp("study") / "counts.tsv"
    path.write_text("".join(line.replace(" ", "\t") + "\n" for line in lines))
    return path


def released(study, out, words):
    asked = [part for name, word in words.items() for part in (f"--{name}", word)]
    command = ["gwas", "release", str(study), "--top", "1", "--epsilon", "20", "--out", str(out)]
    return CliRunner().invoke(app, [*command, *asked])


def shape(page):
    """Elements and the names of their attributes: what words must not change."""
    return [(tag, *sorted(attributes)) for tag, attributes in page.tags]


@pytest.fixture(scope="module")
def plain(study, tmp_path_factory):
    out = tmp_path_factory.mktemp("plain") / "out"
    assert released(study, out, dict.fromkeys(OPTIONS, "words")).exit_code == 0
    return shape(Page((out / "report.html").read_text(encoding="utf-8")))


HOSTILE = [*MARKUP, *OBEYED]
TOGETHER = usual(
    [
        [*HOSTILE, *HOSTILE][start : start + len(OPTIONS)]
        for start in range(0, len(HOSTILE), len(OPTIONS))
    ],
    [[each] * len(OPTIONS) for each in HOSTILE],
)
"""The words of all options: each hostile word in one of them, or in all."""


@pytest.mark.parametrize("hostile", TOGETHER, ids=ascii)
def test_words_are_text_and_change_nothing_else(study, plain, tmp_path, hostile):
    out, given = tmp_path / "out", dict(zip(OPTIONS, hostile, strict=True))
    answer = released(study, out, given)
    assert (answer.exit_code, answer.stderr) == (0, "")
    text = (out / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert shape(page) == plain
    kinds = {unicodedata.category(mark) for mark in text if mark != "\n"}
    assert "Cc" not in kinds
    # A mark of direction ends with the element that it stands in.
    assert not {"\u202e", "\u202d", "\u2066"} & set(page.title)
    document = json.loads((out / "certificate.json").read_text(encoding="utf-8"))
    assert document["report"] == given
    assert all(mark.isprintable() or mark == "\n" for mark in answer.stdout)
    checked = CliRunner().invoke(app, ["check", str(out)])
    assert checked.exit_code == 0
    assert all(mark.isprintable() or mark == "\n" for mark in checked.stdout)


@pytest.mark.parametrize("option", OPTIONS)
def test_the_longest_is_published_and_one_more_is_refused(study, tmp_path, option):
    most = OPTIONS[option]
    for length in (most + 1, 100_000):
        answer = released(study, tmp_path / "out", {option: "x" * length})
        assert answer.exit_code == 2
        refusal = refusal_of(answer.stderr)
        assert refusal.parts("got", "remedy") == {"got": str(length), "remedy": "Shorten it."}
        assert list(tmp_path.iterdir()) == []
    answer = released(study, tmp_path / "out", {option: "\U0001f600" * most})
    assert answer.exit_code == 0


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("wrong", REFUSED, ids=ascii)
def test_what_is_no_text_is_refused_in_one_line_and_nothing_is_written(
    study, tmp_path, option, wrong
):
    answer = released(study, tmp_path / "out", {option: wrong})
    assert (answer.exit_code, answer.stdout) == (2, "")
    assert answer.stderr.removesuffix("\n").isprintable()
    assert list(tmp_path.iterdir()) == []
