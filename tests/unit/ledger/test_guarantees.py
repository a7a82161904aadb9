"""Charges of what others drew."""

from fractions import Fraction

import pytest

from deniable.errors import BudgetExceeded, NotApplicable
from deniable.ledger import new, units
from deniable.ledger.costs import charge_guarantee
from deniable.notions import GaussianDP
from tests.cases.refusals import refuses


def test_a_guarantee_is_charged_in_the_datasets_measure(tmp_path):
    file = tmp_path / "a.ledger"
    new(file, "visits", gamma=99.0, delta=1e-6, each_row=True)
    entries = [
        charge_guarantee(file, each, what="a model")
        for each in ("zcdp:0.03125", "pure-dp:0.25", GaussianDP(0.25))
    ]
    assert [units.amount(each.units) for each in entries] == [Fraction(1, 32)] * 3
    with pytest.raises(BudgetExceeded):
        charge_guarantee(file, "zcdp:100", what="a model")


@pytest.mark.parametrize("spec", ["population:0.1,0", "advantage:0.1", "approx-dp:0.1,1e-9"])
def test_what_does_not_add_up_is_not_charged(tmp_path, spec):
    file = tmp_path / "a.ledger"
    new(file, "visits", gamma=9.0, each_row=True)
    with refuses(NotApplicable, "does-not-add-up"):
        charge_guarantee(file, spec, what="a model", dataset="visits")
