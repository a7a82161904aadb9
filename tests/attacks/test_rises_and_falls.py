"""An exceedance is of rises of a belief, or of falls: for both together it would be too small."""

import math
from pathlib import Path

import numpy as np
import pytest

import deniable
from deniable.ledger import units
from deniable.ledger.beliefs import so_far
from tests.cases.books import book, dataset

GOLDEN = Path(__file__).parents[1] / "data" / "golden"
NEARLY = 0.95
"""Of the probability that no mechanism passes, so that this one keeps to its rho at every order."""


@pytest.mark.parametrize("rho", [1e-5, 1.8e-4, 1e-3])
def test_three_outputs_pass_a_limit_on_either_side_more_often_than_on_one(rho):
    """Outputs that raise a belief beyond the limit, lower it beyond, and say nothing.

    Their chances are a, a e^-l, and the rest where somebody is in the data, and a e^-l, a, and
    the rest where not.
    """
    share = 1e-6
    people = dataset(units.budget(rho), 2 * share)
    loss = math.nextafter(so_far(people, book(people, [people.budget])).loss, math.inf)
    often, rarely = NEARLY * share, NEARLY * share * math.exp(-loss)

    # It keeps to rho: (x - 1) D_x = log(1 + a (e^((x-1)l) - 1) + a e^-l (e^(-(x-1)l) - 1))
    # is at most (x - 1) x rho at every order x; beyond 2 l / rho D_x <= l <= x rho.
    spent = float(units.amount(people.budget))
    beyond_one = np.geomspace(1e-6, 2 * loss / spent, 4000)
    gain = often * np.expm1(beyond_one * loss) + rarely * np.expm1(-beyond_one * loss)
    assert (np.log1p(gain) <= beyond_one * (1 + beyond_one) * spent).all()

    assert max(often, rarely) <= share < often + rarely
    assert often + rarely > 0.9 * (1 + math.exp(-loss)) * share


@pytest.mark.parametrize(
    "name", ["plan-gaussian", "first-plan-gaussian", "frequencies", "training"]
)
def test_a_dossier_speaks_of_rises_and_of_falls_each_by_itself(name):
    """What those three outputs pass twice as often as claimed holds of a certificate's rho, too."""
    table = deniable.dossier(GOLDEN / name, "nist").table
    rarely = table["exception"].figures[0].upper
    assert rarely > 0
    (says,) = table["beliefs"].says
    assert f"{rarely!r} for a rise, and the same for a fall." in says
    assert (
        table["exception"]
        .says[0]
        .startswith("This holds for limits on rises, and the same for limits on falls.")
    )


def test_a_dossier_of_pure_privacy_has_no_exception():
    table = deniable.dossier(GOLDEN / "plan", "nist").table
    assert table["beliefs"].says[0].endswith("is in the data.")
    assert table["exception"].says == ("Never: the limits hold for every output.",)
