"""A file without a header: its first line is somebody's record, and no error quotes it."""

import pytest

import deniable
from deniable.auditing.models.target import records_of
from deniable.errors import DeniableError, InvalidArgument
from tests.cases.refusals import refuses

ROWS = [
    "Meier Anna;12.03.1961;HIV",
    "Meier Anna;HIV;Uster",
    "anna@meier.ch;HIV;Uster",
    "Meier;4711;HIV",
    "Meier;HIV;meier",
    "Meier;12.03.1961;meier",
]
PLAN = """
[data]
source = "visits.csv"
entity = "person"
[data.csv]
delimiter = ";"
[target]
gamma = 2.0
[limits]
rows_per_entity = 1
[[query]]
name = "q"
statistic = "{statistic}"
"""
STATISTICS = [
    "entities",
    'count"\ngroup_by = ["place"]\nkeys = { place = ["Zug"] }\nnothing = "',
    'sum"\ncolumn = "costs"\nbounds = [0, 1]\nwhere = [["town", "==", "Zug"]]\nnothing = "',
]


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("statistic", STATISTICS)
def test_no_plan_is_answered_with_it(row, statistic, tmp_path):
    (tmp_path / "visits.csv").write_text(f"{row}\nHuber Max;01.01.1950;none\n", "utf-8")
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.format(statistic=statistic).replace('nothing = ""\n', ""))
    with pytest.raises(DeniableError) as caught:
        deniable.plan(plan)
    cells = row.casefold().split(";")
    assert not any(cell in str(caught.value).casefold() for cell in cells), caught.value


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("mark", [",", "|", ";"])
def test_no_plan_is_answered_with_a_row_in_quotation_marks(row, mark, tmp_path):
    """Such a row is no row of another delimiter, and read as one name to see which it has."""
    cells = row.casefold().split(";")
    (tmp_path / "visits.csv").write_text(";".join(f'"{cell}"' for cell in row.split(";")) + "\n")
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.format(statistic="entities").replace('";"', f'"{mark}"'))
    with pytest.raises(DeniableError) as caught:
        deniable.plan(plan)
    assert not any(cell in str(caught.value).casefold() for cell in cells), caught.value


def test_the_remedy_is_said_and_names_near_a_columns_are_still_suggested(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.format(statistic="entities"))
    (tmp_path / "visits.csv").write_text(f"{ROWS[0]}\n", "utf-8")
    with refuses(deniable.errors.PlanError, "first-line-a-row"):
        deniable.plan(plan)
    (tmp_path / "visits.csv").write_text("Person;2019;2020\na;1;2\n", "utf-8")
    with refuses(deniable.errors.PlanError, 'did-you-mean: "Person"'):
        deniable.plan(plan)


def test_no_label_of_an_audit_is_answered_with_it(tmp_path):
    (tmp_path / "people.csv").write_text("Meier,HIV\nHuber,none\n")
    with refuses(InvalidArgument, "label-column") as caught:
        records_of(tmp_path / "people.csv", "ill")
    assert "HIV" not in str(caught.value)
