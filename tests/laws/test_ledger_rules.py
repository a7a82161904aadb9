"""No adversary who chooses releases by earlier outputs passes what a ledger says, at any moment."""

import math
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.errors import NotApplicable
from deniable.ledger import units
from deniable.ledger.beliefs import after_everything, rung_above, so_far
from deniable.ledger.budget import budgeted
from deniable.ledger.costs import cost_in_units, cost_of_guarantee, what_fits
from deniable.ledger.dataset import Measure
from deniable.notions import PureDP
from deniable.notions.notation import parse
from deniable.priors import BoundedPriors
from deniable.theorems.analysis.calibrate import calibrated
from deniable.theorems.analysis.target import AttackSuccessTarget, target_of
from tests.cases.books import book, dataset
from tests.cases.effort import usual
from tests.cases.refusals import refuses
from tests.oracles.adaptive import (
    leak,
    moments,
    most_likely_to_pass,
    randomised_response,
    walk_passes,
)

HALF = Fraction(1, 2)
ODDS = [Fraction(3, 2), Fraction(2), Fraction(3)]
TARGETS = [
    ("gamma", 3.0, None),
    ("max_posterior", 0.6, None),
    ("attack_success", 0.7, None),
    ("advantage", 0.4, None),
    ("identifiability", 0.5, 4),
    ("epsilon", 1.0, None),
]


def upper_belief(beliefs, prior):
    return Fraction(next(each.upper for each in beliefs.posterior if each.prior == prior))


def lower_belief(beliefs, prior):
    return Fraction(next(each.lower for each in beliefs.posterior if each.prior == prior))


def menu_of(of, odds=ODDS):
    """What randomised response costs as pure DP, ε rounded up."""
    guarantees = {each: PureDP(math.nextafter(math.log(each), math.inf)) for each in odds}
    return {
        cost_of_guarantee(of, guarantees[each]).units: randomised_response(each) for each in odds
    }


@pytest.mark.parametrize("most_open", [1, 2])
def test_pure_beliefs_keep_to_the_running_sum_at_every_moment(most_open):
    """Charges that are open at the same time, and outputs in any order, among them."""
    people = dataset(units.to_units(2.2))

    @cache
    def said(spent):
        return so_far(people, book(people, [spent] if spent else []))

    final, closest, seen = after_everything(people).beliefs, Fraction(1), 0
    menu = menu_of(people)
    for spent, (inside, outside) in moments(menu, people.budget, (HALF, HALF), most_open):
        belief, seen = inside / (inside + outside), seen + 1
        assert lower_belief(said(spent), 0.5) <= belief <= upper_belief(said(spent), 0.5)
        assert lower_belief(final, 0.5) <= belief <= upper_belief(final, 0.5)
        if spent:
            closest = min(closest, upper_belief(said(spent), 0.5) - belief)
    assert seen > 500
    assert closest < 1e-9  # the claim is attained: nothing smaller would hold


def walk(limit_of, exceedance, odds, steps):
    """How often responses whose ρ add up to `steps` of the smallest pass a limit, at best."""
    rho = units.to_units(Fraction(math.nextafter(math.log(odds) ** 2 / 2, math.inf)))
    people = dataset(rho * steps, exceedance)
    one = math.log(odds)

    @cache
    def limit(spent):
        return math.floor(limit_of(people, spent) / one + 1e-9)

    return walk_passes(odds, {1: rho, 2: 4 * rho}, people.budget, limit)


def ladder(people, spent):
    return so_far(people, book(people, [spent] if spent else [])).loss


def without_a_ladder(people, spent):
    """Read at the running sum, as if somebody had known beforehand where it would stand."""
    rho, rarely = float(units.amount(spent)), people.exceedance
    return rho + 2 * math.sqrt(rho * math.log(1 / rarely))


@pytest.mark.parametrize("exceedance", [0.01, 0.3])
def test_the_ladder_is_passed_less_often_than_it_says_and_a_running_sum_more_often(exceedance):
    found = walk(ladder, exceedance, Fraction(21, 20), 64)
    assert 0 < found <= Fraction(exceedance)
    steps = 64 if exceedance > 0.1 else 200
    assert walk(without_a_ladder, exceedance, Fraction(21, 20), steps) > Fraction(exceedance)


def test_the_final_statement_fails_less_often_than_its_half():
    """At all moments, not at the last one alone."""
    found = walk(lambda people, _: after_everything(people).beliefs.loss, 0.3, Fraction(21, 20), 64)
    assert 0 < found <= Fraction(0.3) / 2


@pytest.mark.parametrize("member", [True, False])
def test_beliefs_in_rho_keep_to_the_ladder_where_the_adversary_averages(member):
    """One other person, in with probability 1/3: worlds (person, other), outputs of a count."""
    weights = (Fraction(1, 3), Fraction(2, 3), Fraction(1, 3), Fraction(2, 3))
    people = dataset(units.to_units(1.2), 0.2)

    def counting(odds):
        top = odds**2 + odds + 1
        middle = (odds, top - 2 * odds, odds)
        laws = {2: (odds**2, odds, 1), 1: middle, 0: (1, odds, odds**2)}
        return tuple(tuple(Fraction(p) / top for p in laws[count]) for count in (2, 1, 1, 0))

    def loss_of(mechanism):
        """Between any two worlds that differ in one person; a replaced one moves the count by 1."""
        near = [(0, 1), (0, 2), (1, 3), (2, 3)]
        ratios = [
            max(mechanism[a][y] / mechanism[b][y], mechanism[b][y] / mechanism[a][y])
            for a, b in near
            for y in range(3)
        ]
        return math.nextafter(math.log(max(ratios)), math.inf)

    mechanisms = [counting(Fraction(3, 2)), counting(Fraction(2))]
    menu = {
        cost_in_units(people, Measure.EPSILON, Fraction(loss_of(each))): each for each in mechanisms
    }

    @cache
    def said(spent):
        return so_far(people, book(people, [spent] if spent else []))

    def passed(spent, masses):
        inside, outside = masses[0] + masses[1], masses[2] + masses[3]
        belief = inside / (inside + outside)
        if member:
            return inside if belief > upper_belief(said(spent), 0.5) else Fraction(0)
        return outside if belief < lower_belief(said(spent), 0.5) else Fraction(0)

    found = most_likely_to_pass(menu, people.budget, weights, passed)
    assert found <= Fraction(people.exceedance)


def test_a_leak_that_is_charged_too_little_is_found_out():
    """The exhaustive adversary has teeth: what is no pure DP at all passes what ε it is charged."""
    people = dataset(units.to_units(1.0))
    menu = {units.to_units(0.25): leak(Fraction(1, 100))}
    beliefs = [
        inside / (inside + outside) - upper_belief(so_far(people, book(people, [spent])), 0.5)
        for spent, (inside, outside) in moments(menu, people.budget, (HALF, HALF))
        if spent and inside + outside
    ]
    assert max(beliefs) > 0


@given(
    budget=st.integers(2, 2**45),
    charges=st.lists(st.integers(1, 2**44), max_size=8),
    exceedance=st.sampled_from([0.0, 1e-6, 0.2, 1e-300]),
    voids=st.data(),
)
def test_voids_lower_no_statement_and_more_charges_raise_it(budget, charges, exceedance, voids):
    people = dataset(budget, exceedance)
    gone = voids.draw(st.sets(st.integers(0, len(charges) - 1))) if charges else set()
    before = so_far(people, book(people, charges))
    assert so_far(people, book(people, charges, gone)) == before
    after = so_far(people, book(people, [*charges, 1]))
    assert after.loss >= before.loss
    assert after.exceedance >= before.exceedance
    final = after_everything(people).beliefs
    if 0 < sum(charges) <= budget:
        assert before.loss <= final.loss
        assert before.exceedance == final.exceedance == exceedance
    if sum(charges) > budget:
        assert before.loss > final.loss
        assert before.exceedance == 2 * exceedance


@given(budget=st.integers(2**20, 2**50), exceedance=st.floats(1e-9, 0.5), spent=st.data())
def test_the_exceedances_of_all_rungs_add_up_to_no_more_than_the_whole(budget, exceedance, spent):
    people = dataset(budget, exceedance)
    rungs = {rung_above(people, max(1, budget >> index)) for index in range(60)}
    assert sum(Fraction(rung.exceedance) for rung in rungs) <= Fraction(exceedance)
    above = {rung_above(people, (budget << index) + 1) for index in range(60)}
    assert sum(Fraction(rung.exceedance) for rung in above) <= Fraction(exceedance)
    amount = spent.draw(st.integers(1, 4 * budget))
    rung = rung_above(people, amount)
    assert amount <= rung.units
    assert rung.units // 2 < amount or rung.units == 2 * budget


@pytest.mark.parametrize(("kind", "value", "worlds"), TARGETS)
@pytest.mark.parametrize("delta", [None, 1e-6])
@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
def test_the_whole_budget_keeps_to_the_target(kind, value, worlds, delta, adjacency):
    adversary, target = BoundedPriors(0.05, 0.5), target_of(kind, value, worlds)
    people = budgeted(
        "visits", target, adversary=adversary, adjacency=adjacency, delta=delta, entity="patient"
    )
    final = after_everything(people)
    assert final.beliefs.exceedance == (delta or 0.0)
    reached = {
        "gamma": final.beliefs.gamma,
        "max_posterior": float(upper_belief(final.beliefs, 0.5)),
        "attack_success": final.attack_success,
        "advantage": final.advantage,
    }
    if kind in reached:
        assert value * (1 - 1e-3) < reached[kind] <= value
    if kind == "epsilon" and delta is None:
        assert final.beliefs.loss == value
    # All of it fits one release that asks for as much, but for the halved exceedance.
    least = calibrated(target, adversary, people.adjacency, delta and delta / 2, None)
    spent = least.epsilon if delta is None else least.composition.rho
    assert 0 <= Fraction(spent) - units.amount(people.budget) < Fraction(1, units.UNITS)


@pytest.mark.parametrize(
    ("kind", "value", "worlds", "delta"),
    [(*each, None) for each in TARGETS]
    + [(*each, 1e-6) for each in usual(TARGETS[2:3], TARGETS[1:3])],
)
def test_what_is_said_to_fit_fits_and_little_more_does(kind, value, worlds, delta):
    adversary, target = BoundedPriors(0.05, 0.5), target_of(kind, value, worlds)
    people = budgeted("visits", target, adversary=adversary, delta=delta)
    left = people.budget // 9
    found = what_fits(people, left, target, adversary, delta)
    assert type(found) is type(target)

    def needed(value):
        each = calibrated(target_of(kind, value, worlds), adversary, people.adjacency, delta)
        if delta is None:
            return cost_in_units(people, Measure.EPSILON, Fraction(each.epsilon))
        return cost_in_units(people, Measure.RHO, Fraction(each.composition.rho))

    assert 0 < needed(found.value) <= left < needed(found.value * 1.02)


def test_nothing_fits_where_nothing_is_left():
    people = dataset(units.UNITS)
    assert what_fits(people, 0, AttackSuccessTarget(0.6), BoundedPriors(), None) is None


@pytest.mark.parametrize(
    ("spec", "budget", "rho"),
    [
        ("pure-dp:0.5", "rho", Fraction(1, 8)),
        ("pure-dp:0.5", "epsilon", Fraction(1, 2)),
        ("approx-dp:0.5,0", "epsilon", Fraction(1, 2)),
        ("zcdp:0.25", "rho", Fraction(1, 4)),
        ("gaussian-dp:0.5", "rho", Fraction(1, 8)),
    ],
)
def test_what_a_guarantee_costs(spec, budget, rho):
    people = dataset(units.UNITS, 1e-6 if budget == "rho" else 0.0)
    assert units.amount(cost_of_guarantee(people, parse(spec)).units) == rho


@pytest.mark.parametrize(
    ("spec", "budget", "told"),
    [
        ("zcdp:0.25", "epsilon", "leave-delta-out"),
        ("gaussian-dp:0.5", "epsilon", "leave-delta-out"),
        ("approx-dp:0.5,1e-6", "rho", "does-not-add-up"),
        ("population:0.5,0", "epsilon", "does-not-add-up"),
        ("positive-membership:2", "epsilon", "does-not-add-up"),
        ("pure-dp:0.5@add-remove", "epsilon", "guarantee-under: replace-one"),
        ("gaussian-dp:0.5,0.1", "rho", "does-not-add-up"),
    ],
)
def test_what_does_not_add_up_is_refused(spec, budget, told):
    people = dataset(units.UNITS, 1e-6 if budget == "rho" else 0.0)
    with refuses(NotApplicable, told):
        cost_of_guarantee(people, parse(spec))
