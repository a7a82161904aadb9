"""What a book holds: units, datasets, and entries in a chain."""

import math
from fractions import Fraction

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.errors import InvalidArgument
from deniable.ledger import units
from deniable.ledger.charge import Charge, chain_start, link, spent
from deniable.ledger.dataset import Dataset
from deniable.ledger.units import Spending
from deniable.priors import BoundedPriors
from deniable.theorems.analysis import MaxPosteriorTarget
from tests.cases.refusals import refuses

VISITS = Dataset(
    name="visits",
    entity="patient",
    unit="patient",
    adjacency="replace-one",
    adversary=BoundedPriors(0.01, 0.1),
    target=MaxPosteriorTarget(0.5),
    exceedance=0.0,
    measure="epsilon",
    budget=units.budget(2.0),
)
AMOUNTS = st.floats(min_value=1e-300, max_value=1e3)


def entry(previous, **changes):
    fields = {
        "id": "0" * 32,
        "dataset": "visits",
        "units": 5,
        "what": "June",
        "plan_sha256": None,
        "by": "Ada",
        "at": "2026-06-01T10:00:00+00:00",
        "state": "charged",
        "because": None,
        "statement_sha256": None,
        "previous": previous,
    } | changes
    return Charge(**fields, sha256=link(fields))


@given(AMOUNTS)
def test_a_charge_is_rounded_up_by_less_than_one_unit(amount):
    over = units.amount(units.to_units(amount)) - Fraction(amount)
    assert 0 <= over < Fraction(1, 2**40)


@given(AMOUNTS)
def test_a_budget_is_rounded_down_by_less_than_one_unit(amount):
    exact = Fraction(amount)
    if exact * 2**40 < 1:
        with refuses(InvalidArgument, "at-least-2-40"):
            units.budget(amount)
    else:
        assert 0 <= exact - units.amount(units.budget(amount)) < Fraction(1, 2**40)


@given(st.lists(AMOUNTS, min_size=1, max_size=20))
def test_charges_that_fit_a_budget_of_their_sum_fit_it_only_by_rounding(amounts):
    """What is charged never adds up to less than what was spent."""
    assert units.amount(sum(map(units.to_units, amounts))) >= sum(map(Fraction, amounts))


@pytest.mark.parametrize("wrong", [0, -1, math.nan, math.inf, 1e300, True, "1", Fraction(0)])
def test_what_is_no_amount_is_not_charged(wrong):
    with pytest.raises(InvalidArgument):
        units.to_units(wrong)


@pytest.mark.parametrize("field", ["name", "entity", "unit"])
@pytest.mark.parametrize("wrong", ["", " visits", "a\nb", "\x1b[2J", "a\u202eb", "x" * 201, 7])
def test_a_word_that_would_not_be_shown_as_it_is_is_refused(field, wrong):
    with pytest.raises(InvalidArgument) as refused:
        attrs.evolve(VISITS, **{field: wrong})
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    "changes",
    [
        {"measure": "rho"},
        {"exceedance": 1e-6},
        {"exceedance": 1.0, "measure": "rho"},
        {"budget": 0},
        {"budget": 2**50 + 1},
        {"budget": 2**61},
        {"budget": 1.5},
        {"budget": True},
    ],
)
def test_a_dataset_that_means_nothing_is_refused(changes):
    with pytest.raises(InvalidArgument):
        attrs.evolve(VISITS, **changes)


@pytest.mark.parametrize("name", [each.name for each in attrs.fields(Dataset)])
def test_the_chain_begins_with_everything_that_is_fixed(name):
    other = {
        "name": "others",
        "entity": None,
        "unit": None,
        "adjacency": "add-remove",
        "adversary": BoundedPriors(0.01, 0.2),
        "target": MaxPosteriorTarget(0.6),
        "budget": 7,
    }
    changes = {name: other[name]} if name in other else {"exceedance": 0.1, "measure": "rho"}
    changes |= {"exposure": 7} if name == "exposure" else {}
    assert chain_start(attrs.evolve(VISITS, **changes)) != chain_start(VISITS)


@pytest.mark.parametrize("name", [each.name for each in attrs.fields(Charge)])
def test_an_entry_that_was_changed_does_not_fit_its_digest(name):
    right = entry(chain_start(VISITS))
    assert right.linked
    changed = {
        "units": 4,
        "at": "2026-06-01T10:00:01+00:00",
        "state": "released",
        "id": "1" * 32,
        "exposure": 4,
    }.get(name, "f" * 64)
    more = {"units": 0} if name == "state" else {}
    assert not attrs.evolve(right, **{name: changed}, **more).linked


@pytest.mark.parametrize(
    ("state", "amount"),
    [("charged", 0), ("charged", -1), ("released", 1), ("void", 1), ("void", 0), ("charged", 1.0)],
)
def test_units_belong_to_the_state(state, amount):
    with pytest.raises(InvalidArgument):
        entry(chain_start(VISITS), state=state, units=amount)


@pytest.mark.parametrize("at", ["yesterday", "2026-06-01", "2026-06-01T10:00:00", "1e9"])
def test_a_moment_is_in_utc(at):
    with refuses(InvalidArgument, "moment-in-utc-as-iso"):
        entry(chain_start(VISITS), at=at)


def test_what_is_spent_is_what_is_charged_and_not_void():
    start = chain_start(VISITS)
    rows = [
        entry(start),
        entry(start, state="released", units=0),
        entry(start, units=7),
        entry(start, state="void", units=-7, because="a wrong table"),
    ]
    assert spent(rows) == Spending(5)
