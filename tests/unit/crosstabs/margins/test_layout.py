import itertools

import numpy as np

from deniable.crosstabs.margins import MOST_MARGINS, Basis, Design, close_downwards
from deniable.errors import InvalidArgument
from tests.cases.refusals import refuses


def test_what_is_wanted_is_closed_downwards():
    margins = close_downwards((2, 3, 4), [(2, 0), (1,)])
    assert margins.margins == ((), (0,), (1,), (2,), (0, 2))
    assert margins.maximal() == ((1,), (0, 2))
    assert (margins.cells(()), margins.cells((0, 2)), margins.shape((0, 2))) == (1, 8, (2, 4))


def test_no_column_leaves_the_total():
    assert close_downwards((), []).margins == ((),)


def test_a_column_of_one_cell_is_refused():
    with refuses(InvalidArgument, "cells-of-column"):
        close_downwards((2, 1), [(0,)])


def test_too_many_margins_are_refused_before_they_are_listed():
    with refuses(InvalidArgument, f"at-most-margins: {MOST_MARGINS}"):
        close_downwards([2] * 60, [range(60)])
    with refuses(InvalidArgument, f"at-most-margins: {MOST_MARGINS}"):
        close_downwards([2] * 100, itertools.combinations(range(100), 3))


def test_a_vector_is_taken_apart_as_it_was_joined():
    design = Design(close_downwards((2, 3), [(0, 1)]), (5, 4, 3, 2))
    assert design.coordinates == 12
    blocks = design.split(np.arange(12))
    assert [block.shape for block in blocks.values()] == [(), (2,), (3,), (2, 3)]
    assert blocks[0, 1].tolist() == [[6, 7, 8], [9, 10, 11]]
    assert design.join(blocks).tolist() == list(range(12))
    with refuses(InvalidArgument, "vector-of-whole-numbers: 12"):
        design.split(np.arange(11))


def test_a_public_total_has_no_coordinate():
    design = Design(close_downwards((2, 3), [(0,), (1,)]), (0, 4, 3), Basis.COUNTS)
    assert design.has_public_total
    assert list(design.split(np.arange(5))) == [(0,), (1,)]
