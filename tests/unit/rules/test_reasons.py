"""Why a target is missed, and the repair, compared with enumeration."""

from fractions import Fraction

import pytest

from deniable.rules import judge
from deniable.rules.reasons import combination
from tests.cases.effort import usual
from tests.cases.printed_reasons import wrong_statements


@pytest.mark.parametrize("first", [0, 1000])
def test_reasons_and_repairs_are_those_of_enumeration(first, tmp_path):
    """`python -m tests.cases.printed_reasons 0 1000` goes on from here."""
    seeds = range(first, first + usual(16, 300))
    assert {seed: wrong for seed in seeds if (wrong := wrong_statements(seed, tmp_path))} == {}


CROSSED = {
    "list": [
        {"name": name, "size": size} for name, size in zip("abcd", (3, 20, 25, 30), strict=True)
    ],
    "table": [{"lists": list("abcd"), "total": "exact"}],
    "rule": {"steps": [{"hide": [1, 4]}]},
    "adversary": {"prior": [0.3, 0.3]},
    "target": {"max_posterior": 0.9},
}
GRID = ",x,y,total\np,*,12,15\nq,9,11,20\ntotal,12,23,35\n"


@pytest.fixture(name="answer")
def judged_grid(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text(GRID, "utf-8")
    return judge(CROSSED, table)


def test_a_cell_that_subtraction_gives_away_is_written_as_a_subtraction(answer):
    because = answer.because
    assert because.lists == ("a",)
    assert [(cell.published, n) for cell, n in zip(because.cells, because.times, strict=True)] in (
        [(15, 1), (12, -1)], [(12, -1), (15, 1)],
    )  # fmt: skip
    assert (because.proof, because.interval.lower) == ("smallest", 3)
    assert "− " in because.text
    entry = answer.as_json()["because"]
    assert sum(each["published"] * each["times"] for each in entry["numbers"]) == 3


def test_three_more_numbers_have_to_go_where_rows_and_columns_add_up(answer):
    repair = answer.because.repair
    assert (repair.change, len(repair.cells), repair.is_met) == ("leave out", 3, True)
    assert repair.highest < 0.9


def test_a_target_that_is_met_has_no_reason():
    rules = {**CROSSED, "table": [{"lists": list("abcd")}], "target": {"max_posterior": 0.99}}
    answer = judge(rules, {"a": "*", "b": 12, "c": 9, "d": 11})
    assert answer.because is None
    assert "because" not in answer.as_json()


def test_a_further_cell_is_hidden_only_beside_one_that_the_rule_hides():
    """Alone, "*" would be taken for a small count."""
    rules = {
        "list": [{"name": "a", "size": 10}],
        "table": [{"lists": ["a"]}],
        "rule": {"steps": [{"hide": [1, 2]}]},
        "adversary": {"prior": [0.5, 0.5]},
        "target": {"max_posterior": 0.9},
    }
    assert judge(rules, {"a": 10}).because.repair.change == "leave out"


def test_one_more_hidden_cell_is_enough_where_its_range_is_wide():
    rules = {
        "list": [{"name": name, "size": 40} for name in "abc"],
        "table": [{"lists": list("abc"), "total": "exact"}],
        "rule": {"steps": [{"hide": [1, 3]}]},
        "adversary": {"prior": [0.3, 0.3]},
        "target": {"max_posterior": 0.6, "min_posterior": 0.06},
    }
    answer = judge(rules, {"a": "*", "b": 11, "c": 12, "total": 25})
    assert answer.because is not None
    assert not answer.because.is_high
    assert answer.because.repair is None or answer.because.repair.is_met is not False


@pytest.mark.parametrize(
    ("sets", "weights"),
    [([(0, 1), (1,)], [1, -1]), ([(0,)], [1]), ([(0, 1)], None),
     ([(0, 1), (0, 2), (1, 2)], [Fraction(1, 2), Fraction(1, 2), Fraction(-1, 2)])],
)  # fmt: skip
def test_sums_add_up_to_one_count(sets, weights):
    assert combination(sets, 0) == weights
