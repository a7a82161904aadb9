import math
from fractions import Fraction

import numpy as np
import pytest

from deniable.analysis.correlation._log_laws import convolved, laplace_mixture, largest_loss, mixed


def exact_log(value):
    """ln of a fraction far outside the range of a float."""
    digits = value.numerator.bit_length() - value.denominator.bit_length()
    scaled = value / Fraction(2) ** digits
    return math.log(scaled) + digits * math.log(2)


def logs(values):
    return np.array([exact_log(value) if value else -math.inf for value in values])


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
    assert convolved(logs(one), logs(other)) == pytest.approx(logs(expected), rel=1e-13, abs=1e-12)


def test_convolution_with_nothing_is_nothing():
    assert np.isneginf(convolved(np.full(3, -np.inf), np.zeros(2))).all()


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
    found = mixed(np.array([logs(law) for law in laws]), weights)
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
