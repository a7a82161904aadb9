"""A form does what the page showed from which it was sent, or nothing.

Since then the plan may have changed, or the file whose columns the form names by their places, or
another release may have been begun. And no number or name that a form can send breaks a page.
"""

import re
import time

import pytest

from deniable.ledger import new, show
from deniable.studio.draft import Draft
from deniable.studio.pages import ASKING
from tests.cases.studio_page import client_of, served

LINES = ["who,ward,age", *(f"p{n % 20},w{n % 3},{n % 90}" for n in range(60))]
PLAN = """[data]
source = "stays.csv"
entity = "who"
types = { age = "integer" }

[limits]
rows_per_entity = 3

[target]
max_posterior = 0.5

[ledger]
file = "a.ledger"
dataset = "people"

[adversary]
prior = [0.0, 0.1]

[[query]]
name = "stays"
statistic = "count"
group_by = ["ward"]
keys = { ward = ["w0", "w1", "w2"] }
"""
FORMS = {
    "file": {"do": "save", "source": "stays.csv", "columns": "3", "type.2": "number"},
    "who": {"do": "next", "whose": "entity", "column": "0", "rows": "2", "number": "public"},
    "attacker": {"do": "next", "before": "10", "after": "60"},
    "publish": {"do": "save", "statistic": "mean", "name": "m", "column": "2", "low": "0",
                "high": "90"},
    "publish?": {"do": "remove", "place": "0"},
    "release": {"do": "begin", "out": "out"},
}  # fmt: skip


@pytest.fixture
def studio(tmp_path):
    (tmp_path / "stays.csv").write_text("\n".join([*LINES, ""]))
    (tmp_path / "stays.toml").write_text(PLAN)
    new(tmp_path / "a.ledger", "people", entity="who", max_posterior=0.9, prior=[0.0, 0.1])
    with served(tmp_path / "stays.toml") as (desk, address), client_of(address) as client:
        yield desk, client


def page_of(client, step):
    return re.search(r'name="version" value="(\w+)"', client.get(step.rstrip("?")).text)[1]


def turn_columns(folder):
    place = folder / "stays.csv"
    turned = [",".join(line.split(",")[::-1]) for line in place.read_text().split()]
    place.write_text("\n".join([*turned, ""]))


CHANGES = {
    "columns": turn_columns,
    "text": lambda folder: (folder / "stays.toml").write_text(PLAN.replace("0.5", "0.4")),
    "remark": lambda folder: (folder / "stays.toml").write_text(f"# mine\n{PLAN}"),
    "file gone": lambda folder: (folder / "stays.csv").unlink(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_form_of_an_older_page_changes_nothing(studio, change):
    desk, client = studio
    versions = {step: page_of(client, step) for step in FORMS}
    CHANGES[change](desk.path.parent)
    before = desk.path.read_bytes()
    for step, version in versions.items():
        answer = client.post(step.rstrip("?"), data=FORMS[step] | {"version": version})
        assert answer.status_code == 422, step
        assert desk.path.read_bytes() == before
        assert desk._work is None


def test_the_same_form_of_the_page_as_it_is_does_its_work(studio):
    desk, client = studio
    for step, form in FORMS.items():
        desk.path.write_text(PLAN)
        answer = client.post(step.rstrip("?"), data=form | {"version": page_of(client, step)})
        assert answer.status_code == 303, answer.text
        assert desk._work or desk.path.read_text() != PLAN, step


def ask(desk, client, out):
    form = {"do": "begin", "out": out, "version": Draft.read(desk.path).version}
    assert client.post("release", data=form).status_code == 303
    while desk._work.state != ASKING:
        time.sleep(0.01)
    page = client.get("release").text
    shown = re.search(r'<form method="post" action="answer">(.*?)</form>', page, re.DOTALL)[1]
    return {"do": "yes"} | dict(
        re.findall(r'name="(\w+)" value="(\w+)"', shown.split("<button")[0])
    )


def nothing_happened(desk, *folders):
    folder = desk.path.parent
    charges = show(folder / "a.ledger").charges
    return charges == 0 and not any((folder / each).exists() for each in folders)


def test_a_yes_to_one_release_is_none_to_the_next(studio):
    desk, client = studio
    old = ask(desk, client, "one")
    client.post("cancel", data={"do": "no"})
    desk.path.write_text(PLAN.replace("0.5", "0.6"))
    own = ask(desk, client, "two")
    for answer in (old, {"do": "yes"}, old | {"work": ""}):
        refused = client.post("answer", data=answer)
        assert refused.status_code == 422
        assert "Expected a yes" in refused.text
        assert "Yes, release it" in refused.text
    assert nothing_happened(desk, "one", "two")
    client.post("answer", data=own)
    desk._work.wait()
    assert show(desk.path.parent / "a.ledger").charges == 1
    # Said twice, and said too late: the page of what there is.
    for late in (client.post("answer", data=own), client.post("cancel", data={"do": "no"})):
        assert (late.status_code, late.headers["location"]) == (303, "results")


@pytest.mark.parametrize("change", CHANGES)
def test_a_yes_is_to_the_plan_and_columns_that_were_read(studio, change):
    desk, client = studio
    own = ask(desk, client, "one")
    CHANGES[change](desk.path.parent)
    assert client.post("answer", data=own).status_code == 422
    assert nothing_happened(desk, "one")


NUMBERS = ("", "-1", "99", "9" * 5000, "٣", "\0")


@pytest.mark.parametrize("number", NUMBERS, ids=ascii)
def test_no_number_breaks_a_page(studio, number):
    desk, client = studio
    version = Draft.read(desk.path).version
    fields = dict.fromkeys(
        ("place", "column", "rows", "before", "after", "household_size", "low", "high", "edges",
         "group.0", "of", "bands", "step", "horizon", "time", "event"), number
    )  # fmt: skip
    for step, form in FORMS.items():
        if step != "release":
            path = step.rstrip("?")
            sent = client.post(path, data=form | fields | {"version": version})
            assert sent.status_code in (200, 303, 422), (step, sent.text)
            version = Draft.read(desk.path).version
    advice = {"do": "advice", "place": number, "way": "plan", "version": version}
    assert client.post("cost", data=advice).status_code in (303, 422)
    for address in ("publish", "beliefs"):
        query = {"query": number, "before": number, "after": number}
        assert client.get(address, params=query).status_code == 200


NAMES = ("n" * 300, "~nobody-has-this-name/x", "a\0b", "stays.csv", "/proc/none")


def test_no_name_of_a_folder_breaks_a_page(studio):
    for name in NAMES:
        release_to(name, *studio)


def release_to(name, desk, client):
    form = {"do": "begin", "out": name, "version": Draft.read(desk.path).version}
    # A name that no folder can have is refused beside its field, before any work.
    assert client.post("release", data=form).status_code == (422 if "\0" in name else 303)
    desk._work.wait()
    assert nothing_happened(desk)
    assert "[Errno" not in client.get("release").text
    assert client.get("results").status_code == 200
    assert client.get("").headers["location"] == "cost"


def test_a_plan_that_was_broken_by_hand_is_told_on_every_page(studio):
    desk, client = studio
    for text in ("[data\n", "data = 3\n", "query = [1]\n", "\0", "= 1"):
        desk.path.write_text(text)
        for step in (*FORMS, "cost", "preview", "results", "plan.toml", ""):
            status = client.get(step.rstrip("?")).status_code
            assert status in (200, 303, 409, 422), (text, step)


IMPOSSIBLE = [
    ("who", {"whose": "entity", "column": "0", "rows": "-1"}),
    ("who", {"whose": "entity", "column": "0", "rows": "9" * 30}),
    ("attacker", {"before": "50", "after": "40"}),
    ("attacker", {"before": "10", "after": "100"}),
]


def test_what_no_plan_can_say_is_refused_where_it_is_typed(studio):
    desk, client = studio
    desk.path.write_text(PLAN.split("[[query]]")[0])
    before = desk.path.read_bytes()
    for step, form in IMPOSSIBLE:
        version = Draft.read(desk.path).version
        answer = client.post(step, data={"do": "next", "version": version} | form)
        assert answer.status_code == 422, (step, form)
        assert desk.path.read_bytes() == before


@pytest.mark.parametrize("encoding", ["utf-8", "windows-1252"])
def test_nothing_is_chosen_before_it_was_asked(tmp_path, encoding):
    lines = [LINES[0], *(f"{line}".replace("w0", "Gynäkologie") for line in LINES[1:])]
    (tmp_path / "stays.csv").write_text("\n".join([*lines, ""]), encoding)
    with served(tmp_path / "stays.csv") as (desk, address), client_of(address) as client:
        assert client.get("").headers["location"] == "file"
        page = client.get("file").text
        assert ("windows-1252</option>" in page, "first.csv" in page) == (True, False)
        assert ('value="windows-1252">Read it this way' in page) == (encoding != "utf-8")
        assert "checked" not in client.get("who").text
        before = desk.path.read_bytes()
        whose = {"whose": "row"}, {"number": "public"}, {}, {"whose": "x", "number": "public"}
        for form in whose:
            version = Draft.read(desk.path).version
            answer = client.post("who", data={"do": "next", "version": version} | form)
            assert answer.status_code == 422
        assert desk.path.read_bytes() == before
