import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.crosstabs.margins import (
    LIMIT,
    Basis,
    Design,
    check_range,
    close_downwards,
    sensitivity,
)
from deniable.errors import InvalidArgument
from deniable.notions import Adjacency
from tests.cases.effort import usual
from tests.cases.refusals import refuses
from tests.oracles import margins as slow

OUT, EXCHANGE = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE


@st.composite
def designs(draw, basis):
    sizes = draw(
        st.sampled_from([(2,), (3,), (2, 2), (2, 3), (4, 2), (3, 3), (2, 2, 2), (2, 2, 3)])
    )
    every = [m for n in range(len(sizes) + 1) for m in itertools.combinations(range(len(sizes)), n)]
    margins = close_downwards(sizes, draw(st.lists(st.sampled_from(every), min_size=1)))
    public = draw(st.booleans())
    multipliers = [draw(st.integers(1, 9)) for _ in margins.margins]
    return Design(margins, (0 if public else multipliers[0], *multipliers[1:]), basis)


def brute(design, rows, **options):
    matrix = slow.measurement_matrix(
        design.margins.sizes, design.measured(), residuals=design.basis is Basis.RESIDUALS
    )
    return slow.largest_moves(matrix, design.margins.sizes, rows, **options) if matrix else (0, 0)


@pytest.mark.parametrize("basis", Basis)
@settings(max_examples=usual(13, 40))
@given(data=st.data(), rows=st.integers(1, 2))
def test_sensitivities_are_attained_and_not_passed_by_all_pairs(basis, data, rows):
    design = data.draw(designs(basis))
    exact_l1 = basis is Basis.COUNTS
    if not design.has_public_total:
        claim = sensitivity(design, OUT, rows=rows)
        assert (claim.squared_l2, claim.l1) == brute(design, rows, replaced=False)
        claim = sensitivity(design, EXCHANGE, rows=rows)
        squared, l1 = brute(design, rows, replaced=True)
        assert claim.is_attained
        assert claim.squared_l2 == squared
        assert claim.l1 == l1 or (not exact_l1 and claim.l1 > l1)
    claim = sensitivity(design, EXCHANGE, rows=rows, has_fixed_rows=True)
    squared, l1 = brute(design, rows, replaced=True, fixed=True)
    assert claim.squared_l2 == squared
    assert claim.l1 == l1 or (not exact_l1 and claim.l1 > l1)


def test_replace_one_of_a_binary_column_is_twice_add_remove_not_root_two():
    design = Design(close_downwards((2,), [(0,)]), (0, 1))
    column = sensitivity(Design(design.margins, (1, 1)), OUT).squared_l2 - 1
    assert sensitivity(design, EXCHANGE, has_fixed_rows=True).squared_l2 == 4 * column


def test_more_than_sixteen_columns_take_the_sum_of_maxima():
    wide = close_downwards([2, 3, *[2] * 15], [(0, 1), *((i,) for i in range(2, 17))])
    design = Design(wide, tuple(range(1, len(wide.margins) + 1)))
    claim = sensitivity(design, EXCHANGE)
    apart = 0
    for block, multiplier in design.measured()[1:]:
        own = close_downwards([wide.sizes[i] for i in block], [range(len(block))])
        top = Design(own, (0, *[1] * (len(own.margins) - 2), 10**9))
        # All but the top block are negligible beside 10^18.
        apart += (
            round(sensitivity(top, EXCHANGE, has_fixed_rows=True).squared_l2 / 10**18)
            * multiplier**2
        )
    assert not claim.is_attained
    assert claim.squared_l2 == apart


def test_the_joint_maximum_is_below_the_sum_of_maxima():
    sizes = [3] * 16
    pairs = list(itertools.combinations(range(16), 2))
    narrow = close_downwards(sizes, pairs)
    joint = sensitivity(Design(narrow, (1,) * len(narrow.margins)), EXCHANGE)
    wide = close_downwards([*sizes, 3], [*pairs, (16,)])
    apart = sensitivity(Design(wide, (1,) * len(wide.margins)), EXCHANGE)
    assert joint.is_attained
    assert not apart.is_attained
    assert joint.squared_l2 < apart.squared_l2 - 18


def test_large_multipliers_stay_exact():
    margins = close_downwards((2, 3), [(0, 1)])
    small = sensitivity(Design(margins, (1, 2, 3, 4)), EXCHANGE)
    large = sensitivity(Design(margins, tuple(2**40 * m for m in (1, 2, 3, 4))), EXCHANGE)
    assert large.squared_l2 == 2**80 * small.squared_l2


@pytest.mark.parametrize(("adjacency", "fixed"), [(OUT, False), (OUT, True), (EXCHANGE, False)])
def test_a_total_that_neighbours_differ_in_is_not_public(adjacency, fixed):
    design = Design(close_downwards((2,), [(0,)]), (0, 1))
    with refuses(InvalidArgument, "measured-total"):
        sensitivity(design, adjacency, has_fixed_rows=fixed)


def test_a_design_beyond_62_bits_is_refused_by_public_numbers():
    design = Design(close_downwards((4, 4), [(0, 1)]), (1, 1, 1, 2**10))
    check_range(design, LIMIT // 2**14)
    with refuses(InvalidArgument, "times-cells-margin: 1024 | 16 | (0, 1)"):
        check_range(design, LIMIT // 2**14 + 1)
