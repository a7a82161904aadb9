import math
import sys
from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from deniable.numerics.rounding import (
    PRECISION,
    directed,
    greatest,
    greatest_within,
    least,
    least_within,
    lower,
    upper,
)

LARGEST = sys.float_info.max
SMALLEST = 5e-324

numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(st.fractions())
def test_the_nearest_floats_on_both_sides(value):
    with directed() as r:
        up, down = upper(r(value)), lower(r(value))
    assert Fraction(down) <= value <= Fraction(up)
    assert up == down or up == math.nextafter(down, math.inf)


@given(numbers)
def test_a_float_stays(value):
    with directed() as r:
        assert upper(r(value)) == lower(r(value)) == value


@given(numbers, numbers)
def test_a_sum_of_floats_is_enclosed(one, other):
    with directed() as r:
        total = r(one) + r(other)
        low, high = lower(total), upper(total)
    exact = Fraction(one) + Fraction(other)
    assert low == -math.inf or Fraction(low) <= exact
    assert high == math.inf or exact <= Fraction(high)


def test_beyond_the_largest_float():
    with directed() as r:
        huge = r(LARGEST) * 2
        assert (lower(huge), upper(huge)) == (LARGEST, math.inf)
        assert (lower(-huge), upper(-huge)) == (-math.inf, -LARGEST)
        assert upper(r(LARGEST) + r(SMALLEST)) == math.inf


def test_below_the_smallest_float():
    with directed() as r:
        tiny = r(SMALLEST) / 3
        assert (lower(tiny), upper(tiny)) == (0.0, SMALLEST)
        assert (lower(-tiny), upper(-tiny)) == (-SMALLEST, 0.0)
        for zero in (lower(r(0)), upper(r(0)), upper(-tiny), lower(tiny)):
            assert math.copysign(1, zero) == 1.0


def test_what_says_nothing_rounds_to_infinity():
    assert (lower(arb("nan")), upper(arb("nan"))) == (-math.inf, math.inf)
    assert (lower(arb(0, "inf")), upper(arb(0, "inf"))) == (-math.inf, math.inf)
    with directed() as r:
        assert upper(r.log(arb(1, 2))) == math.inf
        assert lower(r.sqrt(-1)) == -math.inf
        for mixed in (r.max(r(1), arb("nan")), r.min(r(1), arb("nan"))):
            assert (lower(mixed), upper(mixed)) == (-math.inf, math.inf)


def test_infinities_stay():
    with directed() as r:
        for value in (math.inf, -math.inf):
            assert upper(r(value)) == lower(r(value)) == value
        assert upper(r.log(0.0)) == -math.inf


def test_functions_enclose_their_values():
    with directed() as r:
        for ball, value in [
            (r.exp(1.0), math.e),
            (r.expm1(1e-20), 1e-20),
            (r.log(2.0), math.log(2)),
            (r.log1p(1e-20), 1e-20),
            (r.sqrt(2), math.sqrt(2)),
            (r.normal_cdf(1.0), 0.8413447460685429),
            (r.normal_cdf(-38.0), 2.88542835100396e-316),
        ]:
            assert lower(ball) == pytest.approx(value, rel=1e-7)
            assert 0 <= upper(ball) - lower(ball) <= 4 * math.ulp(value)
        assert (float(r.max(r(1), r(3), r(2))), float(r.min(r(1), r(3), r(0)))) == (3.0, 0.0)


def test_precision_returns_even_after_an_error():
    before = ctx.prec
    with directed():
        assert ctx.prec == PRECISION
        with directed(300):
            assert ctx.prec == 300
        assert ctx.prec == PRECISION
    with pytest.raises(ZeroDivisionError), directed(300):
        _ = 1 // 0
    assert ctx.prec == before


@given(st.floats(0.0, 1000.0), st.floats(0.0, 1000.0))
def test_bisection_ends_on_the_safe_float(limit, top):
    assert greatest(lambda value: value <= limit, 0.0, top) == min(limit, top)
    assert least(lambda value: value >= min(limit, top), 0.0, top) == min(limit, top)


@pytest.mark.parametrize("border", [-1e308, -3.0, 0.0, 5e-324, 2.0, 1.7e308])
@pytest.mark.parametrize(
    ("low", "high"),
    [(-math.inf, math.inf), (-math.inf, sys.float_info.max), (-sys.float_info.max, math.inf)],
)
def test_bisection_ends_whatever_lies_between(border, low, high):
    assert greatest(lambda value: value <= border, low, high) == border
    assert least(lambda value: value >= border, low, high) == border


def test_bisection_never_returns_where_the_condition_failed():
    tried = {0.0: True}

    def wobbly(value):
        tried[value] = int(value * 1000) % 3 == 0
        return tried[value]

    assert tried[greatest(wobbly, 0.0, 1.0)]


@pytest.mark.parametrize("probability", [1e-300, 1e-9, 0.3, 0.5, 0.975])
def test_the_quantile_inverts_the_distribution_function(probability):
    with directed() as r:
        back = r.normal_cdf(r.normal_quantile(probability))
        assert back.overlaps(r(probability))
        assert upper(back) == pytest.approx(probability, rel=1e-15)


def test_the_quantile_has_no_value_at_the_ends():
    with directed() as r:
        assert not r.normal_quantile(0.0).is_finite()
        assert not r.normal_quantile(1.0).is_finite()


@pytest.mark.parametrize(("whole", "part"), [(0, 0), (10, 3), (100, 50), (5, 7)])
def test_binomial_coefficients(whole, part):
    with directed() as r:
        assert r.binomial(whole, part).overlaps(r(math.comb(whole, part)))


def test_a_logarithm_of_a_binomial_holds_that_of_the_number():
    with directed() as r:
        for whole, part in ((10, 3), (1000, 1000), (10**6, 10)):
            exact = r.log(r(math.comb(whole, part)))
            assert lower(r.log_binomial(whole, part) - exact) <= 0
            assert upper(r.log_binomial(whole, part) - exact) >= 0


def test_a_hull_holds_both_and_what_lies_between():
    with directed() as r:
        hull = r.hull(r(1), r(2))
        assert lower(hull) <= 1
        assert upper(hull) >= 2


GROWING = {
    "power": lambda x: x**3,
    "nothing, then a step": lambda x: float(x >= 0.37),
    "a step from something": lambda x: 1e-9 + (x >= 1e-200),
    "constant": lambda _: 0.5,
    "zero": lambda _: 0.0,
    "infinite beyond": lambda x: math.inf if x > 2 else 0.0,
    "the tail of a normal law": lambda x: math.erfc(3 / x) if x else 0.0,
    "steep": lambda x: math.exp(min(1e6 * (x - 1), 700.0)),
    "flat": lambda x: 1e-3 + 1e-12 * x,
    "a corner": lambda x: 1e-3 * x if x < 0.5 else 1e3 * (x - 0.5) + 5e-4,
    "stairs": lambda x: math.floor(40 * x) / 40,
}


@pytest.mark.parametrize("high", [1.0, 1000.0])
@pytest.mark.parametrize("limit", [0.0, 1e-300, 1e-9, 1e-3, 0.25, 0.5, 1.0, 17.0])
@pytest.mark.parametrize("name", GROWING)
def test_secants_find_the_border_that_bisection_finds(name, limit, high):
    """Whatever the shape, the same float, and never many more steps than bisection takes."""
    steps = []

    def value(x):
        steps.append(x)
        return GROWING[name](x)

    if value(0.0) > limit:
        return
    border = greatest_within(value, limit, 0.0, high)
    assert border == greatest(lambda x: GROWING[name](x) <= limit, 0.0, high)
    assert len(steps) < 120
    border = least_within(lambda x: value(high - x), limit, 0.0, high)
    assert border == least(lambda x: GROWING[name](high - x) <= limit, 0.0, high)


@pytest.mark.parametrize("exponent", [0.5, 1.0, 3.0, 20.0])
def test_a_smooth_border_takes_few_steps(exponent):
    steps = []

    def value(x):
        steps.append(x)
        return x**exponent

    border = greatest_within(value, 1e-6, 0.0, 1000.0)
    assert border == greatest(lambda x: x**exponent <= 1e-6, 0.0, 1000.0)
    assert len(steps) < 30


def test_a_tolerance_ends_secants_too():
    exact = greatest_within(math.exp, 7.0, 0.0, 700.0)
    near = greatest_within(math.exp, 7.0, 0.0, 700.0, tolerance=1e-6)
    assert exact * (1 - 1e-6) <= near <= exact
