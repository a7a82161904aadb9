"""Intervals and beliefs about values equal linear programs in fractions and enumeration."""

import itertools
from fractions import Fraction

import pytest

from deniable.rules import attacks
from deniable.rules.dominance import Dominance, PPercent, PriorPosterior
from tests.cases.effort import one_in, usual
from tests.cases.sums_of_values import Case, differences
from tests.oracles import values as oracle

WITHIN = Fraction(3, 10)


SEEDS = usual([*range(17), *range(18, 33), 34, *range(36, 40)], [*range(17), *range(18, 40)])
"""Of tables; the linear programs of 33 and 35 take as long as those of all the others together."""


@pytest.mark.parametrize("seed", one_in(3, SEEDS))
def test_intervals_are_those_of_linear_programs_and_the_closest_of_all_coalitions(seed):
    assert differences(Case(seed, small=seed % 2 == 0)) == 0


@pytest.mark.parametrize("seed", one_in(3, range(1, 41, 2)))
def test_a_total_of_several_cells_is_bounded_by_what_is_shown_of_it_and_never_too_closely(seed):
    case = Case(seed, small=False)
    case.judged()
    shown = {", ".join(key): members for key, members, mark in case.sums if mark != "*"}
    for each in case.totals:
        (name,) = each.contributors
        targets = [n for n in shown[each.cell] if case.holdings[n][1] == name]
        low, high = case.bounds(each.attackers, *targets)
        assert each.lower <= low
        assert each.upper is None or high <= each.upper
        # Of this total alone it is exactly what a linear program says.
        case.sums = [entry for entry in case.sums if ", ".join(entry[0]) == each.cell]
        assert case.bounds(each.attackers, *targets) == (each.lower, each.upper)
        case = Case(seed, small=False)
    people = [
        (c, w) for c, members in shown.items() for w in {case.holdings[n][1] for n in members}
    ]
    several = {
        cell
        for cell, who in people
        if "Total" in cell and sum(case.holdings[n][1] == who for n in shown[cell]) > 1
    }
    judged = Case(seed, small=False)
    judged.judged()
    assert {each.cell for each in judged.totals} <= several


def worlds(case, names):
    """Every assignment of whole values that agrees with all that is shown."""
    known = case.known(names)
    choices = [
        [value] if n in known else range(low, high + 1)
        for n, (_, _, value, low, high) in enumerate(case.holdings)
    ]
    for world in itertools.product(*choices):
        if all(lo <= sum(world[n] for n in some) <= hi for some, lo, hi in case.windows()):
            yield world


@pytest.mark.parametrize("seed", range(12))
def test_where_totals_cross_intervals_are_those_of_enumeration_or_outward(seed):
    case = Case(seed, small=True, shapes=("crossed",))
    for each in case.judged().values:
        target = case.target(each.cell, each.contributors[0])
        possible = {world[target] for world in worlds(case, each.attackers)}
        assert each.lower <= min(possible)
        assert each.upper >= max(possible)
        if each.proof != "outward":
            assert (each.lower, each.upper) == (min(possible), max(possible))


@pytest.mark.parametrize("seed", one_in(2, range(0, 60, 2)))
def test_beliefs_are_those_of_enumeration(seed):
    case = Case(seed, small=True, shapes=("flat", "two-way"))
    entries = case.judged(law="uniform", within=0.3).values
    for each in entries:
        if each.near is None or each.guess is None:  # totals that cross
            assert case.shape == "two-way"
            continue
        target = case.target(each.cell, each.contributors[0])
        _, _, truth, low, high = case.holdings[target]
        possible = [world[target] for world in worlds(case, each.attackers)]
        belief = {v: Fraction(possible.count(v), len(possible)) for v in set(possible)}
        near = sum(p for v, p in belief.items() if v == truth or abs(v - truth) < WITHIN * truth)
        assert each.near == near
        before = {v: Fraction(1, high - low + 1) for v in range(low, high + 1)}
        assert each.guess == (
            oracle.best_guess(belief, WITHIN), oracle.best_guess(before, WITHIN)
        )  # fmt: skip


@pytest.mark.parametrize("seed", one_in(2, range(1, 61, 2)))
def test_verdicts_of_many_cells_are_those_of_whole_intervals(seed, monkeypatch):
    case = Case(seed, small=False)
    case.coalition = min(case.coalition, 1)

    def bad():
        judged = case.judged(within=0.3).values
        return {(e.cell, *e.contributors, e.verdict) for e in judged if e.verdict != "kept"}

    whole = bad()
    monkeypatch.setattr(attacks, "MOST_FLOWS", 0)
    staged = bad()
    cells = lambda some: {(cell, verdict == "undecided") for cell, *_, verdict in some}  # noqa: E731
    assert {cell for cell, _ in cells(staged)} == {cell for cell, _ in cells(whole)}
    assert not any(undecided for _, undecided in cells(staged))


SOME = sorted({
    tuple(sorted(some, reverse=True))
    for some in itertools.product((0, 1, 3, 9, 10, 30, 90, 100), repeat=3)
    if any(some)
})  # fmt: skip


def reaches(values, threat):
    """Whether an attack on a shown sum of these values is too close, by brute force."""
    total, people = sum(values), range(len(values))
    for targets in itertools.combinations(people, min(threat.largest, len(values))):
        others = [n for n in people if n not in targets]
        for some in itertools.combinations(others, min(threat.intruders, len(others))):
            truth = sum(values[n] for n in targets)
            if total - sum(values[n] for n in some) - truth < threat.within * truth:
                return True
    return False


@pytest.mark.parametrize("part", ["1/10", "1/3", "1", "2"])
@pytest.mark.parametrize("intruders", [1, 2])
def test_the_p_percent_rule_hides_what_intruders_bound_too_closely(part, intruders):
    rule = PPercent(part, intruders)
    for values in SOME:
        assert rule.hides(values) == reaches(values, rule.threat)


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("share", ["1/2", "3/4", "9/10"])
def test_dominance_hides_what_an_outsider_bounds_too_closely(number, share):
    rule = Dominance(number, share)
    for values in SOME:
        assert rule.hides(values) == reaches(values, rule.threat)


@pytest.mark.parametrize(("part", "before"), [("1/10", "1/2"), ("1/5", 1)])
def test_prior_and_posterior_bounds_of_everybody_are_a_p_percent_rule(part, before):
    rule = PriorPosterior(part, before)
    p, q = Fraction(part), Fraction(before)
    for values in SOME:
        # The second knows all others within ±q: T − x₂ − (1 − q) R bounds the first from above.
        first, rest = values[0], sum(values[2:])
        assert rule.hides(values) == (first + rest - (1 - q) * rest < (1 + p) * first)
        assert rule.hides(values) == reaches(values, rule.threat)


def test_dominance_lies_between_two_p_percent_rules():
    # With p = (1 − k)/k: p % hides ⇒ (2, k) hides ⇒ 2p % hides; but not for (1, k).
    for share in (Fraction(1, 2), Fraction(3, 4), Fraction(9, 10)):
        p = (1 - share) / share
        for values in SOME:
            narrow, dominance, wide = (
                PPercent(p).hides(values), Dominance(2, share).hides(values),
                PPercent(2 * p).hides(values),
            )  # fmt: skip
            assert narrow <= dominance <= wide
    assert not Dominance(1, 0.75).hides([100, 90, 1])
    assert PPercent("1/3").hides([100, 90, 1])
    assert Dominance(2, 0.9).hides([30, 30, 6])
    assert not PPercent("1/9").hides([30, 30, 6])


def test_nobody_hides_a_sum_of_zero():
    assert not any(
        rule.hides([0, 0]) for rule in (PPercent(0.1), Dominance(1, 0.5), PriorPosterior(0.1, 0.5))
    )
