"""Rules as values: what they publish, and what they refuse."""

from fractions import Fraction

import pytest

from deniable.errors import InvalidArgument
from deniable.rules import (
    Barnardise,
    Bottom,
    CellKey,
    Dominance,
    Hide,
    Midpoint,
    Noise,
    PPercent,
    RandomRound,
    Round,
    RoundDown,
    Rule,
    Top,
    preset,
)
from deniable.rules.rule import PRESETS
from tests.cases.refusals import refuses

F = Fraction


def shown(rule, counts):
    """What a rule without chance publishes."""
    published = [list(rule.publish(count)) for count in counts]
    assert all(len(marks) == 1 for marks in published)
    return [mark for (mark,) in published]


@pytest.mark.parametrize(
    ("rule", "counts", "marks"),
    [
        (Rule([Hide(1, 7), Round(5)]), [0, 1, 7, 8, 12, 13], [0, "*", "*", 10, 10, 15]),
        (Rule([Round(5), Hide(1, 7)]), [0, 2, 3, 7, 8], [0, 0, "*", "*", 10]),
        (Rule([Hide(1, 7), Round(5)], "hidden"), [0, 7, 8], ["*", "*", 10]),
        (Rule([Hide(1, 7), Round(5)], "merged"), [0, 7, 8], [0, 0, 10]),
        (Rule([Round(5)], "hidden"), [0, 2, 3], ["*", "*", 5]),
        (Rule([Hide(0, 4)]), [0, 4, 5], ["*", "*", 5]),
        (Rule([Round(10)]), [5, 15, 25], [10, 20, 30]),
        (Rule([Round(10, "down")]), [5, 15, 25], [0, 10, 20]),
        (Rule([Round(10, "even")]), [5, 15, 25], [0, 20, 20]),
        (Rule([RoundDown(5)]), [4, 5, 9], [0, 5, 5]),
        (Rule([Midpoint(6)]), [0, 1, 6, 7, 12], [0, 3, 3, 9, 9]),
        (Rule([Midpoint(5)]), [1, 5, 6], [3, 3, 8]),
        (Rule([Top(20)]), [19, 20, 21], [19, 20, 20]),
        (Rule([Bottom(5)]), [0, 5, 6], [5, 5, 6]),
        (Rule([]), [0, 3], [0, 3]),
    ],
)
def test_what_is_published(rule, counts, marks):
    assert shown(rule, counts) == marks


def test_the_order_of_steps_is_part_of_the_rule():
    """EHDEN/CatalogueExport#37: rounded before the threshold, which then hid nothing."""
    assert preset("opensafely").support(10, members=100) == ((8, 12),)
    assert Rule([Round(5), Hide(1, 4)]).column("*", members=100).runs == ()


@pytest.mark.parametrize(
    ("rule", "mark", "windows"),
    [
        (preset("opensafely"), "*", ((1, 7),)),
        (preset("ehrql"), 0, ((0, 7),)),
        (preset("acro"), "*", ((0, 9),)),
        (Rule([Hide(0, 2), Hide(4, 6)]), "*", ((0, 2), (4, 6))),
        (Rule([Top(20)]), 20, ((20, 10**6),)),
        (preset("rr3"), 999_999, ((999_997, 10**6),)),
        (preset("midpoint6"), 3, ((1, 6),)),
    ],
)
def test_the_counts_behind_a_mark_of_a_list_of_a_million(rule, mark, windows):
    assert rule.support(mark, members=10**6) == windows


@pytest.mark.parametrize("mark", [8, 3, -5, "c", 105])
def test_a_mark_that_the_rule_cannot_give_is_named(mark):
    with refuses(InvalidArgument, f"can-publish-for-count: {mark!r}"):
        Rule([Hide(1, 7), Round(5)]).support(mark, members=100)


def test_steps_with_chance():
    assert RandomRound(3).law(4) == ((3, F(2, 3)), (6, F(1, 3)))
    assert RandomRound(3).law(6) == ((6, F(1)),)
    assert Barnardise(0.25).law(0) == ((0, F(1)),)
    assert Barnardise(0.25).law(1) == ((0, F(1, 4)), (1, F(1, 2)), (2, F(1, 4)))
    coin = {-1: 0.5, 1: 0.5}
    assert Noise(coin, "shown").law(0) == ((-1, F(1, 2)), (1, F(1, 2)))
    assert Noise(coin, "zero").law(0) == ((0, F(1, 2)), (1, F(1, 2)))
    assert Noise(coin, "redrawn").law(0) == ((1, F(1)),)
    table = CellKey({1: {0: 1}, 2: coin})
    assert [dict(table.law(count)) for count in (0, 1, 2, 9)] == [
        {0: 1}, {1: 1}, {1: F(1, 2), 3: F(1, 2)}, {8: F(1, 2), 10: F(1, 2)},
    ]  # fmt: skip


def test_a_float_is_the_decimal_that_it_prints():
    assert sum(Noise({-2: 0.1, -1: 0.2, 0: 0.4, 1: 0.2, 2: 0.1}).law_of_noise.values()) == 1
    assert Barnardise("1/3").probability == F(1, 3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Hide(7, 1), "ends-of-hide-in-order"),
        (lambda: Hide(-1, 3), "below-least: _ | 0"),
        (lambda: Round(0), "below-least: base | 1"),
        (lambda: Round(2.5), "not-whole"),
        (lambda: Round(10, "odd"), "not-one-of: _ | up, down, even"),
        (lambda: Rule([5]), "steps-of-rule"),
        (lambda: Rule([], "gone"), "not-one-of: _ | shown, hidden, merged"),
        (lambda: Barnardise(0.6), "at-most-1-2"),
        (lambda: Barnardise("a half"), "not-a-number"),
        (lambda: Noise({}), "whole-numbers-with-probabilities"),
        (lambda: Noise({0: 0.5}), "add-up-to-1"),
        (lambda: Noise({0: 1.5, 1: -0.5}), "0-at-most-probability-at-most-1"),
        (lambda: Noise({-1: 1}, "redrawn"), "0-or-above"),
        (lambda: CellKey({0: {0: 1}, 2: {0: 1}}), "none-for-p-table: 1"),
        (lambda: CellKey({1: {-2: 1}}), "results-below-0"),
        (lambda: preset("cmss"), "did-you-mean: cms"),
        (lambda: Dominance(2, 1.5), "share-from-0-to-1"),
        (lambda: PPercent(0.1, 0), "below-least: _ | 1"),
        (lambda: PPercent(0), "p-above-0"),
        (lambda: PPercent(0.1).hides([1, -1]), "values-at-least-0-one"),
    ],
)
def test_what_cannot_be_a_rule_is_refused(make, message):
    with refuses(InvalidArgument, message):
        make()


def test_policies_say_where_they_are_from():
    assert set(PRESETS) == {
        "opensafely", "ehrql", "cms", "all-of-us", "acro", "rr3", "midpoint6"
    }  # fmt: skip
    assert all(each.source and each.date for each in PRESETS.values())
    assert shown(preset("cms"), [0, 1, 10, 11]) == [0, "*", "*", 11]
    assert shown(preset("all-of-us"), [0, 20, 21]) == [0, "*", 21]
    assert shown(preset("acro"), [0, 9, 10]) == ["*", "*", 10]


def test_rules_for_sums():
    assert Dominance(1, 0.5).hides([51, 49])
    assert not Dominance(1, 0.5).hides([50, 50])
    assert PPercent(0.1).hides([100, 50])
    assert not PPercent(0.1).hides([100, 50, 10])
    assert PPercent(0.1).hides([0.3, 0.1, 0.02])  # 0.02 < 0.03
    assert not PPercent(0.1).hides([0.3, 0.1, 0.03])  # equal, in decimals
