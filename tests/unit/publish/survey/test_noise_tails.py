"""Bounds on tails of noise beside its own law, and beside simulated noise."""

import math
from fractions import Fraction

import numpy as np
import pytest

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.publish.query import ErrorTerm
from deniable.publish.survey import noise_tail


def exact(noise, first: int) -> float:
    """Pr[X >= first] from the masses."""
    reach = math.ceil(50 * noise.scale)
    return math.fsum(noise.pmf(np.arange(first, max(first, 0) + reach)).tolist())


@pytest.mark.parametrize(
    ("noise", "loss"),
    [
        (DiscreteLaplace(0.4), 1e-9),
        (DiscreteLaplace(20.0), 1e-9),
        (DiscreteLaplace(1000.0), 0.02),
        (DiscreteGaussian(0.4), 1e-9),
        (DiscreteGaussian(20.0), 1e-9),
        (DiscreteGaussian(2000.0), 0.02),
    ],
)
def test_a_bound_is_above_the_law_and_near_it(noise, loss):
    tail = noise_tail((ErrorTerm(Fraction(1), 1, noise),))
    for share in (-3.0, -1.0, -0.1, 0.0, 0.1, 1.0, 2.0, 2.5):
        first = math.ceil(share * noise.scale)
        truth = exact(noise, first)
        (bound,) = tail.above(np.array([float(first)]), 0.0)
        assert truth * (1 - 1e-12) <= bound <= truth * (1 + loss) + 1e-12


def test_beyond_the_grid_a_bound_still_holds():
    tail = noise_tail((ErrorTerm(Fraction(1), 1, DiscreteGaussian(3.0)),))
    far = np.array([-1e300, -1e6, 1e6, 1e300])
    assert tail.above(far, 0.0).tolist()[:2] == [1.0, 1.0]
    assert 0 < tail.above(far, 0.0)[2] < 1e-15
    assert tail.above(far, 1e305).tolist() == [1.0] * 4


@pytest.mark.parametrize("made", [DiscreteLaplace, DiscreteGaussian])
@pytest.mark.parametrize("scale", [3.0, 1500.0])
def test_sums_of_noise_stay_below_their_bounds(made, scale):
    """200,000 sums; a bound that is too small by a tenth would be 7 deviations away."""
    terms = (ErrorTerm(Fraction(1, 2), 1, made(scale)), ErrorTerm(Fraction(1, 3), 4, made(scale)))
    rng, n, tail = np.random.default_rng(11), 200_000, noise_tail(terms)
    drawn = sum(
        float(term.size) * made(scale).draws(rng, n) for term in terms for _ in range(term.number)
    )
    for probability in (0.5, 0.8, 0.975):
        place = float(np.quantile(drawn, probability))
        seen = np.count_nonzero(drawn >= place - 1e-9) / n
        (bound,) = tail.above(np.array([place]), 1e-9)
        off = (seen - bound) / math.sqrt(bound * (1 - bound) / n)
        assert off < 6
        assert bound < 1.15 * seen + 0.01
