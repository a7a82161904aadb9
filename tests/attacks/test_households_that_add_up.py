"""Someone who knows how a household hangs together, and plays several releases against a ledger.

Every law of memberships is drawn at random, at its ends too; releases are chosen by earlier
outputs. What the outputs reveal is enumerated exactly on every path, and compared with what the
ledger reads off the sum of that path.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from deniable import Ledger
from deniable.errors import InvalidArgument, NotApplicable
from deniable.ledger import charge_guarantee, new, show
from deniable.ledger.beliefs import after
from deniable.ledger.households import read_household, read_member
from deniable.ledger.units import Spending, to_units
from deniable.priors import Households
from tests.cases.books import dataset
from tests.cases.effort import usual
from tests.cases.refusals import refuses
from tests.laws.test_households import beta_law, difference, odds_ratio, possible_law

LARGE = 2**45
"""Units of a budget that no path here passes."""


def mechanism(rng, states):
    """Likelihoods of three outputs at each state, and ε: the largest step between neighbours."""
    table = {state: rng.dirichlet(np.full(3, 2.0)) + 0.02 for state in states}
    table = {state: row / row.sum() for state, row in table.items()}
    steps = [
        abs(math.log(table[one][y] / table[other][y]))
        for one, other in itertools.combinations(states, 2)
        if sum(a != b for a, b in zip(one, other, strict=True)) == 1
        for y in range(3)
    ]
    return table, max(steps)


def paths(rng, size):
    """Two releases, the second chosen by the first's output: likelihoods and what was charged."""
    states = list(itertools.product((0, 1), repeat=size))
    first, spent = mechanism(rng, states)
    for y in range(3):
        second, more = mechanism(rng, states)
        for then in range(3):
            yield {x: first[x][y] * second[x][then] for x in states}, spent + more


def ratio(law, likelihood, member):
    """How far the outputs move the odds of one member, in either direction."""
    sums = {0: [0.0, 0.0], 1: [0.0, 0.0]}
    for x, chance in np.ndenumerate(law):
        sums[x[member]][0] += chance * likelihood[x]
        sums[x[member]][1] += chance
    if not all(mass for _, mass in sums.values()):
        return 0.0
    return abs(math.log(sums[1][0] / sums[1][1] / (sums[0][0] / sums[0][1])))


@pytest.mark.parametrize("model", ["any", "odds_ratio", "icc", "difference"])
def test_no_path_of_adaptive_releases_reveals_more_than_the_sum_says(model):
    rng = np.random.default_rng(53)
    closest = 0.0
    for _ in range(usual(20, 600)):
        size = int(rng.integers(2, 4))
        member = int(rng.integers(size))
        law, households = tied(rng, model, size, member)
        for likelihood, epsilon in paths(rng, size):
            spent = Spending(to_units(epsilon))
            of = dataset(LARGE, adjacency="add-remove")
            said = read_household(of, spent, households).so_far.loss
            revealed = ratio(law, likelihood, member)
            assert revealed <= said + 1e-9
            closest = max(closest, revealed / said)
    assert closest > 0.3  # the draws come near enough to mean something


def tied(rng, model, size, member):
    """A law, and the households that its tie is within."""
    if model == "any":
        law = rng.dirichlet(np.full(2**size, 0.2)).reshape((2,) * size)
        return law, Households(size)
    if model == "odds_ratio":
        law = possible_law(rng, size)
        return law, Households(size, odds_ratio=odds_ratio(law, member))
    if model == "icc":
        a, b = rng.uniform(0.05, 3, 2)
        return beta_law(size, a, b), Households(size, icc=1 / (a + b + 1))
    law = possible_law(rng, size)
    return law, Households(size, difference=difference(law, member))


def test_adding_what_households_reveal_is_beaten():
    """The couple of the reference: a ledger of household numbers would say 9 and 27."""
    law = np.array([[0.5, 0.0], [0.25, 0.25]])
    z = 2.0
    household = Households(2, difference=0.5)
    of = dataset(LARGE, adjacency="add-remove")
    for releases, exact in ((1, 3), (2, 10), (3, 36)):
        likelihood = {
            x: z ** (releases * sum(x)) for x in itertools.product((0, 1), repeat=2)
        }  # outputs far above the counts
        assert math.exp(ratio(law, likelihood, 0)) == pytest.approx(exact)
        spent = Spending(releases * to_units(math.log(2)))
        said = math.exp(read_household(of, spent, household).so_far.loss)
        assert said == pytest.approx(exact, rel=1e-9)
        if releases > 1:
            assert exact > 3**releases


def test_one_member_of_a_protected_household_is_within_twice_its_epsilon():
    """Households publish the value of their first member present; any law of who is present."""
    rng = np.random.default_rng(7)
    of = dataset(
        LARGE, entity="address", adjacency="add-remove", households=Households(2), by_household=True
    )
    z, most = 2.0, 0.0
    for _ in range(usual(200, 2000)):
        values = rng.integers(0, 2, 2)
        law = rng.dirichlet(np.full(4, 0.3)).reshape(2, 2)
        for seen in itertools.product(range(-1, 3), repeat=2):

            def likelihood(x, seen=seen, values=values):
                bins = [0, 0]
                for present, value in zip(x, values, strict=True):
                    if present:
                        bins[value] = 1
                        break
                return math.prod(z ** -abs(y - c) for y, c in zip(seen, bins, strict=True))

            table = {x: likelihood(x) for x in itertools.product((0, 1), repeat=2)}
            most = max(most, ratio(law, table, 0))
    said = read_member(of, Spending(to_units(math.log(z)))).so_far.loss
    assert math.log(z) * 1.5 < most <= said
    assert said == pytest.approx(2 * math.log(z))


def test_beliefs_of_a_household_cannot_be_charged(tmp_path):
    """What a household reveals is no amount of a ledger, whatever it is called."""
    place = tmp_path / "a.ledger"
    new(place, "wages", entity="person", adjacency="add-remove", epsilon=9.0)
    for spec in (
        "bayesian-dp:1.5@add-remove@households-3",
        "positive-membership:2.0@add-remove@households-3",
        "max-posterior:0.5@add-remove@households-3@0-0.1",
    ):
        with refuses(NotApplicable, "does-not-add-up"):
            charge_guarantee(place, spec, what="x")
    assert show(place).spent == 0


@pytest.mark.parametrize("size", [0, -1, 1.5, "4", math.nan, 10**6, 10**30])
def test_a_size_that_no_household_has_is_refused_and_nothing_written(tmp_path, size):
    people = {"entity": "person", "adjacency": "add-remove", "epsilon": 1.0}
    with pytest.raises(InvalidArgument):
        new(tmp_path / "a.ledger", "wages", **people, household=size)
    assert not (tmp_path / "a.ledger").exists()
    new(tmp_path / "a.ledger", "wages", **people)
    with pytest.raises(InvalidArgument):
        show(tmp_path / "a.ledger", household=size)


def test_a_void_is_still_counted_for_the_household(tmp_path):
    """What was drawn and taken back may have been seen: by the spouse, too."""
    of = dataset(LARGE, adjacency="add-remove")
    assert after(of, Spending(2**40), 2).loss == 2.0
    place = tmp_path / "a.ledger"
    new(place, "wages", entity="person", adjacency="add-remove", epsilon=4.0)
    charge = charge_guarantee(place, "pure-dp:1.0@add-remove", what="x")
    Ledger(place).void(charge.id, "the wrong table")
    answer = show(place, household=3)
    assert answer.spent == 0
    assert answer.household.so_far.loss == 3.0
    assert Fraction(answer.household.everything.loss) == 12
