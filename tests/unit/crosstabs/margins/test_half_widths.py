import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from deniable.crosstabs.margins import Basis, Design, close_downwards, error_terms, half_widths
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.publish.query import ErrorTerm, Method, half_width
from tests.cases.effort import some_pairs

MARGINS = close_downwards((2, 3), [(0, 1)])
COARSE = Design(MARGINS, (2, 1, 1, 1))
FINE = Design(MARGINS, (1024, 654, 497, 267))


def distribution(terms, noise, reach):
    """The law of Σ c_k X_k by adding up one coordinate after the other."""
    masses = dict(enumerate(noise.pmf(np.arange(-reach, reach + 1)).tolist(), start=-reach))
    law = {Fraction(0): 1.0}
    for size, number in terms.items():
        for _ in range(number):
            sums = {}
            for (value, p), (k, q) in itertools.product(law.items(), masses.items()):
                if p * q > 1e-14:
                    place = value + size * k
                    sums[place] = sums.get(place, 0.0) + p * q
            law = sums
    return law


@pytest.mark.parametrize(("confidence", "basis"), some_pairs([0.95, 0.5, 0.99], [*Basis]))
def test_the_exact_law_gives_the_least_half_width(basis, confidence):
    design = Design(close_downwards((2, 2), [(0, 1)]), (2, 1, 1, 1), basis)
    noise = DiscreteGaussian(1.3) if basis is Basis.RESIDUALS else DiscreteLaplace(0.7)
    for margin in design.margins.margins:
        terms = error_terms(design, margin)
        width = half_width([ErrorTerm(size, n, noise) for size, n in terms.items()], confidence)
        law = distribution(terms, noise, 12 if width else 0)
        sizes = sorted({abs(value) for value in law})
        inside = {h: sum(p for value, p in law.items() if abs(value) <= h) for h in sizes}
        least = next(h for h in sizes if inside[h] >= confidence)
        assert width.method is Method.EXACT_LAW
        assert width.value == pytest.approx(float(least), abs=1e-15)


@pytest.mark.parametrize("scale", [1.0, 30.0, 300.0, 2060.0])
def test_smoothing_stays_above_the_normal_half_width_and_near_it(scale):
    for margin, width in half_widths(FINE, DiscreteGaussian(scale)).items():
        deviation = scale * math.sqrt(
            sum(float(c * c) * n for c, n in error_terms(FINE, margin).items())
        )
        if width.method is Method.SMOOTHED:
            assert 1.9599639 * deviation < width.value < (1.9599639 + 4 / scale) * deviation
        elif width.method is Method.SUB_GAUSSIAN:
            assert width.value == pytest.approx(math.sqrt(2 * math.log(40)) * deviation)
            assert scale < 10


def test_smoothing_and_moments_bound_the_exact_law_from_above():
    """The same numbers, with a denominator added that makes the lattice too fine to convolve."""
    scale = 4.0
    exact = half_widths(COARSE, DiscreteGaussian(scale))
    for margin in ((0,), (1,), (0, 1)):
        terms = [
            ErrorTerm(size, number, DiscreteGaussian(scale))
            for size, number in error_terms(COARSE, margin).items()
        ]
        off = [*terms, ErrorTerm(Fraction(1, 10**9 + 7), 1, DiscreteGaussian(scale))]
        bound = half_width(off)
        assert exact[margin].method is Method.EXACT_LAW
        assert bound.method is not Method.EXACT_LAW
        assert exact[margin].value <= bound.value <= 1.5 * exact[margin].value


@pytest.mark.parametrize("scale", [50 + 0.05 * i for i in range(11)])
def test_smoothing_counts_the_steps_of_the_lattice(scale):
    """A second coordinate too small to matter: nearly a law of whole numbers remains.

    Its half-width is up to a step above 1.96 scales, which is half of what smoothing adds.
    """
    noise = DiscreteGaussian(scale)
    nearly = half_width(
        [ErrorTerm(Fraction(1), 1, noise), ErrorTerm(Fraction(1, 10**9 + 7), 1, noise)]
    )
    assert nearly.method is Method.SMOOTHED
    assert noise.half_width(0.95) - 1e-5 <= nearly.value <= 1.96 * scale + 5


def test_simulated_errors_lie_inside_as_often_as_said():
    """400,000 errors: 95 % inside, false alarm below 1e-9; the alternative is 1.9 deviations."""
    n, design = 400_000, FINE
    rng = np.random.default_rng(2026)
    noise = DiscreteGaussian(300.0)
    width = half_widths(design, noise)[0, 1]
    error = np.zeros(n)
    for size, number in error_terms(design, (0, 1)).items():
        for _ in range(number):
            error += float(size) * noise.draws(rng, n)
    inside = np.count_nonzero(np.abs(error) <= width.value) / n
    deviations = (inside - 0.95) / math.sqrt(0.95 * 0.05 / n)
    assert -6.0 < deviations < 12.0  # above 95 % by the smoothing's .4 % of the width
    narrower = np.count_nonzero(np.abs(error) <= 1.9 / 1.96 * width.value) / n
    assert (narrower - 0.95) / math.sqrt(0.95 * 0.05 / n) < -6.0


def test_laplace_noise_on_a_fine_lattice_is_inverted():
    """100,000 errors: 95 % inside, false alarm below 1e-9; Chernoff's bound has over 99 %."""
    design, n = Design(MARGINS, (813, 710, 610, 1023), Basis.COUNTS), 100_000
    rng = np.random.default_rng(7)
    noise = DiscreteLaplace(3000.0)
    width = half_widths(design, noise)[0, 1]
    error = sum(
        float(size) * noise.draws(rng, n)
        for size, number in error_terms(design, (0, 1)).items()
        for _ in range(number)
    )
    inside = np.count_nonzero(np.abs(error) <= width.value) / n
    assert width.method is Method.INVERTED
    assert -6 < (inside - 0.95) / math.sqrt(0.95 * 0.05 / n) < 8


def test_an_error_that_is_none_has_no_width():
    design = Design(close_downwards((2,), [(0,)]), (0, 1))
    assert half_widths(design, DiscreteGaussian(5.0))[()].value == 0.0
