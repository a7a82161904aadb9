"""What tables that are published let anybody infer: figures of rules.md, and bad input."""

import itertools
import math
from fractions import Fraction

import pytest

from deniable.errors import DataError, InconsistentTables, NotApplicable, PlanError
from deniable.rules import Round, Rule, judge, preset
from deniable.rules.files import read_rules
from deniable.rules.relations import KeyedSum, Relations, Sum, alternatives, sure, weights
from tests.cases.refusals import refuses

ASSUMED = "An adversary who knows whether all others are counted may learn it"
REDACT = [{"hide": [1, 7]}, {"round": 5}]


def rules(lists, tables, steps, prior=(0.5, 0.5), sample=None, **more):
    """Lists by size or members, and tables by their lists and how totals were made."""
    people = [
        {"name": name, "size" if isinstance(value, int) else "members": value}
        for name, value in lists.items()
    ]
    who = {"prior": list(prior)} if sample is None else {"sample": sample}
    rule = {"steps": steps} | ({"zero": more.pop("zero")} if "zero" in more else {})
    return {"list": people, "table": tables, "rule": rule, "adversary": who} | more


def belief(answer, *lists):
    """The belief in members on exactly these lists, which is one number."""
    (each,) = [each for each in answer.beliefs if each.lists == lists]
    assert each.evidence == "exact"
    assert each.lowest.lower == each.highest.upper
    return each.highest.upper


SIX = rules({"a": 6, "b": 6}, [{"lists": ["a", "b"], "total": "independent"}], [{"round": 5}])


def test_a_total_that_is_rounded_by_itself_may_make_certain():
    """rules.md, case 5."""
    assert belief(judge(SIX, {"a": 5, "b": 0, "total": 10}), "a") == 1
    assert belief(judge(SIX, {"a": 5, "b": 5, "total": 10}), "a") == Fraction(271, 382)
    alone = rules({"a": 6, "b": 6}, [{"lists": ["a", "b"]}], [{"round": 5}])
    most = [belief(judge(alone, {"a": y, "b": 0}), "a") for y in (0, 5)]
    assert max(most) == Fraction(13, 21)


def test_tables_that_the_rules_cannot_have_made_name_their_rows():
    with refuses(InconsistentTables, "number-at-total"):
        judge(SIX, {"a": 0, "b": 0, "total": 10})
    with refuses(InconsistentTables, "total-from-0-to-12"):
        judge(SIX, {"a": 5, "b": 5, "total": 15})  # as the reference has it
    with refuses(InconsistentTables, "number-from-0-to-6"):
        judge(SIX, {"a": 5, "b": 3, "total": 5})


def test_a_count_is_hidden_first_and_known_then():
    """rules.md, case 6, and the chance that the first is hidden and known."""
    tables = [{"lists": ["a", "b"], "total": "exact"}]
    six_and_eight = rules({"a": 6, "b": 8}, tables, [{"hide": [1, 4]}])
    answer = judge(six_and_eight, {"a": "*", "b": 8, "total": 12})
    assert belief(answer, "a") == Fraction(2, 3)
    assert [each.as_json()["lower"] for each in answer.feasible] == [4, 8, 12]
    known = {True: Fraction(0), False: Fraction(0)}
    for x, y in itertools.product(range(7), range(9)):
        shown = {"a": "*" if 1 <= x <= 4 else x, "b": "*" if 1 <= y <= 4 else y, "total": x + y}
        first = judge(six_and_eight, shown).feasible[0]
        if first.cell.published == "*" and first.interval.lower == first.interval.upper:
            known[shown["b"] == "*"] += Fraction(math.comb(6, x) * math.comb(8, y), 2**14)
    assert known[False] == Fraction(329, 1024)
    # Besides, totals of 2 and of 8 tell what both hidden cells are: 1 and 1, 4 and 4.
    assert known[True] == Fraction(6 * 8 + 15 * 70, 2**14)


PEOPLE = [f"p{i:02}" for i in range(12)]
DIFFERENCED = {"all": PEOPLE, "less": PEOPLE[1:]}
TWO = [{"lists": ["all"]}, {"lists": ["less"]}]


@pytest.mark.parametrize(
    ("steps", "known_in", "known_out"),
    [
        (REDACT, Fraction(331, 4096), Fraction(1, 4096)),
        ([{"round": 5}], Fraction(385, 4096), Fraction(0)),
    ],
)
def test_two_tables_one_patient(steps, known_in, known_out):
    """rules.md, case 7: 12 people, and the same without one of them."""
    asked = rules(DIFFERENCED, TWO, steps)
    publish = preset("opensafely") if len(steps) == 2 else _nearest(5)
    chances = {True: Fraction(0), False: Fraction(0)}
    for x, is_in in itertools.product(range(12), (False, True)):
        marks = [next(iter(publish.publish(count))) for count in (x + is_in, x)]
        answer = judge(asked, {"all": marks[0]}, {"less": marks[1]})
        for each in answer.certain:
            if each.people == 1:
                chances[each.is_in] += Fraction(math.comb(11, x), 2**12)
    assert chances == {True: known_in, False: known_out}


def _nearest(base):
    return Rule((Round(base),))


def test_random_rounding_of_two_tables_is_never_certain():
    asked = rules(DIFFERENCED, TWO, [{"random": 3}])
    beliefs = {}
    for marks in itertools.product(range(0, 13, 3), repeat=2):
        try:
            answer = judge(asked, {"all": marks[0]}, {"less": marks[1]})
        except InconsistentTables:
            continue
        beliefs[marks] = belief(answer, "all")
    most = max(beliefs, key=beliefs.get)
    assert (most, beliefs[most]) == ((12, 9), Fraction(53, 59))
    assert min(beliefs.values()) > 0


def test_the_same_table_drawn_anew_three_times():
    """rules.md, case 4: three reruns without fixed seeds, all 12."""
    again = rules({"a": 12}, [{"lists": ["a"]}] * 3, [{"random": 3}])
    assert belief(judge(again, {"a": 12}, {"a": 12}, {"a": 12}), "a") == Fraction(170, 189)


def test_a_cell_key_proves_who_makes_a_difference(tmp_path):
    """rules.md, case 8: the same people get the same noise, one more gets other noise."""
    file = tmp_path / "p.csv"
    row = {-2: 0.1, -1: 0.2, 0: 0.4, 1: 0.2, 2: 0.1}
    lines = [f"{count},0,1" for count in range(3)] + [f"3,{n},{p}" for n, p in row.items()]
    file.write_text("\n".join(["count,noise,probability", *lines]), encoding="utf-8")
    asked = rules(DIFFERENCED, TWO, [{"cell_key": str(file)}])
    different = judge(asked, {"all": 6}, {"less": 7})
    assert belief(different, "all") == 1
    assert [(each.people, each.is_in) for each in different.certain] == [(1, True)]
    same = judge(asked, {"all": 6}, {"less": 6})
    assert 0 < belief(same, "all") < Fraction(1, 2)
    with refuses(InconsistentTables, "set-one-number"):
        judge(
            rules({"a": 9}, [{"lists": ["a"]}] * 2, [{"cell_key": str(file)}]), {"a": 5}, {"a": 6}
        )


def test_a_cell_key_given_the_others_count(tmp_path):
    """Case 8 itself: same numbers leave 1/6, and come in 3 of 5 cases."""
    file = tmp_path / "p.csv"
    row = {-2: 0.1, -1: 0.2, 0: 0.4, 1: 0.2, 2: 0.1}
    lines = [f"{count},0,1" for count in range(3)] + [f"3,{n},{p}" for n, p in row.items()]
    file.write_text("\n".join(["count,noise,probability", *lines]), encoding="utf-8")
    # P(same | in) = Σ p(d) p(d + 1) and P(same | out) = 1 by the package's own cases.
    rule = read_rules(rules({"a": 9}, [], [{"cell_key": str(file)}])).rule
    same = {0: Fraction(0), 1: Fraction(0)}
    for mark in range(13):
        runs = [rule.column(mark, members=size).runs for size in (10, 9)]
        if not all(runs):
            continue
        keyed = (KeyedSum((0, 1), runs[0], mark), KeyedSum((1,), runs[1], mark))
        for case in alternatives(Relations((1, 9), (Sum((1,), sure(5, 5)),), keyed)):
            for t in same:
                values = [sum((t, 5)[atom] for atom in each.atoms) for each in case.sums]
                chance = Fraction(1)
                for each, value in zip(case.sums, values, strict=True):
                    chance *= weights(each.runs, value, value)[0]
                same[t] += chance
    assert same == {0: 1, 1: Fraction(1, 5)}
    assert same[1] / (same[0] + same[1]) == Fraction(1, 6)
    assert (1 - same[1]) / 2 == Fraction(2, 5)


def test_a_sample_of_known_size():
    """rules.md, case 9: 10 of 20, in cells of 8 and 12."""
    tables = [{"lists": ["a", "b"]}]
    asked = rules({"a": 8, "b": 12}, tables, [{"round": 5}], sample={"n": 10, "N": 20})
    assert belief(judge(asked, {"a": 10, "b": 0}), "a") == 1
    assert belief(judge(asked, {"a": 0, "b": 10}), "a") == Fraction(335, 1426)
    with refuses(PlanError, "at-most-n-people-together: 19"):
        judge(
            rules({"a": 8, "b": 12}, tables, [{"round": 5}], sample={"n": 9, "N": 19}),
            {"a": 10, "b": 0},
        )


def test_one_list_over_a_range_of_priors():
    """rules.md, cases 2 and 1: the target at one bound of the range, all others at the other."""
    asked = rules({"a": 9}, [{"lists": ["a"]}], REDACT, prior=("1/20", "1/2"))
    (each,) = judge(asked, {"a": 10}).beliefs
    assert each.highest.upper == Fraction(153, 154)
    hidden = judge(rules({"a": 12}, [{"lists": ["a"]}], REDACT), {"a": "*"})
    assert belief(hidden, "a") == Fraction(1486, 3301)
    assert [
        each.is_in for each in judge(rules({"a": 12}, [{"lists": ["a"]}], REDACT), {"a": 0}).certain
    ] == [False]


def test_crossed_margins_are_followed_cell_by_cell():
    """Equal to all 2 × 2 tables with these margins, each weighed by how often it occurs."""
    lists = {"a": 5, "b": 4, "c": 3, "d": 6}
    asked = {
        "list": [{"name": n, "size": lists[n]} for n in "abcd"]
        + [{"name": "".join(s), "parts": list(s)} for s in ("ab", "cd", "ac", "bd")],
        "table": [
            {"lists": ["a", "b", "c", "d"]},
            {"lists": ["ab", "cd"]},
            {"lists": ["ac", "bd"]},
        ],
        "rule": {"steps": [{"round": 4}]},
        "adversary": {"prior": [0.25, 0.25]},
    }
    rule = _nearest(4)
    counts = (3, 1, 2, 4)
    marks = {n: rule.steps[0].value(x) for n, x in zip("abcd", counts, strict=True)}
    sums = {"ab": 4, "cd": 6, "ac": 5, "bd": 5}
    published = {name: rule.steps[0].value(count) for name, count in sums.items()}
    answer = judge(
        asked,
        marks,
        {n: published[n] for n in ("ab", "cd")},
        {n: published[n] for n in ("ac", "bd")},
    )
    weight, within = Fraction(0), dict.fromkeys("abcd", Fraction(0))
    for table in itertools.product(range(6), range(5), range(4), range(7)):
        x = dict(zip("abcd", table, strict=True))
        shown = {n: rule.steps[0].value(c) for n, c in x.items()}
        of_sums = {n: rule.steps[0].value(sum(x[part] for part in n)) for n in published}
        if shown == marks and of_sums == published:
            chance = Fraction(1)
            for n in "abcd":
                chance *= (
                    math.comb(lists[n], x[n])
                    * Fraction(1, 4) ** x[n]
                    * Fraction(3, 4) ** (lists[n] - x[n])
                )
            weight += chance
            for n in "abcd":
                within[n] += chance * Fraction(x[n], lists[n])
    for n in "abcd":
        (each,) = [each for each in answer.beliefs if each.lists == (n,)]
        assert each.highest.upper == each.lowest.lower == within[n] / weight


def test_what_is_too_much_work_is_bounded_outwards():
    """A crossing of 7 by 7 lists of 40: the bound holds L/m and U/m, and says what it is."""
    names = [[f"{i}-{j}" for j in range(7)] for i in range(7)]
    everything = [name for row in names for name in row]
    columns = [[row[j] for row in names] for j in range(7)]
    asked = {
        "list": [{"name": name, "size": 40} for name in everything]
        + [{"name": f"r{i}", "parts": row} for i, row in enumerate(names)]
        + [{"name": f"c{j}", "parts": column} for j, column in enumerate(columns)],
        "table": [
            {"lists": [f"r{i}" for i in range(7)]},
            {"lists": [f"c{j}" for j in range(7)]},
        ],
        "rule": {"steps": [{"round": 5}]},
        "adversary": {"prior": [0.5, 0.5]},
        "target": {"max_posterior": 0.75},
    }
    rows, columns_ = {f"r{i}": 140 for i in range(7)}, {f"c{j}": 140 for j in range(7)}
    answer = judge(asked, rows, columns_)
    assert {each.evidence for each in answer.beliefs} == {"outward"}
    assert (answer.beliefs[0].lowest.lower, answer.beliefs[0].highest.upper) == (0, 1)
    assert answer.is_met is None
    assert answer.as_json()["target"]["verdict"] == "undecided"


def test_totals_of_shown_cells_say_nothing_and_must_add_up():
    asked = rules({"a": 9, "b": 20}, [{"lists": ["a", "b"], "total": "shown"}], REDACT)
    alone = rules({"a": 9, "b": 20}, [{"lists": ["a", "b"]}], REDACT)
    with_total = judge(asked, {"a": "*", "b": 15, "total": 15})
    assert with_total.beliefs == judge(alone, {"a": "*", "b": 15}).beliefs
    with refuses(InconsistentTables, "cells-that-are-shown: 15 | 20"):
        judge(asked, {"a": "*", "b": 15, "total": 20})


def test_without_an_adversary_only_what_is_possible():
    asked = rules({"a": 9}, [{"lists": ["a"]}], REDACT)
    del asked["adversary"]
    answer = judge(asked, {"a": 10})
    assert answer.beliefs == ()
    assert answer.worst is None
    assert "prior" not in answer.as_json()
    assert answer.as_json()["feasible"] == [
        {"table": "table 1", "cell": "a", "published": 10, "lower": 8, "upper": 9,
         "proof": "integers"}
    ]  # fmt: skip


def test_an_answer_says_what_it_rests_on_and_shows_no_person():
    answer = judge(rules(DIFFERENCED, TWO, REDACT), {"all": 10}, {"less": "*"})
    assert any(ASSUMED in each for each in answer.assumes)
    assert "p00" not in str(answer.as_json())
    assert answer.as_json()["certain"] == [
        {"list": "in all only", "in": True, "people": 1, "proof": "integers"}
    ]
    (few,) = answer.as_json()["differences"]
    assert (few["people"], few["certain"], few["count_is_known"]) == (1, "in", True)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"a": -1, "b": 5}, "at-least-0-1-table"),
        ({"a": "<8", "b": 5}, "whole-number-or-without-separators"),
        ({"a": "", "b": 5}, "whole-number-or-without-separators"),
        ({"a": "1,000", "b": 5}, "whole-number-or-without-separators"),
        ({"a": 1.5, "b": 5}, "whole-number-or-without-separators"),
        ({"a": 5}, "row-for-each-list-none: b"),
        ({"a": 5, "b": 5, "c": 5}, "list-of-table-another-name"),
        ({"a": 5, "b": 5, "total": 10}, "total-how-it-was-made: no | one"),
    ],
)
def test_a_table_that_cannot_be_read(table, message):
    asked = rules({"a": 9, "b": 9}, [{"lists": ["a", "b"]}], [{"round": 5}])
    with refuses(DataError, message):
        judge(asked, table)


def test_files_are_read_by_name_or_in_order(tmp_path):
    (tmp_path / "north.csv").write_text("list;count\na;5\nb;*\nTotal;9\n", encoding="utf-8-sig")
    (tmp_path / "south.csv").write_text("c\t7.0\n", encoding="utf-8")
    asked = rules(
        {"a": 9, "b": 9, "c": 9},
        [
            {"name": "south", "lists": ["c"]},
            {"name": "north", "lists": ["a", "b"], "total": "exact"},
        ],
        [{"hide": [1, 4]}],
    )
    answer = judge(asked, tmp_path / "north.csv", tmp_path / "south.csv")
    shown = [(e.cell.table, e.cell.name, e.interval.lower) for e in answer.feasible]
    assert shown == [
        ("north", "a", 5), ("north", "b", 4), ("north", "total", 9), ("south", "c", 7)
    ]  # fmt: skip
    with refuses(DataError, "file-for-each"):
        judge(asked, tmp_path / "north.csv")


def test_a_grid_with_margins(tmp_path):
    file = tmp_path / "grid.csv"
    file.write_text("ward,men,women,total\nA,*,12,15\nB,9,*,11\ntotal,12,14,26\n", encoding="utf-8")
    lists = {"A men": 20, "A women": 20, "B men": 20, "B women": 20}
    asked = rules(lists, [{"lists": list(lists), "total": "exact"}], [{"hide": [1, 4]}])
    answer = judge(asked, file)
    counts = {each.cell.name: each.interval.lower for each in answer.feasible}
    assert (counts["A men"], counts["B women"], counts["total of women"]) == (3, 2, 14)
    file.write_text("ward,men,women\nA,*,12\n", encoding="utf-8")
    with refuses(DataError, "as-many-cells-as-table: 4 | 1 | 2"):
        judge(asked, file)


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ([{"name": "a", "parts": ["a"]}], "itself-rules"),
        ([{"name": "a", "parts": ["b"]}], "names-of-lists: 'b'"),
        ([{"name": "a", "size": 4, "parts": ["b"]}], "exactly-one-of-size-members"),
    ],
)
def test_lists_that_are_made_of_others(lists, message):
    with refuses(PlanError, message):
        judge({"list": lists, "rule": {"steps": [{"round": 5}]}}, {"a": 5})


def test_a_total_over_lists_that_share_people():
    asked = rules({"a": PEOPLE, "b": PEOPLE[:3]}, [{"lists": ["a", "b"], "total": "exact"}], REDACT)
    with refuses(DataError, "that-share-nobody"):
        judge(asked, {"a": 10, "b": "*", "total": 12})


def test_cell_keys_beside_other_chance_are_not_judged(tmp_path):
    file = tmp_path / "p.csv"
    file.write_text("count,noise,probability\n1,0,1\n", encoding="utf-8")
    asked = rules({"a": 9}, [{"lists": ["a"]}], [{"cell_key": str(file)}, {"random": 3}])
    with refuses(NotApplicable, "without-other-steps-with-chance"):
        judge(asked, {"a": 9})
