"""xiao-2023, *An optimal and scalable matrix mechanism for noisy marginals*: worked examples.

The method is the paper's; the figures are not, but those of a prototype of our own, which was
checked by dense matrices.
"""

from fractions import Fraction

import numpy as np
import pytest

from deniable.crosstabs.margins.design import residual_design
from deniable.crosstabs.margins.layout import Basis, Design, close_downwards, measure, subsets
from deniable.crosstabs.margins.reconstruct import error_terms, reconstruct
from deniable.crosstabs.margins.sensitivity import sensitivity
from deniable.mechanisms import DiscreteGaussian
from deniable.notions import Adjacency
from deniable.publish.query import ErrorTerm, half_width
from tests.cases.exact_margins import variance
from tests.oracles.margins import count_cells, optimum

MARGINS = close_downwards((2, 3), [(0, 1)])
CELLS = {(0,): Fraction(2), (1,): Fraction(3), (0, 1): Fraction(6)}


def test_the_weighted_sum_of_variances():
    noise, variances, least = optimum(MARGINS, CELLS, 0.5)
    expected = {(): 4.047207, (0,): 2.478398, (1,): 1.907872, (0, 1): 1.652265}
    assert noise == pytest.approx(expected, abs=1e-6)
    of_cells = {(0,): 2.251001, (1,): 1.721604, (0, 1): 1.118845}
    assert {name: variances[name] for name in of_cells} == pytest.approx(of_cells, abs=1e-6)
    assert least == pytest.approx(16.379882, abs=1e-6)


def test_the_residual_of_a_table():
    design = Design(MARGINS, (1, 1, 1, 1))
    vector = measure(design, count_cells(MARGINS, [[5, 2, 1], [0, 3, 4]]))
    assert design.split(vector)[0, 1].tolist() == [[14, -4, -10], [-14, 4, 10]]


def test_sensitivity_of_one_block():
    """A block of (2, 3): 12, and 48 under replace-one, beside negligible blocks."""
    huge = 10**9
    design = Design(MARGINS, (1, 1, 1, huge))
    block = sensitivity(design, Adjacency.ADD_REMOVE).squared_l2 // huge**2
    replaced = sensitivity(design, Adjacency.REPLACE_ONE).squared_l2 // huge**2
    assert (block, replaced) == (12, 48)


def test_whole_multipliers_and_their_joint_sensitivity():
    design = residual_design(MARGINS, CELLS)
    assert design.multipliers == (1024, 654, 497, 267)
    assert sensitivity(design, Adjacency.ADD_REMOVE).squared_l2 == 4_241_530
    public = residual_design(MARGINS, CELLS, public_total=True)
    assert public.multipliers[0] == 0
    exchanged = sensitivity(design, Adjacency.REPLACE_ONE, has_fixed_rows=True)
    assert exchanged.squared_l2 == 8_723_358


def test_half_widths_by_the_exact_law_where_deviations_fall_short():
    scales = {(): 2.0, (0,): 4.0, (1,): 6.0, (0, 1): 12.0}

    def terms(margin):
        """One block after the other, each with a scale of its own."""
        for block in subsets(margin):
            alone = Design(
                MARGINS, tuple(1 if name == block else 10**9 for name in MARGINS.margins)
            )
            for size, number in error_terms(alone, margin).items():
                if size > Fraction(1, 10**6):
                    yield ErrorTerm(size, number, DiscreteGaussian(scales[block]))

    widths = {margin: half_width(list(terms(margin))).value for margin in CELLS}
    assert widths == {(0,): 3.5, (1,): pytest.approx(31 / 9), (0, 1): 3.0}
    assert widths[1,] >= Fraction(31, 9)
    assert 1.96 * 3**0.5 < 3.5


def test_tables_measured_otherwise_by_weighted_least_squares():
    """A table of variance 2, row sums of variance 1, column sums of variance 3, and no total.

    Whole multipliers in proportion to 1, 1/√2 and 1/√3, and a total with next to no weight.
    """
    unit = 10**6
    rows, columns, cells = unit, round(unit / 3**0.5), round(unit / 2**0.5)
    design = Design(MARGINS, (1, rows, columns, cells), Basis.COUNTS)
    noisy = [
        0,
        9 * rows,
        6 * rows,
        4 * columns,
        7 * columns,
        5 * columns,
        *(cells * n for n in (5, 2, 1, 0, 3, 4)),
    ]
    tables = reconstruct(design, np.array(noisy))
    first_row = [863 / 175, 488 / 175, 213 / 175]
    assert tables[0, 1].values()[0].tolist() == pytest.approx(first_row, abs=1e-5)
    assert float(variance(design, (0, 1), unit**2)) == pytest.approx(26 / 25, abs=1e-5)
    assert float(variance(design, (0,), unit**2)) == pytest.approx(138 / 175, abs=1e-5)
