"""A report calls the entity by the plan's word for one of them."""

import html
import re

import pyarrow.parquet as pq
import pytest

from deniable.publish.release import release
from tests.cases.release_case import write_case

COLUMN = "Patienten-Nr."
REMOVED = """
[[query]]
name = "lost"
statistic = "removed"

[[query]]
name = "lost rows"
statistic = "removed"
most_rows = 9
"""


@pytest.fixture(scope="module", params=["replace-one", "add-remove"])
def words(request, tmp_path_factory):
    """The report's text without what was asked for, and the certificate's text."""
    folder = tmp_path_factory.mktemp("own")
    path = write_case(folder, adjacency=request.param, target="gamma = 2.0\ndelta = 1e-6")
    text = path.read_text(encoding="utf-8").replace(
        'entity = "person"', f'entity = "{COLUMN}"\nunit = "patient"'
    )
    text = text.replace("visits.parquet", "renamed.parquet")
    _rename(folder)
    path.write_text(text + REMOVED, encoding="utf-8")
    release(path, folder / "out")
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    own, asked = page.split('id="plan"')
    after = asked.split("</section>", 1)[1]
    shown = html.unescape(re.sub("<(style|svg).*?</\\1>", " ", own + after, flags=re.DOTALL))
    return re.sub("\\s+", " ", re.sub("<[^>]*>", "", shown)), request.param


def _rename(folder):
    table = pq.read_table(folder / "visits.parquet")
    names = [COLUMN if name == "person" else name for name in table.column_names]
    pq.write_table(table.rename_columns(names), folder / "renamed.parquet")


def test_the_column_is_named_where_it_is_one_and_the_entity_is_a_patient(words):
    shown, adjacency = words
    assert not re.findall(r"[^.]*\b[Ee]ntit(?:y|ies)\b[^.]*", shown)
    assert shown.count(COLUMN) == 1
    assert f"Rows whose “{COLUMN}” is NULL are left out." in shown
    assert "This release protects each patient, with all of their rows." in shown
    assert "with one value of" not in shown
    if adjacency == "replace-one":
        assert (
            "whether the data contain a given patient or, in that patient's place, another one."
            in shown
        )
        assert "The number of patients is public." in shown
    else:
        assert "It hides whether a given patient is in the data, and how many patients" in shown
    for said in (
        "The number of patients, by",
        "The number of patients with at most 3 rows",
        "3 for each patient",
        "Published: patients (at most 3 rows per patient)",
        "Patients belonging together (such as a family, or one person with two ids): all of them",
        "Wrong patient ids",
        "For any one patient, at most 3 of the rows are used",
        "for each patient",
        "the most by which one patient can change",
    ):
        assert said in shown, said


def test_a_mean_is_known_to_so_much_and_not_asked_whether_it_is_noise(words):
    shown, _ = words
    assert shown.count("Known to within, 95 %") == 1
    assert "More than noise?" in shown
    assert "the thin lines contain the exact mean" in shown
