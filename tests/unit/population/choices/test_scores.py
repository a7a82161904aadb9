import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.population.choices.scores import of_distances, of_table

LOSSES = np.array([[0.0, 1.0, 4.0], [2.0, 2.0, 2.0], [1.0, 0.0, -3.0]])


def test_distances_over_twice_the_sensitivity():
    found = of_distances(np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([[0.0, 0.0]]), 5.0)
    assert found.table.tolist() == [[0.0, 0.5]]
    assert 0 < found.off < 1e-14
    with pytest.raises(InvalidArgument, match="Expected candidates with 2 columns"):
        of_distances(np.zeros((2, 2)), np.zeros((2, 3)), 1.0)


def test_losses_are_cut_to_their_bounds():
    found = of_table(LOSSES, 2, sensitivity=None, bounds=(-1.0, 3.0))
    assert (found.table * 8).T.tolist() == [[0, 1, 3], [0, 0, 0], [2, 1, 0]]


def test_a_sensitivity_is_of_the_mean():
    found = of_table(LOSSES, 2, sensitivity=4.0, bounds=None)
    assert (found.table * 16).T.tolist() == [[0, 1, 4], [0, 0, 0], [4, 3, 0]]
    with pytest.raises(InvalidArgument, match="Expected a sensitivity that exchanging"):
        of_table(LOSSES, 2, sensitivity=3.4, bounds=None)


@pytest.mark.parametrize("bounds", [(1.0, 1.0), (2.0, 1.0), (0.0, np.inf)])
def test_bounds_that_are_none(bounds):
    with pytest.raises(InvalidArgument, match="bound"):
        of_table(LOSSES, 2, sensitivity=None, bounds=bounds)


def test_widening_covers_an_offset_of_a_record():
    """A constant of a record cancels; before it is taken off it costs digits of nothing else."""
    plain = of_table(LOSSES, 2, sensitivity=9.0, bounds=None)
    moved = of_table(LOSSES + 2.0**30, 2, sensitivity=9.0, bounds=None)
    assert plain.table.tolist() == moved.table.tolist()
    assert plain.widening(2, 10.0) < 1e-13
