"""What people, other processes and other files do to a ledger that they share."""

import csv
import io
import json
import os
import re
import sqlite3
import sys
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import deniable
from deniable import Ledger
from deniable.cli import main
from deniable.errors import BudgetExceeded, InvalidArgument, LedgerError
from deniable.ledger import check, export, new, show, units
from deniable.ledger.budget import budgeted
from deniable.ledger.charge import Amount, State
from deniable.ledger.costs import what_fits
from deniable.ledger.sentences import headline
from deniable.ledger.summary import summary
from deniable.ledger.tables import Overview
from deniable.priors import BoundedPriors
from deniable.publish import release as publication
from deniable.theorems.analysis.target import EpsilonTarget
from tests.cases import books
from tests.cases.command_line import app
from tests.cases.ledger_places import new_place
from tests.cases.processes import Forked
from tests.cases.prose import probability_of
from tests.cases.refusals import refuses, says

PLAN = """
[data]
source = "visits.parquet"
entity = "patient"
[target]
epsilon = {epsilon}
[limits]
rows_per_entity = 1
[ledger]
{place}
dataset = "visits"
[[query]]
name = "total"
statistic = "sum"
column = "visits"
bounds = [0, 2]
"""

ALIKE = [
    ("visits", "Visits"),
    ("visits", "VISITS"),
    ("caf\u00e9", "cafe\u0301"),
    ("ward 1", "ward  1"),
    ("visits", "\uff56\uff49\uff53\uff49\uff54\uff53"),
    ("stra\u00dfe", "STRASSE"),
    ("file", "\ufb01le"),
    ("\u00c5ngstr\u00f6m", "\u212bngstr\u00f6m"),
]
FORMULAS = ["=1+1", "+1", "-1", "@SUM(1)", "=HYPERLINK(1)", "\uff1d1+1", "\uff0b1", '="a""b"']
LOGINS = ["ada \x1b[31m", "x" * 300, " ada ", "a\nb", "\u202eada", "\x07", "ada\t", "\u200b"]


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path):
    return new_place(request, tmp_path)


def plan(folder, place, epsilon, name="plan.toml"):
    """A plan over four patients, charged to a ledger."""
    rows = pa.table({"patient": ["a", "b", "c", "d"], "visits": [0.0, 1.0, 2.0, 1.0]})
    pq.write_table(rows, folder / "visits.parquet")
    where = "url" if place.startswith("postgresql") else "file"
    text = PLAN.format(epsilon=epsilon, place=f"{where} = {json.dumps(place)}")
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_names_that_read_alike_are_one_dataset(one, other, tmp_path):
    """Otherwise the same people would have two budgets, and nobody would see it in a list."""
    ledger = tmp_path / "a.ledger"
    for first, second in ((one, other), (other, one)):
        new(ledger, first, epsilon=1.0, each_row=True)
        with pytest.raises(InvalidArgument) as told:
            new(ledger, second, epsilon=1.0, each_row=True)
        assert ascii(first) in str(told.value)
        assert [each.name for each in Ledger(ledger).datasets()] == [first]
        ledger.unlink()


def test_no_cell_of_an_export_is_a_formula(tmp_path):
    for number, name in enumerate(FORMULAS):
        ledger = tmp_path / f"{number}.ledger"
        new(ledger, name, epsilon=1.0, each_row=True)
        charge = Ledger(ledger).charge(name, 1, what=name, by=name)
        Ledger(ledger).void(charge.id, name, by=name)
        answer = export(ledger, name)
        rows = list(csv.reader(io.StringIO(answer.as_csv()), quoting=csv.QUOTE_NONNUMERIC))
        texts = [cell for row in rows[1:] for cell in row if isinstance(cell, str)]
        assert [cell for cell in texts if cell[:1] in tuple("=+-@\uff1d\uff0b")] == []
        for kept in answer.as_json()["entries"]:
            assert (kept["what"], kept["by"], kept["dataset"]) == (name, name, name)


@pytest.mark.parametrize("login", LOGINS, ids=ascii)
def test_whatever_a_login_is_called_a_charge_is_entered(login, tmp_path, monkeypatch):
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.setenv(name, login)
    new(tmp_path / "a.ledger", "visits", epsilon=1.0, each_row=True)
    entry = Ledger(tmp_path / "a.ledger").charge("visits", 1, what="a release")
    assert entry.by.isprintable()
    assert entry.linked


def test_voids_of_the_largest_budget_do_not_end_a_book(place):
    """Sums of all charges and of all voids stay within 64 bits, in whatever order."""
    new(place, "visits", epsilon=1e6, each_row=True)
    ledger = Ledger(place)
    for _ in range(20):
        charge = ledger.charge("visits", ledger.dataset("visits").budget, what="a release")
        ledger.void(charge.id, "nothing left the house")
    answer = show(place)
    assert (answer.spent, answer.left) == (0, answer.dataset.budget)
    assert answer.so_far.loss == float(20 * units.amount(answer.dataset.budget))
    assert check(place).holds


@contextmanager
def held(request, place):
    """Somebody else holds the book."""
    if place.startswith("postgresql"):
        with request.getfixturevalue("postgres").connect(place.rpartition("/")[2]) as one:
            one.execute("BEGIN; SELECT 1 FROM deniable_ledger.dataset FOR UPDATE")
            yield
        return
    other = sqlite3.connect(place, isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        yield
    finally:
        other.close()


@pytest.mark.parametrize("patience", [0, 1e-9, 0.0004])
def test_no_patience_is_never_endless_patience(patience, place, request):
    new(place, "visits", epsilon=1.0, each_row=True)
    with held(request, place), refuses(LedgerError, "seconds-it-in-use"):
        Ledger(place, patience=patience).charge("visits", 1, what="a release")
    assert Ledger(place, patience=1e300).charge("visits", 1, what="a release").units == 1


CHANGES = {
    "budget": {"target": EpsilonTarget(2.0)},
    "measure": {"delta": 1e-6},
    "neighbours": {"adjacency": "add-remove"},
    "people": {"entity": "person"},
    "word": {"unit": "patient"},
    "adversary": {"adversary": BoundedPriors(0.25, 0.5)},
}


def dataset(**changed):
    asked = {"target": EpsilonTarget(1.0), "adversary": BoundedPriors(), "entity": "patient"}
    asked |= changed
    return budgeted("visits", asked.pop("target"), **asked)


@pytest.mark.parametrize("change", CHANGES)
def test_a_cost_is_charged_to_no_other_dataset_of_that_name(change, place):
    """An epsilon of one dataset is no amount of another's rho, nor of other neighbours."""
    Ledger(place).create(dataset(**CHANGES[change]))
    with refuses(LedgerError, "another-ledger-was-replaced"):
        Ledger(place).charge(dataset(), 1, what="a release")
    assert Ledger(place).entries("visits") == ()
    assert Ledger(place).charge(dataset(**CHANGES[change]), 1, what="a release").units == 1


@pytest.mark.parametrize("change", ["measure", "neighbours"])
def test_a_ledger_that_is_replaced_while_a_release_runs_pays_nothing(change, tmp_path, monkeypatch):
    path = tmp_path / "a.ledger"
    Ledger(path).create(dataset())
    totals = publication.exact_totals

    def replaced(*given, **named):
        path.unlink()
        Ledger(path).create(dataset(**CHANGES[change]))
        return totals(*given, **named)

    monkeypatch.setattr(publication, "exact_totals", replaced)
    with refuses(LedgerError, "another-ledger-was-replaced"):
        deniable.release(plan(tmp_path, str(path), 0.25), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert Ledger(path).entries("visits") == ()


def test_one_unit_too_much_is_refused_and_told(tmp_path):
    new(tmp_path / "a.ledger", "visits", epsilon=0.25, each_row=True)
    ledger = Ledger(tmp_path / "a.ledger")
    with pytest.raises(BudgetExceeded) as told:
        ledger.charge("visits", 2**38 + 1, what="a release")
    most, got = (Fraction(word.strip(",.")) for word in str(told.value).split() if word[:2] == "0.")
    assert most == Fraction(1, 4) < got
    assert ledger.charge("visits", 2**38, what="a release").units == 2**38


def test_a_release_is_charged_to_its_ledger_in_any_store(place, tmp_path):
    new(place, "visits", entity="patient", epsilon=0.5)
    out = tmp_path / "june"
    deniable.release(plan(tmp_path, place, 0.25), out)
    assert deniable.check(out).holds
    assert check(place, [out]).holds
    [charged, released] = Ledger(place).entries("visits")
    assert (charged.units, charged.state, released.state) == (2**38, "charged", "released")
    block = json.loads((out / "certificate.json").read_bytes())["ledger"]
    assert block == {"dataset": "visits", "measure": "epsilon", "budget": 0.5, "charged": 0.25,
                     "entry": charged.sha256}  # fmt: skip
    for file in out.iterdir():  # where the ledger is, who charged and which charge it was
        content = file.read_bytes()
        assert not any(
            secret.encode() in content
            for secret in (place, Ledger(place).shown, charged.id, charged.at, charged.previous)
        )


def run_command(words):
    """As a program of its own does."""
    sys.argv = ["deniable", *words]
    main()


def test_two_releases_race_for_what_is_left(place, tmp_path):
    """Processes of their own: one publishes, one is refused, and the book says the same."""
    new(place, "visits", entity="patient", epsilon=0.375)
    words = ["release", str(plan(tmp_path, place, 0.25)), "--out"]
    with ExitStack() as both:
        running = [
            both.enter_context(
                Forked(tmp_path, run_command, [*words, str(tmp_path / name)], env=dict(os.environ))
            )
            for name in ("one", "other")
        ]
        said = {name: each.communicate()[1]
                for name, each in zip(("one", "other"), running, strict=True)}  # fmt: skip
    ended = {name: each.returncode for name, each in zip(said, running, strict=True)}
    assert sorted(ended.values()) == [0, 3], said
    refused = next(name for name, status in ended.items() if status)
    assert "epsilon <= 0.125 would fit" in said[refused]
    assert [name for name in ended if (tmp_path / name).exists()] == [
        name for name in ended if name != refused
    ]
    entries = Ledger(place).entries("visits")
    assert [each.state for each in entries] == [State.CHARGED, State.RELEASED]


def test_what_others_take_between_the_last_look_and_the_charge_is_told(tmp_path, monkeypatch):
    """The refusal comes from the charge itself, and says what would fit now."""
    path = tmp_path / "a.ledger"
    new(path, "visits", entity="patient", epsilon=1.0)
    charge = Ledger.charge

    def overtaken(ledger, *given, **named):
        charge(ledger, "visits", units.to_units(0.875), what="the others")
        return charge(ledger, *given, **named)

    monkeypatch.setattr(Ledger, "charge", overtaken)
    with refuses(BudgetExceeded, "would-fit: epsilon <= 0.125"):
        deniable.release(plan(tmp_path, str(path), 0.25), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("left", [0, -1, -(2**60)])
def test_nothing_fits_where_nothing_is_left(left):
    """Also where somebody's hand brought the sum past the budget."""
    assert what_fits(dataset(), left, EpsilonTarget(0.5), BoundedPriors(), None) is None


SIZES = [(2**30, 2**36, 2**41), (2**20, 2**39, 2**40), (1, 2**40, 2**42), (2**34, 2**43)]
ENDS = [(0.0, 1.0), (0.01, 0.1), (0.0713, 0.0713), (0.001, 0.009)]
SAID = re.compile(
    r"someone who was (?P<given>.+?) sure can become at most (?P<end>.+?) sure\. "
    r"So far (?:at most (?P<now>[^.]*(?:\.\d[^.]*)?)|no more than before)\."
)


@pytest.mark.parametrize("exceedance", [0.0, 1e-6])
@pytest.mark.parametrize(
    "ends", [(0.0, 1.0), (0.01, 0.1), (0.0713, 0.0713), (0.001, 0.009)], ids=str
)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_what_a_sentence_says_is_no_less_than_what_may_be_believed(sizes, ends, exceedance):
    people = books.dataset(2**44, exceedance, adversary=BoundedPriors(*ends))
    entries = books.book(people, sizes)
    amounts = tuple(Amount(id=each.id, state=each.state, units=each.units) for each in entries)
    read = Overview(amounts, tuple(entries), entries[-1].sha256)
    answer = summary(Ledger("a.ledger"), people, read)
    said = SAID.search(headline(answer)).groupdict()
    given, end = probability_of(said["given"]), probability_of(said["end"])
    assert end >= Fraction(answer.belief(answer.everything.beliefs))
    assert given <= Fraction(str(answer.prior))
    now = probability_of(said["now"]) if said["now"] else end
    assert now >= Fraction(answer.belief(answer.so_far))


def changed_by_hand(path, statement):
    """Run a statement without the triggers, and put them back as they were."""
    session = sqlite3.connect(path, isolation_level=None)
    found = session.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in found:
        session.execute(f"DROP TRIGGER {name}")
    session.execute(statement)
    for _, trigger in found:
        session.execute(trigger)
    session.close()


@pytest.fixture
def begun(tmp_path):
    """A file with two charges."""
    path = tmp_path / "a.ledger"
    Ledger(path).create(dataset())
    for _ in range(2):
        Ledger(path).charge("visits", 2**38, what="a release")
    return path


@pytest.mark.parametrize(
    "change",
    ["budget = 2 * budget", "low = 0.25", "high = 0.5", "adjacency = 'add-remove'", "value = 9",
     "measure = 'rho', exceedance = 0.5", "unit = 'visit'", "entity = NULL"],
)  # fmt: skip
def test_a_dataset_that_was_changed_by_hand_is_neither_charged_nor_shown(change, begun):
    """What it allows was fixed when it was made, and its first entry names that."""
    changed_by_hand(begun, f"UPDATE dataset SET {change}")
    with refuses(LedgerError, "one-that-was-changed"):
        Ledger(begun).charge("visits", 1, what="a release")
    with refuses(LedgerError, "one-that-was-changed"):
        show(begun)
    assert [each.name for each in check(begun).findings if not each.holds] == ["visits: chain"]


@pytest.mark.parametrize("number", [1, 2])
def test_entries_of_no_dataset_are_found(number, begun):
    """They would be spent by nobody."""
    changed_by_hand(begun, f"UPDATE entry SET dataset = 'Visits' WHERE number = {number}")
    assert "file" in [each.name for each in check(begun).findings if not each.holds]


@pytest.mark.parametrize(
    "change", ["units = 9223372036854775807", "what = CAST(x'ff' AS TEXT)", "units = -units"]
)
def test_rows_that_no_ledger_writes_are_called_that(change, begun):
    changed_by_hand(begun, f"UPDATE entry SET {change}")
    with refuses(LedgerError, "ledger-rows-that-deniable-wrote"):
        show(begun)
    with refuses(LedgerError, "ledger-rows-that-deniable-wrote"):
        Ledger(begun).charge("visits", 1, what="a release")


def test_a_page_is_written_over_no_ledger_named_like_a_page(begun, monkeypatch):
    monkeypatch.chdir(begun.parent)
    begun.rename("a.html")
    Path("b.html").symlink_to("a.html")
    for page in ("a.html", "./a.html", "b.html"):
        found = CliRunner().invoke(app, ["ledger", "show", "a.html", "--html", page])
        assert (found.exit_code, says(found.stderr, "new-name")) == (2, True)
    assert check(Path("a.html")).holds


@pytest.mark.parametrize("page", ["a.ledger", "a.ledger-journal", "./a.ledger", "b", "b-journal"])
def test_a_page_is_written_over_nothing_of_the_ledgers(page, begun, monkeypatch):
    """Its journal undoes a half-written entry; SQLite would take a page for one and remove it."""
    monkeypatch.chdir(begun.parent)
    (begun.parent / "b").symlink_to("a.ledger")
    (begun.parent / "b-journal").symlink_to("a.ledger-journal")
    for name in ("a.ledger", "b"):
        found = CliRunner().invoke(app, ["ledger", "show", name, "--html", page])
        assert (found.exit_code, says(found.stderr, "page-named-html")) == (2, True)
    assert check(begun).holds
