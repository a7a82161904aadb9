"""Witnesses over priors in [a, b] with ends as extreme as floats allow: in the family, and shown.

Membership and the factor that a witness shows are worked out in fractions.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from deniable.judge.bounded_priors import gamma
from deniable.judge.verify import verify
from deniable.mechanisms.stochastic_matrix import StochasticMatrix
from deniable.priors.universe import Universe
from tests.cases.effort import one_in, usual

ENDS = (0.0, 1e-300, 2e-19, 1e-12, 0.25, 0.5, 0.7, 1 - 1e-12, 1 - 2**-53, 1.0)
INTERVALS = list(itertools.combinations_with_replacement(ENDS, 2))
LARGE = Fraction(10) ** 400


def mechanism(n, kind, rng):
    """Any likelihoods, likelihoods with zeros, or of very different sizes."""
    if kind == "any":
        rows = rng.dirichlet([0.5, 0.5], size=2**n)
    elif kind == "zeros":
        first = rng.integers(0, 4, size=2**n) / 4
        rows = np.stack([first, 1 - first], axis=1)
    else:
        first = 10.0 ** -rng.integers(0, 40, size=2**n)
        rows = np.stack([first, 1 - first], axis=1)
    return StochasticMatrix(Universe(tuple("abcd"[:n])), ("x", "y"), rows)


def exactly(matrix, witness):
    """For each entity Pr[t]; and Pr[t], Pr[t|o] of the witness's own."""
    universe = matrix.universe
    prior = {
        universe.row(name.split(",") if name else ()): Fraction(chance)
        for name, chance in witness.prior.items()
    }
    total = sum(prior.values())
    assert abs(total - 1) < Fraction(1, 2**46)
    chances = [
        sum(p for row, p in prior.items() if row >> i & 1) / total for i in range(universe.size)
    ]
    output, entity = matrix.outputs.index(witness.output), universe.entities.index(witness.entity)
    seen = {row: p * Fraction(float(matrix.rows[row, output])) for row, p in prior.items()}
    with_t = sum(p for row, p in seen.items() if row >> entity & 1)
    everything = sum(seen.values())
    return chances, chances[entity], with_t / everything if everything else chances[entity]


def factor(before, after):
    """γ as (before, after) of a belief shows it; LARGE stands for no bound."""
    return max(after / before, (1 - before) / (1 - after) if after < 1 else LARGE)


def check(matrix, here, low, high, *, positive, independent=False):
    if here is None or here.witness is None:
        return 0
    chances, before, after = exactly(matrix, here.witness)
    room = Fraction(low == high, 2**48)  # floats may not write a single point down
    for p in chances:
        assert p in (0, 1) or (
            p >= Fraction(low) * (1 - room) and 1 - p >= (1 - Fraction(high)) * (1 - room)
        )
    shown = factor(before, after) if positive else factor(1 - before, 1 - after)
    lower, upper = here.bound.lower, here.bound.upper
    if independent:  # exact, all of it or all but a part in 10^9
        assert shown == LARGE or lower * (1 - 2e-9) <= shown <= upper
        assert lower < math.inf or shown == LARGE
        return 1
    assert shown == LARGE if lower == math.inf else Fraction(lower) <= shown
    assert upper == math.inf or shown <= Fraction(upper)
    return 1


@pytest.mark.parametrize("kind", ["any", "zeros", "far apart"])
@pytest.mark.parametrize("n", [2, 3, 4])
def test_given_the_size(n, kind):
    rng = np.random.default_rng(30 + n)
    seen = 0
    for low, high in one_in(5, INTERVALS, n + len(kind)):
        matrix = mechanism(n, kind, rng)
        here = verify(matrix, "bounded-prior", prior=(low, high)).here
        seen += check(matrix, here, low, high, positive=True)
        other = gamma(matrix, low, high, rise=False)
        seen += check(matrix, other, low, high, positive=False)
    assert seen >= usual(10, 60)


@pytest.mark.parametrize("kind", ["any", "zeros", "far apart"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_independent(n, kind):
    rng = np.random.default_rng(40 + n)
    seen = 0
    for low, high in one_in(2, INTERVALS, n + len(kind)):
        matrix = mechanism(n, kind, rng)
        here = verify(matrix, "independent-prior", prior=(low, high)).here
        seen += check(matrix, here, low, high, positive=True, independent=True)
    assert seen >= usual(25, 50)


@pytest.mark.parametrize(("low", "high"), [(0.2, 0.6), (0.35, 0.5), (0.4, 0.9), (1e-6, 0.55)])
def test_with_several_uncertain_in_and_out(low, high):
    """Priors that are searched box by box: two of four in."""
    rng = np.random.default_rng(50)
    for _ in range(4):
        matrix = mechanism(4, "any", rng)
        here = verify(matrix, "bounded-prior", prior=(low, high)).here
        assert check(matrix, here, low, high, positive=True)
