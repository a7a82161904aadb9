import math

import pytest

from deniable.judge.ratios import Ratios


def test_exchanges_name_who_comes_and_who_goes(pick):
    found = Ratios(pick).replace_one
    assert found.rise.ratio == found.fall.ratio == math.inf
    assert found.rise.row_above == 1 << found.rise.entity
    assert found.fall.row_below == 1 << found.fall.entity


def test_what_is_not_known_is_none(pick):
    ratios = Ratios(pick)
    assert ratios.add_remove is None
    assert ratios.any_two is None


def test_one_entity_has_nobody_to_be_exchanged_for(flip):
    assert Ratios(flip).replace_one.rise is None


def test_any_two_subsets(parity, flip):
    assert Ratios(parity).any_two.rise.ratio == math.inf
    found = Ratios(flip).any_two
    assert (found.rise.ratio, found.fall.ratio) == (2.0, 1.5)
    assert (found.rise.row_above, found.rise.row_below) == (1, 0)
    assert (found.fall.row_above, found.fall.row_below) == (0, 1)


def test_each_kind_is_looked_for_once(flip):
    ratios = Ratios(flip)
    assert ratios.add_remove is ratios.add_remove


def test_a_matrix_is_not_changed(flip):
    with pytest.raises(AttributeError):
        Ratios(flip).matrix = None
