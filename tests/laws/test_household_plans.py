"""No plan about households lets a belief about one person pass its limit, and some reach it.

A plan is calibrated, and its noisy count is attacked: the probability of every output is added up
over laws at the ends of each class, with every set of known members. What others' records add is
compared with a linear program, and with a table whose owners live together.
"""

import functools
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from deniable.notions import ZCDP, Adjacency, PureDP
from deniable.priors import Households
from deniable.publish.plan import public_plan
from deniable.publish.prepare import calibrate_plan
from deniable.theorems.households import loss_with_records
from tests.cases.effort import usual
from tests.laws.test_households import all_or_none, beta_law

PRIOR, LIMIT = 0.1, 0.5
ODDS = LIMIT * (1 - PRIOR) / (PRIOR * (1 - LIMIT))


@functools.cache
def calibrated(size, name=None, value=None, delta=None, household=False):
    """The calibration of a plan that publishes one count."""
    model = {} if name is None else {"correlation": {name: value}}
    plan = {
        "data": {"source": "withheld", "entity": "person", "adjacency": "add-remove"},
        "adversary": {"prior": [0.0, PRIOR], "household_size": size} | model,
        "target": {"max_posterior": LIMIT} | ({"delta": delta} if delta else {}),
        "limits": {"rows_per_entity": 1},
        "query": [{"name": "people", "statistic": "count"}],
    }
    if household:
        plan["data"]["household"] = plan["data"].pop("entity")
        plan["adversary"], plan["limits"] = {"prior": [0.0, PRIOR]}, {"rows_per_household": 1}
    return calibrate_plan(public_plan(plan)).calibration


FAR = 60
"""Counts that are looked at on either side: beyond those of all members ratios stay as they are."""


def discrete_laplace(epsilon):
    """Probabilities of noise −FAR … FAR, up to a factor that no ratio has in it."""
    return np.exp(-epsilon * np.abs(np.arange(-FAR, FAR + 1)))


def discrete_gaussian(rho):
    """The same of variance 1/(2ρ), normalised."""
    reach = np.arange(-3000, 3001)
    weights = np.exp(-(reach**2) * rho)
    return weights / weights.sum()


def outputs(law, noise, member, known):
    """The laws of the noisy count given the member in and given out; others may be known."""
    size = law.ndim
    given = {0: np.zeros(len(noise) + size), 1: np.zeros(len(noise) + size)}
    mass = {0: 0.0, 1: 0.0}
    for state in itertools.product((0, 1), repeat=size):
        if all(state[other] == there for other, there in known.items()):
            inside, count = state[member], sum(state)
            given[inside][count : count + len(noise)] += law[state] * noise
            mass[inside] += law[state]
    if not mass[0] or not mass[1]:
        return None
    return given[1] / mass[1], given[0] / mass[0]


def knowledge(size, member):
    """All that may be known of the others."""
    others = [each for each in range(size) if each != member]
    for states in itertools.product((None, 0, 1), repeat=size - 1):
        yield {o: s for o, s in zip(others, states, strict=True) if s is not None}


def ratio(law, epsilon, member):
    """The largest factor by which the count moves the odds of the member, either way."""
    noise, worst = discrete_laplace(epsilon), 1.0
    for known in knowledge(law.ndim, member):
        if (laws := outputs(law, noise, member, known)) is not None:
            present, absent = (each[law.ndim : -law.ndim] for each in laws)
            worst = max(worst, (present / absent).max(), (absent / present).max())
    return worst


def copies(size, inside, share):
    """All copy one draw with some chance, else each decides alone."""
    law = np.zeros((2,) * size)
    for x in itertools.product((0, 1), repeat=size):
        alone = math.prod(inside if each else 1 - inside for each in x)
        law[x] = (1 - share) * alone + share * (inside if all(x) else 1 - inside) * (
            len(set(x)) < 2
        )
    return law


def leaning(size, z, psi):
    """Others nearly all in or all out, at the odds where the bound is attained; each odds ratio ψ.

    The first member is the one in question; the others' own ties are free.
    """
    odds = (psi * z) ** (-(size - 1) / 2)
    law = np.zeros((2,) * size)
    for inside, *others in itertools.product((0, 1), repeat=size):
        there = sum(others)
        weight = 1.0 if there == 0 else odds if there == size - 1 else 1e-11
        law[(inside, *others)] = weight * psi ** (inside * there)
    for inside in (0, 1):
        law[inside] *= (PRIOR if inside else 1 - PRIOR) / law[inside].sum()
    return law


def ends(size, name, value):
    """Laws at the ends of a class."""
    inside = (1e-6, 0.1, 0.5, 0.9)
    match name:
        case None:
            yield from (all_or_none(size, each) for each in inside)
        case "icc":
            total = 1 / value - 1
            yield from (beta_law(size, each * total, (1 - each) * total) for each in inside)
        case "difference":
            yield from (copies(size, each, value) for each in (1e-9, 1e-3))
        case "odds_ratio":
            yield leaning(size, math.exp(calibrated(size, name, value).epsilon), value)


CLASSES = [
    *((size, None, None) for size in (1, 2, 3, 4)),
    *((size, "odds_ratio", psi) for size in (2, 3, 4) for psi in (1.5, 4)),
    *((size, "icc", icc) for size in (2, 3, 4) for icc in (0.05, 0.2)),
    *((size, "difference", c) for size in (2, 3) for c in (0.1, 0.3)),
]
NOT_ATTAINED = [(3, "difference", 0.1)]
"""Two of three known: the rest may hang together in any way, which a copied draw does not."""


@pytest.mark.parametrize(("size", "name", "value"), CLASSES)
def test_the_belief_after_a_count_reaches_its_limit_and_never_passes_it(size, name, value):
    epsilon = calibrated(size, name, value).epsilon
    members = [0] if name == "odds_ratio" else range(size)
    worst = max(
        ratio(law, epsilon, member) for law in ends(size, name, value) for member in members
    )
    belief = worst * PRIOR / (worst * PRIOR + 1 - PRIOR)
    assert belief <= LIMIT * (1 + 1e-9)
    if (size, name, value) not in NOT_ATTAINED:
        assert belief == pytest.approx(LIMIT, rel=1e-3)


@pytest.mark.parametrize(("size", "psi"), [(2, None), (3, None), (2, 1.2), (3, 1.05)])
def test_with_delta_the_limit_is_passed_no_more_often_than_is_said(size, psi):
    delta = 1e-4
    answer = calibrated(size, None if psi is None else "odds_ratio", psi, delta)
    noise = discrete_gaussian(answer.composition.rho)
    law = all_or_none(size, PRIOR) if psi is None else leaning(size, 2.0, psi)
    passed = []
    for known in knowledge(size, 0):
        if (laws := outputs(law, noise, 0, known)) is not None:
            for one, other in (laws, laws[::-1]):
                passed.append(one[one > ODDS * (1 + 1e-9) * other].sum())
    assert max(passed) <= delta
    if psi is None:  # by the Gaussian curve, at the scale of the whole household
        assert max(passed) > delta / 20  # a tail that survives averaging is not the least one
        alone = calibrated(1, None, None, delta).composition.rho
        assert answer.composition.rho == pytest.approx(alone / size**2, rel=1e-3)


def grouped(rows, epsilon):
    """The law of a histogram of two cells, exactly, by its corner where both grow or one falls."""
    z = Fraction(math.exp(epsilon)).limit_denominator(10**12)
    return {sign: z ** sum(s * r for s, r in zip(sign, rows, strict=True)) for sign in
            itertools.product((1, -1), repeat=2)}  # fmt: skip


def test_a_member_who_comes_or_goes_moves_a_households_rows_twice():
    """One row of a household is kept: with the member it is in one cell, without in the other."""
    epsilon = calibrated(1, household=True).epsilon
    present, absent = grouped((1, 0), epsilon), grouped((0, 1), epsilon)
    worst = float(max(present[sign] / absent[sign] for sign in present))
    assert worst == pytest.approx(ODDS, rel=1e-9)
    assert calibrated(1, household=True).household.loss == pytest.approx(math.log(ODDS), rel=1e-12)


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_records_that_follow_a_person_cost_two_changes_each(size):
    """In cell A with the person, who is there too; in cell B without: 2k − 1 rows move."""
    epsilon = math.log(2)
    present, absent = grouped((size, 0), epsilon), grouped((0, size - 1), epsilon)
    worst = float(max(present[sign] / absent[sign] for sign in present))
    assert worst == pytest.approx(2.0 ** (2 * size - 1), rel=1e-9)
    bound = loss_with_records(PureDP(epsilon, Adjacency.ADD_REMOVE), Households(size))
    assert math.exp(bound) == pytest.approx(worst, rel=1e-12)


def worst_over_mechanisms(present, absent, epsilon):
    """The largest E f given "in" over E f given "out", of all f that an ε-DP mechanism can have.

    States are (person, other's record), 0 for absent; neighbours come or go, one person each.
    """
    records = len(present)
    states = list(itertools.product((0, 1), range(records)))
    rows = []
    for (i, r), (j, s) in itertools.permutations(states, 2):
        if (i != j) + (r != s) * (1 if 0 in (r, s) else 2) == 1:
            row = np.zeros(len(states))
            row[states.index((i, r))] = 1
            row[states.index((j, s))] = -math.exp(epsilon)
            rows.append(row)
    inside = np.array([present[r] if i else 0 for i, r in states])
    outside = np.array([0 if i else absent[r] for i, r in states])
    found = linprog(-inside, rows, np.zeros(len(rows)), outside[None], [1.0], method="highs")
    return -found.fun


@pytest.mark.parametrize("records", [2, 3, 4])
def test_no_mechanism_reveals_more_through_records_of_a_stated_odds_ratio(records):
    rng = np.random.default_rng(records)
    for _ in range(usual(25, 2_000)):
        present, absent = rng.dirichlet(np.full(records, rng.choice([0.3, 2.0])), 2) + 1e-6
        present, absent = present / present.sum(), absent / absent.sum()
        odds = present / absent
        psi = odds.max() / odds.min() * (1 + 1e-9)
        epsilon = float(rng.choice([0.1, math.log(2), 2.0]))
        one = PureDP(epsilon, Adjacency.ADD_REMOVE)
        tied = loss_with_records(one, Households(2))
        stated = loss_with_records(one, Households(2, odds_ratio=psi))
        assert stated <= tied <= 3 * epsilon * (1 + 1e-12)
        for laws in ((present, absent), (absent, present)):
            assert math.log(worst_over_mechanisms(*laws, epsilon)) <= stated + 1e-7


def test_the_odds_ratio_of_records_is_attained_by_two_of_them():
    """Record A or B, at the odds where the bound is largest; B is almost impossible otherwise."""
    z, psi = 2.0, 4.0
    spread = z**2
    odds = 1 / math.sqrt(psi * spread)
    absent = np.array([0, 1, odds]) / (1 + odds)
    present = absent * [1, 1, psi]
    worst = worst_over_mechanisms(present / present.sum(), absent, math.log(z))
    stated = loss_with_records(
        PureDP(math.log(z), Adjacency.ADD_REMOVE), Households(2, odds_ratio=psi)
    )
    assert worst == pytest.approx(math.exp(stated), rel=1e-6)


def test_with_delta_records_count_two_changes_each():
    one = ZCDP(0.01, Adjacency.ADD_REMOVE)
    three = loss_with_records(one, Households(2), 1e-6)
    assert three == pytest.approx(0.09 + 2 * math.sqrt(0.09 * math.log(1e6)), rel=1e-12)
    stated = loss_with_records(one, Households(2, odds_ratio=1.01), 1e-6)
    alone = loss_with_records(one, Households(1), 1e-6)
    assert stated == pytest.approx(alone + math.log(1.01), rel=1e-9)
