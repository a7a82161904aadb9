import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from deniable.crosstabs.crosstab import Crosstab
from deniable.crosstabs.margins import (
    MOST_COUNTED,
    close_downwards,
    count_design,
    measure,
    residual_design,
    weigh,
    whole_tables,
)
from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, NoisyTopK, SelectionNoise
from deniable.notions import Adjacency
from deniable.pipeline.release import SimulatedNumbers, rehearse_noise
from deniable.publish.query import Grouping, Protection
from tests.cases.effort import usual
from tests.cases.refusals import refuses
from tests.oracles.margins import count_cells

WARDS, MONTHS = ("a", "b"), (1, 2, 3)
MARGINS = close_downwards((3, 4), [(0, 1)])
GROUPING = Grouping(("ward", "month"), (WARDS, MONTHS), MARGINS.margins)
TABLE = np.array([[40, 3, 0, 1], [7, 0, 22, 5], [0, 0, 1, 9]])
"""Rows by ward and month, with `other` last."""
DESIGNS = {
    "gaussian": residual_design(MARGINS, weigh(MARGINS)),
    "laplace": count_design(MARGINS, weigh(MARGINS)),
    "public": residual_design(MARGINS, weigh(MARGINS), public_total=True),
}
NOISE = {"gaussian": DiscreteGaussian, "laplace": DiscreteLaplace, "public": DiscreteGaussian}


def crosstab(name, **more):
    return Crosstab(("ward", "month"), DESIGNS[name], **more)


def exact(statistic):
    return statistic.exact(TABLE.reshape(-1, 1, 1), Protection(Adjacency.REPLACE_ONE, 1))


def published(statistic, noisy, scale=1000.0, name="gaussian"):
    mechanisms = (*[None] * (len(noisy) - 1), NOISE[name](scale))
    rows = statistic.rows("q", GROUPING, noisy, mechanisms)
    return {tuple(row.groups.items()): row for row in rows}


@pytest.mark.parametrize("name", DESIGNS)
def test_without_noise_every_margin_is_the_count(name):
    statistic = crosstab(name, whole_numbers=True)
    rows = published(statistic, exact(statistic), name=name)
    assert len(rows) == GROUPING.cells == 1 + 3 + 4 + 12
    expected = {(): TABLE.sum()}
    for i, ward in enumerate((*WARDS, "other")):
        expected[("ward", ward),] = TABLE[i].sum()
        for j, month in enumerate((*MONTHS, "other")):
            expected[("month", month),] = TABLE[:, j].sum()
            expected[("ward", ward), ("month", month)] = TABLE[i, j]
    for cell, row in rows.items():
        assert row.value == row.whole_number == expected[cell]
        assert row.half_width_unit == "rows"


@pytest.mark.parametrize("name", DESIGNS)
def test_noisy_tables_add_up_as_fractions_and_whole_numbers_exactly(name):
    statistic = crosstab(name, whole_numbers=True)
    draw = np.random.default_rng(3)
    noisy = [each + draw.integers(-4000, 4000, each.shape) for each in exact(statistic)[-1:]]
    rows = published(statistic, [*exact(statistic)[:-1], *noisy], name=name)

    def number(*keys):
        return rows[keys].whole_number

    wards, months = (*WARDS, "other"), (*MONTHS, "other")
    assert min(row.whole_number for row in rows.values()) >= 0
    for ward in wards:
        inner = [rows[("ward", ward), ("month", month)] for month in months]
        assert sum(row.whole_number for row in inner) == number(("ward", ward))
        assert sum(row.value for row in inner) == pytest.approx(rows[("ward", ward),].value)
    assert sum(number(("month", month)) for month in months) == number()
    assert number() == max(round(rows[()].value), 0)


def test_a_public_total_is_exact_and_has_no_error():
    statistic = crosstab("public")
    total, vector = statistic.parts(Protection(Adjacency.REPLACE_ONE, 1), GROUPING.cells)
    assert total.label == "total"
    assert vector.coordinates == GROUPING.cells - 1
    rows = published(statistic, [np.array([90]), exact(statistic)[1] + 500])
    assert (rows[()].value, rows[()].half_width_95, rows[()].measured) == (90.0, 0.0, 90)
    assert all(row.half_width_95 > 0 for cell, row in rows.items() if cell)


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("name", ["gaussian", "laplace"])
def test_the_claimed_sensitivity_is_attained_by_some_entity_and_passed_by_none(
    name, rows, adjacency
):
    """Every table of up to so many rows that one entity may own, by brute force."""
    statistic = crosstab(name)
    cells = range(TABLE.size)
    owned = [
        np.bincount(np.array(each, int), minlength=TABLE.size)
        for number in range(rows + 1)
        for each in itertools.combinations_with_replacement(cells, number)
    ]
    if rows == 3:  # corners, and some between them
        owned = [each for each in owned if each.max() in (0, 3)] + owned[::37]
    protection = Protection(adjacency, rows)
    (part,) = statistic.parts(protection, GROUPING.cells)
    base = TABLE.reshape(-1)
    vectors = np.array(
        [statistic.exact((base + each).reshape(-1, 1, 1), protection)[0] for each in owned]
    )
    others = vectors[:1] if adjacency is Adjacency.ADD_REMOVE else vectors
    moves = (vectors[:, None] - others[None]).reshape(-1, vectors.shape[1])
    squared, l1 = (moves * moves).sum(axis=1), np.abs(moves).sum(axis=1)
    assert Fraction(part.l2) ** 2 >= int(squared.max())
    assert part.l2 == pytest.approx(float(squared.max()) ** 0.5, rel=1e-12)
    assert part.l1 >= l1.max()
    if name == "laplace":
        assert part.l1 == l1.max()


@pytest.mark.parametrize("name", DESIGNS)
def test_half_widths_cover_95_of_100_releases(name):
    """One cell of each margin; the bound is passed once in 10^9 runs.

    2,000 releases where too wide an interval is to be found too; half-widths of Laplace noise are
    bounds, and those of a public total always cover.
    """
    statistic, runs = crosstab(name), 2000 if name == "gaussian" else usual(500, 2000)
    protection = Protection(Adjacency.REPLACE_ONE, 1)
    *public, vector = statistic.parts(protection, GROUPING.cells)
    *total, numbers = exact(statistic)
    mechanism = NOISE[name](3.0 * (vector.l1 if name == "laplace" else vector.l2))
    draws = rehearse_noise(SimulatedNumbers(mechanism, vector, numbers), runs)
    mechanisms = (*[None] * len(public), mechanism)
    cells = [{}, {"ward": "b"}, {"month": 3}, {"ward": "other", "month": 1}]
    truth = [TABLE.sum(), TABLE[1].sum(), TABLE[:, 2].sum(), TABLE[2, 0]]
    covered = np.zeros(len(cells))
    for draw in draws:
        rows = statistic.rows("q", GROUPING, [*total, draw], mechanisms)
        values = {tuple(row.groups.items()): row for row in rows}
        for place, (cell, right) in enumerate(zip(cells, truth, strict=True)):
            row = values[tuple(cell.items())]
            covered[place] += abs(row.value - right) <= row.half_width_95
    assert covered.min() >= runs - binom.isf(1e-9 / len(cells), runs, 0.05)
    if name == "gaussian":
        assert covered.max() <= runs - binom.ppf(1e-9 / len(cells), runs, 0.035)


def test_noise_that_is_none_is_refused():
    with refuses(InvalidArgument, "noise-on-numbers"):
        crosstab("gaussian").widths([NoisyTopK(1.0, 2, SelectionNoise.GUMBEL)])
    with refuses(InvalidArgument, "rows-to-share"):
        crosstab("gaussian").synthetic([], [DiscreteGaussian(2.0)])


def test_whole_tables_of_several_margins_add_up_and_count_many_rows():
    margins = close_downwards((3, 4, 2), [(0, 1), (1, 2)])
    design = residual_design(margins, weigh(margins))
    table = np.full((3, 4, 2), 40_000)
    table[0] = 0
    vector = measure(design, count_cells(margins, table))
    tables = whole_tables(design, vector)
    step = 2 ** (int(table.sum()).bit_length() - MOST_COUNTED.bit_length())
    assert step > 1
    assert abs(int(tables[()]) - int(table.sum())) < step
    for above, below, axis in [((0, 1), (0,), 1), ((0, 1), (1,), 0), ((1, 2), (1,), 1)]:
        assert np.array_equal(tables[above].sum(axis=axis), tables[below])
    assert int(tables[0, 1].sum()) == int(tables[()])
    assert int(tables[0, 1].min()) >= 0
    assert np.abs(tables[0, 1] - table.sum(axis=2)).max() <= 8 * step
