"""Numbers of functions that the ledger's answers share."""

from fractions import Fraction

from deniable.ledger import units
from deniable.ledger.beliefs import after_everything, rung_above, so_far
from deniable.ledger.budget import budgeted
from deniable.ledger.costs import Spent, cost_in_units, cost_of, cost_of_guarantee, what_fits
from deniable.ledger.dataset import Measure, line, read_aloud, word
from deniable.ledger.households import read_household
from deniable.ledger.sentences import exposure_up, up
from deniable.ledger.server import is_url, server_of
from deniable.ledger.tables import in_columns, in_version
from deniable.ledger.units import (
    EXPOSURE_UNITS,
    UNITS,
    Spending,
    amount,
    budget,
    exposure,
    exposure_budget,
    format_distinct,
    in_whole_units,
    part_of,
    to_exposure,
    to_units,
)
from deniable.notions import GaussianDP
from deniable.priors import BoundedPriors, Households
from deniable.theorems.analysis import AttackSuccessTarget, PosteriorRange
from deniable.theorems.analysis.target import EpsilonTarget, MaxPosteriorTarget


def test_beliefs():
    visits = budgeted("visits", MaxPosteriorTarget(0.5), adversary=BoundedPriors(0.01, 0.1))
    assert [round(each.upper, 3) for each in after_everything(visits).beliefs.posterior] == [
        0.083,
        0.321,
        0.5,
        0.9,
    ]
    visits = budgeted("visits", EpsilonTarget(1.0), adversary=BoundedPriors())
    assert so_far(visits, []).posterior[-1] == PosteriorRange(prior=1.0, lower=1.0, upper=1.0)
    visits = budgeted("visits", EpsilonTarget(1.0), adversary=BoundedPriors(), delta=2.0 ** (-20))
    assert rung_above(visits, visits.budget // 3).units == visits.budget // 2


def test_budget():
    visits = budgeted("visits", MaxPosteriorTarget(0.5), adversary=BoundedPriors(0.01, 0.1))
    assert (str(visits.measure), round(float(units.amount(visits.budget)), 6)) == (
        "epsilon",
        2.197225,
    )


def test_costs():
    visits = budgeted("visits", EpsilonTarget(1.0), adversary=BoundedPriors(), delta=1e-06)
    assert units.amount(cost_in_units(visits, Measure.EPSILON, Fraction(1, 2))) == Fraction(1, 8)
    visits = budgeted("visits", EpsilonTarget(1.0), adversary=BoundedPriors(), delta=1e-06)
    assert units.amount(cost_of_guarantee(visits, GaussianDP(0.5)).units) == Fraction(1, 8)
    keys = budgeted("keys", EpsilonTarget(1.0), adversary=BoundedPriors(), exposure=1e-06)
    assert cost_of(keys, Spent(Measure.EPSILON, Fraction(1, 4), Fraction(1, 2**30))) == Spending(
        units=274877906944, exposure=1048576
    )
    visits = budgeted("visits", EpsilonTarget(1.0), adversary=BoundedPriors())
    assert what_fits(
        visits, units.UNITS // 8, AttackSuccessTarget(0.7), BoundedPriors(), None
    ) == AttackSuccessTarget(value=0.531)


def test_dataset():
    assert word("June figures", "the label") == "June figures"
    assert line(None, "June\n figures\x1b", instead="release") == "June figures"
    assert read_aloud("Visits  2026") == read_aloud("visits 2026")


def test_households():
    people = {"adversary": BoundedPriors(), "adjacency": "add-remove"}
    visits = budgeted("visits", EpsilonTarget(1.0), **people)
    assert read_household(visits, Spending(0), Households(3)).everything.loss == 3.0


def test_sentences():
    assert (up(2**39), up(2**40 // 3), up(2**40 // 10 + 1)) == ("0.5", "0.33334", "0.1")
    assert (exposure_up(2**20), exposure_up(0)) == ("9.3133e-10", "0")


def test_server():
    assert (is_url("postgresql://db/team"), is_url("hospital.ledger")) == (True, False)
    assert server_of("postgresql://ada@db:5432/team").label == "postgresql://db:5432/team"


def test_tables():
    assert (
        in_version("SELECT units, exposure FROM entry", 1)
        == "SELECT units, CAST(NULL AS bigint) FROM entry"
    )
    assert in_columns(("visits", None), ("name", "exposure"), 1) == ("visits",)


def test_units():
    assert (to_units(1.0) == UNITS, to_units(Fraction(1, 3)) * 3 - UNITS) == (True, 2)
    assert budget(Fraction(1, 3)) * 3 - UNITS == -1
    assert (to_exposure(0.0), to_exposure(2.0 ** (-20)) == 2**30) == (0, True)
    assert exposure_budget(2.0 ** (-20)) == to_exposure(2.0 ** (-20))
    assert exposure(EXPOSURE_UNITS // 4) == Fraction(1, 4)
    assert (Spending(3, 1) + Spending(1, 1), Spending(3, 1).fits(Spending(4, 0))) == (
        Spending(units=4, exposure=2),
        False,
    )
    assert part_of(UNITS, Fraction(1, 3)) * 3 - UNITS == -1
    assert to_units(in_whole_units(Fraction(1, 10))) * 10 <= budget(1.0)
    assert amount(UNITS // 2) == Fraction(1, 2)
    assert (
        format_distinct(UNITS // 10, UNITS // 4),
        format_distinct(UNITS // 4, UNITS // 4 + 1),
    ) == (("0.0999999", "0.25"), ("0.25", "0.250000000001"))
