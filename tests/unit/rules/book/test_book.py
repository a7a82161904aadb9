"""A book of published tables: what it keeps, what it refuses, and tables judged beside it."""

import json
import sqlite3
from fractions import Fraction
from itertools import product

import attrs
import pytest
from click.testing import CliRunner

import deniable
from deniable.errors import InvalidArgument, LedgerError, NotApplicable, PlanError
from deniable.rules import Barnardise, CellKey, Hide, Noise, Rule, book
from deniable.rules.book.change import ListChange, ListedPeople, divisions
from tests.cases import edition_pairs
from tests.cases.command_line import app
from tests.cases.effort import usual
from tests.cases.refusals import refuses

RULE = {"steps": [{"hide": [1, 7]}, {"round": 5}]}
TABLE = {"name": "t", "lists": ["north"]}
HALF = {"prior": [0.5, 0.5]}
FIRST = {"list": [{"name": "north", "size": 11}], "table": [TABLE], "rule": RULE}


@pytest.fixture
def file(tmp_path):
    place = tmp_path / "wards.book"
    book.new(place)
    book.add(place, FIRST, {"north": "*"}, name="2024", published="2024-03-01", by="Ada")
    return place


def later(change, **more):
    people = {"name": "north", "follows": "north", "change": change}
    return {"list": [people | more], "table": [TABLE], "rule": RULE, "adversary": HALF}


@pytest.mark.parametrize("seed", range(usual(24, 600)))
def test_every_revelation_of_two_editions_is_found(seed, in_memory):
    """Beliefs equal those of enumeration; every second pair is judged with a book."""
    edition_pairs.compare(seed, in_memory / "b" if seed % 2 else None)


def anchors(change, size, outputs):
    """Beliefs by role, of one list with "hide 1 to 7, then nearest 5"."""
    lists = [{"name": "a", "size": size}, {"name": "b", "follows": "a", "change": change}]
    tables = [{"name": "1", "lists": ["a"]}, {"name": "2", "lists": ["b"]}]
    rules = {"list": lists, "table": tables, "rule": RULE, "adversary": HALF}
    answer = deniable.rules.judge(rules, {"a": outputs[0]}, {"b": outputs[1]})
    return {each.role: each.belief.highest.upper for each in answer.editions}


def test_figures_computed_by_hand_elsewhere():
    """Anchors of the mathematics of editions: who joins, who stays, an unknown change."""
    assert anchors({"joined": 1}, 11, ("*", 10))["joined"] == 1
    assert anchors({"joined": 1}, 11, (10, 10))["stayed"] == Fraction(22, 29)
    assert anchors({"left": 1, "joined": 1}, 11, (10, 10))["stayed"] == Fraction(67, 86)
    one = anchors(1, 12, (10, "*"))
    assert one["left"] == 1
    assert one["stayed"] == Fraction(7, 11)


@pytest.mark.parametrize("changes", [(1, 1), ({"left": 1, "joined": 1}, 1), (2, 1)])
def test_groups_of_three_editions_are_all_that_people_can_do(changes):
    """Every way in which some of five people are listed three times is found, and no other."""
    changes = [ListChange.read(each) for each in changes]
    lists = [ListedPeople("a", 2)]
    lists += [
        ListedPeople(name, 0, follows=before, change=change)
        for name, before, change in zip("bc", "ab", changes, strict=True)
    ]
    found = {frozenset(each.items()) for each in divisions(lists)}
    expected = set()
    for people in product(product((0, 1), repeat=3), repeat=5):
        sizes = [sum(each[place] for each in people) for place in range(3)]
        moves = [
            (
                sum(each[place] > each[place + 1] for each in people),
                sum(each[place] < each[place + 1] for each in people),
            )
            for place in range(2)
        ]
        if sizes[0] != 2 or 0 in sizes:
            continue
        if all(m in c.options(n, 0) for m, c, n in zip(moves, changes, sizes, strict=False)):
            groups = {}
            for each in people:
                if name := frozenset(n for n, on in zip("abc", each, strict=True) if on):
                    groups[name] = groups.get(name, 0) + 1
            expected.add(frozenset(groups.items()))
    assert found == expected


def test_what_was_entered_is_read_back(tmp_path):
    rule = Rule(
        (
            Hide(1, 3),
            Barnardise(Fraction(1, 7)),
            Noise({-1: Fraction(1, 3), 0: Fraction(1, 3), 1: Fraction(1, 3)}),
        ),
        "hidden",
    )
    key = Rule((CellKey({1: {-1: Fraction(1, 3), 0: Fraction(2, 3)}}),))
    place = tmp_path / "b"
    book.new(place)
    for number, each in enumerate((rule, key)):
        read = deniable.rules.files.read_rules(FIRST | {"list": [{"name": "north", "size": 11}]})
        read = attrs.evolve(read, rule=each)
        book.add(place, read, {"north": 5}, name=f"{number}", published="2024-03-01")
    kept = book.show(place).editions
    assert [each.rules.rule for each in kept] == [rule, key]
    assert [each.rules.tables[0].rule for each in kept] == [rule, key]
    assert kept[0].cells[0].published == 5


def test_a_book_is_for_its_owner_and_names_no_person_in_its_answer(tmp_path):
    place = tmp_path / "b"
    book.new(place)
    rules = FIRST | {"list": [{"name": "north", "members": ["Zoe", "Yan"]}]}
    answer = book.add(place, rules, {"north": 0}, name="2024", published="2024-03-01")
    assert place.stat().st_mode & 0o777 == 0o600
    assert "Zoe" not in json.dumps([answer.as_json(), book.show(place).as_json()])
    with refuses(InvalidArgument, "no-book-one"):
        book.new(place)


@pytest.mark.parametrize(
    ("rules", "name", "day", "error"),
    [
        (later(1), "2024", "2025-03-01", InvalidArgument),
        (later(1), "2025", "March", InvalidArgument),
        (later(1), "20\n25", "2025-03-01", InvalidArgument),
        (FIRST | {"list": [{"name": "north", "size": 12}]}, "2025", "2025-03-01", PlanError),
        (
            FIRST | {"list": [{"name": "x", "size": 1}], "table": [{"lists": ["x"]}]},
            "2025",
            "2025-03-01",
            PlanError,
        ),
    ],
)
def test_what_is_refused_leaves_the_book_as_it_was(file, rules, name, day, error):
    before = file.read_bytes()
    table = {rules["list"][0]["name"]: 0}
    with pytest.raises(error):
        book.add(file, rules, table, name=name, published=day)
    assert file.read_bytes() == before


def test_nothing_is_changed_or_removed(file):
    session = sqlite3.connect(file, isolation_level=None)
    for statement in (
        "UPDATE edition SET name = 'x'",
        "DELETE FROM edition",
        "INSERT INTO edition SELECT 3, 'x', document, sha256, 'y' FROM edition",
        "INSERT INTO edition SELECT 2, 'x', document, 'y', 'z' FROM edition",
        "INSERT OR REPLACE INTO edition SELECT 1, 'x', document, sha256, 'z' FROM edition",
    ):
        with pytest.raises(sqlite3.DatabaseError):
            session.execute(statement)
    session.close()
    assert book.check(file).holds


def test_a_changed_number_is_found(file):
    """Somebody who rewrites the file's bytes cannot rewrite the digest unseen."""
    file.write_bytes(file.read_bytes().replace(b'"*"', b'"+"'))
    assert not book.check(file).holds
    with refuses(LedgerError, "one-that-was-changed"):
        book.show(file)


def test_other_files_are_no_books(tmp_path, file):
    ledger = tmp_path / "a.ledger"
    deniable.ledger.new(ledger, "visits", epsilon=1.0, each_row=True)
    with refuses(LedgerError, "book-of-tables"):
        book.show(ledger)
    with refuses(LedgerError, "ledger-of-other-tables"):
        deniable.ledger.show(file)
    with refuses(LedgerError, "no-such-file"):
        book.show(tmp_path / "none")


def test_a_new_edition_is_refused_with_the_cell_to_leave_out(file):
    answer = deniable.rules.judge(later({"joined": 1}), {"north": 10}, book=file)
    assert answer.is_refused
    assert [each.name for each in answer.hide] == ["north"]
    assert [each["list"] for each in answer.as_json()["certain"]] == ["north (this edition) only"]
    assert len(book.show(file).editions) == 1  # judged, and not entered
    assert "Leave out t, north" in " ".join(answer.page().split())


def test_the_same_table_again_adds_nothing(file):
    same = later({"same": True})
    assert not deniable.rules.judge(same, {"north": "*"}, book=file).is_refused
    named = FIRST | {"adversary": HALF}
    assert not deniable.rules.judge(named, {"north": "*"}, book=file).is_refused


def test_questions_that_have_no_answer(file):
    with refuses(PlanError, "attacker-where-editions"):
        deniable.rules.judge(FIRST, {"north": "*"}, book=file)
    with refuses(PlanError, "follows-itself"):
        deniable.rules.judge(later(1), {"north": "*"})
    with refuses(PlanError, "one-that-their-sizes-contradict"):
        deniable.rules.judge(later(1, size=20), {"north": "*"}, book=file)
    with refuses(NotApplicable, "ways-in-lists-can"):
        deniable.rules.judge(later(200), {"north": "*"}, book=file)
    with refuses(PlanError, "stay-number-of-people-left"):
        deniable.rules.judge(later({"stay": 0.9}), {"north": "*"}, book=file)


RULES = """
list = [{{ name = "north", {} }}]
table = [{{ name = "t", lists = ["north"] }}]
rule = {{ steps = [{{ hide = [1, 7] }}, {{ round = 5 }}] }}
adversary = {{ prior = [0.5, 0.5] }}
"""


def test_a_book_from_the_command_line(tmp_path):
    place = str(tmp_path / "wards.book")
    for name, people, number in (
        ("a", "size = 11", "*"),
        ("b", 'follows = "north", change = { joined = 1 }', 10),
    ):
        (tmp_path / f"{name}.toml").write_text(RULES.format(people), encoding="utf-8")
        (tmp_path / f"{name}.csv").write_text(f"ward,n\nnorth,{number}\n", encoding="utf-8")

    def run(*words):
        return CliRunner().invoke(app, ["rules", *words])

    old, new = ([str(tmp_path / f"{name}.{end}") for end in ("toml", "csv")] for name in "ab")
    assert run("book", "new", place).exit_code == 0
    entered = run("book", "add", place, *old, "--name", "2024", "--published", "2024-03-01")
    assert entered.exit_code == 0
    judged = run("judge", *new, "--book", place)
    assert judged.exit_code == 3
    assert "Leave out:\n  t, north" in judged.stdout
    answer = json.loads(run("judge", *new, "--book", place, "--json").stdout)
    assert {each["role"]: each["verdict"] for each in answer["editions"]} == {
        "joined": "revealed", "stayed": "kept"
    }  # fmt: skip
    assert run("judge", *old, "--book", place).exit_code == 0
    assert json.loads(run("book", "check", place, "--json").stdout)["holds"]
    (tmp_path / "wards.book").write_bytes((tmp_path / "wards.book").read_bytes()[:-1])
    assert run("book", "check", place).exit_code == 2
