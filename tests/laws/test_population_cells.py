"""Sums told how many of each cell were drawn: above the truth by all samples, and close to it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.mechanisms import Gaussian, Laplace
from deniable.population.real_sums import Cell, bound_cell
from tests.cases.effort import usual
from tests.oracles import cells as brute

FEW = settings(max_examples=usual(8, 12), deadline=None)
ROUNDED = 1 - 1e-9
CLOSE = 1.02
"""What is wanted, in units of the truth: a bound this close is to be found."""


def bound(values, size, population, scale, delta, wanted, *, on_lattice=True, noise=Gaussian):
    distinct, counts = np.unique(values, return_counts=True)
    cell = Cell(distinct, counts, population, size)
    return bound_cell(cell, noise(scale), delta, wanted, on_lattice=on_lattice)


def brute_force(values, size, population, scale, delta):
    noise = brute.whole_gaussian(scale, math.ceil(9 * scale))
    return max(
        brute.told_epsilon(values, x, size, population, noise, delta) for x in range(len(values))
    )


@st.composite
def lists(draw):
    values = draw(
        st.lists(st.integers(-9, 9), min_size=2, max_size=8).filter(lambda v: len(set(v)) > 1)
    )
    rest = draw(st.integers(0, 6))
    size = draw(st.integers(1, len(values) + rest - 1))
    return values, size, len(values) + rest


@FEW
@given(
    lists(),
    st.sampled_from([4.0, 7.5, 30.0]),
    st.sampled_from([0.3, 0.05, 1e-3]),
    st.sampled_from([0.5, 1.1, 1.5]),
)
def test_small_cells_by_all_samples(drawn, scale, delta, times):
    values, size, population = drawn
    truth = brute_force(values, size, population, scale, delta)
    found = bound(values, size, population, scale, delta, max(truth * times, 0.05))
    assert found >= truth * ROUNDED
    # No more than what is wanted is looked for, and no more than 5.
    if times < 1:
        assert found == math.inf or truth < 0.1
    elif truth < 4:
        assert found <= 1.25 * truth + 0.05


@pytest.mark.parametrize(
    ("shift", "spread", "size", "rest", "scale"),
    [
        (0, 80, 30, 40, 300.0),
        (-1000, 40, 60, 60, 120.0),
        (5, 30, 55, 10, 80.0),
        (0, 3, 40, 50, 20.0),
        (7, 60, 25, 0, 400.0),
    ],
)
def test_every_member_of_a_cell_by_exact_numbers_of_samples(shift, spread, size, rest, scale):
    """Every class of values, with dense values and an outlier: the largest ε̃ and no less."""
    rng = np.random.default_rng(3)
    # The reference counts from the least; a shift changes nothing.
    values = np.append(rng.integers(0, spread, 50), 3 * spread).tolist()
    noise = brute.whole_gaussian(scale, math.ceil(8 * scale))
    delta, population = 1e-4, len(values) + rest
    places = sorted({values.index(value) for value in values})
    truth = max(
        brute.told_epsilon(values, x, size, population, noise, delta)
        for x in [*places[:: max(len(places) // usual(4, 12), 1)], 50]
    )
    found = bound(
        [value + shift for value in values], size, population, scale, delta, CLOSE * truth
    )
    assert truth * ROUNDED <= found <= CLOSE * truth


def test_the_worst_may_be_in_the_middle_of_a_class():
    """No member tells more than the bound, whoever it is."""
    values = [*range(0, 110, 2), 109, 109, 108]
    noise = brute.whole_gaussian(60.0, 480)
    each = [
        brute.told_epsilon(values, x, 30, 80, noise, 1e-4)
        for x in range(0, len(values), usual(5, 3))
    ]
    found = bound(values, 30, 80, 60.0, 1e-4, CLOSE * max(each))
    assert max(each) * ROUNDED <= found <= CLOSE * max(each)


@pytest.mark.parametrize("kind", [Gaussian, Laplace])
def test_real_noise_is_that_of_a_fine_lattice(kind):
    """Values ten times as large with noise ten times as large, on whole numbers."""
    values, scale, delta = [0, 3, 7, 8, 15, 40], 60.0, 1e-3
    law = {Gaussian: brute.whole_gaussian, Laplace: brute.whole_laplace}[kind]
    noise = law(scale * 10, math.ceil((9 if kind is Gaussian else 40) * scale * 10))
    truth = max(
        brute.told_epsilon([10 * value for value in values], x, 4, 9, noise, delta)
        for x in range(len(values))
    )
    found = bound(values, 4, 9, scale, delta, CLOSE * truth, on_lattice=False, noise=kind)
    assert truth * (1 - 1e-4) <= found <= CLOSE * truth


def test_whole_outputs_tell_no_less_than_real_ones():
    values = np.random.default_rng(5).integers(0, 200, 100)
    both = [
        bound(values, 400, 1000, 300.0, 1e-5, 1.0, on_lattice=on_lattice)
        for on_lattice in (True, False)
    ]
    assert both[0] == pytest.approx(both[1], rel=2e-3)


@FEW
@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 9)), min_size=5, max_size=7),
    st.integers(1, 4),
    st.sampled_from([0.2, 0.02]),
)
def test_a_released_vector_tells_no_more_than_its_cells(rows, size, delta):
    """Bins by the first column, their counts and a sum of the second: all samples, all outputs."""
    vectors = [(1 - group, group, value) for group, value in rows]
    scales = (1.5, 2.0, 5.0)
    noises = [brute.whole_gaussian(scale, math.ceil(6 * scale)) for scale in scales]
    for group in {group for group, _ in rows}:
        values = [value for other, value in rows if other == group]
        if len(set(values)) == 1:
            continue
        members = [x for x, (other, _) in enumerate(rows) if other == group]
        truth = max(brute.released_epsilon(vectors, x, size, noises, delta) for x in members)
        assert bound(values, size, len(rows), 5.0, delta, 10.0) >= truth * (1 - 1e-6)
        assert truth <= brute_force(values, size, len(rows), 5.0, delta) * (1 + 1e-6)
