"""The commands of a ledger: their JSON, their words, and when they end with 2 or 3."""

import csv
import io
import json
import math
import random
import re
from fractions import Fraction

import pytest
from click.testing import CliRunner

import deniable
from deniable.cli import output
from deniable.errors import InvalidArgument
from deniable.ledger.page import ledger_page
from deniable.ledger.sentences import down, up
from deniable.ledger.units import UNITS
from tests.cases.command_line import app
from tests.cases.refusals import says
from tests.cases.release_case import write_case

NEW = ["--dataset", "visits", "--entity", "patient", "--max-posterior", "0.5", "--prior", "0.01"]
HALF = 2**39
PEOPLE = {"entity": "person", "unit": None, "adjacency": "replace-one"}
"""Of the sample plan."""


def run(*words):
    return CliRunner().invoke(app, ["ledger", *map(str, words)])


def answer(*words, status=0):
    """The one JSON object on standard output."""
    found = run(*words, "--json")
    assert (found.exit_code, found.stderr) == (status, "")
    return json.loads(found.stdout, parse_constant=pytest.fail)


@pytest.fixture
def file(tmp_path):
    place = tmp_path / "hospital.ledger"
    assert run("new", place, *NEW, "0.1").exit_code == 0
    return place


def test_show_has_the_keys_of_the_contract(file):
    deniable.Ledger(file).charge("visits", HALF, what="June")
    found = answer("show", file)
    assert found == deniable.ledger.show(file).as_json()
    assert (found["dataset"], found["measure"], found["spent"]) == ("visits", "epsilon", 0.5)
    assert found["budget"] == found["spent"] + found["left"]
    ends = {each["prior"]: each["upper"] for each in found["posterior"]}
    assert 0.49999 < ends[0.1] <= 0.5
    so_far = {each["prior"]: each["upper"] for each in found["so_far"]["posterior"]}
    assert so_far[0.1] == pytest.approx(1 / (1 + 9 * 2.718281828**-0.5))
    assert found["so_far"]["exceedance"] == 0


def amounts_of(text):
    """What `show` prints of amounts, by name."""
    return {
        name: Fraction(words.split()[1])
        for name, _, words in (line.partition(" ") for line in text.splitlines())
        if name in ("budget", "spent", "left")
    }


def test_no_more_is_printed_as_spent_than_as_the_budget_and_no_sum_is_too_small():
    """Charged again, what is printed costs at least the units that it stands for."""
    draw = random.Random(7)
    for _ in range(4000):
        budget = draw.randrange(1, 2 ** draw.randrange(1, 51))
        charges = [draw.randrange(1, 1 + budget) for _ in range(draw.randrange(1, 9))]
        charges = [each for number, each in enumerate(charges) if sum(charges[:number]) < budget]
        spent = draw.choice([budget, min(budget, sum(charges)), max(1, budget - 1)])
        assert Fraction(up(spent)) <= Fraction(up(budget))
        assert math.ceil(Fraction(up(spent)) * UNITS) >= spent
        assert math.floor(Fraction(down(budget - spent)) * UNITS) <= budget - spent
        summed = sum(Fraction(up(each)) for each in charges) * UNITS
        assert summed > sum(charges) - len(charges)  # less than a unit each


@pytest.mark.parametrize("epsilon", [1 / 3, 0.7, 1.23456789, 2 / 3 * 1e-5])
def test_a_budget_that_is_spent_prints_as_spent_in_full(tmp_path, epsilon):
    file = tmp_path / "a.ledger"
    deniable.ledger.new(file, "visits", epsilon=epsilon, each_row=True)
    (dataset,) = deniable.Ledger(file).datasets()
    thirds = [dataset.budget // 3, dataset.budget // 3, dataset.budget - 2 * (dataset.budget // 3)]
    for units in thirds:
        deniable.Ledger(file).charge("visits", units, what="a third")
        printed = amounts_of(run("show", file).stdout)
        assert printed["spent"] <= printed["budget"]
    assert (printed["spent"], printed["left"]) == (printed["budget"], 0)
    page = re.sub("<[^>]*>", " ", ledger_page(deniable.ledger.show(file)))
    assert re.search(r"Spent\s+epsilon (\S+)", page)[1] == up(dataset.budget)
    assert re.search(r"Budget\s+epsilon (\S+)", page)[1] == up(dataset.budget)
    text = str(deniable.ledger.show(file))
    printed = dict(re.findall(r"^(budget|spent) +(\S+)$", text, flags=re.MULTILINE))
    assert float(printed["spent"]) <= float(printed["budget"])


def test_the_first_line_says_what_it_comes_to(file):
    book = deniable.Ledger(file)
    assert first(file) == "So far nothing was charged. All of the budget is left."
    for month in ("May", "June"):
        charge = book.charge("visits", HALF // 2, what=month)
    assert first(file) == "So far at most 16 %. Left: six more like the last."
    book.void(charge.id, "the wrong table")
    assert first(file) == "So far at most 16 %. Left: seven more like the last."
    book.charge("visits", deniable.ledger.show(file).left, what="the rest")
    assert first(file).endswith("Nothing is left.")


def first(file):
    line = run("show", file).stdout.splitlines()[0]
    begin = (
        "After everything ever published from visits, someone who was 10 % sure can become at most "
        "50 % sure. "
    )
    assert line.startswith(begin)
    return line.removeprefix(begin)


def test_charges_are_listed_with_the_belief_after_each(file):
    book = deniable.Ledger(file)
    ids = [book.charge("visits", HALF // 8, what=f"week {each}").id for each in range(8)]
    rows = re.findall(r"^\d{4}-\d\d-\d\d  (\w{8})  charged +0.0625 +(\d+) %.*week (\d)$",
                      run("show", file).stdout, re.MULTILINE)  # fmt: skip
    assert [row[0] for row in rows] == [each[:8] for each in ids[-6:]]
    assert [int(row[2]) for row in rows] == [2, 3, 4, 5, 6, 7]
    beliefs = [int(row[1]) for row in rows]
    assert beliefs == sorted(beliefs)
    assert beliefs[-1] == 16


def test_a_page_is_written_beside_the_answer(file, tmp_path):
    page = tmp_path / "page.html"
    assert run("show", file, "--html", page).exit_code == 0
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert page.stat().st_mode & 0o077 == file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", ["hospital.ledger", "./hospital.ledger", "link"])
def test_a_page_never_takes_the_place_of_the_ledger(file, monkeypatch, name):
    monkeypatch.chdir(file.parent)
    (file.parent / "link").symlink_to(file)
    before = file.read_bytes()
    assert run("show", "hospital.ledger", "--html", name).exit_code == 2
    assert file.read_bytes() == before


def test_cost_ends_with_3_and_what_would_fit(tmp_path):
    file, plan = tmp_path / "hospital.ledger", write_case(tmp_path)
    calibration = deniable.plan(plan).calibration
    deniable.ledger.new(file, "visits", **PEOPLE, epsilon=1.5 * calibration.epsilon)
    found = answer("cost", file, plan)
    assert found["fits"]
    assert found["left_after"] == pytest.approx(calibration.epsilon / 2)
    assert found["cost"] == pytest.approx(calibration.epsilon)
    deniable.Ledger(file).charge("visits", found["units"]["cost"], what="June")
    found = answer("cost", file, plan, status=3)
    assert (found["fits"], found["left_after"]) == (False, None)
    kind, value = found["would_fit"]["kind"], found["would_fit"]["value"]
    told = run("cost", file, plan)
    assert told.exit_code == 3
    assert told.stdout.splitlines()[-1].endswith(f"{kind} <= {value:g} would fit.")
    assert deniable.ledger.show(file).spent == found["units"]["cost"]


def test_cost_of_exactly_what_is_left_fits(tmp_path):
    """The whole budget in one release: both are rounded to whole units in the same way."""
    file, plan = tmp_path / "hospital.ledger", write_case(tmp_path)
    deniable.ledger.new(file, "visits", **PEOPLE, epsilon=deniable.plan(plan).calibration.epsilon)
    found = answer("cost", file, plan)
    assert (found["fits"], found["left_after"]) == (True, 0)


@pytest.mark.parametrize(
    "other",
    [
        {"entity": None},
        {"entity": "Person"},
        {"unit": "person"},
        {"adjacency": "add-remove"},
    ],
)
def test_cost_refuses_other_people_as_release_does(tmp_path, other):
    file, plan = tmp_path / "hospital.ledger", write_case(tmp_path)
    deniable.ledger.new(file, "visits", **{**PEOPLE, **other}, epsilon=100.0, each_row=True)
    with pytest.raises(InvalidArgument) as at_release:
        deniable.release(plan, tmp_path / "out", ledger=file, dataset="visits")
    told = run("cost", file, plan)
    assert (told.exit_code, told.stdout) == (2, "")
    assert told.stderr == f"{at_release.value}\n"


@pytest.mark.parametrize("other", [{"entity": "Person"}, {"adjacency": "add-remove"}])
@pytest.mark.parametrize("words", [["plan"], ["plan", "--solve"], ["preview"]])
def test_a_plan_is_refused_at_once_whose_ledger_is_about_others(tmp_path, other, words):
    book, plan = tmp_path / "hospital.ledger", write_case(tmp_path, queries=["rows by plan"])
    text = plan.read_text() + '\nprecision = 100\n[ledger]\nfile = "hospital.ledger"\n'
    plan.write_text(f'{text}dataset = "visits"\n')
    line = [*words, str(plan)]
    # The ledger, or its dataset, may be made once the plan is there.
    assert CliRunner().invoke(app, line).exit_code == 0
    deniable.ledger.new(book, "staff", **PEOPLE | other, epsilon=100.0)
    assert CliRunner().invoke(app, line).exit_code == 0
    deniable.ledger.new(book, "visits", **PEOPLE | other, epsilon=100.0)
    refused = CliRunner().invoke(app, line)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert says(refused.stderr, "release-about-people: 'visits'")
    book.write_bytes(b"damaged")
    assert CliRunner().invoke(app, line).exit_code == 0


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_rows_as_people_are_announced_before_anything_else(tmp_path, monkeypatch, more):
    """What a dataset is stays: who meant people with several rows would find its name taken."""
    line = ["new", tmp_path / "rows.ledger", "--dataset", "visits", "--epsilon", "1", *more]
    asked = []
    monkeypatch.setattr(output, "ask", lambda question: bool(asked.append(question)))
    assert run(*line).exit_code == 3
    assert not line[1].exists()
    monkeypatch.undo()
    made = run(*line)
    assert made.exit_code == 0
    assert "--entity" not in made.stdout
    for said in (asked[0], made.output):
        assert said.startswith("Without --entity, each row")
        assert "give --entity COLUMN instead" in said


def test_void_takes_the_digits_that_show_prints(file):
    charge = deniable.Ledger(file).charge("visits", HALF, what="June")
    found = answer("void", file, charge.id[:8], "--because", "the wrong table")
    assert (found["id"], found["units"], found["state"]) == (charge.id, -HALF, "void")
    assert answer("show", file)["spent"] == 0
    for digits in (charge.id[:8], charge.id):
        again = run("void", file, digits, "--because", "once more")
        assert (again.exit_code, again.stdout) == (2, "")


@pytest.mark.parametrize("digits", ["", "a", "'", "0" * 33, "%"])
def test_void_wants_one_charge(file, digits):
    deniable.Ledger(file).charge("visits", HALF, what="June")
    assert run("void", file, digits, "--because", "the wrong table").exit_code == 2
    assert answer("show", file)["entries"] == 1


def test_the_export_says_the_same_as_csv_and_as_json(file):
    book = deniable.Ledger(file)
    label = 'June, "final"; =1+1'
    charge = book.charge("visits", HALF, what=label, by="Ada Ö.")
    book.void(charge.id, "the wrong table")
    entries = answer("export", file)["entries"]
    rows = list(csv.DictReader(io.StringIO(run("export", file).stdout)))
    as_text = [
        {key: "" if value is None else str(value) for key, value in each.items()}
        for each in entries
    ]
    assert rows == as_text
    assert [each["amount"] for each in entries] == [0.5, -0.5]
    assert entries[0]["what"] == label


def test_a_dataset_must_be_named_where_there_are_several(file):
    deniable.ledger.new(file, "staff", epsilon=1.0, each_row=True)
    for command in ("show", "export"):
        found = run(command, file)
        assert found.exit_code == 2
        assert says(found.stderr, "name-one: 'visits', 'staff'.")
        assert run(command, file, "--dataset", "staff").exit_code == 0
    assert run("check", file).exit_code == 0


def test_a_second_budget_is_made_shown_and_paid_from(tmp_path):
    book, page = tmp_path / "a.ledger", tmp_path / "a.html"
    options = ["--dataset", "keys", "--epsilon", "1", "--delta", "1e-5", "--exposure", "1e-8"]
    made = run("new", book, *options)
    assert made.exit_code == 0
    assert re.search(r"budget +rho \S+ and exposure 1e-8\n", made.stdout)
    assert "publishes a key that it alone has is at most 1e-8." in made.stdout
    deniable.Ledger(book).charge("keys", 2**20, what="June", exposure=2**22)
    shown = run("show", book, "--html", page)
    assert re.search(r"left +rho \S+ and exposure 6\.2747e-9\n", shown.stdout)
    assert re.search(r"Exposure.*3\.7253e-9", page.read_text(encoding="utf-8"), re.S)
    told = json.loads(run("show", book, "--json").stdout)
    assert told["exposure"]["units"]["spent"] == 2**22
    assert run("check", book).exit_code == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--delta", "1e-6", "--exposure", "1e-6"], "below half of delta"),
        (["--exposure", "0"], "0 < --exposure < 1"),
        (["--exposure", "x"], "exposure"),
    ],
)
def test_a_wrong_exposure_makes_no_ledger(tmp_path, options, words):
    book = tmp_path / "a.ledger"
    answer = run("new", book, "--dataset", "keys", "--epsilon", "1", *options)
    assert answer.exit_code == 2
    assert words in answer.stderr
    assert not book.exists()


def test_a_dataset_of_rows_is_asked_for_before_its_name_is_taken(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr("deniable.cli.output.ask", lambda question: bool(asked.append(question)))
    place = tmp_path / "new.ledger"
    words = ["new", place, "--epsilon", "1", "--dataset"]
    refused = run(*words, "visits")
    assert (refused.exit_code, len(asked), place.exists()) == (3, 1, False)
    assert run(*words, "visits", "--entity", "p").exit_code == 0
    assert run(*words, "calls", "--unit", "swap").exit_code == 0
    assert len(asked) == 1


def test_a_release_about_other_people_is_told_what_makes_a_dataset_of_them(tmp_path):
    plan, place = write_case(tmp_path), tmp_path / "new.ledger"
    deniable.ledger.new(place, "visits", epsilon=9.0, each_row=True)
    with pytest.raises(InvalidArgument) as refused:
        deniable.release(plan, tmp_path / "out", ledger=place, dataset="visits")
    made = str(refused.value).partition("deniable ledger new … ")[2].partition(" and a limit")[0]
    words = made.replace("NAME", "people").split()
    assert run("new", place, *words, "--epsilon", "9").exit_code == 0
    deniable.release(plan, tmp_path / "out", ledger=place, dataset="people")
