"""Rounding in convex order, against exact sums and products of small laws."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.training.batches.laws import (
    Fineness,
    RatioLaw,
    _cell_finder,
    add,
    multiply,
    power_of,
    sum_of,
)
from deniable.training.noisy_gradients.curve import Direction
from tests.cases.effort import usual

COARSE = Fineness(6, 1e-3)
THRESHOLDS = (0.05, 0.3, 0.8, 1.0, 1.3, 2.0, 5.0, 40.0)


@st.composite
def small_laws(draw):
    """Atoms and masses of a likelihood ratio with mean 1, as fractions."""
    values = draw(st.lists(st.integers(0, 60), min_size=2, max_size=6, unique=True))
    weights = draw(st.lists(st.integers(1, 9), min_size=len(values), max_size=len(values)))
    total, mean = sum(weights), sum(v * w for v, w in zip(values, weights, strict=True))
    if mean == 0:
        values = [v + 1 for v in values]
        mean = sum(v * w for v, w in zip(values, weights, strict=True))
    pairs = zip(values, weights, strict=True)
    return sorted((Fraction(v * total, mean), Fraction(w, total)) for v, w in pairs)


def law(atoms, *, is_above):
    """The same law in floats."""
    ratios, masses = (np.array([float(x) for x in column]) for column in zip(*atoms, strict=True))
    return RatioLaw(ratios, masses, 0.0, 1e-15, is_above=is_above)


def combined(atoms, times, operation):
    """All outcomes of so many independent copies."""
    return [
        (operation([value for value, _ in each]), np.prod([float(mass) for _, mass in each]))
        for each in itertools.product(atoms, repeat=times)
    ]


def product(values):
    result = Fraction(1)
    for value in values:
        result *= value
    return result


@pytest.mark.parametrize("times", [2, 3, 4])
@pytest.mark.parametrize(("repeat", "operation"), [(sum_of, sum), (power_of, product)])
@given(atoms=small_laws())
@settings(max_examples=usual(6, 15))
def test_rounded_laws_are_on_their_side(atoms, times, repeat, operation):
    outcomes = combined(atoms, times, operation)
    above = repeat(law(atoms, is_above=True), times, COARSE)
    below = repeat(law(atoms, is_above=False), times, COARSE)
    scale = 1 / times if operation is sum else 1.0
    above, below = above.scaled(scale), below.scaled(scale)
    for k in THRESHOLDS:
        excess = sum(mass * max(float(value) * scale - k, 0) for value, mass in outcomes)
        missing = sum(mass * max(1 - k * float(value) * scale, 0) for value, mass in outcomes)
        assert below.excess(k) <= excess * (1 + 1e-12) + 1e-15
        assert above.excess(k) >= excess * (1 - 1e-12) - 1e-15
        epsilon = float(np.log(k))
        if epsilon >= 0:
            assert below.delta(epsilon, Direction.ADD) <= missing * (1 + 1e-12) + 1e-15
            assert above.delta(epsilon, Direction.ADD) >= missing * (1 - 1e-12) - 1e-15


@given(atoms=small_laws(), others=small_laws())
@settings(max_examples=usual(6, 15))
def test_totals_are_kept(atoms, others):
    for operation, wanted in ((add, 2.0), (multiply, 1.0)):
        for is_above in (True, False):
            first, second = (law(each, is_above=is_above) for each in (atoms, others))
            made = operation(first, second, COARSE)
            assert (made.ratios * made.masses).sum() + made.infinite == pytest.approx(wanted)
            assert made.masses.sum() == pytest.approx(1.0)


@given(atoms=small_laws(), fpr=st.floats(1e-4, 0.999))
@settings(max_examples=usual(10, 30))
def test_misses_are_those_of_the_best_test(atoms, fpr):
    power, left = 0.0, fpr
    for value, mass in reversed(atoms):
        used = min(left, float(mass))
        power, left = power + used * float(value), left - used
    for is_above in (True, False):
        missed = law(atoms, is_above=is_above).misses(fpr)
        assert missed == pytest.approx(max(1 - power, 0.0), abs=1e-9)
        assert (missed <= 1 - power + 1e-12) if is_above else (missed >= 1 - power - 1e-12)


@given(
    knots=st.lists(st.floats(1e-300, 1e300), min_size=2, max_size=60, unique=True).map(sorted),
    values=st.lists(st.floats(0, 1e308), min_size=1, max_size=60),
)
@settings(max_examples=usual(30, 100))
def test_cells_by_a_table_are_those_of_a_search(knots, values):
    even = np.linspace(*sorted((knots[0] + 1e-3, 2 * knots[0] + 1)), 50)
    for each in (np.array(knots), even):  # far apart, where no table fits, and near
        asked = np.concatenate([values, each, np.nextafter(each, 0), np.nextafter(each, 1e308)])
        wanted = np.searchsorted(each, asked, "right")
        assert _cell_finder(each)(asked).tolist() == wanted.tolist()
