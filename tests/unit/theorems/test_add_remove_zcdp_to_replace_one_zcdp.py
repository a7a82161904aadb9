import pytest

from deniable.errors import NotApplicable
from deniable.notions import ZCDP, Adjacency
from deniable.theorems.add_remove_zcdp_to_replace_one_zcdp import (
    add_remove_zcdp_for_replace_one_zcdp,
    add_remove_zcdp_to_replace_one_zcdp,
)


def test_rho_is_fourfold_and_back():
    one = ZCDP(0.3, Adjacency.ADD_REMOVE)
    assert add_remove_zcdp_to_replace_one_zcdp(one) == ZCDP(1.2)
    assert add_remove_zcdp_for_replace_one_zcdp(ZCDP(1.2)) == one


def test_the_least_float_is_not_rounded_up():
    assert add_remove_zcdp_for_replace_one_zcdp(ZCDP(5e-324)).rho == 0.0


def test_a_replace_one_guarantee_is_refused():
    with pytest.raises(NotApplicable, match="Expected an add-remove guarantee"):
        add_remove_zcdp_to_replace_one_zcdp(ZCDP(0.3))
