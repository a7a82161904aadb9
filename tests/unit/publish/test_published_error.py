import itertools

import pytest

from deniable.mechanisms import DiscreteLaplace
from deniable.publish.query import STATISTICS, Grid, Grouping

SIZES = (100, 1_000, 10_000)


def mean(**more):
    return STATISTICS["mean"](column="cost", bounds=(-10.0, 30.0), **more)


NOISE = (DiscreteLaplace(40_000.0), DiscreteLaplace(2.0))


def test_of_a_mean_the_error_of_the_mean_is_told_in_its_unit():
    widths = mean().half_widths(NOISE, 1)
    first, count = mean().errors(NOISE, 1)
    assert (first.of, first.unit, first.half_width_95) == ("mean", "cost", None)
    assert (count.of, count.unit, count.half_width_95) == ("count", "rows", widths["count"])
    told = [width for _, width in first.among]
    assert told == sorted(told, reverse=True)
    assert told[0] < 40.0


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("share", [-0.5, -0.2, 0.0, 0.3, 0.5])
def test_no_noise_within_both_widths_moves_a_mean_farther(rows, share):
    """The 97.5 % widths of the noises, whatever the values: a slow search over the corners."""
    step, limit = Grid.of(-10.0, 30.0).step, mean().error_among(NOISE, rows)
    total = share * 40.0 / step * rows
    ends = [float(noise.half_width(0.975)) for noise in NOISE]
    for x, y in itertools.product((-1, 0, 1), repeat=2):
        noisy = (total + x * ends[0]) / (rows + y * ends[1])
        assert abs(noisy - total / rows) * step <= limit * (1 + 1e-9)


def test_other_numbers_have_their_unit():
    count = STATISTICS["count"]()
    noise = (DiscreteLaplace(3.0),)
    (error,) = count.errors(noise, Grouping().cells)
    assert (error.of, error.unit) == ("count", "rows")
    assert error.half_width_95 == float(noise[0].half_width(0.95))
