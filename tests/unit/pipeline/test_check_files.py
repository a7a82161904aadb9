import importlib.metadata
import re

import attrs
import pyarrow as pa
import pytest

from deniable.certificate.files import release_files, with_digests
from deniable.certificate.results import table
from deniable.errors import InvalidArgument
from deniable.pipeline import check_files as module
from deniable.pipeline.check_files import MOST_ROWS, check_files, may_be_drawing, split_charts
from deniable.publish.kind import TableKind
from deniable.report.charts import Bar, bar_chart, inline
from tests.cases.certified_case import PLANS, certificate
from tests.cases.sample_certificate import sample_rows

NAMED = 'role="img" aria-labelledby="c-title c-desc"'
SIZED = 'viewBox="0 0 9 9.5" width="9" height="9.5"'
WORDS = '<title id="c-title">Title</title><desc id="c-desc">words</desc>'
CHART = f'<svg {SIZED} {NAMED}>{WORDS}<path d="M0,0"/></svg>'
ICON = '<svg viewBox="0 0 3 1" aria-hidden="true"><path d="M1,1"/></svg>'
PAGE = f"<p>report</p>{ICON}{CHART}<p>after</p>"


def undrawn(page):
    """The page without what lies in its chart."""
    return re.sub(rf"<svg {SIZED} ({NAMED}.*</desc>).*?</svg>", r"<svg \1</svg>", page)


def draws():
    """Whether charts are drawn here."""
    return "<rect" in inline(bar_chart([Bar("a", 1.0)]), "name", "title", "description")


def holds_beside(page, expected):
    """Whether a page's text is as expected, and what is in its pictures may be there."""
    (words, drawings), (wanted, undrawn_ones) = map(split_charts, (page, expected))
    return words == wanted and all(map(may_be_drawing, drawings, undrawn_ones))


def compared(folder, made, page=PAGE, *, charts=True, **changes):
    """The files of a folder, beside a kind of release that gives these rows and this page."""
    rows = sample_rows()
    answers = {
        "number": lambda *_: len(rows),
        "more": lambda *_: False,
        "rebuilt": lambda *_: rows,
        "report": lambda *_: page if draws() else undrawn(page),
        "texts": lambda *_: {"plan.toml": "plan"},
        "tables": lambda *_: {},
    }
    kind = type("Kind", (TableKind,), answers | changes)()
    return check_files(folder, kind, made, None, charts=charts)


def released(folder, version, page=PAGE):
    """A release into a folder, by that version of Deniable."""
    plain = certificate(PLANS["success"])
    plain = attrs.evolve(plain, versions={**plain.versions, "deniable": version})
    files = release_files(plain, table(sample_rows()), page, {"plan.toml": "plan"})
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return with_digests(plain, files)


@pytest.fixture
def made(tmp_path):
    return released(tmp_path, "0.0.1")


def test_files_as_they_were_made_hold(tmp_path, made):
    answer = compared(tmp_path, made)
    assert answer.holds
    assert "report.html" in {each.what for each in answer.verified}


def test_a_report_of_another_version_is_taken_on_trust(tmp_path, made):
    answer = compared(tmp_path, made, "<p>another</p>")
    assert answer.holds
    assert "report.html" in {each.what for each in answer.on_trust}


def test_charts_that_are_drawn_otherwise_are_taken_on_trust_and_their_text_is_not(tmp_path):
    made = released(tmp_path, importlib.metadata.version("deniable"))
    drawn = PAGE.replace("M0,0", "M2,1")
    for page, holds in ((drawn, True), (PAGE.replace("report", "r"), False)):
        for charts in (True, False):
            answer = compared(tmp_path, made, page, charts=charts)
            assert answer.holds is holds
            if holds:
                assert "charts of report.html" in {each.what for each in answer.on_trust}


def test_charts_that_are_not_drawn_are_never_said_to_be_verified(tmp_path):
    made = released(tmp_path, importlib.metadata.version("deniable"))
    for page in (PAGE, PAGE.replace('<path d="M0,0"/>', "")):
        answer = compared(tmp_path, made, page, charts=False)
        assert answer.holds
        assert "text of report.html" in {each.what for each in answer.verified}
        assert "report.html" not in {e.what for e in answer.verified if "again" in e.how}
        assert "charts of report.html" in {each.what for each in answer.on_trust}


def test_a_page_without_charts_is_made_again_byte_by_byte(tmp_path):
    page = "<p>report</p>"
    made = released(tmp_path, importlib.metadata.version("deniable"), page)
    answer = compared(tmp_path, made, page, charts=False)
    assert "made again, byte by byte" in {each.how for each in answer.verified}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Title", "Another"),
        ("words", "others"),
        ("</desc>", "</desc><desc>more</desc>"),
        ("<path", "<script>0</script><path"),
        ("<path", '<image href="data:,"/><path'),
        ("<path", "<foreignObject><p>private</p></foreignObject><path"),
        ("<path", "<style>p{display:none}</style><path"),
        ("<path", "</svg ><p>private</p><path"),
        ("<path", "<!-- a remark --><path"),
        ("<path", '<use href="https://example.org"/><path'),
        ("<path", '<use href="#c-1"/><path'),
        ("<path", "<svg><path"),
        ("<path", "<path STYLE='position:fixed'"),
        ('d="M0,0"', 'd="M0,0" STYLE="position:fixed"'),
        ('d="M0,0"', 'd="M0,0" onclick="f()"'),
        ('d="M0,0"', 'd="M0,0" OnClick="f()"'),
        ('d="M0,0"', 'd="M0,0" id="d-title"'),
        ('d="M0,0"', 'fill="url(https://example.org/#a)"'),
        ('d="M0,0"', 'fill="u&#114;l(https://example.org/#a)"'),
        ('d="M0,0"', 'fill="\\75rl(https://example.org/#a)"'),
        ('d="M0,0"', 'clip-path="url(#d-0)"'),
        ('d="M0,0"', 'cursor="url(https://example.org), auto"'),
        # Text that a parser takes out of a picture that has ended, or that is outside of its frame.
        (NAMED, f"{NAMED} /"),
        (NAMED, f'{NAMED} style="position:fixed"'),
        (NAMED, f'{NAMED} overflow="visible"'),
        (NAMED, f'{NAMED} class="big"'),
        (NAMED, 'role="img" aria-labelledby="d-title d-desc"'),
        (SIZED, SIZED.replace("9.5", "1e9")),
        (SIZED, f'transform="scale(9)" {SIZED}'),
        # What needs no drawing is what it is.
        ("M1,1", "M1,2"),
        ("</svg><p>after", "<p>after"),
    ],
)
def test_a_chart_that_is_more_than_shapes_is_told_apart(old, new):
    assert holds_beside(PAGE, undrawn(PAGE))
    page = PAGE.replace(old, new)
    assert page != PAGE
    assert not holds_beside(page, undrawn(PAGE))


@pytest.mark.parametrize("change", [("words", "others"), (NAMED, f"{NAMED} /"), ("M1,1", "M1,2")])
def test_a_page_with_more_than_shapes_fails_drawn_or_not(tmp_path, change):
    page = PAGE.replace(*change)
    made = released(tmp_path, importlib.metadata.version("deniable"), page)
    for charts in (True, False):
        answer = compared(tmp_path, made, PAGE, charts=charts)
        assert [each.name for each in answer.checks if not each.holds] == ["report"]


def test_what_a_chart_may_clip_with_is_its_own():
    clip = (
        '<clipPath id="c-0"><path d="M0,0"/></clipPath><g clip-path="url(#c-0)">1 &lt; 2</g><path'
    )
    assert holds_beside(PAGE.replace('<path d="M0,0"', f'{clip} d="M0,0"'), undrawn(PAGE))


def test_bytes_that_are_no_text_are_not_the_mark_that_stands_for_them(tmp_path):
    page = "<p>\ufffd</p>"
    made = released(tmp_path, importlib.metadata.version("deniable"), page)
    report = (tmp_path / "report.html").read_bytes().replace("\ufffd".encode(), b"\xff")
    (tmp_path / "report.html").write_bytes(report)
    answer = compared(tmp_path, made, page, charts=False)
    assert "report" in {each.name for each in answer.checks if not each.holds}


def test_more_rows_than_are_compared_are_named(tmp_path, made):
    answer = compared(tmp_path, made, number=lambda *_: MOST_ROWS + 1)
    assert answer.holds
    assert "rows of the results" in {each.what for each in answer.on_trust}


def test_results_of_many_rows_may_be_long_and_are_compared_by_their_digests(
    tmp_path, made, monkeypatch
):
    many = {"number": lambda *_: MOST_ROWS + 1}
    longest = max((tmp_path / name).stat().st_size for name in ("results.csv", "results.parquet"))
    monkeypatch.setattr(module, "MOST_HASHED_BYTES", longest)
    assert compared(tmp_path, made, **many).holds
    monkeypatch.setattr(module, "MOST_HASHED_BYTES", 10)
    failing = [each for each in compared(tmp_path, made, **many).checks if not each.holds]
    assert [each.name for each in failing] == ["results.csv", "results.parquet"]
    assert "at most 10 bytes" in failing[0].finding


def test_values_that_cannot_have_been_published_are_one_sentence(tmp_path, made):
    def refused(*_):
        raise InvalidArgument("Expected a published value, got none.")

    answer = compared(tmp_path, made, rebuilt=refused)
    assert [each.finding for each in answer.checks if not each.holds] == [
        "Expected a published value, got none."
    ]


def test_other_columns_are_told(tmp_path, made):
    answer = compared(tmp_path, made, results=lambda _, rows: pa.table({"x": [1] * len(rows)}))
    assert [each.name for each in answer.checks if not each.holds] == ["results"]
