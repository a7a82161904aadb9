"""Releases that earlier states wrote: every later one checks them with the same answer."""

import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import deniable

GOLDEN = Path(__file__).resolve().parent / "data" / "golden"
FOLDERS = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir() and path.name[0] != "_")
BY_LIBRARY = {"charts of report.html", "text of report.html", "bytes of results.parquet"}
"""What another version of a library may draw or pack otherwise, which a check then says."""


def steady(answer):
    """An answer of a check without what depends on the version of a library."""
    return answer | {
        key: [each for each in answer[key] if each["what"] not in BY_LIBRARY]
        for key in ("verified", "on_trust")
    }


def pinned(name):
    return json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))


def test_every_kind_of_release_and_every_format_is_pinned():
    formats = {
        json.loads((GOLDEN / name / "certificate.json").read_text(encoding="utf-8"))["format"]
        for name in FOLDERS
    }
    assert len(FOLDERS) == 14
    assert {each.rpartition("/")[2] for each in formats} == {"1", "2", "2.1"}


@pytest.mark.parametrize("name", FOLDERS)
def test_a_golden_folder_is_checked_with_the_same_answer(name):
    answer = deniable.check(GOLDEN / name, charts=True).as_json()
    assert answer["holds"]
    assert steady(answer) == steady(pinned(name))


@pytest.mark.parametrize("name", FOLDERS)
def test_without_drawing_its_charts_a_golden_folder_has_the_same_answer_but_for_those(name):
    answer, drawn = deniable.check(GOLDEN / name).as_json(), pinned(name)
    assert answer["holds"]
    assert answer["checks"] == drawn["checks"]
    report = {"what": "report.html", "how": "made again, byte by byte"}
    drawn["verified"] = [each for each in drawn["verified"] if each != report]
    assert steady(answer) == steady(drawn)


def test_results_of_the_first_format_lack_no_column_but_those_that_were_added(tmp_path):
    folder = shutil.copytree(GOLDEN / "first-plan", tmp_path / "out")
    results = pq.read_table(folder / "results.parquet")
    pq.write_table(results.drop_columns(["bin_low"]), folder / "results.parquet")
    failed = [each.name for each in deniable.check(folder).checks if not each.holds]
    assert "results" in failed


def test_a_golden_ledger_says_the_same(tmp_path):
    book = str(shutil.copy(GOLDEN / "book.ledger", tmp_path))
    assert deniable.ledger.show(book).as_json() == pinned("book") | {"place": book}
    assert deniable.ledger.check(book, [GOLDEN / "plan-charged"]).holds
