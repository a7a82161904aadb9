"""Whatever a form of the studio did to a plan, forms can undo: no mistake needs an editor."""

import re

import pytest

import deniable
from deniable.studio.draft import Draft
from deniable.studio.pages import STEPS
from tests.cases.studio_page import PLAN, alerts_of, client_of, send, served

TYPES = {"type.0": "", "type.1": "", "type.2": "integer", "type.3": "date"}
FILE = {"do": "save", "source": "people.csv", "columns": "4", **TYPES}
FILES = {
    "people.csv": "who,ward,age,admitted\na,w0,3,2024-01-02\n",
    "renamed.csv": "who,ward,age,admitted on\na,w0,3,2024-01-02\n",
    "no numbers.csv": "who,ward\na,w0\n",
    "other.csv": "x;y\n1;2\n",
}


@pytest.fixture
def studio(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "people.toml").write_text(PLAN)
    with served(tmp_path / "people.toml") as (desk, address), client_of(address) as client:
        yield desk, client


MISTAKES = {
    "a type": FILE | {"type.3": "text"},
    "no type": FILE | {"type.3": "", "type.2": ""},
    **{name: FILE | {"source": name} for name in (*FILES, "nothing.csv", "*.csv")},
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_file_that_was_right_can_be_chosen_again(studio, mistake):
    desk, client = studio
    assert send(studio, "file", **MISTAKES[mistake]).status_code == 303
    shown = re.search(r'name="columns" value="(\d+)"', client.get("file").text)
    back = {"do": "save", "source": "people.csv"} | ({"columns": shown[1]} if shown else {})
    # Types of columns that the wrong file lacks are chosen once there are such columns again.
    for form in (back, FILE):
        answer = send(studio, "file", **form)
        assert answer.status_code == 303, alerts_of(answer.text)
    assert Draft.read(desk.path).top.entries == Draft.of(desk.path, PLAN).top.entries
    for step in STEPS:
        page = client.get(step)
        assert (page.status_code, alerts_of(page.text)) == (200, []), step


@pytest.mark.parametrize("name", ["renamed.csv", "no numbers.csv", "other.csv"])
def test_a_plan_can_go_on_with_a_file_of_other_columns(studio, name):
    """Next year's file: what does not fit is said where the file is chosen, and can be removed."""
    desk, client = studio
    assert send(studio, "file", **FILE | {"source": name}).status_code == 303
    (said,) = alerts_of(client.get("file").text)
    assert said.startswith("The plan does not fit this file.")
    for step in ("who", "attacker", "publish"):
        assert client.get(step).status_code == 200, step
    assert len(alerts_of(client.get("publish").text)) == 1
    for button in ("uncompute 1", "uncompute 0", "remove 0"):
        assert f'value="{button}"' in client.get("publish").text
        assert send(studio, "publish", do=button).status_code == 303
    assert Draft.read(desk.path).table("columns") == {}
    whose = {"do": "next", "whose": "entity", "column": "0", "rows": "1", "number": "secret"}
    assert send(studio, "who", **whose).status_code == 303
    count = {"statistic": "count", "name": "n", "group.0": "0", "keys.0": "a"}
    assert send(studio, "publish", do="save", **count).status_code == 303
    assert client.get("cost").status_code == 200


def test_a_query_that_is_typed_stays_when_a_computed_column_is_removed(studio):
    page = send(studio, "publish", do="uncompute 0", statistic="count", name="typed").text
    assert 'value="typed"' in page
    assert 'value="uncompute 1"' not in page
    assert list(Draft.read(studio[0].path).table("columns")) == ["age bands"]
    for place in ("", "9", "-1", "x"):
        send(studio, "publish", do=f"uncompute {place}")
    assert list(Draft.read(studio[0].path).table("columns")) == ["age bands"]


def test_a_second_release_of_the_same_plan_is_announced_as_one(studio):
    """Each has its own noise, and their mean is nearer to the truth than the budget says."""
    desk, client = studio
    assert "released before" not in client.get("release").text
    deniable.release(desk.path, desk.path.with_name("mine"))
    assert "This plan was released before, to" in client.get("release").text
    desk.path.write_text(PLAN.replace("rows_per_entity = 2", "rows_per_entity = 1"))
    assert "released before" not in client.get("release").text
