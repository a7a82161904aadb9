import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.numerics.effort import Effort
from deniable.population import integer_sums, type_sums
from deniable.population.question import Ones, Question, Types
from deniable.population.type_sums import ColumnNoise, engine
from deniable.population.type_sums.counts import CountTables
from tests.cases.refusals import refuses

TABLES, DELTA = CountTables.of(np.array([4, 5, 6]), 6), 0.01


@pytest.mark.parametrize("kind", [DiscreteLaplace, DiscreteGaussian])
def test_one_cell_is_a_count_of_ones(kind):
    pair = CountTables.of(np.array([7, 9]), 8)
    low, high = engine.enclose_lattice(
        pair, np.array([[1.0], [0.0]]), ColumnNoise(kind, 1.5), DELTA
    )
    exact = integer_sums.bracket(Question(Ones(7, 16), 8, DELTA, "all"), kind(1.5), Effort())
    np.testing.assert_allclose(low, exact.lower, rtol=1e-5)
    assert np.all(low <= exact.upper)
    assert np.all(exact.lower <= high)


@pytest.mark.parametrize("kind", [DiscreteLaplace, DiscreteGaussian])
def test_added_cells_show_less(kind):
    noise = ColumnNoise(kind, np.full(3, 1.2))
    low, high = engine.enclose_lattice(TABLES, np.eye(3), noise, DELTA)
    assert np.all(high - low < 1e-3 * high)
    for k in range(3):
        less = engine.lower_bound_of_cells(TABLES, noise, k, DELTA)
        assert 0.5 * high[k] < less <= high[k]


def test_too_much_is_left_alone():
    many = CountTables.of(np.array([4000, 5000, 6000]), 6000)
    assert (
        engine.enclose_lattice(many, np.eye(3), ColumnNoise(DiscreteLaplace, np.ones(3)), DELTA)
        is None
    )


def test_a_scale_for_every_column():
    question = Question(Types(np.eye(2), [5, 5]), 5, DELTA)
    with refuses(InvalidArgument, "scale-for-each-of-columns: 2"):
        type_sums.bracket(question, ColumnNoise(DiscreteLaplace, [1.0] * 3), Effort())
