"""`deniable.rules.design` and `compare`: what is asked, edges, refusals, the page."""

import math
from fractions import Fraction

import pytest

from deniable.errors import InvalidArgument
from deniable.rules import CellKey, Hide, Round, Rule, Top, compare, design
from tests.cases.refusals import refuses

F = Fraction
HALF = (0.5, 0.5)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"members": 0, "prior": HALF}, "below-least: members | 1"),
        ({"members": 10**6 + 1, "prior": HALF}, "at-most-members-of-list: 1000000"),
        ({"members": "2-9", "prior": HALF}, "such-as-2-1000"),
        ({"members": "9..2", "prior": HALF}, "ends-of-hide-in-order"),
        ({"members": "1..20000", "prior": HALF}, "at-most-members-of-list: 10000"),
        ({"members": [], "prior": HALF}, "1-to-sizes: 10000"),
        ({"members": 9}, "exactly-one-of-prior"),
        ({"members": 9, "prior": HALF, "sample": (1, 20)}, "prior-and-sample-both"),
        ({"members": 9, "prior": (0.7, 0.3)}, "ends-swapped"),
        ({"members": 9, "prior": (0.5, 1.5)}, "0-at-most-prior-at-most-1"),
        ({"members": 9, "prior": (0.5, math.nan)}, "not-a-number"),
        ({"members": 9, "prior": 0.5}, "not-two-numbers"),
        ({"members": 9, "sample": (30, 20)}, "sample-within-population"),
        ({"members": 30, "sample": (10, 20)}, "at-most-members: 20"),
        ({"members": 9, "prior": HALF, "limit": 2}, "0-at-most: limit"),
        ({"members": 9, "prior": HALF, "delta": "x"}, "not-a-number: delta"),
        ({"members": 9, "prior": HALF, "floor": -1}, "0-at-most: floor"),
    ],
)
def test_what_is_asked_wrongly_is_refused(asked, message):
    with refuses(InvalidArgument, message):
        design([Hide(1, 7)], **asked)


def test_a_rule_is_a_step_steps_or_the_name_of_a_policy():
    answers = [
        design(rule, members=12, prior=HALF).sizes
        for rule in ("opensafely", [Hide(1, 7), Round(5)], Rule((Hide(1, 7), Round(5))))
    ]
    assert answers[0] == answers[1] == answers[2]
    assert design(Round(5), members=12, prior=HALF).policy is None
    assert design("cms", members=12, prior=HALF).policy.name == "cms"


def test_sizes_are_a_number_a_list_or_a_range():
    for members in ("8..10", [8, 9, 10], "8, 9,10"):
        answer = design("opensafely", members=members, prior=HALF)
        assert [size.members for size in answer.sizes] == [8, 9, 10]
        assert answer.worst.members == 8
    assert not design("opensafely", members="9", prior=HALF).several


@pytest.mark.parametrize("prior", [(0, 0), (1, 1), (0, 1), (0, F(1, 2)), (F(1, 2), 1)])
@pytest.mark.parametrize("rule", ["opensafely", "rr3", [Top(3)], [Hide(0, 100)]])
def test_priors_of_0_and_1_are_limits(prior, rule):
    size = design(rule, members=9, prior=prior, limit=0.75, floor=0.25, delta=0.1).sizes[0]
    worst, lowest = size.worst.belief.bound, size.lowest.belief.bound
    if prior[0] == prior[1]:
        assert (lowest.lower, worst.upper) == prior
    assert lowest.upper <= prior[1]
    assert worst.lower >= prior[0]
    if rule == [Hide(0, 100)]:
        assert (lowest.lower, worst.upper) == prior


def test_one_person_alone():
    size = design("opensafely", members=1, prior=HALF).sizes[0]
    assert (size.lowest.belief.fraction, size.worst.belief.fraction) == (0, 1)
    assert size.worst.output == "*"


def test_a_rule_that_hides_all_tells_nothing():
    size = design([Hide(0, 10**5)], members=10**5, prior=("1/100", "1/2"), limit=0.5).sizes[0]
    assert size.worst.belief.bound.upper <= 0.5 + 1e-15
    assert size.worst.belief.bound.lower >= 0.5 - 1e-15


def test_the_limit_counts_beliefs_above_it_only():
    passed = design("opensafely", members=9, prior=HALF, limit="9/10").sizes[0].exceedance
    assert passed.probability.power_of_ten is None
    passed = design("opensafely", members=9, prior=HALF, limit="8999/10000").sizes[0].exceedance
    assert passed.probability.bound.lower <= F(9, 256) <= passed.probability.bound.upper


def test_a_belief_below_a_floor_is_counted_given_out():
    below = design("cms", members=5, prior=HALF, floor=0.1).sizes[0].shortfall
    assert not below.above
    assert below.as_json()["given"] == "out"
    assert below.probability.bound.upper == 1 / 16  # all four others are out, too


def test_what_is_believed_except_with_a_probability():
    size = design("opensafely", members=13, prior=HALF, delta=F(1, 4000)).sizes[0]
    assert size.worst.belief.fraction == 1
    assert size.belief_except.fraction < 1  # "15" has chance 1/4096, given in
    none = design("opensafely", members=13, prior=HALF, delta=F(1, 5000)).sizes[0]
    assert none.belief_except.fraction == 1


def test_a_chance_at_a_stated_prior():
    passed = (
        design("cms", members=20, prior=(0.01, 0.5), limit=0.75, stated=0.25).sizes[0].exceedance
    )
    alone = design("cms", members=20, prior=(0.25, 0.25), limit=0.75).sizes[0].exceedance
    assert passed.at_stated == alone.probability
    assert passed.probability.bound.upper >= alone.probability.bound.upper


def test_what_rules_cost():
    answer = compare({"a": "opensafely", "b": [Top(5)], "c": "ehrql"}, members=20, prior=HALF)
    shown = answer.as_json()["rules"]
    assert [each["hides"] for each in shown] == [[[1, 7]], [], [[1, 7]]]
    assert [each["moves"] for each in shown] == [2, None, 2]
    with refuses(InvalidArgument, "at-least-one-rule"):
        compare([], members=20, prior=HALF)


def test_a_set_in_which_one_person_is_a_difference_shows_that_they_are_in():
    """rules.md, anchor 8: A and A without t; other noise proves t in, the same gives 1/6."""
    noise = {-2: F(1, 10), -1: F(1, 5), 0: F(2, 5), 1: F(1, 5), 2: F(1, 10)}
    table = CellKey({count: noise if count > 1 else {0: F(1)} for count in range(4)})
    others = 3
    out = [(value, value, share) for value, share in table.law(others)]
    inside = [
        (one, other, share * again)
        for one, share in table.law(others + 1)
        for other, again in table.law(others)
    ]
    differ = sum(share for one, other, share in inside if one != other)
    same = sum(share for one, other, share in inside if one == other)
    equal_numbers = sum(
        share * again
        for one, share in table.law(others + 1)
        for other, again in table.law(others)
        if one == other
    )
    assert equal_numbers == same
    # Numbers that differ come from t in only; the same, from both: P = same against 1.
    assert differ / 2 == F(2, 5)
    assert same / (same + sum(share for _, _, share in out)) == F(1, 6)
