import math

import pytest

from deniable.errors import InfeasibleTarget, NotApplicable
from deniable.notions import (
    Adjacency,
    Identifiability,
    PositiveMembership,
    PrivacyLossTail,
    PureDP,
)
from deniable.priors import OneOutOfPriors
from deniable.theorems import identifiability as theorems
from tests.cases.refusals import refuses
from tests.cases.theorem_tables import agree, edges, refusals

OUT = Adjacency.ADD_REMOVE

from_pure, budget = (
    theorems.replace_one_dp_to_identifiability,
    theorems.replace_one_dp_for_identifiability,
)
from_tail = theorems.privacy_loss_tail_to_identifiability
to_membership = theorems.identifiability_to_positive_membership
from_membership = theorems.positive_membership_to_identifiability


@edges(
    (from_pure, PureDP(0.0), 4, Identifiability(0.25, 4)),
    (from_pure, PureDP(math.inf), 4, Identifiability(1.0, 4)),
    (from_pure, PureDP(1e308), 4, Identifiability(1.0, 4)),
    (budget, Identifiability(1.0, 4), PureDP(math.inf)),
    (budget, Identifiability(0.3, 8), PureDP(math.log(3))),
    (
        from_tail,  # ρ is that of pure DP, with the exceedance beside it
        PrivacyLossTail(2.0, 1e-6),
        3,
        Identifiability(1 / (1 + 2 * math.exp(-2)), 3, 1e-6),
    ),
    *(
        (to_membership, Identifiability(rho, m), PositiveMembership(gamma, OneOutOfPriors(m)))
        for rho, m, gamma in [(0.5, 2, 1.0), (0.75, 2, 2.0), (0.5, 4, 2.0), (0.125, 4, 1.0)]
    ),
    (
        to_membership,
        Identifiability(1.0, 3, 1e-6),
        PositiveMembership(math.inf, OneOutOfPriors(3), 1e-6),
    ),
    (from_membership, PositiveMembership(1.0, OneOutOfPriors(4)), Identifiability(0.25, 4)),
)
def test_edges(theorem, given, expected):
    assert agree(theorem(*given), expected)


def test_a_float_above_one_in_five_is_above_one_in_five():
    assert 0 < budget(Identifiability(0.2, 5)).epsilon < 1e-16


@pytest.mark.parametrize("worlds", [2, 3, 8, 1000])
@pytest.mark.parametrize("rho", [0.3, 0.5, 0.9, 1.0])
def test_there_and_back(worlds, rho):
    if rho * worlds >= 1:
        back = from_membership(to_membership(Identifiability(rho, worlds, 1e-6)))
        assert (back.worlds, back.exceedance) == (worlds, 1e-6)
        assert rho <= back.rho == pytest.approx(rho, rel=1e-14)


@refusals(
    # a guess is right that often already
    *(
        (budget, Identifiability(rho, m), InfeasibleTarget, "rho-above-1-raise")
        for rho, m in [(0.25, 4), (0.1, 4), (0.0, 2), (1 / 3, 3)]
    ),
    (from_pure, PureDP(1.0, OUT), 4, NotApplicable, "replace-one-guarantee-add-remove"),
    (
        from_tail,
        PrivacyLossTail(2.0, 1e-6, OUT),
        3,
        NotApplicable,
        "replace-one-guarantee-add-remove",
    ),
    (from_membership, PositiveMembership(2.0), NotApplicable, "1-out-of-m-family-beliefs"),
)
def test_refusals(theorem, given, error, message):
    with refuses(error, message):
        theorem(*given)
