"""Whatever `repair` says is met is met after every joint output, by `judge` and by enumeration."""

import itertools
from fractions import Fraction

import pytest

from deniable.errors import DataError, NotApplicable
from deniable.rules import CellKey, Hide, RandomRound, Round, Rule, Top, judge, repair
from deniable.rules.book.change import ListedPeople
from deniable.rules.files import CountedTable, RulesFile
from deniable.rules.worlds import Priors, Sample
from tests.cases.effort import usual
from tests.cases.refusals import refuses
from tests.cases.repaired_rules import beliefs, wrong_verdicts


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_every_verdict_is_that_of_enumeration_and_of_judge(first):
    """`python -m tests.cases.repaired_rules 1000` goes on from here."""
    cases = range(first, first + usual(8, 50))
    assert {seed: wrong for seed in cases if (wrong := wrong_verdicts(seed))} == {}


def sampled(sizes, n, population, rule, most):
    lists = tuple(ListedPeople(f"l{i}", size) for i, size in enumerate(sizes))
    table = CountedTable("t", tuple(each.name for each in lists))
    who = Sample(n, population)
    return RulesFile(lists, (table,), rule, None, who, Fraction(most), None, None)


@pytest.mark.parametrize(
    ("rules", "highest"),
    [
        (sampled([4, 16], 10, 20, Rule((Hide(1, 7),)), "3/4"), None),
        (sampled([8, 12], 10, 20, Rule((Hide(1, 10),)), "3/4"), Fraction(10, 12)),
        (sampled([12, 12], 12, 24, Rule((Round(5),)), "3/4"), None),
        (sampled([6, 6], 6, 12, Rule((Top(3),)), "39/50"), Fraction(1)),
        (sampled([5, 7, 9], 8, 30, Rule((Hide(1, 4),)), "3/4"), None),
    ],
)
def test_lists_of_one_sample_are_judged_together(rules, highest):
    """Their counts add up to the sample, so that each number says something of every list."""
    option = next(each for each in repair(rules).options if each.change == "none")
    truth = max(entry[2] for entry in beliefs(rules))
    assert highest in (None, truth)
    assert option.is_met is (truth <= rules.max_posterior)
    assert option.highest == pytest.approx(float(truth), rel=1e-15)


def test_long_lists_of_one_sample_are_missed_or_undecided():
    """One list alone tells no more than all together: its verdict stands where it is "missed"."""
    many = sampled([12] * 6, 40, 100, Rule((Round(5),)), "3/4")
    option = next(each for each in repair(many).options if each.change == "none")
    assert (option.is_met, option.highest) == (False, 1.0)
    hidden = sampled([12] * 12, 20, 900, Rule((Hide(1, 12), Round(5)), "hidden"), "3/4")
    assert next(e for e in repair(hidden).options if e.change == "none").is_met is True
    coarse = sampled([12] * 8, 20, 900, Rule((Top(6),)), "3/4")
    assert next(e for e in repair(coarse).options if e.change == "none").is_met is None


def test_lists_longer_than_the_population_are_refused():
    with refuses(DataError, "at-most-n-people-together: 10 | 12"):
        repair(sampled([6, 6], 4, 10, Rule((Hide(1, 3),)), "3/4"))


UNSURE = CellKey({0: {0: Fraction(1, 2), 1: Fraction(1, 2)}, 1: {0: Fraction(1)}})


@pytest.mark.parametrize("sizes", [(2, 2), (1, 2, 3), (3, 3, 1)])
def test_lists_of_which_nobody_is_counted_share_one_draw_of_noise(sizes):
    """Two different numbers say that not both lists are empty: judged exactly, and repaired so."""
    lists = tuple(ListedPeople(f"l{i}", size) for i, size in enumerate(sizes))
    table = CountedTable("t", tuple(each.name for each in lists))
    priors = Priors(Fraction(1, 2), Fraction(1, 2))
    rule = Rule((UNSURE, Top(1)))
    rules = RulesFile(lists, (table,), rule, None, priors, Fraction(3, 5), None, None)
    entries = beliefs(rules)
    option = next(each for each in repair(rules).options if each.change == "none")
    assert option.highest == pytest.approx(float(max(entry[2] for entry in entries)), rel=1e-15)
    for output in {entry[0] for entry in entries}:
        answer = judge(rules, dict(zip(table.lists, output, strict=True)))
        truth = {entry[1]: entry[2] for entry in entries if entry[0] == output}
        assert {e.lists: e.highest.upper for e in answer.beliefs} == {
            (f"l{place}",): belief for place, belief in truth.items()
        }


def test_what_judge_refuses_is_not_repaired():
    rules = sampled([3, 3], 2, 8, Rule((UNSURE, RandomRound(3))), "3/4")
    with refuses(NotApplicable, "without-other-steps-with-chance"):
        repair(rules)


@pytest.mark.parametrize(("total", "lists"), list(itertools.product(["none", "shown"], [2, 3])))
def test_tables_with_further_hidden_cells_are_undecided(total, lists):
    """Which cells are hidden besides may tell anything; only what the rule hides is judged."""
    listed = tuple(ListedPeople(f"l{i}", 6) for i in range(lists))
    table = CountedTable("t", tuple(each.name for each in listed), total, secondary=True)
    priors = Priors(Fraction(1, 2), Fraction(1, 2))
    rules = RulesFile(
        listed, (table,), Rule((Hide(1, 6),)), None, priors, Fraction(3, 5), None, None
    )
    verdicts = {e.tables: e.is_met for e in repair(rules).options if e.change == "none"}
    assert verdicts == {"as they are": None, "no further cells hidden": True}
