import numpy as np
import pytest

from deniable.bounds import Evidence
from deniable.errors import InvalidArgument
from deniable.mechanisms import Gaussian, Laplace
from deniable.population.real_sums.one_dimensional import one_dimensional

NOISE = Gaussian(1.0)


@pytest.mark.parametrize(
    ("values", "size", "delta", "records", "message"),
    [
        ([1.0], 1, 0.1, "all", "at least two"),
        ([[1.0, 2.0]], 1, 0.1, "all", "shape"),
        (["a", "b"], 1, 0.1, "all", "numbers"),
        ([1.0, np.nan], 1, 0.1, "all", "position 1"),
        ([1.0, 2.0], 2, 0.1, "all", "size < 2"),
        ([1.0, 2.0], 0, 0.1, "all", "size >= 1"),
        ([1.0, 2.0], 1, 1.0, "all", "delta < 1"),
        ([1.0, 2.0], 1, -0.1, "all", "delta"),
        ([1.0, 2.0], 1, 0.1, [2], "below 2"),
        ([1.0, 2.0], 1, 0.1, [], "at least one"),
        ([1.0, 2.0], 1, 0.1, "best", "worst, all"),
    ],
)
def test_bad_arguments(values, size, delta, records, message):
    with pytest.raises(InvalidArgument, match=message):
        one_dimensional(values, size, NOISE, delta, records=records)


@pytest.mark.parametrize("noise", [NOISE, Laplace(1.0)])
@pytest.mark.parametrize("delta", [0.0, 0.1])
def test_constant_data_tell_nothing(noise, delta):
    found = one_dimensional([2.0] * 5, 2, noise, delta, records="all")
    assert found.upper.tolist() == [0.0] * 5
    assert found.evidence is Evidence.EXACT


def test_pure_gaussian_is_infinite():
    assert one_dimensional([0.0, 1.0, 5.0], 1, NOISE, 0.0).maximum().lower == np.inf


def test_records_in_the_order_asked():
    values = [0.0, 5.0, 1.0, 5.0]
    found = one_dimensional(values, 2, NOISE, 0.01, records=[3, 0, 1])
    assert found.records.tolist() == [3, 0, 1]
    assert found.upper[0] == found.upper[2]
    every = one_dimensional(values, 2, NOISE, 0.01, records="all")
    assert found.lower == pytest.approx(every.lower[[3, 0, 1]], rel=1e-6)


def test_two_records_are_two_normal_laws():
    found = one_dimensional([0.0, 1.0], 1, NOISE, 0.01)
    low, high = found.lower[0], found.upper[0]
    assert not NOISE.satisfies(low - 1e-12, 0.01, 1.0)
    assert NOISE.satisfies(high + 1e-12, 0.01, 1.0)
    assert high - low < 1e-5
