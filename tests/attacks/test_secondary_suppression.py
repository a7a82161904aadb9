"""Further hidden cells say no more than `judge` says, whatever usual way they were chosen."""

import math
from fractions import Fraction

import pytest

from deniable.rules import judge
from tests.cases.effort import usual
from tests.cases.suppressed_tables import wrong_statements


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_random_suppressed_tables_are_judged_as_by_enumeration(first):
    """`python -m tests.cases.suppressed_tables 1000` goes on from here."""
    cases = range(first, first + usual(30, 100))
    assert {seed: wrong for seed in cases if (wrong := wrong_statements(seed))} == {}


def two_cells(sizes, hide, total):
    return {
        "list": [{"name": name, "size": size} for name, size in zip("ab", sizes, strict=True)],
        "table": [{"lists": ["a", "b"], "total": total, "secondary": True}],
        "rule": {"steps": [{"hide": list(hide)}]},
        "adversary": {"prior": [0.5, 0.5]},
    }


@pytest.mark.parametrize(
    ("sizes", "total", "belief"),
    [((2, 8), 6, Fraction(9, 13)), ((1, 8), 6, Fraction(1)), ((5, 9), 4, None), ((7, 7), 9, None)],
)
def test_of_two_hidden_cells_the_rule_hides_one(sizes, total, belief):
    """Were neither small, neither would be hidden: that says something of both."""
    answer = judge(two_cells(sizes, (1, 3), "exact"), {"a": "*", "b": "*", "total": total})
    ways = {
        a: math.comb(sizes[0], a) * math.comb(sizes[1], total - a)
        for a in range(max(0, total - sizes[1]), min(sizes[0], total) + 1)
        if 1 <= a <= 3 or 1 <= total - a <= 3
    }
    mean = Fraction(sum(a * n for a, n in ways.items()), sizes[0] * sum(ways.values()))
    assert belief in (None, mean)
    (first,) = [each for each in answer.beliefs if each.lists == ("a",)]
    assert (first.highest.upper, first.evidence) == (mean, "exact")
    assert (answer.feasible[0].interval.lower, answer.feasible[0].interval.upper) == (
        min(ways), max(ways),
    )  # fmt: skip


def test_where_there_was_a_choice_beliefs_are_bounded_over_all_choices():
    """The smallest of the others was hidden, or the largest, or any: each says something else."""
    rules = {
        "list": [{"name": name, "size": 9} for name in "abc"],
        "table": [{"lists": ["a", "b", "c"], "total": "exact", "secondary": True}],
        "rule": {"steps": [{"hide": [1, 3]}]},
        "adversary": {"prior": [0.5, 0.5]},
    }
    answer = judge(rules, {"a": "*", "b": "*", "c": 8, "total": 14})
    assert {each.evidence for each in answer.beliefs if each.lists != ("c",)} == {"outward"}
    assert answer.worst.highest.upper == Fraction(8, 9)
    hidden = [each.highest.upper for each in answer.beliefs if each.lists in (("a",), ("b",))]
    assert hidden == [Fraction(6, 9)] * 2
