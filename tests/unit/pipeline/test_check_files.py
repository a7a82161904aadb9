import importlib.metadata

import attrs
import pyarrow as pa
import pytest

from deniable.certificate.files import release_files, with_digests
from deniable.certificate.results import table
from deniable.errors import InvalidArgument
from deniable.pipeline.check_files import MOST_ROWS, Expected, Rebuilt, check_files
from tests.cases.certified_case import PLANS, certificate
from tests.cases.sample_certificate import sample_rows

PAGE = "<p>report</p><svg>chart</svg>"


def expected(made, **changes):
    rows = sample_rows()
    whole = Expected(
        certificate=made,
        deniable="0.0.1",
        texts={"plan.toml": b"plan"},
        rows=len(rows),
        rebuilt=lambda _: Rebuilt(table(rows), lambda: PAGE),
    )
    return attrs.evolve(whole, **changes)


@pytest.fixture
def made(tmp_path):
    plain = certificate(PLANS["success"])
    files = release_files(plain, table(sample_rows()), PAGE, "plan")
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    return with_digests(plain, files)


def test_files_as_they_were_made_hold(tmp_path, made):
    answer = check_files(tmp_path, expected(made))
    assert answer.holds
    assert "report.html" in {each.what for each in answer.verified}


def test_a_report_of_another_version_is_taken_on_trust(tmp_path, made):
    other = Rebuilt(table(sample_rows()), lambda: "<p>another</p>")
    answer = check_files(tmp_path, expected(made, rebuilt=lambda _: other))
    assert answer.holds
    assert "report.html" in {each.what for each in answer.on_trust}


def test_charts_that_are_drawn_otherwise_are_taken_on_trust_and_their_text_is_not(tmp_path, made):
    here = importlib.metadata.version("deniable")
    for page, holds in ((PAGE.replace("chart", "c"), True), (PAGE.replace("report", "r"), False)):
        other = Rebuilt(table(sample_rows()), lambda page=page: page)
        answer = check_files(tmp_path, expected(made, rebuilt=lambda _, o=other: o, deniable=here))
        assert answer.holds is holds
        if holds:
            assert "charts of report.html" in {each.what for each in answer.on_trust}


def test_more_rows_than_are_compared_are_named(tmp_path, made):
    answer = check_files(tmp_path, expected(made, rows=MOST_ROWS + 1))
    assert answer.holds
    assert "rows of the results" in {each.what for each in answer.on_trust}


def test_values_that_cannot_have_been_published_are_one_sentence(tmp_path, made):
    def refused(_):
        raise InvalidArgument("Expected a published value, got none.")

    answer = check_files(tmp_path, expected(made, rebuilt=refused))
    assert [each.finding for each in answer.checks if not each.holds] == [
        "Expected a published value, got none."
    ]


def test_other_columns_are_told(tmp_path, made):
    other = Rebuilt(pa.table({"x": [1] * len(sample_rows())}), lambda: PAGE)
    answer = check_files(tmp_path, expected(made, rebuilt=lambda _: other))
    assert [each.name for each in answer.checks if not each.holds] == ["results"]
