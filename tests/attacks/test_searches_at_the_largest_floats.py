"""A search whose interval reaches the largest floats stops, at the float that bisection returns."""

import itertools
import math

import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import Gaussian
from deniable.numerics.rounding import greatest, greatest_within, least, least_within
from deniable.population.bounds import epsilon_at, epsilon_upper
from tests.cases.refusals import refuses

LARGEST = 1.7976931348623157e308
GROWING = {
    "itself": lambda x: x,
    "root": lambda x: math.sqrt(max(x, 0.0)),
    "logarithm": lambda x: math.log1p(max(x, 0.0)),
    "step": lambda x: 2.0 if x > LARGEST / 5 else 1.0,
    "steps": lambda x: 2.0 ** math.frexp(x)[1] if x < LARGEST / 2 else math.inf,
}
SEARCHED = list(itertools.product((0.0, 5e-324, 1.0, 1e300), (1e306, 4e307, 1e308, LARGEST)))


def patient(value, most=5_000):
    """The quantity, which is asked for so often and no more."""
    steps = itertools.count()

    def counted(x):
        assert math.isfinite(x)
        assert next(steps) < most
        return value(x)

    return counted


@pytest.mark.parametrize("name", GROWING)
def test_secants_and_bisection_return_one_float(name):
    value = GROWING[name]
    for (low, high), share in itertools.product(SEARCHED, (1e-6, 0.01, 0.1, 0.7)):
        limit = value(high * share)
        if value(low) > limit:
            continue
        up = greatest(lambda x: value(x) <= limit, low, high)  # noqa: B023
        assert greatest_within(patient(value), limit, low, high) == up
        down = least(lambda x: value(-x) <= limit, -high, -low)  # noqa: B023
        assert least_within(patient(lambda x: value(-x)), limit, -high, -low) == down


@pytest.mark.parametrize(("l2", "delta"), [(3e307, 0.5), (1.5e308, 0.9), (1.1e305, 1e-3)])
def test_noise_is_as_large_as_the_sensitivity(l2, delta):
    noise = Gaussian.for_approx_dp(1.0, delta, l2)
    assert noise.delta(1.0, l2) <= delta < Gaussian(noise.scale * (1 - 1e-12)).delta(1.0, l2)


def test_what_no_float_bounds_is_refused_or_infinite():
    with refuses(InvalidArgument, "l2-delta"):
        Gaussian.for_approx_dp(1.0, 1e-8, 1e301)
    assert epsilon_upper(1e308, 1e-5) == math.inf
    assert epsilon_at(Gaussian(1e-222), 1.0, 1e-3) == math.inf
    assert epsilon_at(Gaussian(1e-150), 1.0, 1e-3) > 1e299
