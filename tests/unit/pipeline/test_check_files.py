import importlib.metadata

import attrs
import pyarrow as pa
import pytest

from deniable.certificate.files import release_files, with_digests
from deniable.certificate.results import table
from deniable.errors import InvalidArgument
from deniable.pipeline import check_files as module
from deniable.pipeline.check_files import MOST_ROWS, check_files
from deniable.publish.kind import KIND
from tests.cases.certified_case import PLANS, certificate
from tests.cases.sample_certificate import sample_rows

PAGE = "<p>report</p><svg>chart</svg>"


def compared(folder, made, page=PAGE, **changes):
    """The files of a folder, beside a kind of release that gives these rows and this page."""
    rows = sample_rows()
    kind = attrs.evolve(
        KIND,
        number=lambda _: len(rows),
        more=lambda _: False,
        rebuilt=lambda *_: rows,
        report=lambda *_: page,
        texts=lambda _: {"plan.toml": "plan"},
        tables=lambda *_: {},
    )
    return check_files(folder, attrs.evolve(kind, **changes), made, None)


def released(folder, version):
    """A release into a folder, by that version of Deniable."""
    plain = certificate(PLANS["success"])
    plain = attrs.evolve(plain, versions={**plain.versions, "deniable": version})
    files = release_files(plain, table(sample_rows()), PAGE, {"plan.toml": "plan"})
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
    for page, holds in ((PAGE.replace("chart", "c"), True), (PAGE.replace("report", "r"), False)):
        answer = compared(tmp_path, made, page)
        assert answer.holds is holds
        if holds:
            assert "charts of report.html" in {each.what for each in answer.on_trust}


def test_more_rows_than_are_compared_are_named(tmp_path, made):
    answer = compared(tmp_path, made, number=lambda _: MOST_ROWS + 1)
    assert answer.holds
    assert "rows of the results" in {each.what for each in answer.on_trust}


def test_results_of_many_rows_may_be_long_and_are_compared_by_their_digests(
    tmp_path, made, monkeypatch
):
    many = {"number": lambda _: MOST_ROWS + 1}
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
    answer = compared(tmp_path, made, results=lambda rows: pa.table({"x": [1] * len(rows)}))
    assert [each.name for each in answer.checks if not each.holds] == ["results"]
