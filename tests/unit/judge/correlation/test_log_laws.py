import decimal
import math
from fractions import Fraction

import numpy as np
import pytest

from deniable.judge.correlation.sums import (
    convolve,
    convolve_error,
    enclose,
    laplace_mixture,
    largest_loss,
    loss_error,
    mix,
    mix_error,
    normalise,
    normalise_error,
)
from deniable.numerics.bound import Bound, Evidence
from deniable.numerics.rounding import UNIT
from tests.cases.effort import usual


def exact_log(value):
    """ln of a fraction far outside the range of a float."""
    digits = value.numerator.bit_length() - value.denominator.bit_length()
    scaled = value / Fraction(2) ** digits
    return math.log(scaled) + digits * math.log(2)


def logs(values):
    return np.array([exact_log(value) if value else -math.inf for value in values])


def to_90_digits(values):
    """Logarithms far finer than a float's."""
    with decimal.localcontext(prec=90):
        return [
            (decimal.Decimal(x.numerator) / decimal.Decimal(x.denominator)).ln() if x else None
            for x in values
        ]


def as_fractions(logarithms):
    """e^x for floats, to 90 digits: the numbers that a function is really given."""
    with decimal.localcontext(prec=90):
        return [
            Fraction(decimal.Decimal(float(x)).exp()) if np.isfinite(x) else Fraction(0)
            for x in logarithms
        ]


def farthest(found, expected):
    """The largest difference; impossible numbers have to agree."""
    truths = to_90_digits(expected)
    assert [truth is None for truth in truths] == np.isneginf(found).tolist()
    with decimal.localcontext(prec=90):
        return max(
            abs(float(decimal.Decimal(float(x)) - truth))
            for x, truth in zip(found, truths, strict=True)
            if truth is not None
        )


def steep(rng, size, zeros=True):
    """Exact numbers over thousands of orders of magnitude."""
    return [
        Fraction(int(rng.integers(1, 1000))) / Fraction(10) ** int(rng.integers(0, 1500))
        if not zeros or rng.random() > 0.2
        else Fraction(0)
        for _ in range(size)
    ]


@pytest.mark.parametrize("seed", range(6))
def test_convolution_is_exact_far_into_the_tails(seed):
    rng = np.random.default_rng(seed)
    one, other = steep(rng, 23), steep(rng, 40)
    expected = [Fraction(0)] * 62
    for i, p in enumerate(one):
        for j, q in enumerate(other):
            expected[i + j] += p * q
    assert convolve(logs(one), logs(other)) == pytest.approx(logs(expected), rel=1e-13, abs=1e-12)


def test_convolution_with_nothing_is_nothing():
    assert np.isneginf(convolve(np.full(3, -np.inf), np.zeros(2))).all()


@pytest.mark.parametrize("seed", range(6))
def test_mixtures_are_exact_far_into_the_tails(seed):
    rng = np.random.default_rng(seed)
    laws = [steep(rng, 30) for _ in range(3)]
    weights = np.array([[0.5, 0.0], [1e-300, 1.0], [0.25, 0.125]])
    expected = [
        logs(
            sum((Fraction(weights[x, z]) * laws[x][m] for x in range(3)), Fraction(0))
            for m in range(30)
        )
        for z in range(2)
    ]
    found = mix(np.array([logs(law) for law in laws]), weights)
    assert found == pytest.approx(np.array(expected), rel=1e-13, abs=1e-12)


def test_a_laplace_mixture_is_the_plain_sum():
    masses = np.array([0.2, 0.0, 0.5, 0.3])
    with np.errstate(divide="ignore"):
        found = laplace_mixture(np.log(masses), 0.7)
    expected = [
        math.log(sum(p * math.exp(-abs(y - m) / 0.7) for m, p in enumerate(masses)))
        for y in range(4)
    ]
    assert found == pytest.approx(expected, abs=1e-13)


def test_the_largest_loss_of_two_points_is_their_distance():
    laws = np.full((2, 8), -np.inf)
    laws[0, 0] = laws[1, 5] = 0.0
    assert largest_loss(laws, 2.0) == pytest.approx(2.5)
    assert largest_loss(laws[:1], 2.0) == 0.0


def largest(*arrays):
    return max(float(np.abs(x[np.isfinite(x)]).max()) for x in arrays)


@pytest.mark.parametrize("seed", range(usual(3, 6)))
def test_errors_stay_within_their_bounds_and_the_bounds_are_of_use(seed):
    rng = np.random.default_rng(seed)
    one, other = logs(steep(rng, 23)), logs(steep(rng, 40))
    p, q = as_fractions(one), as_fractions(other)
    sums = [Fraction(0)] * 62
    for i, x in enumerate(p):
        for j, y in enumerate(q):
            sums[i + j] += x * y
    found = convolve(one, other)
    bound = convolve_error(one, other, largest(one, other))
    assert farthest(found, sums) <= bound < 1e-7

    law = np.array([one, one[::-1], np.roll(one, 7)])
    weights = np.array([[0.5, 0.0], [1e-300, 1.0], [0.25, 0.125]])
    rows = [as_fractions(row) for row in law]
    bound = mix_error(3, largest(law))
    for z, row in enumerate(mix(law, weights)):
        expected = [
            sum((Fraction(weights[x, z]) * rows[x][m] for x in range(3)), Fraction(0))
            for m in range(23)
        ]
        assert farthest(row, expected) <= bound < 1e-10

    whole = sum(p)
    bound = normalise_error(one, largest(one))
    assert farthest(normalise(one), [x / whole for x in p]) <= bound < 1e-10


@pytest.mark.parametrize("scale", [0.05, 1.3, 40.0])
def test_the_error_of_a_loss(scale):
    rng = np.random.default_rng(3)
    laws = np.array([logs(steep(rng, 30)), logs(steep(rng, 30))])
    masses = [as_fractions(law) for law in laws]
    with decimal.localcontext(prec=90):
        kernel = [Fraction((-decimal.Decimal(d) / decimal.Decimal(scale)).exp()) for d in range(31)]
    losses = []
    for y in range(30):
        one, other = (
            sum((p * kernel[abs(y - m)] for m, p in enumerate(law)), Fraction(0)) for law in masses
        )
        losses.append(abs(exact_log(one / other)))
    error = loss_error(30, scale, largest(laws), 0.0)
    found = enclose(largest_loss(laws, scale), error)
    assert found.evidence is Evidence.ENCLOSURE
    assert found.lower <= max(losses) <= found.upper
    assert found.upper - found.lower < 1e-8


def test_an_error_of_the_input_is_passed_on():
    assert loss_error(5, 1.0, 1.0, 1e-3) >= 2e-3
    assert loss_error(5, 1.0, 1.0, 0.0) < 1000 * UNIT * 40
    assert enclose(0.5, 0.0) == Bound.exact(0.5)
    low = enclose(0.0, 1e-9)
    assert (low.lower, low.upper) == (0.0, math.nextafter(1e-9, 1))
