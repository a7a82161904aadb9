"""Small tables of several columns, and what they add to a regression's sums by brute force."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from deniable.more_statistics.regression import Regression
from deniable.notions import Adjacency
from deniable.publish.query import Grouping, Protection, Query
from deniable.publish.totals import exact_totals
from tests.cases.frames import in_memory
from tests.oracles import bounded_tables

ROW = 2**30


def numbers(statistic, rows):
    """The whole numbers of a table without noise, from the oracle; a row is its columns' values."""
    bounds = [*dict(statistic.predictors).values(), statistic.bounds]
    added = [row_numbers(bounds, row) for row in rows]
    width = len(bounds) + 1
    zero = (0,) * (width * (width + 1) // 2)
    return [sum(each) for each in zip(zero, *(row for row in added if row), strict=True)]


def row_numbers(bounds, row):
    """What one row adds, or None where it takes no part."""
    if any(bounded_tables.absent(value) for value in row):
        return None
    pairs = zip(row, bounds, strict=True)
    return bounded_tables.moments([(bounded_tables.units(value, b), b) for value, b in pairs])


def of_engine(statistic, rows):
    """The same from the engine."""
    names = statistic.columns_read
    table = pa.table(
        {name: pa.array(column, pa.float64(), from_pandas=False)
         for name, column in zip(names, zip(*rows, strict=True), strict=True)}
    )  # fmt: skip
    work = [(Query("q", statistic), Protection(Adjacency.ADD_REMOVE, 1))]
    (totals,) = exact_totals(in_memory(table), None, work)
    return totals.reshape(-1).tolist()


def published(statistic, noisy, noise):
    """The coefficients: pairs of value and half-width, None where they are left open."""
    rows = statistic.rows("q", Grouping(), [np.array(noisy)], [noise])
    own = [row for row in rows if row.statistic == "regression"]
    return [(row.value, row.half_width_95) for row in own]


def least_squares(statistic, rows: Sequence[Sequence[float]]):
    """The exact table's coefficients, in fractions of the grid, by Cramer's rule in floats."""
    bounds = [*dict(statistic.predictors).values(), statistic.bounds]
    on_grid = np.array([
        [float(bounded_tables.units(value, b) * bounded_tables.step(b))
         for value, b in zip(row, bounds, strict=True)]
        for row in rows
    ])  # fmt: skip
    design = np.column_stack([np.ones(len(rows)), on_grid[:, :-1]])
    return np.linalg.lstsq(design, on_grid[:, -1], rcond=None)[0]


def line(count, predictors, seed=1, noise=0.5):
    """Rows of normal predictors, the second like the first, and an outcome near a plane."""
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(count, predictors))
    if predictors > 1:
        x[:, 1] = (x[:, 0] + x[:, 1]) * 0.7
    y = x @ np.linspace(1, -0.5, predictors) + generator.normal(size=count) * noise
    return np.column_stack([x, y]).tolist()


def regression(predictors):
    """With bounds that cut little."""
    return Regression("y", (-4, 4), {f"x{place}": (-3.0, 3.5) for place in range(predictors)})
