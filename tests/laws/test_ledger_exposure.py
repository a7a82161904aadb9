"""No adversary who chooses releases by earlier outputs passes what two budgets say together.

Each release is, but for a rare part that may tell everything, pure or ρ-zCDP; how rare, and how
much, may depend on all outputs so far. Every strategy there is, in exact fractions.
"""

import hashlib
import math
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.errors import InfeasibleTarget, InvalidArgument, NotApplicable
from deniable.ledger import units
from deniable.ledger.beliefs import after, after_everything, so_far
from deniable.ledger.budget import budgeted
from deniable.ledger.costs import Spent, cost_of, cost_of_guarantee, delta_that_fits, what_fits
from deniable.ledger.dataset import Measure
from deniable.ledger.units import Spending
from deniable.notions import ApproxZCDP
from deniable.notions.notation import parse
from deniable.priors import BoundedPriors
from deniable.theorems.analysis.calibrate import calibrated
from deniable.theorems.analysis.target import EpsilonTarget, MaxPosteriorTarget, target_of
from deniable.theorems.pure_and_approximate import approx_zcdp_to_approx_dp
from tests.cases.books import book, dataset
from tests.cases.effort import some_pairs, usual
from tests.cases.refusals import refuses
from tests.oracles.adaptive import (
    but_for,
    excused,
    hockey_stick,
    largest_hockey_stick,
    leak,
    most_likely_to_pass_both,
    randomised_response,
    transcript,
)

HALF = Fraction(1, 2)
TELLS = leak(Fraction(1))
"""Which of two worlds it is, surely."""


def people_with(budget, exceedance, exposure, measure=Measure.RHO):
    return dataset(
        budget,
        exceedance,
        exposure=units.exposure_budget(exposure),
        measure=measure,
    )


def rho_of(odds):
    return units.to_units(Fraction(math.nextafter(math.log(odds) ** 2 / 2, math.inf)))


def epsilon_of(odds):
    return units.to_units(math.nextafter(math.log(odds), math.inf))


def menu_of(cost_of_odds, odds, chances):
    """Responses of these odds, which tell everything with these chances; what each costs."""
    return {
        (cost_of_odds(each), units.to_exposure(chance)): (chance, randomised_response(each), TELLS)
        for each in odds
        for chance in chances
    }


def mechanisms(menu):
    return {cost: but_for(*parts) for cost, parts in menu.items()}


# --- The filter itself, without a ledger: the theorem's mixture and what follows from it.

CHANCES = [Fraction(0), Fraction(1, 40), Fraction(1, 10)]
ODDS = [Fraction(3, 2), Fraction(2)]


def choices_by(seed):
    """An adversary whose every choice is a coin of the outputs so far."""

    def choose(outputs, affordable):
        digest = hashlib.sha256(repr((seed, outputs)).encode()).digest()
        options = [*sorted(affordable), None]
        return options[digest[0] % len(options)] if outputs else options[0 - 2]

    return choose


@pytest.mark.parametrize("seed", range(40))
def test_whatever_is_chosen_the_whole_is_a_mixture_that_the_two_budgets_name(seed):
    """(1 − ξ) P + ξ R, with P and Q of ρ-zCDP: at each output, and at each order."""
    menu = menu_of(rho_of, ODDS, CHANCES)
    rho, rare = Fraction(1, 2), Fraction(1, 5)
    budget = units.budget(rho), units.exposure_budget(rare)
    outcomes = list(transcript(menu, budget, choices_by(seed)))
    for world in (0, 1):
        assert sum(seen[world] for seen, _ in outcomes) == 1
        assert sum(usual[world] for _, usual in outcomes) == 1
        assert all(seen[world] >= (1 - rare) * usual[world] for seen, usual in outcomes)
    for order in (1.01, 2.0, 8.0, 40.0):
        pairs = [(float(p), float(q)) for _, (p, q) in outcomes if p]
        for each in (pairs, [(q, p) for p, q in pairs]):
            moment = math.fsum(p**order * q ** (1 - order) for p, q in each)
            assert math.log(moment) / (order - 1) <= order * float(rho) + 1e-12


@pytest.mark.parametrize("factor", [Fraction(3, 2), Fraction(2), Fraction(4), Fraction(9)])
def test_no_adversary_passes_the_curve_of_the_two_budgets(factor):
    menu = mechanisms(menu_of(rho_of, ODDS, CHANCES))
    rho, rare = 0.35, 0.2
    budget = units.budget(rho), units.exposure_budget(rare)
    found = largest_hockey_stick(menu, budget, factor)
    epsilon = math.nextafter(math.log(factor), 0)
    assert found <= approx_zcdp_to_approx_dp(ApproxZCDP(rho, rare), epsilon).delta
    # Teeth: what is seen is more than noise alone allows, or than half of the exposure does.
    assert found > approx_zcdp_to_approx_dp(ApproxZCDP(0.0, rare / 2), epsilon).delta


@pytest.mark.parametrize("steps", [2, 3])
def test_pure_releases_reach_what_sums_of_epsilon_and_exposure_say(steps):
    """At e^ε of the whole sum nothing but what leaks is left: 1 − (1 − ξ)^n, near its sum."""
    chance, odds = Fraction(1, 1000), Fraction(2)
    menu = mechanisms(menu_of(epsilon_of, [odds], [chance]))
    [(cost, exposure)] = menu
    found = largest_hockey_stick(menu, (steps * cost, steps * exposure), odds**steps)
    assert found == 1 - (1 - chance) ** steps
    assert found <= units.exposure(steps * exposure) < found * (1 + chance * steps)


# --- What a ledger says while releases go on.


def passed_by(people):
    """How often the belief stands beyond what is said, by odds of two worlds."""

    @cache
    def limit(spent):
        return Fraction(math.exp(after(people, Spending(*spent)).loss))

    def passed(spent, masses):
        inside, outside = masses
        return inside if inside > limit(spent) * outside else Fraction(0)

    return passed


@pytest.mark.parametrize("exceedance", [0.05, 0.3])
def test_the_ladder_in_rho_is_passed_less_often_than_it_says(exceedance):
    """Leaks that are seen as such, and leaks that noise excuses, beside plain responses."""
    odds, chance = Fraction(3, 2), Fraction(exceedance) / 60
    cost, exposure = rho_of(odds), units.to_exposure(chance)
    people = people_with(8 * cost, exceedance, 3 * units.exposure(exposure))
    menu = {
        (cost, 0): randomised_response(odds),
        (cost, exposure): but_for(chance, randomised_response(odds), TELLS),
        (2 * cost, exposure): excused(chance, odds, 6 * chance),
    }
    budget = people.budget, people.exposure
    found = most_likely_to_pass_both(menu, budget, (Fraction(1), Fraction(1)), passed_by(people))
    assert Fraction(exceedance) / 100 < found <= Fraction(exceedance)


def test_leaks_that_are_charged_nothing_pass_the_ladder():
    """The adversary has teeth: without the second budget nothing says how often keys appear."""
    odds, chance = Fraction(21, 20), Fraction(1, 50)
    people = dataset(12 * rho_of(odds), 0.05)
    menu = {(rho_of(odds), 0): but_for(chance, randomised_response(odds), TELLS)}
    found = most_likely_to_pass_both(
        menu, (people.budget, 0), (Fraction(1), Fraction(1)), passed_by(people)
    )
    assert found > Fraction(people.exceedance)


def test_sums_of_epsilon_but_for_exposed_keys_are_passed_as_often_as_is_said_and_no_more():
    """A leak that looks like noise is attained: the exceedance is not twice what it had to be."""
    odds, chance = Fraction(2), Fraction(1, 2**12)
    cost, exposure = epsilon_of(odds), units.to_exposure(chance)
    people = people_with(2 * cost, 1 / 64, units.exposure(exposure), Measure.EPSILON)
    rarely = Fraction(people.exceedance)
    excuse = (rarely - chance) * Fraction(999, 1000)
    menu = {
        (cost, 0): randomised_response(odds),
        (cost, exposure): excused(chance, odds, excuse),
    }
    budget = people.budget, people.exposure
    found = most_likely_to_pass_both(menu, budget, (Fraction(1), Fraction(1)), passed_by(people))
    assert rarely * Fraction(9, 10) < found <= rarely


def test_before_keys_are_released_no_belief_passes_the_sum_of_epsilon():
    people = people_with(units.UNITS, 0.01, 1e-4, Measure.EPSILON)
    assert after(people, Spending(units.UNITS // 4)).loss == 0.25
    assert after(people, Spending(units.UNITS // 4, 1)).loss > 0.25


@pytest.mark.parametrize("member", [True, False])
def test_beliefs_keep_to_the_ladder_where_the_adversary_averages(member):
    """One other person, in with probability 1/3: worlds (person, other); a leak tells the world."""
    weights = (Fraction(1, 3), Fraction(2, 3), Fraction(1, 3), Fraction(2, 3))
    chance, odds = Fraction(1, 400), Fraction(3, 2)
    top = odds**2 + odds + 1
    laws = {2: (odds**2, odds, 1), 1: (odds, top - 2 * odds, odds), 0: (1, odds, odds**2)}
    count = tuple(tuple(Fraction(p) / top for p in laws[number]) for number in (2, 1, 1, 0))
    world = tuple(tuple(Fraction(a == b) for b in range(4)) for a in range(4))
    ratios = [
        max(count[a][y] / count[b][y], count[b][y] / count[a][y])
        for a, b in ((0, 1), (0, 2), (1, 3), (2, 3))
        for y in range(3)
    ]
    cost, exposure = rho_of(max(ratios)), units.to_exposure(chance)
    people = people_with(4 * cost, 0.1, 2 * units.exposure(exposure))
    menu = {(cost, 0): count, (cost, exposure): but_for(chance, count, world)}

    @cache
    def said(spent):
        beliefs = after(people, Spending(*spent)).posterior
        [each] = [each for each in beliefs if each.prior == 0.5]
        return Fraction(each.lower), Fraction(each.upper)

    def passed(spent, masses):
        inside, outside = masses[0] + masses[1], masses[2] + masses[3]
        if not inside + outside:
            return Fraction(0)
        low, high = said(spent)
        belief = inside / (inside + outside)
        if member:
            return inside if belief > high else Fraction(0)
        return outside if belief < low else Fraction(0)

    budget = people.budget, people.exposure
    found = most_likely_to_pass_both(menu, budget, weights, passed)
    assert 0 < found <= Fraction(people.exceedance)


@settings(max_examples=usual(11, 100))
@given(
    budget=st.integers(2**10, 2**43),
    exposure=st.integers(1, 2**47),
    charges=st.lists(st.tuples(st.integers(1, 2**41), st.integers(0, 2**39)), max_size=8),
    measure=st.sampled_from(Measure),
    voids=st.data(),
)
def test_voids_lower_no_statement_and_more_charges_raise_it(
    budget, exposure, charges, measure, voids
):
    people = dataset(budget, 0.2, exposure=exposure, measure=measure)
    gone = voids.draw(st.sets(st.integers(0, len(charges) - 1))) if charges else set()
    before = so_far(people, book(people, charges))
    assert so_far(people, book(people, charges, gone)) == before
    for more in ((1, 0), (1, 1), (1, 2**38)):
        later = so_far(people, book(people, [*charges, more]))
        assert later.loss >= before.loss
        assert later.exceedance >= before.exceedance
    spent = Spending(sum(each for each, _ in charges), sum(each for _, each in charges))
    final = after_everything(people).beliefs
    if spent.fits(people.spending):
        assert before.loss <= final.loss
        assert before.exceedance == final.exceedance == 0.2
    elif measure is Measure.RHO or spent.exposure > exposure:
        assert before.exceedance == 0.4


# --- Making such a dataset.

TARGETS = [
    ("gamma", 3.0, None),
    ("max_posterior", 0.6, None),
    ("attack_success", 0.7, None),
    ("advantage", 0.4, None),
    ("identifiability", 0.5, 4),
    ("epsilon", 1.0, None),
]


@pytest.mark.parametrize(
    ("kind", "value", "worlds", "delta"),
    [(*target, delta) for target, delta in some_pairs(TARGETS, [1e-6, None])],
)
def test_both_whole_budgets_together_keep_to_the_target(kind, value, worlds, delta):
    adversary, target = BoundedPriors(0.05, 0.5), target_of(kind, value, worlds)
    people = budgeted("visits", target, adversary=adversary, delta=delta, exposure=1e-9)
    assert people.measure is (Measure.EPSILON if delta is None else Measure.RHO)
    assert 0 < 1e-9 - units.exposure(people.exposure) < Fraction(1, units.EXPOSURE_UNITS)
    final = after_everything(people)
    assert final.beliefs.exceedance == people.exceedance
    if delta is None:
        assert people.exceedance == pytest.approx(1e-7, rel=1e-5)
    else:
        assert people.exceedance == delta
    high = next(each.upper for each in final.beliefs.posterior if each.prior == 0.5)
    reached = {
        "gamma": final.beliefs.gamma,
        "max_posterior": high,
        "attack_success": final.attack_success,
        "advantage": final.advantage,
    }
    if kind in reached:
        assert value * (1 - 1e-3) < reached[kind] <= value
    # Less than without keys that nobody knows, and hardly less.
    without = budgeted("visits", target, adversary=adversary, delta=delta)
    assert 0.9 * without.budget < people.budget <= without.budget


@pytest.mark.parametrize("exposure", [0.0, 1.0, -1e-9, 1e-20, math.nan])
def test_an_exposure_is_a_probability(exposure):
    with refuses(InvalidArgument, "names-argument: exposure"):
        budgeted("v", EpsilonTarget(1.0), adversary=BoundedPriors(), exposure=exposure)


def test_an_exposure_that_leaves_delta_no_room_is_refused_with_one_that_does():
    with refuses(InvalidArgument, "below-half-of-delta-1e-09"):
        budgeted("v", EpsilonTarget(1.0), adversary=BoundedPriors(), delta=1e-6, exposure=5.1e-7)


def test_a_budget_of_which_keys_leave_nothing_is_refused():
    with pytest.raises(InfeasibleTarget):
        budgeted(
            "v",
            MaxPosteriorTarget(0.11),
            adversary=BoundedPriors(0.0, 0.1),
            delta=1e-6,
            exposure=4.9e-7,
        )


# --- What things cost, and what would fit.


@pytest.mark.parametrize(
    ("spec", "measure", "units_of", "exposure"),
    [
        ("approx-dp:0.5,1e-9", Measure.EPSILON, Fraction(1, 2), 1e-9),
        ("approx-dp:0.5,1e-9", Measure.RHO, Fraction(1, 8), 1e-9),
        ("approx-zcdp:0.25,1e-9", Measure.RHO, Fraction(1, 4), 1e-9),
        ("pure-dp:0.5", Measure.RHO, Fraction(1, 8), 0.0),
        ("zcdp:0.25", Measure.RHO, Fraction(1, 4), 0.0),
    ],
)
def test_what_a_guarantee_costs_of_both_budgets(spec, measure, units_of, exposure):
    people = people_with(units.UNITS, 1e-6, 1e-8, measure)
    cost = cost_of_guarantee(people, parse(spec))
    assert units.amount(cost.units) == units_of
    assert 0 <= units.exposure(cost.exposure) - Fraction(exposure) < Fraction(1, 2**50)


@pytest.mark.parametrize("spec", ["approx-zcdp:0.25,1e-9", "zcdp:0.25"])
def test_gaussian_noise_is_refused_on_a_budget_in_epsilon(spec):
    people = people_with(units.UNITS, 1e-6, 1e-8, Measure.EPSILON)
    with refuses(NotApplicable, "leave-delta-out"):
        cost_of_guarantee(people, parse(spec))


@pytest.mark.parametrize("exceedance", [0.0, 1e-6])
def test_no_exposure_is_charged_where_there_is_no_budget_of_it(exceedance):
    people = dataset(units.UNITS, exceedance)
    with refuses(NotApplicable, "no-budget-of-exposure-keys: 1e-09"):
        cost_of(people, Spent(Measure.EPSILON, Fraction(1, 2), Fraction(1, 10**9)))


@pytest.mark.parametrize(
    ("kind", "value", "worlds", "pure"),
    usual(
        # Of targets that ask for the same of noise one: a loss, an advantage, ε itself.
        [(*TARGETS[0], True), (*TARGETS[1], False), (*TARGETS[3], True), (*TARGETS[5], False)],
        [(*target, pure) for target in TARGETS for pure in (False, True)],
    ),
)
def test_what_is_said_to_fit_of_either_fits_and_little_more_does(kind, value, worlds, pure):
    adversary, target = BoundedPriors(0.05, 0.5), target_of(kind, value, worlds)
    people = budgeted("visits", target, adversary=adversary, delta=1e-4, exposure=1e-7)

    def calibration(wanted, delta):
        return calibrated(
            wanted, adversary, people.adjacency, delta, unknown_keys=True, pure_noise=pure
        )

    def cost(wanted, delta):
        each = calibration(wanted, delta)
        spent = each.noise_epsilon if pure else each.composition.rho
        measure = Measure.EPSILON if pure else Measure.RHO
        return cost_of(people, Spent(measure, Fraction(spent), Fraction(each.exposure)))

    left = Spending(people.budget // 50, 2**20)
    smaller = what_fits(
        people, left.units, target, adversary, 1e-6, unknown_keys=True, pure_noise=pure
    )
    more = target_of(kind, smaller.value * 1.02, worlds)
    assert cost(smaller, 1e-6).units <= left.units < cost(more, 1e-6).units
    delta = delta_that_fits(people, left.exposure, target, adversary, 1e-3, pure_noise=pure)
    assert cost(target, delta).exposure <= left.exposure < cost(target, 1.02 * delta).exposure
    assert delta_that_fits(people, 0, target, adversary, 1e-3, pure_noise=pure) is None


# --- Others' (ε, δ)-DP: for two laws, that is a mixture of pure ones.


def mixture(p, q, grown):
    """Laws P and Q within the factor, of which the two given ones are at least 1 − δ times."""
    one = [min(a, grown * b) for a, b in zip(p, q, strict=True)]
    other = [min(b, grown * a) for a, b in zip(p, q, strict=True)]
    heavy, light = (one, other) if sum(one) >= sum(other) else (other, one)
    least = [min(a, b) for a, b in zip(one, other, strict=True)]
    gap = sum(heavy) - sum(least)
    step = (sum(heavy) - sum(light)) / gap if gap else Fraction(0)
    heavy[:] = [(1 - step) * a + step * b for a, b in zip(heavy, least, strict=True)]
    return [[each / sum(law) for each in law] for law in (one, other)]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=5), st.data())
def test_two_laws_that_epsilon_and_delta_separate_are_mixtures_of_pure_ones(weights, data):
    sums = [sum(column) for column in zip(*weights, strict=True)]
    if not all(sums):
        return
    p, q = ([Fraction(row[k], sums[k]) for row in weights] for k in (0, 1))
    grown = data.draw(st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(4)]))
    delta = max(hockey_stick(zip(p, q, strict=True), grown) for p, q in ((p, q), (q, p)))
    if delta == 1:
        return
    pure = mixture(p, q, grown)
    for law, inner in zip((p, q), pure, strict=True):
        assert sum(inner) == 1
        assert all(a >= (1 - delta) * b for a, b in zip(law, inner, strict=True))
    assert all(a <= grown * b and b <= grown * a for a, b in zip(*pure, strict=True))
