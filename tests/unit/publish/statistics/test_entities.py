import numpy as np

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteLaplace
from deniable.notions import Adjacency
from deniable.publish.query import Grouping, Protection
from deniable.publish.statistics import Entities
from tests.cases.refusals import refuses

NOISE = DiscreteLaplace(3.0)


def test_the_engine_counts_entities():
    row = Entities().row_values(None)
    assert (row.values, row.present, row.bins, row.distinct) == ((), None, 1, True)


def test_the_l2_sensitivity_is_the_root_of_l1():
    (part,) = Entities().parts(Protection(Adjacency.ADD_REMOVE, 16), 9)
    assert (part.label, part.step, part.coordinates) == ("entities", 1.0, 9)
    assert (part.l1, part.l2, part.moved) == (9, 3.0, 9)


def test_contributions_are_not_scaled():
    with refuses(InvalidArgument, "number-of-rows-per-entity"):
        Entities().parts(Protection(Adjacency.ADD_REMOVE, None, 4.0), 9)


def test_rows_are_counts_of_entities():
    (row,) = Entities().rows("people", Grouping(), [np.array([12])], [NOISE])
    assert (row.query, row.statistic, row.column, row.value) == ("people", "entities", None, 12.0)
    assert (row.half_width_95, row.half_width_unit) == (NOISE.half_width(0.95), "entities")
    assert Entities().half_widths([NOISE], 1) == {"entities": NOISE.half_width(0.95)}


def test_exact_numbers_are_the_totals():
    protection = Protection(Adjacency.ADD_REMOVE, 1)
    (exact,) = Entities().exact(np.array([[[5]], [[0]]]), protection)
    assert exact.tolist() == [5, 0]
