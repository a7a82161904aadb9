"""δ = 0 in short lists: every output where sums bend, beside all outputs."""

import math

import numpy as np
import pytest

from deniable.population.type_sums import every_output
from tests.oracles.selections import largest_ratio

TWO_COLUMNS = [(0, 0), (3, 1), (1, 5)]


def noisy_sums(scales, far):
    def release(sample):
        totals = [sum(column) for column in zip(*sample, strict=True)]
        return {
            (y, z): math.exp(-abs(y - totals[0]) / scales[0] - abs(z - totals[1]) / scales[1])
            for y in range(-2, far)
            for z in range(-2, far)
        }

    return release


@pytest.mark.parametrize(("counts", "size"), [((2, 2, 2), 3), ((1, 3, 2), 2), ((3, 1, 1), 4)])
def test_no_output_between_the_bends_tells_more(counts, size):
    scales = np.array([0.7, 4.0])
    found = every_output(np.array(counts), size, np.array(TWO_COLUMNS), scales)
    people = [kind for kind, many in zip(TWO_COLUMNS, counts, strict=True) for _ in range(many)]
    truth = largest_ratio(people, size, noisy_sums(scales, 24))
    assert found[1].max() == pytest.approx(truth, abs=1e-8)
    assert found[0].max() <= truth <= found[1].max()


def test_a_fine_grid_costs_no_more():
    counts, coarse = np.array([4, 3, 5]), np.array([[0], [3], [7]])
    one = every_output(counts, 6, coarse, np.array([5.0]))
    fine = every_output(counts, 6, coarse * 2**24, np.array([5.0 * 2**24]))
    assert np.allclose(one, fine, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("counts", "size", "scale"),
    [([1] * 19, 9, 5.0), ([300, 300, 300, 300], 600, 5.0), ([4, 4], 4, 1e-4)],
)
def test_too_much_work_and_what_float64_cannot_hold_give_nothing(counts, size, scale):
    values = np.arange(len(counts))[:, None]
    assert every_output(np.array(counts), size, values, np.array([scale])) is None


def test_lists_longer_than_the_windows_are_left_to_other_bounds():
    assert (
        every_output(np.array([40_000, 40_000]), 40_000, np.eye(2, dtype=int), np.ones(2)) is None
    )
