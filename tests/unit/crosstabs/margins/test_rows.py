import hashlib
import itertools

import numpy as np
import pytest

from deniable.crosstabs.margins import (
    MOST_TABLES,
    close_downwards,
    count_design,
    count_rows,
    half_widths,
    measure,
    residual_design,
    synthetic_rows,
    weigh,
)
from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian
from tests.cases.refusals import refuses
from tests.oracles.margins import count_cells

SIZES = (3, 4, 2, 5)


def dependent_table():
    """A table in which neighbouring columns go together."""
    draw = np.random.default_rng(11)
    rows = [draw.integers(0, 3, 5000)]
    for size in SIZES[1:]:
        follows = draw.random(5000) < 0.7
        rows.append(np.where(follows, rows[-1] % size, draw.integers(0, size, 5000)))
    table = np.zeros(SIZES, np.int64)
    np.add.at(table, tuple(rows), 1)
    return table


def noisy_vector(design, table, scale, seed=1):
    vector = measure(design, count_cells(design.margins, table))
    if not scale:
        return vector
    return vector + DiscreteGaussian(scale).draws(np.random.default_rng(seed), len(vector))


PAIRS = close_downwards(SIZES, itertools.combinations(range(4), 2))
DESIGN = residual_design(PAIRS, weigh(PAIRS))


def test_rows_follow_the_margins_far_better_than_independent_columns():
    table = dependent_table()
    vector = noisy_vector(DESIGN, table, 3000.0)
    followed = synthetic_rows(DESIGN, vector, 5000)
    independent = synthetic_rows(DESIGN, vector, 5000, rounds=0)
    truth = count_cells(PAIRS, table)

    def distance(made):
        return max(np.abs(made.margins[a] - truth[a]).sum() / 10_000 for a in PAIRS.maximal())

    assert distance(followed) < 0.02
    assert distance(independent) > 0.2


def test_margins_are_those_of_the_rows_and_agree():
    vector = noisy_vector(DESIGN, dependent_table(), 3000.0)
    made = synthetic_rows(DESIGN, vector, 1234)
    assert made.columns.shape == (4, 1234)
    again = count_rows(PAIRS, list(made.columns))
    for margin, counts in made.margins.items():
        assert np.array_equal(counts, again[margin])
        assert counts.min() >= 0
        for axis in range(len(margin)):
            lower = made.margins[margin[:axis] + margin[axis + 1 :]]
            assert np.array_equal(counts.sum(axis=axis), lower)


def test_what_is_said_of_reproduction_is_counted():
    made = synthetic_rows(DESIGN, noisy_vector(DESIGN, dependent_table(), 0), 5000)
    truth = count_cells(PAIRS, dependent_table())
    for each in made.reproductions:  # without noise the target is the table itself
        apart = np.abs(made.margins[each.margin] - truth[each.margin])
        assert each.total_variation == apart.sum() / 10_000
        assert each.largest == apart.max()
        assert each.is_followed
        assert each.total_variation < 0.01


def test_the_same_numbers_give_the_same_rows_on_every_machine():
    """A digest that any machine must find again; another vector or number gives other rows."""
    vector = noisy_vector(DESIGN, dependent_table(), 3000.0)
    made = synthetic_rows(DESIGN, vector, 500).columns
    assert np.array_equal(made, synthetic_rows(DESIGN, vector.copy(), 500).columns)
    changed = vector.copy()
    changed[3] += 1
    assert not np.array_equal(made, synthetic_rows(DESIGN, changed, 500).columns)
    assert not np.array_equal(made, synthetic_rows(DESIGN, vector, 500, rounds=9).columns)
    fixed = np.arange(DESIGN.coordinates, dtype=np.int64) ** 3 % 10_007 * 50
    digest = hashlib.sha256(synthetic_rows(DESIGN, fixed, 300).columns.astype("<i4").tobytes())
    assert digest.hexdigest() == (
        "7f0cf3dcce045e99ee53b7bac15292c12da557a7bd8ce3332bf27ef0e9f8ac96"
    )


@pytest.mark.parametrize("total", [0, -(10**6)])
def test_a_table_that_noise_has_emptied_still_gives_rows(total):
    vector = np.zeros(DESIGN.coordinates, np.int64)
    vector[0] = total
    assert synthetic_rows(DESIGN, vector, 7).columns.shape == (4, 7)


def test_huge_noise_leaves_64_bits_and_gives_rows():
    vector = np.full(DESIGN.coordinates, 2**61, np.int64)
    vector[1::2] *= -1
    made = synthetic_rows(DESIGN, vector, 50)
    assert made.margins[()] == 50


def test_a_public_total_counts_and_three_columns_are_followed_too():
    margins = close_downwards(SIZES, [(0, 1, 2), (3,)])
    design = residual_design(margins, weigh(margins), public_total=True)
    table = dependent_table()
    made = synthetic_rows(design, noisy_vector(design, table, 0), 5000, public_total=5000)
    truth = count_cells(margins, table)
    assert np.abs(made.margins[3,] - truth[3,]).sum() < 10  # copies move it, and it is followed
    assert np.abs(made.margins[0, 1, 2] - truth[0, 1, 2]).sum() < 50


def test_one_column_needs_no_rounds():
    margins = close_downwards((3, 2), [(0,)])
    design = count_design(margins, weigh(margins))
    made = synthetic_rows(
        design, measure(design, count_cells(margins, [[1, 1], [3, 0], [0, 0]])), 10
    )
    assert made.margins[0,].tolist() == [4, 6, 0]
    assert np.bincount(made.columns[1]).tolist() == [5, 5]  # in no margin: alike


def test_of_many_tables_those_that_depend_are_followed():
    """26 columns have 325 pairs; the one pair that depends is among those that are followed."""
    draw = np.random.default_rng(3)
    rows = [draw.integers(0, 2, 2000) for _ in range(26)]
    rows[25] = rows[4]
    margins = close_downwards([2] * 26, itertools.combinations(range(26), 2))
    design = residual_design(margins, weigh(margins))
    vector = measure(design, count_rows(margins, rows))
    widths = half_widths(design, DiscreteGaussian(3000.0))
    made = synthetic_rows(design, vector, 2000, widths=widths, rounds=3)
    followed = [each for each in made.reproductions if len(each.margin) == 2 and each.is_followed]
    assert len(followed) == MOST_TABLES < 325
    assert (4, 25) in {each.margin for each in followed}


def test_no_rows_are_refused():
    with refuses(InvalidArgument, "below-least: n_rows"):
        synthetic_rows(DESIGN, np.zeros(DESIGN.coordinates, np.int64), 0)
