"""Rules on exact counts: what is said of them against going through everybody, in fractions.

All 10,000 cases of each kind are in benchmarks/rules_cases.py; these are the first of them.
"""

import random
from fractions import Fraction
from itertools import pairwise

import pytest

from deniable.rules import Hide, RandomRound, Round, Rule, design
from deniable.rules.beliefs import coefficients, largest_belief
from deniable.rules.rule import Channel
from deniable.rules.worlds import Priors, Sample, World, chance, chance_given_in
from tests.cases.effort import usual
from tests.cases.rules import PRIORS, Longer, differences, random_rule
from tests.oracles import rules as oracle


@pytest.mark.parametrize("seed", range(usual(40, 150)))
def test_beliefs_and_chances_are_those_of_going_through_everybody(seed):
    assert differences(random.Random(seed)) is None


@pytest.mark.parametrize("seed", range(100))
def test_a_column_is_what_each_count_is_published_as(seed):
    draw = random.Random(seed)
    members = draw.randrange(1, 20)
    rule, steps, zero = random_rule(draw, members)
    rows = [oracle.published(steps, zero, count) for count in range(members + 1)]
    assert [rule.publish(count) for count in range(members + 1)] == rows
    marks = {mark for row in rows for mark in row}
    assert set(rule.outputs(members)) == marks
    assert len(list(rule.outputs(members))) == len(marks)
    for mark in marks | {"*", 0, -1, 10**6}:
        column = rule.column(mark, members=members)
        weights = [row.get(mark, 0) for row in rows]
        assert [column.weight(count) for count in range(members + 1)] == weights
        inside = [count for low, high in column.windows for count in range(low, high + 1)]
        assert inside == [count for count, weight in enumerate(weights) if weight]
        if inside:
            without_gap = inside == list(range(inside[0], inside[-1] + 1))
            concave = all(
                weights[x] ** 2 >= weights[x - 1] * weights[x + 1] for x in range(1, members)
            )
            assert column.is_log_concave == (without_gap and concave)


LAWS = [
    (3000, Fraction(1, 2), Fraction(1, 2)),
    (2500, Fraction(1, 3), Fraction(1, 100)),
    (4000, Fraction(9, 10), Fraction(3, 7)),
]


@pytest.mark.parametrize("law", LAWS)
def test_what_is_enclosed_holds_the_truth(law):
    longer, draw = Longer(*law), random.Random(0)
    results = [longer.differences(draw) for _ in range(usual(14, 40))]
    assert [wrong for _, wrong in results if wrong] == []
    assert (
        sum("belief" in enclosed for enclosed, _ in results) > len(results) / 2
    )  # they do meet balls


@pytest.mark.parametrize("a", [Fraction(0), Fraction(1, 20), Fraction(2, 3), Fraction(1)])
@pytest.mark.parametrize("b", [Fraction(0), Fraction(1, 2), Fraction(1)])
def test_the_law_of_some_at_each_bound_is_that_of_going_through_them(a, b):
    for j in range(4):
        for k in range(4):
            law = oracle.count_law([a] * j + [b] * k)
            given = list(coefficients(a, j, b, k)) + [Fraction(0)] * (j + k + 1)
            scale = next(p / q for p, q in zip(law, given, strict=False) if p)
            assert law == [scale * each for each in given[: j + k + 1]]


@pytest.mark.parametrize("members", [1000, 3000])
def test_where_there_are_too_many_bounds_to_try_the_worst_is_enclosed(members):
    """Two windows: the belief after either alone is as much as the belief after both can be."""
    rule = Rule((Hide(members // 2 - 20, members // 2), Hide(members // 2 + 5, members // 2 + 9)))
    column = Channel(rule, members).column("*")
    priors = Priors(Fraction(2, 5), Fraction(3, 5))
    worst = largest_belief(column, priors)
    assert worst.lower <= worst.upper
    apart = [
        largest_belief(Channel(Rule((hidden,)), members).column("*"), priors)
        for hidden in rule.steps
    ]
    assert worst.upper == max(each.upper for each in apart)


def test_the_worst_prior_of_the_others_may_be_at_both_bounds():
    """rules.md, anchor 10: three or more at either bound and two at the other are worst."""
    column = Channel(Rule((Hide(0, 2), Hide(4, 6))), 6).column("*")
    worst = largest_belief(column, Priors(Fraction(1, 10), Fraction(9, 10)))
    odds = worst.lower / (1 - worst.lower) / 9  # of the mark alone: the target is at 9/10
    assert odds / (1 + odds) == Fraction(7983, 11638)
    assert worst.others == ((Fraction(1, 10), 2), (Fraction(9, 10), 3))


@pytest.mark.parametrize("seed", range(usual(20, 60)))
def test_no_priors_in_the_range_pass_a_limit_more_often_than_is_said(seed):
    """Others anywhere in the range, each by themselves, and the target too."""
    draw = random.Random(seed)
    members = draw.randrange(2, 7)
    rule, steps, zero = random_rule(draw, members + 2)
    low, high = sorted(draw.choices(PRIORS, k=2))
    limit, delta = draw.choice(PRIORS), Fraction(draw.randrange(1, 40), 200)
    size = design(rule, members=members, prior=(low, high), limit=limit, delta=delta).sizes[0]
    for _ in range(8):
        target, *others = [
            low + (high - low) * Fraction(draw.randrange(11), 10) for _ in range(members)
        ]
        law = oracle.count_law(others)
        beliefs = oracle.after_each_mark(steps, zero, members, target, law, law)
        inside, _ = oracle.passing(beliefs, limit, target)
        assert inside <= size.exceedance.probability.bound.upper
        assert oracle.least_passed(beliefs, delta) <= size.belief_except.bound.upper
        assert size.lowest.belief.bound.lower <= min(each for each, _, _ in beliefs.values())
        assert size.worst.belief.bound.upper >= max(each for each, _, _ in beliefs.values())


@pytest.mark.parametrize("members", [10**5, 10**6])
@pytest.mark.parametrize("rule", [[Round(10**7)], [Hide(1, 10**6), RandomRound(3)]])
def test_rules_that_publish_little_of_much_are_not_gone_through_count_by_count(members, rule):
    size = design(rule, members=members, prior=(0.5, 0.5), limit=0.75).sizes[0]
    assert size.worst.belief.bound.upper == pytest.approx(0.5, abs=1e-5)
    assert len(size.after) <= 2


@pytest.mark.parametrize("seed", range(60))
def test_sums_that_worlds_share_are_the_chances_one_by_one(seed):
    draw = random.Random(seed)
    members = draw.randint(1, 30)
    if draw.random() < 0.5:
        world = World(members, draw.choice(PRIORS), Fraction(draw.randint(0, 7), 7))
    else:
        population = members + draw.randint(0, 9)
        world = Sample(draw.randint(0, population), population).worst(members)
    bounds = sorted(draw.sample(range(members + 2), min(4, members + 1)))
    runs = tuple((low, high - 1, Fraction(draw.randint(1, 9), 9)) for low, high in pairwise(bounds))
    assert chance_given_in(world, runs) == chance(world, runs, "in")


@pytest.mark.parametrize("seed", range(60))
def test_counts_that_alone_tell_no_more_than_a_limit(seed):
    draw = random.Random(seed)
    members, limit = draw.randint(1, 30), Fraction(draw.randint(0, 12), 12)
    target, others = (Fraction(draw.randint(0, 6), 6) for _ in range(2))
    world = World(members, target, others)
    below = [count for count in range(members + 1) if world.alone(count) <= limit]
    assert world.last_below(limit) == max(below, default=-1)
