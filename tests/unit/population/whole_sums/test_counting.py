import math

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.population.whole_sums.counting import count

NOISE = DiscreteLaplace(2.0)


@pytest.mark.parametrize(("ones", "records"), [(0, [0]), (9, [0])])
def test_a_count_that_is_no_secret(ones, records):
    found = count(ones, 9, 4, NOISE)
    assert (found.records.tolist(), found.upper.tolist()) == (records, [0.0])


@pytest.mark.parametrize("size", [1, 8])
def test_a_sample_of_one_or_all_but_one(size):
    """One of nine, four of them ones: ln of (9 − 1)/(4 − 1 + 5α) and the like, α = e^(−1/b)."""
    found, alpha = count(4, 9, size, NOISE), math.exp(-0.5)
    one = math.log(8 / (3 + 5 * alpha)), abs(math.log(alpha * 8 / (3 * alpha + 5)))
    assert max(one) == pytest.approx(found.upper[0], rel=1e-12)


def test_millions():
    found = count(3_000_000, 10_000_000, 4_000_000, NOISE)
    assert np.all(found.upper - found.lower < 1e-10)
    assert 0 < found.lower.min() < found.upper.max() < 1 / NOISE.scale


def test_gaussian_noise_hides_one_kind_at_most():
    """Seven ones and two zeros in samples of four: zeros show at the ends, ones never fully."""
    found = count(7, 9, 4, DiscreteGaussian(3.0))
    assert math.isfinite(found.upper[0])
    assert found.lower[1] == math.inf


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((10, 9, 4), "as many ones as records"),
        ((3, 9, 9), "smaller than the population"),
        ((3, 2**41, 4), "at most 2.40"),
        ((-1, 9, 4), "ones >= 0"),
    ],
)
def test_bad_arguments(given, message):
    with pytest.raises(InvalidArgument, match=message):
        count(*given, NOISE)


def test_delta_below_one():
    with pytest.raises(InvalidArgument, match="delta < 1"):
        count(3, 9, 4, NOISE, 1.0)
