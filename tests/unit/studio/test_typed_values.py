"""No typed value is dropped when another button of its page is pressed, or lost by a typo."""

import html.parser
import re
import time

import pytest

from deniable.errors import InvalidArgument
from deniable.ledger import new, show
from deniable.studio.draft import Draft, begin
from deniable.studio.pages import ASKING, STEPS
from tests.cases.refusals import refuses, says
from tests.cases.studio_page import client_of, send, served

PLAN = """\
# a remark
[data]
source = "people.csv"
types = { age = "integer" }
entity = "who"
[adversary]
prior = [0.0, 0.1]
[target]
max_posterior = 0.5
[limits]
rows_per_entity = 2
[ledger]
file = "old.ledger"
dataset = "people"
[[query]]
name = "ages"
statistic = "histogram"
column = "age"
edges = [0, 50, 100]
[[query]]
name = "wards"
statistic = "count"
group_by = ["ward"]
keys = { ward = ["w0", "w1"] }
"""
MEAN = {"statistic": "mean", "name": "mean age", "column": "2", "low": "0", "high": "90"}


class Forms(html.parser.HTMLParser):
    """The forms of a page: fields that somebody types or chooses, and buttons."""

    def __init__(self, page):
        super().__init__()
        self.forms, self.outside = [], []
        self._inside = False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "form":
            self.forms.append([])
            self._inside = True
        elif tag in ("input", "select", "textarea") and given.get("type") != "hidden":
            (self.forms[-1] if self._inside else self.outside).append(given["name"])

    def handle_endtag(self, tag):
        self._inside &= tag != "form"


@pytest.fixture
def studio(tmp_path):
    rows = [f"p{i % 20},w{i % 2},{i * 3 % 100}" for i in range(40)]
    (tmp_path / "people.csv").write_text("\n".join(["who,ward,age", *rows, ""]))
    (tmp_path / "people.toml").write_text(PLAN)
    for name in ("old", "new"):
        new(
            tmp_path / f"{name}.ledger", "people", entity="who", max_posterior=0.9, prior=[0.0, 0.1]
        )
    with served(tmp_path / "people.toml") as (desk, address), client_of(address) as client:
        yield desk, client


def value_of(page, name):
    """What stands in a field of text."""
    return re.search(rf'<input id="{re.escape(name)}"[^>]* value="([^"]*)"', page)[1]


@pytest.mark.parametrize("step", [*STEPS, "publish?statistic=mean", "publish?query=0"])
def test_a_page_on_which_somebody_types_has_one_form(studio, step):
    forms = Forms(studio[1].get(step).text)
    assert forms.outside == []
    if any(forms.forms):
        assert len(forms.forms) == 1


def test_a_release_is_charged_to_the_ledger_that_is_typed(studio):
    desk, client = studio
    send(studio, "release", do="begin", out="out", file="new.ledger", dataset="people", limit="")
    while desk._work.state != ASKING:
        time.sleep(0.01)
    client.post("answer", data={"do": "yes", "work": desk._work.id})
    desk._work.wait()
    charges = {name: show(desk.path.with_name(f"{name}.ledger")).charges for name in ("old", "new")}
    assert charges == {"old": 0, "new": 1}


def test_a_release_without_another_ledger_leaves_the_plan_as_it_is(studio):
    desk, _ = studio
    send(studio, "release", do="begin", out="out", file="old.ledger", dataset="people", limit="")
    assert desk._work is not None
    assert desk.path.read_text() == PLAN


def test_an_emptied_dataset_is_none_of_the_old_one(studio):
    desk, _ = studio
    answer = send(studio, "release", do="ledger", file="new.ledger", dataset="")
    assert answer.status_code == 422
    assert desk.path.read_text() == PLAN


@pytest.mark.parametrize("do", ["begin", "ledger"])
def test_a_limit_is_refused_where_no_ledger_is_made(studio, do):
    desk, _ = studio
    form = {"out": "out", "file": "old.ledger", "dataset": "people", "limit": "60"}
    answer = send(studio, "release", do=do, **form)
    assert answer.status_code == 422
    assert says(answer.text, "no-limit-for-an-existing-ledger")
    assert desk._work is None


def test_the_folder_stays_when_the_ledger_is_asked_or_made(studio):
    old = {"file": "old.ledger", "dataset": "people"}
    assert value_of(send(studio, "release", do="ledger", out="mine", **old).text, "out") == "mine"
    form = {"file": "third.ledger", "dataset": "people", "limit": "70", "out": "mine"}
    assert value_of(send(studio, "release", do="new", **form).text, "out") == "mine"


@pytest.mark.parametrize(
    "wrong", [{"file": "none.ledger", "dataset": "people"}, {"file": "old.ledger", "dataset": "no"}]
)
def test_a_ledger_that_is_not_there_is_not_saved_and_can_be_corrected(studio, wrong):
    desk, client = studio
    answer = send(studio, "release", do="ledger", out="out", limit="", **wrong)
    assert answer.status_code == 422
    assert desk.path.read_text() == PLAN
    text = PLAN.replace('file = "old.ledger"', f'file = "{wrong["file"]}"')
    desk.path.write_text(text.replace('dataset = "people"', f'dataset = "{wrong["dataset"]}"'))
    page = client.get("release").text
    assert value_of(page, "file") == wrong["file"]
    assert 'role="alert"' in page
    right = {"file": "old.ledger", "dataset": "people"}
    assert send(studio, "release", do="ledger", **right).status_code == 303
    assert Draft.read(desk.path).table("ledger") == right


def test_blanks_of_a_text_for_no_value_are_part_of_it(studio):
    desk, client = studio
    texts = {"do": "save", "source": "people.csv", "nulls": " -\r\n\r\nk. A. \r\n"}
    assert send(studio, "file", **texts).status_code == 303
    assert Draft.read(desk.path).table("data")["nulls"] == ["", " -", "k. A. "]
    refused = client.post("file", data=texts | {"nulls": "\n.. \n", "version": "an older page"})
    assert refused.status_code == 422
    assert "\n.. </textarea>" in refused.text


def test_a_query_that_is_typed_stays_when_a_column_is_computed_or_a_query_removed(studio):
    desk, _ = studio
    form = MEAN | {"of": "2", "part": "bands", "bands": "0 50 100"}
    page = send(studio, "publish", do="column", **form).text
    assert Draft.read(desk.path).table("columns") == {
        "age bands": {"of": "age", "bands": [0, 50, 100]}
    }
    assert (value_of(page, "name"), value_of(page, "high")) == ("mean age", "90")
    assert value_of(page, "bands") == ""
    page = send(studio, "publish", do="remove 0", **form).text
    assert [each["name"] for each in Draft.read(desk.path).queries] == ["wards"]
    assert (value_of(page, "high"), value_of(page, "bands")) == ("90", "0 50 100")
    page = send(studio, "publish", do="save", **form).text
    assert [each["name"] for each in Draft.read(desk.path).queries] == ["wards", "mean age"]
    assert value_of(page, "bands") == "0 50 100"


def test_a_page_on_which_a_query_is_changed_removes_none_and_enter_changes_it(studio):
    _, client = studio
    assert 'value="remove' not in client.get("publish?query=0").text
    first = re.search(r'<button name="do" value="(\w+)', client.get("publish?query=0").text)[1]
    assert first == "save"


@pytest.mark.parametrize("values", ["keys.0", "value.1"])
def test_values_without_their_column_are_refused(studio, values):
    desk, _ = studio
    answer = send(studio, "publish", do="save", **MEAN | {values: "18"})
    assert says(answer.text, "column-needed")
    assert len(Draft.read(desk.path).queries) == 2


@pytest.mark.parametrize(
    ("before", "after"),
    [("d.csv", "d.tsv"), ("duckdb:a.db?table=one", "duckdb:a.db?table=two")],
)
def test_a_plan_of_another_table_is_not_opened(tmp_path, monkeypatch, before, after):
    monkeypatch.chdir(tmp_path)
    for name in ("d.csv", "d.tsv"):
        (tmp_path / name).write_text("a\n1\n")
    plan = tmp_path / ("plan.toml" if ":" in before else "d.toml")
    plan.write_text(text := f"[data]\nsource = '{before}'\n")
    monkeypatch.setattr("deniable.new", lambda *_: "[data]\nsource = ''\n")  # there is no a.db
    assert begin(before).name == plan.name
    with refuses(InvalidArgument, "plan-of-another-table"):
        begin(after)
    assert plan.read_text() == text
    assert begin(plan) == plan
    begin(tmp_path / "d.csv" if ":" not in before else before)
