"""Two editions under cell keys, by enumeration: record keys that stay, or are drawn anew for each.

The enumeration knows nothing of atoms: each person is a bit, and a set of people has noise of its
own, once for all editions or once for each.
"""

import itertools
from fractions import Fraction

import pytest

from deniable import rules
from deniable.errors import InconsistentTables, PlanError
from deniable.rules import book
from tests.cases.refusals import refuses

ROWS = {
    0: {0: Fraction(1)},
    1: {-1: Fraction(1, 5), 0: Fraction(3, 5), 1: Fraction(1, 5)},
    2: {-2: Fraction(1, 10), -1: Fraction(1, 5), 0: Fraction(2, 5), 1: Fraction(3, 10)},
}
ROWS |= {n: {-1: Fraction(1, 4), 0: Fraction(1, 2), 1: Fraction(1, 4)} for n in range(3, 8)}
CELL_KEY = {
    str(count): {str(noise): str(chance) for noise, chance in row.items()}
    for count, row in ROWS.items()
}
ADVERSARY = {"prior": [0.5, 0.5]}


def beliefs(published):
    """How likely each person is counted, at even odds; none if nothing can have been published.

    `published` has the people of each set, its number, and which draw of keys is behind it.
    """
    people = sorted(set().union(*(members for members, _, _ in published)))
    counted, everything = dict.fromkeys(people, Fraction(0)), Fraction(0)
    for bits in itertools.product((0, 1), repeat=len(people)):
        of = dict(zip(people, bits, strict=True))
        numbers: dict[object, set[int]] = {}
        for members, number, draw in published:
            inside = frozenset(person for person in members if of[person])
            numbers.setdefault((draw, inside), set()).add(number)
        weight = Fraction(1)
        for (_, inside), (number, *others) in numbers.items():
            weight *= 0 if others else ROWS[len(inside)].get(number - len(inside), Fraction(0))
        everything += weight
        for person in people:
            counted[person] += weight * of[person]
    return {each: counted[each] / everything for each in people} if everything else None


def rule(keys):
    """The rule of all tables here."""
    return {"steps": [{"cell_key": CELL_KEY}], **({} if keys is None else {"keys": keys})}


@pytest.mark.parametrize("keys", [None, "persistent", "fresh"])
@pytest.mark.parametrize("first", [1, 2, 3])
@pytest.mark.parametrize("second", [1, 2, 3])
@pytest.mark.parametrize(
    ("stayed", "left", "joined"), [(2, 0, 1), (3, 1, 1), (4, 0, 0), (2, 2, 0), (1, 0, 3)]
)
def test_known_changes_of_a_list(stayed, left, joined, first, second, keys):
    """Whether the same noise is there again is known exactly where nobody counted comes or goes."""
    here = [f"stayed {i}" for i in range(stayed)]
    gone, new = [f"left {i}" for i in range(left)], [f"joined {i}" for i in range(joined)]
    later = 1 if keys == "fresh" else 0
    truth = beliefs([((*here, *gone), first, 0), ((*here, *new), second, later)])
    asked = {
        "list": [
            {"name": "A", "size": stayed + left},
            {"name": "B", "follows": "A", "change": {"left": left, "joined": joined}},
        ],
        "table": [{"lists": ["A"]}, {"lists": ["B"]}],
        "rule": rule(keys),
        "adversary": ADVERSARY,
    }
    if truth is None:
        with pytest.raises(InconsistentTables):
            rules.judge(asked, {"A": first}, {"B": second})
        return
    answer = rules.judge(asked, {"A": first}, {"B": second})
    for each in answer.editions:
        assert each.belief.highest.lower == each.belief.highest.upper == truth[f"{each.role} 0"]


@pytest.mark.parametrize("keys", ["persistent", "fresh"])
@pytest.mark.parametrize("again", [(2, 2), (2, 1), (1, 2)])
def test_an_edition_of_a_book(tmp_path, keys, again):
    """Within an edition, two numbers of sets that differ in one person point that person out."""
    wide, narrow = ["p", "q", "r"], ["p", "q"]
    asked = {
        "list": [{"name": "wide", "members": wide}, {"name": "narrow", "members": narrow}],
        "table": [{"name": "w", "lists": ["wide"]}, {"name": "n", "lists": ["narrow"]}],
        "rule": rule(keys),
        "adversary": ADVERSARY,
    }
    later = 1 if keys == "fresh" else 0
    published = [(wide, 2, 0), (narrow, 2, 0), (wide, again[0], later), (narrow, again[1], later)]
    truth = beliefs(published)
    file = tmp_path / "tables.book"
    book.new(file)
    book.add(file, asked, {"wide": 2}, {"narrow": 2}, name="first", published="2024-01-31")
    if truth is None:
        with pytest.raises(InconsistentTables):
            rules.judge(asked, {"wide": again[0]}, {"narrow": again[1]}, book=file)
        return
    answer = rules.judge(asked, {"wide": again[0]}, {"narrow": again[1]}, book=file)
    for each in answer.beliefs:
        person = "r" if len(each.lists) == 1 else "p"
        assert each.highest.upper == truth[person]
    said = " ".join(answer.assumes)
    assert ("anew for each edition" in said) == (keys == "fresh")
    assert "anew wherever" not in said


@pytest.mark.parametrize(
    "wrong",
    [
        {"steps": [{"hide": [1, 7]}], "keys": "fresh"},
        {"steps": [{"random": 3}], "keys": "persistent"},
        {"preset": "cms", "keys": "fresh"},
        {"steps": [{"cell_key": CELL_KEY}], "keys": "new"},
        {"steps": [{"cell_key": CELL_KEY}], "keys": True},
    ],
)
def test_keys_mean_something_beside_a_cell_key_alone(wrong):
    """Elsewhere nothing follows from them, and a word that is none of the two is refused."""
    asked = {"list": [{"name": "a", "size": 5}], "table": [{"lists": ["a"]}], "rule": wrong}
    with refuses(PlanError, "record-keys"):
        rules.judge(asked, {"a": 0})
