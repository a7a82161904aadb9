import math

import pytest

from deniable.errors import InfeasibleTarget, NotApplicable
from deniable.notions import Adjacency, Identifiability, PureDP
from deniable.theorems.replace_one_dp_to_identifiability import (
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
