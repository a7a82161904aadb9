"""Messages of the studio name fields that its pages show, and no key of a plan."""

import html
import re

import pytest

import deniable
from deniable.publish.plan import known_keys
from deniable.studio.draft import Draft
from deniable.studio.pages import STEPS, Studio
from deniable.studio.wording import LABELS
from tests.cases import studio_page
from tests.cases.studio_page import alerts_of

TYPES = 'age = "integer", days = "integer", died = "boolean", cost = "number"'
PLAN = studio_page.PLAN.replace('age = "integer"', TYPES)
HEADER = "who,ward,age,admitted,died,days,cost"
WHO, WARD, AGE, ADMITTED, DIED, DAYS, COST, MONTH, BANDS = map(str, range(9))
KINDS = {"type.2": "integer", "type.3": "date", "type.4": "boolean", "type.5": "integer"}
FILE = {"do": "save", "source": "people.csv", "columns": "7", "type.6": "number", **KINDS}
PEOPLE = {"do": "next", "whose": "entity", "column": WHO, "rows": "2", "number": "secret"}
COUNT = {"do": "save", "name": "q", "statistic": "count"}
MEAN = COUNT | {"statistic": "mean", "column": AGE, "low": "0", "high": "100"}
CURVE = COUNT | {
    "statistic": "survival",
    "time": DAYS,
    "event": DIED,
    "step": "60",
    "horizon": "300",
}
BINS = COUNT | {"statistic": "histogram", "column": AGE, "edges": "0 50 100"}
GROUPED = COUNT | {"group.0": WARD, "keys.0": "w0"}
SOME = COUNT | {"where.0": AGE, "operator.0": ">=", "value.0": "18"}
COMPUTED = {"do": "column", "of": AGE, "part": "bands", "bands": "0 18 65"}
CHARGED = {"do": "ledger", "file": "a.ledger", "dataset": "people"}
BOOK = {"do": "new", "file": "new.ledger", "dataset": "people", "limit": "60"}

ROWS, VALUES, GIVEN = "who.rows", "publish.keys", "publish.where"
MISTAKES = {
    "file": [
        (FILE | {"source": ""}, "file.source"),
        (FILE | {"thousands": "."}, "file.thousands"),
        (FILE | {"nulls": "w0"}, VALUES),
        (FILE | {"encoding": "utf-16"}, None),
        (FILE | {"source": "semicolons.csv"}, "publish.of"),
        (FILE | {"type.1": "integer"}, VALUES),
        (FILE | {"type.3": ""}, "publish.of"),
        (FILE | {"source": "people.pdf"}, None),
    ],
    "who": [
        (PEOPLE | {"whose": ""}, None),
        (PEOPLE | {"column": ""}, "who.column"),
        (PEOPLE | {"column": MONTH}, "who.column"),
        *((PEOPLE | {"rows": rows}, ROWS) for rows in ("", "0", "-1", "2.5", "many", "9" * 30)),
        *((PEOPLE | {"household_size": x}, "who.household_size") for x in ("0", "9" * 9, "x")),
        (PEOPLE | {"whose": "household", "household_size": "3"}, "who.household_size"),
    ],
    "attacker": [
        ({"do": "next", "before": "50", "after": "50"}, None),
        ({"do": "next", "before": "", "after": "50"}, "attacker.before"),
    ],
    "publish": [
        (COUNT | {"statistic": ""}, None),
        *((COUNT | {"name": name}, "publish.name") for name in ("", "wards")),
        *((COUNT | {"weight": x}, "publish.weight") for x in ("0", "-1", "x", "inf", "50 %")),
        *((GROUPED | {"keys.0": keys}, VALUES) for keys in ("", "a\na", "a..b")),
        *((GROUPED | {"group.0": AGE, "keys.0": keys}, VALUES) for keys in ("a", "1.5", "0..99")),
        *((GROUPED | {"group.0": DIED, "keys.0": keys}, VALUES) for keys in ("yes", "1")),
        (GROUPED | {"group.0": ADMITTED, "keys.0": "31.12.2024"}, VALUES),
        *((GROUPED | {"group.0": MONTH, "keys.0": keys}, VALUES)
          for keys in ("", "May", "2024-01..", "2024-12..2024-01", "2024-13..2025-01")),
        (GROUPED | {"group.0": BANDS, "keys.0": "old"}, VALUES),
        (GROUPED | {"group.1": WARD, "keys.1": "w1"}, "publish.group.0"),
        (GROUPED | {"keys.1": "w1"}, "publish.group.1"),
        (COUNT | {"statistic": "crosstab"}, "publish.group.0"),
        *((MEAN | {"column": column}, "publish.column") for column in ("", WARD, ADMITTED, DIED)),
        *((MEAN | {"low": low}, "publish.low") for low in ("", "x", "1,5", "inf", "100", "1.234")),
        (MEAN | {"high": "1e308"}, "publish.high"),
        *((BINS | {"edges": edges}, "publish.edges") for edges in ("", "5", "5 3", "5 5", "a b")),
        (BINS | {"column": ""}, "publish.column"),
        (SOME | {"where.0": ""}, "publish.where.0"),
        *((SOME | {"value.0": value}, GIVEN) for value in ("", "x", "1.5")),
        (SOME | {"where.0": DIED}, GIVEN),
        (SOME | {"where.0": BANDS, "operator.0": "==", "value.0": "old"}, GIVEN),
        (SOME | {"where.0": ADMITTED, "value.0": "1.1.2024"}, GIVEN),
        (CURVE, ROWS),
        (CURVE | {"time": ""}, "publish.time"),
        *((CURVE | {"event": column}, "publish.event") for column in ("", DAYS)),
        *((CURVE | {"step": step}, "publish.step") for step in ("", "0", "-5", "0.001")),
        *((CURVE | {"horizon": end}, "publish.horizon") for end in ("", "310", "30")),
        (CURVE | {"group.0": DAYS, "keys.0": "1"}, "publish.group.0"),
        *((COMPUTED | {"of": column}, "publish.of") for column in ("", WARD, ADMITTED)),
        *((COMPUTED | {"part": "month", "of": column}, "publish.of") for column in (WARD, AGE)),
        *((COMPUTED | {"bands": x}, "publish.bands") for x in ("", "1", "5 3", "a b", "0 1.5 3")),
    ],
    "release": [
        (CHARGED | {"file": ""}, "release.file"),
        (CHARGED | {"dataset": ""}, "release.dataset"),
        *((CHARGED | {"file": name}, None) for name in ("none.ledger", "people.csv", "b.ledger")),
        (CHARGED | {"dataset": "nobody"}, None),
        *((BOOK | {"limit": limit}, "release.limit") for limit in ("", "0", "5", "10", "100", "x")),
        (BOOK | {"file": "a.ledger"}, None),
        (BOOK | {"dataset": ""}, None),
        (CHARGED | {"do": "begin", "out": ""}, None),
        (CHARGED | {"do": "begin", "out": "here", "file": "little.ledger"}, None),
    ],
}  # fmt: skip
CASES = [
    pytest.param(step, form, label, id=f"{step}-{number}")
    for step, each in MISTAKES.items()
    for number, (form, label) in enumerate(each)
]
QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|'[^']*'|/\S+|duckdb:\S+")
KEYS = sorted(set(known_keys.TABLES) | {"rows_per_entity", "household_size", "max_posterior"})
OF_PLANS = re.compile(
    rf"\[\[?\w|\w=\S|\.toml\b|quotation|square bracket|(?:{'|'.join(KEYS)})\.\w|\w_\w|…"
    r"|(?<![=<>!]) = "
)
"""What somebody knows who has read the reference of plans."""


@pytest.fixture
def desk(tmp_path):
    rows = [HEADER, *(f"p{i},w{i % 2},{i},2024-01-0{i},{i % 2},{i},{i}.5" for i in range(1, 9)), ""]
    (tmp_path / "people.csv").write_text("\n".join(rows))
    (tmp_path / "semicolons.csv").write_text("\n".join(rows).replace(",", ";"))
    (tmp_path / "people.toml").write_text(PLAN)
    people = {"adjacency": "add-remove", "prior": (0, 0.1)}
    for name, column, limit in [("a", "who", 0.6), ("b", "other", 0.6), ("little", "who", 0.2)]:
        place = tmp_path / f"{name}.ledger"
        deniable.ledger.new(place, "people", entity=column, max_posterior=limit, **people)
    desk = Studio(tmp_path / "people.toml")
    yield desk
    desk.close()


@pytest.mark.parametrize(("step", "form", "label"), CASES)
def test_a_refusal_names_the_field_to_correct(desk, step, form, label):
    page = desk.send(step, {}, form | {"version": Draft.read(desk.path).version})
    if page.place:
        if desk._work:
            desk._work.wait()
        page = desk.show(page.place, {})
    (said,) = set(alerts_of(page.content))
    assert OF_PLANS.search(QUOTED.sub("", said)) is None, said
    if label:
        place, _, name = label.partition(".")
        assert f"“{LABELS[place][name]}”" in said
        assert place == step or f"the step {STEPS[place]}" in said


SENT = [
    ("file", FILE | {"nulls": ""}), ("who", PEOPLE | {"unit": "", "household_size": ""}),
    ("attacker", {"do": "next", "before": "10", "after": "50"}), ("publish", MEAN),
    ("publish", GROUPED | SOME | {"weight": "2"}), ("publish", BINS), ("publish", CURVE),
    ("publish", COMPUTED), ("release", CHARGED), ("release", BOOK),
    ("release", CHARGED | {"do": "begin", "out": "new"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("step", "form", "field"), [(step, form, field) for step, form in SENT for field in form]
)
def test_no_field_with_an_impossible_letter_is_an_internal_error(desk, step, form, field):
    """No browser sends U+0000, and no file, folder, column or text of a plan can hold it."""
    version = Draft.read(desk.path).version
    page = desk.send(step, {}, form | {field: f"{form[field]}\0", "version": version})
    if page.place and desk._work:
        desk._work.wait()
        page = desk.show(page.place, {})
    assert "internal error" not in page.content
    assert "\0" not in desk.path.read_text()


@pytest.mark.parametrize("without", ["[target]", "[[query]]", "[limits]"])
def test_a_step_that_needs_another_names_that(desk, without):
    before, _, rest = PLAN.partition(without)
    rest = rest.partition("\n[")[2]
    desk.path.write_text(before + (f"[{rest}" if rest else ""))
    (said,) = alerts_of(desk.show("cost", {}).content)
    assert said.startswith("In the step ")
    assert OF_PLANS.search(QUOTED.sub("", said)) is None, said


def test_advice_and_the_preview_speak_no_plan_either(desk):
    query = """[[query]]
name = "{}"
statistic = "{}"
"""
    groups = 'group_by = ["ward", "died"]\nkeys = { ward = ["w0", "w1"], died = [true, false] }\n'
    text = PLAN.replace("0.5", "0.12").replace("rows_per_entity = 2", "rows_per_entity = 1")
    text += query.format("both", "count") + groups
    text += query.format("dear", "mean") + 'column = "cost"\nbounds = [1000000, 1000003]\n'
    desk.path.write_text(text)
    with desk.path.with_name("people.csv").open("a") as file:
        file.write("p1,w0,1,2024-01-01,1,1,1.5\n" * 20)
    page = desk.show("cost", {}).content
    advice = re.findall(r"<li>([^<]*)<form", page)
    assert len(advice) >= 3
    desk.send("preview", {}, {"version": Draft.read(desk.path).version, "do": "begin"})
    desk._work.wait()
    page = desk.show("preview", {}).content
    lines = re.findall(r'class="finds">(.*?)</p>', page) + re.findall("<dt>(.*?)</dt>", page)
    assert any("limit on the rows of each, 1, left out" in each for each in lines)
    for said in (*advice, *lines):
        said = html.unescape(re.sub("<[^>]*>", "", said))
        assert OF_PLANS.search(QUOTED.sub("", said)) is None, said
        assert "crosstab" not in said


def test_the_fields_of_a_new_ledger_stay_open_while_they_are_wrong(desk):
    assert "<details open" not in desk.show("release", {}).content
    for form in (BOOK | {"limit": "5"}, CHARGED | {"file": "none.ledger"}):
        page = desk.send("release", {}, form | {"version": Draft.read(desk.path).version})
        assert "<details open" in page.content


def test_the_folder_that_is_offered_is_a_new_one(desk):
    for name in ("people-release", "people-release-2", "people-release-3"):
        assert f'name="out" type="text" value="{name}"' in desk.show("release", {}).content
        desk.path.with_name(name).mkdir()


def test_a_query_shows_how_many_values_were_typed(desk):
    """Values that were typed on one line are one: that is seen before anything is released."""
    desk.path.write_text(PLAN.replace('["w0", "w1"]', '["w0, w1"]'))
    assert "1 value of <bdi>ward</bdi>" in desk.show("publish", {}).content
    desk.path.write_text(PLAN)
    assert "2 values of <bdi>ward</bdi>" in desk.show("publish", {}).content


def test_a_key_that_no_form_asks_for_keeps_its_place(desk):
    desk.path.write_text(PLAN + "precision = -1\n")
    (said,) = alerts_of(desk.show("cost", {}).content)
    assert 'people.toml, [[query]] "wards", precision' in said


def test_each_label_stands_on_the_page_of_its_step(desk):
    for step, labels in LABELS.items():
        asked = [{"statistic": each} for each in ("mean", "histogram", "survival")]
        pages = html.unescape("".join(desk.show(step, query).content for query in asked))
        assert [each for each in labels.values() if f">{each}</" not in pages] == []
