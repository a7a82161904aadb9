"""Exact tables that say more than their judged numbers, or other than they seem to say."""

import itertools
import os
from fractions import Fraction

import pytest

from deniable.errors import DataError, PlanError
from deniable.rules import book, judge, judge_values
from tests.cases.refusals import refuses

RULE = {"steps": [{"hide": [1, 4]}]}
ROUNDED = {"steps": [{"round": 5}]}
SIZES = "region,age,size\nnorth,20,20\nnorth,40,25\nsouth,20,40\nsouth,40,30\n"
PLACES = ("north f", "north m", "south f", "south m")


def listed(names, sizes=(), rule=RULE, **table):
    sizes = sizes or [30 + n for n in range(len(names))]
    return {
        "list": [{"name": n, "size": size} for n, size in zip(names, sizes, strict=True)],
        "table": [{"lists": list(names), **table}],
        "rule": rule,
        "adversary": {"prior": [0.5, 0.5]},
    }


def printed(folder, text, rule=RULE, *, hidden=("c",), columns=("region", "age"), **marks):
    (folder / "sizes.csv").write_text(SIZES, "utf-8")
    (folder / "t.csv").write_text(text, "utf-8")
    rules = {
        "table": [{"columns": list(columns)}],
        "sizes": {"file": str(folder / "sizes.csv")},
        "marks": {"hidden": list(hidden), **marks},
        "rule": rule,
        "adversary": {"prior": [0.5, 0.5]},
    }
    return judge(rules, folder / "t.csv")


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_a_grid_whose_names_say_another_order_of_lists_is_refused(tmp_path, order):
    """Turned, or with its rows in another order, it gave each count to other people."""
    file = tmp_path / "g.csv"
    file.write_text("region,f,m\nnorth,*,12\nsouth,9,11\n")
    rules = listed([PLACES[n] for n in order])
    if order == (0, 1, 2, 3):
        answer = judge(rules, file)
        assert [each.cell.name for each in answer.feasible] == list(PLACES)
    else:
        with refuses(DataError, "order-table-lists"):
            judge(rules, file)


@pytest.mark.parametrize(
    "text",
    ["region,share,f,m\nnorth,35.0 %,*,12\nsouth,60 %,9,11\n",
     "region,n,f,m\nnorth,3 (10 %),*,12\nsouth,9 (20 %),9,11\n",
     "region,f,m\n,60 %,52.5 %\nnorth,*,12\nsouth,9,11\n",
     "region,f,m\ntrue,0.35,\nnorth,*,12\nsouth,9,11\n"],
)  # fmt: skip
def test_numbers_beside_the_counts_of_a_grid_are_refused(tmp_path, text):
    """They were taken for names of rows and columns, which nobody judges."""
    file = tmp_path / "g.csv"
    file.write_text(text)
    with refuses(DataError, "numbers-beside"):
        judge(listed(PLACES), file)


@pytest.mark.parametrize("numbers", [("14", "3"), ("1", "3"), ("3", "14"), ("1", "1")])
def test_only_numbers_of_rows_are_left_out(tmp_path, numbers):
    """A first column without a name may hold what the rule hides."""
    file = tmp_path / "t.csv"
    file.write_text(",list,n\n{},a,*\n{},b,12\n".format(*numbers))
    with pytest.raises(DataError):
        judge(listed("ab"), file)
    file.write_text(",list,n\n0,a,*\n1,b,12\n")
    assert judge(listed("ab"), file).feasible[1].cell.published == 12


@pytest.mark.parametrize("people", range(21))
def test_percentages_pass_where_published_numbers_give_them(tmp_path, people):
    """Of 10, 25, 20 and a rounded count: only what a reader can compute adds nothing."""
    shown = 5 * ((people + 2) // 5)
    for digits in (0, 1):
        share = round(Fraction(100 * people, 20), digits)
        text = f"region,20,40\nnorth,{shown} ({float(share):.{digits}f}%),25\nsouth,20,10\n"
        wholes = (20, 45, 60, 115)  # sizes of the cell, its row and column, and of all
        wholes += (shown, shown + 25, shown + 20, shown + 55)  # and their counts
        near = Fraction(1, 2 * 10**digits)
        explained = any(n and abs(Fraction(100 * shown, n) - share) <= near for n in wholes)
        if explained:
            assert printed(tmp_path, text, ROUNDED).feasible
        else:
            with refuses(DataError, "percentages-of-published-numbers"):
                printed(tmp_path, text, ROUNDED)


def test_a_percentage_gives_a_hidden_neighbour_away(tmp_path):
    """12 is 80 % of 15, so that the hidden cell of its row holds 3; 12 of 25 listed tells none."""
    with refuses(DataError, "percentages-of-published-numbers"):
        printed(tmp_path, "region,20,40\nnorth,c,12 (80%)\nsouth,9,11\n")
    assert printed(tmp_path, "region,20,40\nnorth,c,12 (48%)\nsouth,9,11\n").feasible


ABSENT = "region,age,n\nnorth,20,{}\nnorth,40,{}\nsouth,20,25\n"


@pytest.mark.parametrize(
    ("text", "rule", "marks"),
    [("region,20,40\nnorth,low,high\nsouth,9,11\n", RULE, {"hidden": ["low", "high"]}),
     ("region,20,40\nnorth,c,*\nsouth,9,11\n", RULE, {}),
     ("region,20,40\nnorth,c,\nsouth,9,11\n", RULE, {"hidden": ["c", ""]}),
     ("region,20,40\nnorth,0,-\nsouth,10,10\n", ROUNDED, {"zero": ["-"]}),
     (ABSENT.format("c", 12), RULE, {"absent": "hidden"}),
     (ABSENT.format("0", 10), ROUNDED, {"absent": "zero"})],
)  # fmt: skip
def test_marks_that_readers_can_tell_apart_are_not_one(tmp_path, text, rule, marks):
    """Primary and secondary suppression, low and high, none and fewer than half the base."""
    with refuses(DataError, "publish-one"):
        printed(tmp_path, text, rule, **marks)


def test_marks_that_say_the_same_stay_allowed(tmp_path):
    text = "region,20,40\nnorth,0,-\nsouth,9,c\n"
    counts = [each.interval for each in printed(tmp_path, text, zero=["-"]).feasible]
    assert [(each.lower, each.upper) for each in counts] == [(0, 0), (0, 0), (9, 9), (1, 4)]
    text = ABSENT.format(10, 10)
    assert printed(tmp_path, text, ROUNDED, absent="zero").feasible[-1].interval.upper == 2


@pytest.mark.parametrize(
    "text",
    ["name,diagnosis\nAnn Smith,HIV\nBob,flu\n", "list,n\na,Ann Smith has HIV\nb,12\n",
     "list,n\na,*\nb,born 1970\n", "Ann Smith,HIV\na,*\nBob,1\n"],
)  # fmt: skip
def test_no_cell_of_a_wrong_file_is_repeated(tmp_path, text):
    """The file of the people themselves, given by mistake."""
    file = tmp_path / "t.csv"
    file.write_text(text)
    with pytest.raises(DataError) as error:
        judge(listed("ab"), file)
    assert not any(word in str(error.value) for word in ("Ann", "Bob", "HIV", "flu", "1970"))


def test_a_wrong_size_is_not_repeated(tmp_path):
    file = tmp_path / "wrong.csv"
    file.write_text("region,size\nnorth,Ann Smith\n")
    rules = listed("a") | {"sizes": {"file": str(file)}, "table": [{"columns": ["region"]}]}
    with refuses(DataError, "size-of-at-least-1") as error:
        judge(rules, file)
    assert "Ann" not in str(error.value)


def test_a_table_beyond_the_longest_is_refused_and_not_cut(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("list,n\na,*\nb,12\n")
    os.truncate(file, 10**8 + 1)
    with refuses(DataError, "at-most-characters-more: 100,000,000"):
        judge(listed("ab"), file)


def sums(folder, rows, total):
    (folder / "firms.csv").write_text(
        "region;contributor;value;low;high\n" + "\n".join(rows), "utf-8"
    )
    (folder / "t.csv").write_text(f"region;sum\nn;{total}\n", "utf-8")
    return judge_values(
        {
            "table": [{"columns": ["region"], "sum": "sum"}],
            "values": {"file": str(folder / "firms.csv")},
            "rule": {"steps": [{"p_percent": 0.1}]},
        },
        folder / "t.csv",
    )


@pytest.mark.parametrize("high", ["12,5", "1 2", "1,25", "0012,5", "1,2345", "1,,000", "1,000,00"])
def test_a_decimal_comma_is_none_between_thousands(tmp_path, high):
    """A bound of 12.5 was read as 125: the attackers' interval became ten times as wide."""
    with refuses(DataError, "whole-numbers-of-at-least-0"):
        sums(tmp_path, [f"n;A;9;0;{high}", "n;B;7;0;9", "n;C;5;0;9"], 21)
    assert sums(tmp_path, ["n;A;9;0;1,250", "n;B;7;0;9", "n;C;5;0;9"], 21).worst.upper == 16


SPELLED_TWICE = pytest.mark.parametrize(
    "names",
    [("Adler", "ADLER"), ("Adler AG", "Adler  AG"), ("Adler AG", "AdlerAG"), ("\u212b", "\u00c5"),
     ("Adler", "\uff21dler"), ("Stra\u00dfe", "STRASSE"), ("\u00e9", "e\u0301")],
)  # fmt: skip


@SPELLED_TWICE
def test_a_contributor_under_two_spellings_is_asked_for(tmp_path, names):
    """They would be two, and each know the values of one only."""
    rows = [f"n;{names[0]};9;0;20", f"m;{names[1]};7;0;20", "n;C;5;0;20"]
    with refuses(DataError, "one-spelling-of-each") as error:
        sums(tmp_path, rows, 14)
    assert not any(name in str(error.value) for name in names)


@SPELLED_TWICE
def test_a_person_under_two_spellings_is_asked_for(tmp_path, monkeypatch, names):
    """On two lists they were two people, so that a difference of one person was none."""
    others = [f"p{n}" for n in range(11)]
    lists = [
        {"name": "1", "members": [*others, names[0], "t"]},
        {"name": "2", "members": [*others, names[1]]},
    ]
    rules = {"rule": RULE, "adversary": {"prior": [0.5, 0.5]}}
    with refuses(PlanError, "one-spelling-of-each") as error:
        judge(rules | {"list": lists, "table": [{"lists": ["1"]}, {"lists": ["2"]}]}, {}, {})
    assert not any(name in str(error.value) for name in names)
    place = tmp_path / "b.book"
    book.new(place)
    first, second = (rules | {"list": [e], "table": [{"lists": [e["name"]]}]} for e in lists)
    book.add(place, first, {"1": 10}, name="first", published="2024-01-01")
    with refuses(PlanError, "one-spelling-of-each"):
        judge(second, {"2": 9}, book=place)
    # A book of a version that did not look: it is told how to go on, and by which edition.
    with monkeypatch.context() as patch:
        patch.setattr("deniable.rules.book.merging.has_two_spellings", lambda _: False)
        book.add(place, second, {"2": 9}, name="second", published="2025-01-01")
    with refuses(PlanError, "edition-begin-another-book: second") as error:
        judge(first, {"1": 10}, book=place)
    assert not any(name in str(error.value) for name in names)


@pytest.mark.parametrize("is_named_first", [False, True])
def test_named_people_beside_lists_of_a_size_say_whom_they_follow(tmp_path, is_named_first):
    """Under another name, last year's list and one joiner were taken for strangers."""
    place = tmp_path / "b.book"
    book.new(place)
    named = {"name": "clinic", "members": [f"p{n}" for n in range(12)]}
    sized = {"name": "north", "size": 11}
    first, second = (named, sized) if is_named_first else (sized, named)
    rules = [
        {"list": [each], "table": [{"lists": [each["name"]]}], "rule": RULE,
         "adversary": {"prior": [0.5, 0.5]}}
        for each in (first, second)
    ]  # fmt: skip
    book.add(place, rules[0], {first["name"]: 10}, name="1", published="2024-01-01")
    with refuses(PlanError, "list-of-book-it-follows"):
        judge(rules[1], {second["name"]: 9}, book=place)
    rules[1]["list"][0]["follows"] = False
    assert not judge(rules[1], {second["name"]: 9}, book=place).is_refused
