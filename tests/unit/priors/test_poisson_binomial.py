import math
from fractions import Fraction

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.priors import _poisson_binomial
from deniable.priors._poisson_binomial import size_law, without_each
from tests.cases.effort import some_pairs
from tests.cases.refusals import refuses


def exact_law(probabilities):
    """One event after the other, in whole numbers of 2^-100 per event."""
    one = 2**100
    law = [1]
    for p in probabilities:
        part = int(Fraction(float(p)) * one)
        assert Fraction(part, one) == Fraction(float(p))
        grown = [mass * (one - part) for mass in law] + [0]
        for size, mass in enumerate(law):
            grown[size + 1] += mass * part
        law = grown
    return [Fraction(mass, one ** len(probabilities)) for mass in law]


def probabilities(n):
    rng = np.random.default_rng(n)
    return np.where(rng.random(n) < 0.1, 1e-12, rng.random(n))


def off(found, exact):
    return float(abs(Fraction(float(found)) - exact))


@pytest.mark.parametrize("n", [0, 1, 2, 31, 32, 33, 97, 150])
def test_the_whole_law_within_its_stated_error(n):
    p = probabilities(n)
    law = size_law(p)
    assert law.least == 0
    assert len(law.masses) == n + 1
    assert law.relative_error < 1e-13
    for found, exact in zip(law.masses, exact_law(p), strict=True):
        assert off(found, exact) <= law.relative_error * exact + law.cut


def test_certain_and_impossible_events():
    law = size_law([1.0] * 40 + [0.0] * 40 + [0.5])
    assert law.probability([39, 40, 41, 42]).tolist() == [0, 0.5, 0.5, 0]


@pytest.mark.parametrize("n", [150, 200])
def test_laws_that_are_cut(n, monkeypatch):
    monkeypatch.setattr(_poisson_binomial, "UNCUT", 40)
    monkeypatch.setattr(_poisson_binomial, "NEGLIGIBLE", 1e-9)
    p = probabilities(n)
    law = size_law(p)
    assert law.least > 0
    assert law.least + len(law.masses) <= n
    assert 1e-9 < law.cut < 1e-5
    exact = exact_law(p)
    for size in range(-1, n + 2):
        truth = exact[size] if 0 <= size <= n else Fraction(0)
        assert off(law.probability(size), truth) <= law.relative_error * truth + law.cut


@pytest.mark.parametrize(("n", "uncut"), some_pairs([1, 5, 33, 130], [4096, 40]))
def test_all_but_one(n, uncut, monkeypatch):
    monkeypatch.setattr(_poisson_binomial, "UNCUT", uncut)
    p = probabilities(n)
    size = max(round(p.sum()), 1)
    total, others = without_each(p, 1 - p, size)
    assert total == pytest.approx(float(exact_law(p)[size]), rel=1e-12)
    for i in {0, n // 2, n - 1}:
        exact = float(exact_law(np.delete(p, i))[size - 1])
        assert others[i] == pytest.approx(exact, rel=1e-12)


def test_all_but_one_at_a_size_that_never_occurs():
    total, others = without_each(np.array([0.5, 0.5]), np.array([0.5, 0.5]), 99)
    assert total == 0.0
    assert others.tolist() == [0.0, 0.0]


def test_a_million_events():
    """Against the exact binomial, from logarithms of factorials."""
    n, p = 10**6, 0.25
    law = size_law(np.full(n, p))
    assert law.relative_error < 1e-8
    assert law.cut < 1e-50
    assert law.mean == pytest.approx(n * p)
    for size in (n // 4 - 6000, n // 4 - 1000, n // 4, n // 4 + 1500):
        log_exact = (
            math.lgamma(n + 1)
            - math.lgamma(size + 1)
            - math.lgamma(n - size + 1)
            + size * math.log(p)
            + (n - size) * math.log1p(-p)
        )
        assert math.log(law.probability(size)) == pytest.approx(log_exact, abs=1e-7)


def test_wrong_probabilities():
    with refuses(InvalidArgument, "probabilities-between-0-and-1: 2.0"):
        size_law([0.5, 2.0])
