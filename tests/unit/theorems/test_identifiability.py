import math

import pytest

from deniable.errors import InfeasibleTarget, NotApplicable
from deniable.notions import Adjacency, Identifiability, PositiveMembership, PrivacyLossTail, PureDP
from deniable.priors import OneOutOfPriors
from deniable.theorems.identifiability import (
    identifiability_to_positive_membership,
    positive_membership_to_identifiability,
    privacy_loss_tail_to_identifiability,
    replace_one_dp_for_identifiability,
    replace_one_dp_to_identifiability,
)


def test_edges():
    assert replace_one_dp_to_identifiability(PureDP(0.0), 4) == Identifiability(0.25, 4)
    assert replace_one_dp_to_identifiability(PureDP(math.inf), 4) == Identifiability(1.0, 4)
    assert replace_one_dp_to_identifiability(PureDP(1e308), 4) == Identifiability(1.0, 4)
    assert replace_one_dp_for_identifiability(Identifiability(1.0, 4)) == PureDP(math.inf)


def test_back():
    found = replace_one_dp_for_identifiability(Identifiability(0.3, 8)).epsilon
    assert found == pytest.approx(math.log(3), rel=1e-15)


@pytest.mark.parametrize(("rho", "worlds"), [(0.25, 4), (0.1, 4), (0.0, 2), (1 / 3, 3)])
def test_a_guess_is_right_that_often_already(rho, worlds):
    with pytest.raises(InfeasibleTarget, match=r"rho > 1/. = .*, got rho=.* raise rho"):
        replace_one_dp_for_identifiability(Identifiability(rho, worlds))


def test_a_float_above_one_in_five_is_above_one_in_five():
    found = replace_one_dp_for_identifiability(Identifiability(0.2, 5)).epsilon
    assert 0 < found < 1e-16


def test_add_remove_is_another_adjacency():
    with pytest.raises(NotApplicable, match="Expected a replace-one guarantee, got add-remove"):
        replace_one_dp_to_identifiability(PureDP(1.0, Adjacency.ADD_REMOVE), 4)


def test_rho_is_that_of_pure_dp_with_the_exceedance_beside_it():
    found = privacy_loss_tail_to_identifiability(PrivacyLossTail(2.0, 1e-6), 3)
    assert math.isclose(found.rho, 1 / (1 + 2 * math.exp(-2)))
    assert (found.worlds, found.exceedance) == (3, 1e-6)


def test_an_add_remove_tail_is_refused():
    with pytest.raises(NotApplicable, match="Expected a replace-one guarantee"):
        privacy_loss_tail_to_identifiability(PrivacyLossTail(2.0, 1e-6, Adjacency.ADD_REMOVE), 3)


@pytest.mark.parametrize(
    ("rho", "worlds", "gamma"), [(0.5, 2, 1.0), (0.75, 2, 2.0), (0.5, 4, 2.0), (0.125, 4, 1.0)]
)
def test_either_term(rho, worlds, gamma):
    found = identifiability_to_positive_membership(Identifiability(rho, worlds))
    assert found == PositiveMembership(gamma, OneOutOfPriors(worlds))


def test_certainty_and_exceptions():
    found = identifiability_to_positive_membership(Identifiability(1.0, 3, 1e-6))
    assert found == PositiveMembership(math.inf, OneOutOfPriors(3), 1e-6)


@pytest.mark.parametrize("worlds", [2, 3, 8, 1000])
@pytest.mark.parametrize("rho", [0.3, 0.5, 0.9, 1.0])
def test_there_and_back(worlds, rho):
    if rho * worlds >= 1:
        there = identifiability_to_positive_membership(Identifiability(rho, worlds, 1e-6))
        back = positive_membership_to_identifiability(there)
        assert (back.worlds, back.exceedance) == (worlds, 1e-6)
        assert rho <= back.rho == pytest.approx(rho, rel=1e-14)


def test_guessing_stays_possible():
    found = positive_membership_to_identifiability(PositiveMembership(1.0, OneOutOfPriors(4)))
    assert found.rho == 0.25


def test_other_families():
    with pytest.raises(NotApplicable, match="1-out-of-m"):
        positive_membership_to_identifiability(PositiveMembership(2.0))
