"""The noise that is drawn has the law that is claimed.

OpenDP's samplers take no seed, so each check has a false-alarm probability of at most 1e-9, from
an exact binomial tail or from Chernoff's bound, and shows by calculation that it rejects named
wrong laws except with probability 1e-3.
"""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, NoisyTopK
from deniable.pipeline.noise import SelectionPart, VectorPart
from deniable.pipeline.noise.sampler import release
from tests.cases.effort import some_pairs, usual

FALSE_ALARM = 1e-9
MISSED = 1e-3


# Scale of additive noise: both laws are exponential families in |k| or k², so Chernoff's bound
# on the mean of that statistic is a Kullback–Leibler divergence within the family.


def statistic(noise, k):
    magnitude = np.abs(k).astype(np.float64)
    return magnitude if isinstance(noise, DiscreteLaplace) else magnitude**2


def mean(noise):
    reach = math.ceil(60 * noise.scale)
    k = np.arange(-reach, reach + 1)
    return math.fsum(noise.pmf(k) * statistic(noise, k))


def divergence(noise, other):
    """Kullback and Leibler's, of the first from the second."""
    at_zero, at_one = (noise.log_pmf(k) - other.log_pmf(k) for k in (0, 1))
    return float(at_zero + mean(noise) * (at_one - at_zero))


def accepted(noise, draws):
    """Two members of the family between whose means the mean of the draws lies, surely enough."""
    allowed = math.log(2 / FALSE_ALARM) / draws
    ends = []
    for direction in (-1, 1):
        low, high = 0.0, 0.2
        for _ in range(40):
            middle = (low + high) / 2
            end = type(noise)(noise.scale * (1 + direction * middle))
            low, high = (middle, high) if divergence(end, noise) < allowed else (low, middle)
        ends.append(type(noise)(noise.scale * (1 + direction * high)))
    return ends


# A scale 4% off is told from the claimed one; 1% takes sixteen times the draws.
OFF = usual(0.04, 0.01)
MORE = round((0.04 / OFF) ** 2)
ADDITIVE = [(DiscreteLaplace(20.0), 75_000 * MORE), (DiscreteGaussian(20.0), 37_500 * MORE)]


@pytest.mark.parametrize(("noise", "draws"), ADDITIVE, ids=lambda value: str(value))
def test_the_scale_of_additive_noise(noise, draws):
    narrow, wide = accepted(noise, draws)
    for wrong, end in ((1 - OFF, narrow), (1 + OFF, wide)):
        alternative = type(noise)(noise.scale * wrong)
        assert (alternative.scale - end.scale) * (wrong - 1) > 0
        assert math.exp(-draws * divergence(end, alternative)) < MISSED
    drawn = release(noise, vector(draws), np.zeros(draws, dtype=np.int64))
    assert mean(narrow) <= statistic(noise, drawn).mean() <= mean(wide)


def vector(coordinates):
    return VectorPart("count", 1.0, coordinates, l1=1, l2=1.0, moved=1)


# Whole laws: an exact binomial test of every outcome's count, Bonferroni over the outcomes.


def acceptance(law, draws):
    level = FALSE_ALARM / (2 * len(law))
    return binom.ppf(level, draws, law) - 1, binom.isf(level, draws, law) + 1


def missed(law, wrong, draws):
    """The probability, at most, that the wrong law passes: that of its most telling outcome."""
    low, high = acceptance(law, draws)
    return min(binom.cdf(high, draws, wrong) - binom.cdf(low - 1, draws, wrong))


def passes(law, counts):
    low, high = acceptance(law, counts.sum())
    return ((low <= counts) & (counts <= high)).all()


def binned(law):
    """With everything outside the outcomes as one more."""
    return np.append(law, max(1 - law.sum(), 0.0))


OUTCOMES = np.arange(-6, 7)


def rounded(noise):
    """The continuous noise of the same scale, rounded to whole numbers: not what is claimed."""
    s = noise.scale
    if isinstance(noise, DiscreteLaplace):
        inside = np.exp(-np.abs(OUTCOMES) / s) * math.sinh(0.5 / s)
        inside[OUTCOMES == 0] = -math.expm1(-0.5 / s)
    else:
        edge = np.array([math.erf((k + 0.5) / (s * math.sqrt(2))) / 2 for k in [-7, *OUTCOMES]])
        inside = np.diff(edge)
    return binned(inside)


@pytest.mark.parametrize(
    ("noise", "draws"),
    # As many as tell the wrong laws below; or more.
    [
        (DiscreteLaplace(1.3), usual(20_000, 60_000)),
        (DiscreteGaussian(0.8), usual(30_000, 60_000)),
    ],
)
def test_the_law_of_additive_noise(noise, draws):
    law = binned(noise.pmf(OUTCOMES))
    other = DiscreteGaussian if isinstance(noise, DiscreteLaplace) else DiscreteLaplace
    for wrong in (rounded(noise), binned(other(noise.scale).pmf(OUTCOMES))):
        assert missed(law, wrong, draws) < MISSED
    drawn = release(noise, vector(draws), np.full(draws, -5, dtype=np.int64)) + 5
    counts = [np.count_nonzero(drawn == k) for k in OUTCOMES]
    assert passes(law, np.array([*counts, draws - sum(counts)]))
    # Coordinates are independent: neighbours agree in sign, where there is one, half the time.
    pairs = np.sign(drawn[::2] * drawn[1::2])
    assert passes(np.array([0.5, 0.5]), np.array([(pairs > 0).sum(), (pairs < 0).sum()]))


def one_draw_of_exponential_noise(scores, scale):
    """The two largest of a single draw: the law that peeled rounds do *not* have."""
    nodes, weights = np.polynomial.legendre.leggauss(100)
    result = {}
    for first, second in ((i, j) for i in range(3) for j in range(3) if i != j):
        (rest,) = {0, 1, 2} - {first, second}
        ends = [low := max(scores[second], scores[rest]), max(low, scores[first]), 40 * scale]
        result[first, second] = 0.0
        for start, end in itertools.pairwise(ends):  # z is where the second lies
            z = start + (end - start) * (nodes + 1) / 2
            density = np.exp(-(z - scores[second]) / scale) / scale
            above = np.exp(-np.maximum(z - scores[first], 0) / scale)
            below = -np.expm1(-(z - scores[rest]) / scale)
            result[first, second] += float(weights @ (density * above * below)) * (end - start) / 2
    return result


SCORES = [0, -1, -1]


def test_the_reference_for_one_draw_is_a_law():
    law = one_draw_of_exponential_noise(SCORES, 1.0)
    assert math.fsum(law.values()) == pytest.approx(1, abs=1e-12)
    assert law[1, 2] == pytest.approx(0.0225, abs=3e-4)


@pytest.mark.parametrize(
    ("noise", "number"), some_pairs(["exponential", "gumbel"], [2, 1]), ids=str
)
def test_the_law_of_a_selection(noise, number):
    # As many draws as tell the wrong laws below; of other scores more would be needed.
    draws = {1: usual(7_000, 30_000), 2: usual(20_000, 50_000)}[number]
    scale, scores = {1: (1.0, SCORES), 2: (2.0, [0, -1, -3])}[number]
    off = 1.15 if draws > 7_000 else 1.3
    select = NoisyTopK(scale, number, noise)
    law = select.law(scores)
    expected = np.array(list(law.values()))
    other = "gumbel" if noise == "exponential" else "exponential"
    wrong = [
        NoisyTopK(scale, number, other).law(scores),
        NoisyTopK(off * scale, number, noise).law(scores),
    ]
    if noise == "exponential" and number == 2:
        wrong.append(one_draw_of_exponential_noise(scores, scale))
    for alternative in wrong:
        assert missed(expected, np.array([alternative[key] for key in law]), draws) < MISSED
    part = SelectionPart("top", 1.0, draws, 3, number, sensitivity=1, monotone=True)
    chosen = release(select, part, np.tile(np.array(scores), (draws, 1)))
    counts = np.array([np.count_nonzero((chosen == key).all(axis=1)) for key in law])
    assert counts.sum() == draws
    assert passes(expected, counts)


@pytest.mark.parametrize("noise", ["exponential", "gumbel"])
def test_the_law_of_a_selection_among_many(noise):
    draws = 3000
    scores = -2 * np.abs(np.arange(101) - 30)
    law = NoisyTopK(10.0, 1, noise).round_law(scores)
    near = slice(26, 35)

    def grouped(p):
        return np.append(p[near], p.sum() - p[near].sum())

    expected = grouped(law)
    assert missed(expected, grouped(NoisyTopK(20.0, 1, noise).round_law(scores)), draws) < MISSED
    part = SelectionPart("quantile", 1.0, draws, 101, 1, sensitivity=1, monotone=False)
    chosen = release(NoisyTopK(10.0, 1, noise), part, np.tile(scores, (draws, 1)))
    assert passes(expected, grouped(np.bincount(chosen[:, 0], minlength=101)))
