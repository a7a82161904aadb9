"""Beliefs under published policies, as fractions that others can check by hand."""

from fractions import Fraction

import pytest

from deniable.rules import Hide, Midpoint, RandomRound, Round, design
from deniable.rules.rule import Channel
from deniable.rules.worlds import World, chance

F = Fraction
HALF = (F(1, 2), F(1, 2))
REDACT = [Hide(1, 7), Round(5)]


def one(rule, members, prior=HALF, **asked):
    return design(rule, members=members, prior=prior, **asked).sizes[0]


def after(rule, members, mark, prior=HALF):
    """Belief and chance of one mark, at a point prior."""
    world = World(members, *prior)
    column = Channel(design(rule, members=members, prior=prior).rule, members).column(mark)
    return world.belief(column), chance(world, column.runs, "any")


@pytest.mark.parametrize(
    ("rule", "members", "mark", "belief", "share"),
    [
        (REDACT, 12, 10, F(281, 397), F(397, 2048)),
        (REDACT, 12, "*", F(1486, 3301), F(3301, 4096)),
        (REDACT, 12, 0, F(0), F(1, 4096)),
        (REDACT, 13, 15, F(1), F(1, 8192)),
        (Round(5), 15, 15, F(106, 121), F(121, 2**15)),
        (Round(10), 15, 20, F(1), F(1, 2**15)),
        (Round(15), 15, 15, F(2477, 4096), F(1, 2)),
        (RandomRound(3), 12, 12, F(80, 93), F(31, 4096)),
        ([Hide(1, 5), Round(5)], 7, 5, F(7, 8), F(1, 16)),
        ([Hide(1, 5), Round(5)], 7, "*", None, None),
        ([Hide(1, 7), Round(5)], 7, "*", F(64, 127), F(127, 128)),
    ],
)
def test_belief_and_chance_after_one_mark(rule, members, mark, belief, share):
    found, chance_of_mark = after(rule, members, mark)
    if belief is not None:
        assert (found, chance_of_mark) == (belief, share)


@pytest.mark.parametrize(
    ("rule", "members", "worst", "mark"),
    [
        (REDACT, 8, F(1), 10),
        (REDACT, 9, F(9, 10), 10),
        (REDACT, 12, F(281, 397), 10),
        (REDACT, 13, F(1), 15),
        (Round(5), 15, F(106, 121), 15),
        (Round(5), 6, F(13, 21), 5),
        (RandomRound(3), 12, F(80, 93), 12),
    ],
)
def test_the_worst_belief_and_its_mark(rule, members, worst, mark):
    extreme = one(rule, members).worst
    assert (extreme.belief.fraction, extreme.output) == (worst, mark)
    assert extreme.belief.bound.evidence.word == "exact"


def test_others_at_the_lower_bound_make_the_belief_larger():
    worst = one(REDACT, 9, (F(1, 20), F(1, 2))).worst
    assert worst.belief.fraction == F(153, 154)
    assert worst.others == ((F(1, 20), 8),)


@pytest.mark.parametrize(("members", "worst", "mark"), [(8, F(1), 10), (12, F(965, 1426), 10)])
def test_a_uniform_sample_of_ten_of_twenty(members, worst, mark):
    size = design(Round(5), members=members, sample=(10, 20)).sizes[0]
    assert (size.worst.belief.fraction, size.worst.output) == (worst, mark)


def test_three_independent_reruns_of_random_rounding():
    """What was found for all three at 12 is one channel, with the product of their columns."""
    column = Channel(design(RandomRound(3), members=12, prior=HALF).rule, 12).column(12)
    runs = tuple((low, high, weight**3) for low, high, weight in column.runs)
    within, without = (chance(World(12, *HALF), runs, given) for given in ("in", "out"))
    assert within / (within + without) == F(170, 189)
    assert (within + without) / 2 == F(7, 4096)


def test_the_chance_of_passing_a_limit_moves_with_the_priors():
    """Neither bound of the range is worst: 0 with others at 1/2, and most near 0.434."""
    at = {
        prior: one(REDACT, 12, prior, limit=0.75).exceedance.probability.bound
        for prior in ((F(1, 2), F(1, 2)), (F(1, 20), F(1, 2)))
    }
    assert at[F(1, 2), F(1, 2)].upper == 0
    assert 0.147 <= at[F(1, 20), F(1, 2)].lower <= at[F(1, 20), F(1, 2)].upper <= 0.28


@pytest.mark.parametrize("members", range(8, 14))
def test_a_longer_list_may_be_worse(members):
    shown = [1, 0.9, 0.8214, 0.7586, 0.7078, 1][members - 8]
    assert one(REDACT, members).worst.belief.bound.upper == pytest.approx(shown, abs=1e-4)


@pytest.mark.parametrize(
    ("rule", "members", "shown"),
    [([Hide(1, k - 1), Round(5)], 12, shown)
     for k, shown in zip(range(8, 13), (0.708, 0.776, 0.848, 0.923, 1), strict=True)]
    + [(Round(b), 15, shown)
       for b, shown in zip((5, 10, 15, 20), (0.876, 1, 0.605, 0.702), strict=True)],
)  # fmt: skip
def test_a_larger_threshold_or_base_may_be_worse(rule, members, shown):
    assert one(rule, members).worst.belief.bound.upper == pytest.approx(shown, abs=5e-4)


@pytest.mark.parametrize(("prior", "shown"), [(F(1, 100), 0.995), (F(9, 10), 0.504)])
def test_lower_priors_of_the_others_give_a_larger_belief(prior, shown):
    column = Channel(design(REDACT, members=12, prior=HALF).rule, 12).column(10)
    assert World(12, F(1, 2), prior).belief(column) == pytest.approx(shown, abs=5e-4)


TABLE = {
    "cms": [(0.5005, 0), (1, 0.0059), (1, 1.5e-4), (1, 9e-8)],
    "all-of-us": [(0.5005, 0), (0.5, 0), (1, 1.5e-4), (1, 9e-8)],
    "opensafely": [(0.821, 0.055), (0.905, 2e-4), (0.961, 1.5e-4), (0.980, 8e-9)],
    "midpoint6": [(0.739, 0), (0.952, 2e-5), (0.980, 1e-7), (0.970, 2e-9)],
    "rr3": [(1, 0.079), (0.955, 0.0025), (0.981, 2e-4), (1, 4e-8)],
}
"""rules.md, section 4: worst belief and chance of more than 3/4, not given in."""


@pytest.mark.parametrize("policy", TABLE)
def test_policies_by_length_of_list(policy):
    answer = design(policy, members="10,20,50,100", prior=HALF, limit=0.75)
    for size, (worst, share) in zip(answer.sizes, TABLE[policy], strict=True):
        assert size.worst.belief.bound.upper == pytest.approx(worst, abs=6e-4)
        anyhow = size.exceedance.unconditional
        assert anyhow.bound.upper == pytest.approx(share, rel=0.12, abs=0)
        assert (anyhow.power_of_ten is None) == (share == 0)


def test_ehrql_leaves_at_least_a_belief_where_zero_is_merged():
    assert one("ehrql", 10).lowest.belief.bound.lower == pytest.approx(0.481, abs=1e-3)


def test_of_a_rare_trait_a_zero_is_likely_and_tells_that_all_are_out():
    size = one("cms", 100, (F(1, 100), F(1, 100)))
    assert size.lowest.belief.fraction == 0
    assert size.lowest.probability.bound.upper == pytest.approx(0.366, abs=5e-4)
    belief, _ = after("cms", 100, "*", (F(1, 100), F(1, 100)))
    assert belief == pytest.approx(0.0158, abs=5e-5)


@pytest.mark.parametrize("members", [10**5, 10**6])
def test_long_lists_are_unsafe_in_the_worst_case_and_hardly_ever(members):
    """About 1 − (r − 1)/m, with probability about C(m, r−1) p^(m−r+1) (1−p)^(r−1); r = 3 here."""
    size = one(Midpoint(6), members - (members - 3) % 6, limit=0.75)
    listed = size.members
    assert 1 - size.worst.belief.bound.upper == pytest.approx(2 / listed, rel=0.01)
    power = size.worst.probability.power_of_ten[0]
    assert power == pytest.approx(-listed * 0.30103, rel=1e-3)
    assert size.exceedance.probability.bound.lower == 0  # below the least float, and not 0
    assert size.exceedance.probability.power_of_ten is not None


def test_the_keys_that_programs_read():
    answer = design(REDACT, members=9, prior=(0.5, 0.5), limit=0.75).as_json()
    assert answer["members"] == 9
    assert answer["prior"] == [0.5, 0.5]
    assert answer["worst"]["belief"].keys() >= {"lower", "upper", "evidence"}
    assert answer["worst"]["output"] == 10
    assert answer["worst"]["priors"]["others"] == [{"prior": 0.5, "members": 8}]
    assert answer["exceedance"]["limit"] == 0.75
    assert answer["exceedance"]["given"] == "in"
    inside = F(8 + 1, 2**8)
    shown = answer["exceedance"]["probability"]
    assert shown["lower"] <= inside <= shown["upper"]
    assert any("Exact tables have no finite ε." in each for each in answer["assumes"])
    several = design(REDACT, members="2..5", prior=(0.5, 0.5)).as_json()
    assert [each["members"] for each in several["sizes"]] == [2, 3, 4, 5]
