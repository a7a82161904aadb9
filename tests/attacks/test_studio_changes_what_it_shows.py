"""A button of the studio that is pressed without typing anything changes nothing in the plan.

Of what a page does not show, such as the labels of a file of SPSS, it may not take anything away:
other texts would then mean no value, and a release would count other rows.
"""

import datetime
import html.parser
import re
import shutil

import duckdb
import pandas as pd
import pyreadstat
import pytest

from deniable.studio.draft import Draft
from deniable.studio.pages import Studio
from tests.cases.effort import some_pairs

PLAN = """\
[adversary]
prior = [0.0, 0.1]

[target]
max_posterior = 0.5

[limits]
rows_per_entity = 2

[[query]]
name = "n"
statistic = "entities"
"""
WHOSE = 'entity = "who"\nadjacency = "add-remove"\nunit = "patient"\n'
DATA = {
    "csv": 'source = "x.csv"\ntypes = { day = "date" }\nnulls = ["", "?", "NA"]\n'
    'csv = { date_format = "%Y-%m-%d", decimal = ",", thousands = "\'", escape = "\\\\" }\n',
    "csv without a null": 'source = "x.csv"\nnulls = ["?"]\n',
    "csv with blanks": 'source = "x.csv"\nnulls = ["", " ", " -", "n. a.\\t", "a\\u2028b"]\n',
    "csv of no program": 'source = "y.csv"\n'
    'csv = { delimiter = ":", encoding = "cp437", quote = "", header = true }\n',
    "tabs": 'source = "t.csv"\ncsv = { delimiter = "\\t" }\nfold = ["ward"]\n',
    "parquet": 'source = "x.parquet"\nnulls = ["", "?"]\ntrim = ["ward"]\n',
    "duckdb": 'source = "duckdb:x.db?table=t"\nnulls = ["?"]\nrecode = { ward = { a = "A" } }\n',
    "labels": 'source = "x.sav"\ntypes = { sex = "labels", age = "integer" }\nnulls = ["", "?"]\n',
    "codes": 'source = "x.sav"\ntypes = { sex = "text" }\n',
    "spreadsheet": 'source = "x.xlsx"\ntypes = { age = "integer", day = "date" }\nnulls = ["-"]\n',
}


class Fields(html.parser.HTMLParser):
    """What a browser sends of a page on which nobody typed anything."""

    def __init__(self, page):
        super().__init__()
        self.values, self._open, self._text = {}, None, None
        self.feed(page.partition("<main")[2])

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "input" and (given.get("type") != "radio" or "checked" in given):
            self.values[given["name"]] = given.get("value", "")
        elif tag in ("select", "textarea"):
            self._open, self._text = given["name"], "" if tag == "textarea" else None
        elif tag == "option" and (self._open not in self.values or "selected" in given):
            self.values[self._open] = given.get("value")
            self._text = None if "value" in given else ""

    def handle_data(self, data):
        if self._text is not None:
            self._text += data

    def handle_endtag(self, tag):
        if tag in ("option", "textarea") and self._text is not None:
            self.values[self._open] = self._text.removeprefix("\n")
            self._text = None


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The same table in every form."""
    made = tmp_path_factory.mktemp("tables")
    day = datetime.date(2024, 2, 29)
    table = pd.DataFrame({"who": ["p"], "ward": ["a"], "sex": [1], "age": [4], "day": [day]})
    table.to_csv(made / "x.csv", index=False)
    table.to_csv(made / "y.csv", index=False, sep=":")
    table.to_csv(made / "t.csv", index=False, sep="\t")
    table.to_parquet(made / "x.parquet")
    table.to_excel(made / "x.xlsx", index=False, engine="xlsxwriter")
    pyreadstat.write_sav(table, made / "x.sav", variable_value_labels={"sex": {1: "f"}})
    with duckdb.connect(str(made / "x.db")) as connection:
        connection.register("people", table)
        connection.execute("CREATE TABLE t AS FROM people")
    return made


@pytest.fixture
def folder(tables, tmp_path):
    return shutil.copytree(tables, tmp_path, dirs_exist_ok=True)


@pytest.mark.parametrize(
    ("source", "step"),
    [
        *((source, "file") for source in DATA),
        *some_pairs([*DATA], ["who", "attacker"]),
    ],
)
def test_a_button_alone_changes_nothing(folder, source, step):
    plan = folder / "plan.toml"
    plan.write_text(f"[data]\n{DATA[source]}{WHOSE}\n{PLAN}")
    before, desk = dict(Draft.read(plan).top.entries), Studio(plan)
    for do in ("next", "save")[: 2 if step == "file" else 1]:
        page = desk.show(step, {}).content
        assert not re.search(r'role="alert"', page)
        assert desk.send(step, {}, {**Fields(page).values, "do": do}).status == 200
    assert Draft.read(plan).top.entries == before


def test_texts_that_no_page_can_show_stay_beside_a_new_one(folder):
    """A tab is a blank on the page: it would become another text, which stands in no cell."""
    plan, unseen = folder / "plan.toml", ["\t", " ", "n. a.\t", "n. a. ", "a\u2028b"]
    plan.write_text(f'[data]\nsource = "x.csv"\n{WHOSE}\n{PLAN}')
    draft = Draft.read(plan)
    draft.changed(data=draft.table("data") | {"nulls": ["", *unseen]}).save()
    fields = Fields((desk := Studio(plan)).show("file", {}).content).values
    desk.send("file", {}, {**fields, "nulls": f"{fields['nulls']}\nnew", "do": "save"})
    assert Draft.read(plan).table("data")["nulls"] == ["", *unseen, "new"]


@pytest.mark.parametrize(("other", "source"), some_pairs([*DATA], ["csv", "labels", "spreadsheet"]))
def test_what_only_the_old_file_had_goes_with_it(folder, source, other):
    """Such as the delimiter, or the type of a column: no other form could take it away."""
    plan = folder / "plan.toml"
    plan.write_text(f"[data]\n{DATA[source]}{WHOSE}\n{PLAN}")
    name = re.search('source = "(.*?)"', DATA[other])[1]
    desk = Studio(plan)
    fields = Fields(desk.show("file", {}).content).values
    desk.send("file", {}, {**fields, "source": name, "do": "save"})
    # The new file may be separated otherwise, which its page asks.
    fields = Fields(desk.show("file", {}).content).values
    if "delimiter" in fields:
        mark = {"y.csv": ":", "t.csv": "tab"}.get(name, "")
        desk.send("file", {}, {**fields, "delimiter": mark, "do": "save"})
    assert 'role="alert"' not in desk.show("file", {}).content
    assert desk.show("cost", {}).status == 200
