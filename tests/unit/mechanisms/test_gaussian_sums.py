import math

import pytest

from deniable._rounding import directed, lower, upper
from deniable.mechanisms import DiscreteGaussian
from deniable.mechanisms._gaussian_sums import LARGEST_SUM, upper_tail


@pytest.mark.parametrize("scale", [0.05, 0.4, 0.99, 1.0, 3.3, 50.0])
@pytest.mark.parametrize("first", [-7, -1, 0, 1, 2, 9])
def test_a_tail_is_the_plain_sum(scale, first):
    noise = DiscreteGaussian(scale)
    last = math.ceil(40 * scale) + 10
    plain = math.fsum(noise.pmf(range(first, last + 1)))
    ball = upper_tail(scale, first)
    assert float(ball) == pytest.approx(plain, rel=1e-12, abs=1e-300)
    assert upper(ball) - lower(ball) <= 1e-15 * upper(ball) + 5e-324


@pytest.mark.parametrize("scale", [0.3, 1.0, 7.0, LARGEST_SUM])
def test_both_tails_together_are_everything(scale):
    with directed() as r:
        total = upper_tail(scale, 4) + upper_tail(scale, -3)
        assert abs(total - 1) < r(2.0**-150)


@pytest.mark.parametrize("first", [1, 100, 4096, 40_000])
def test_wide_noise_is_enclosed(first):
    near = math.nextafter(LARGEST_SUM, math.inf)
    summed, enclosed = upper_tail(LARGEST_SUM, first), upper_tail(near, first)
    assert lower(enclosed) <= float(summed) <= upper(enclosed)
    assert upper(enclosed) - lower(enclosed) < 0.01 * float(summed)
