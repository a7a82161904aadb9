"""Told cells from outside: all samples and outputs of short lists, least δ, what stays behind."""

import gc
import itertools
import math
import weakref

import attrs
import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from deniable.numerics.effort import Effort, OutOfTime, counted, limited
from deniable.population import swaps
from deniable.population.api import integer_vectors
from deniable.population.api.integer_vectors import IntegerVectors, bound_vectors
from deniable.population.real_sums import Cell, bound_cell, cells
from tests.cases.effort import THOROUGH, some_pairs, usual
from tests.cases.refusals import refuses


def shares(scale, laplace):
    """Pr[k] of whole noise, from −reach to reach."""
    reach = math.ceil((22 if laplace else 7) * scale) + 2
    at = np.abs(np.arange(-reach, reach + 1.0))
    law = np.exp(-at / scale) if laplace else np.exp(-((at / scale) ** 2) / 2)
    return law / law.sum()


def released(sums, scales, laplace):
    """The law of all columns together, from exact sums ≥ 0 of equally likely samples."""
    most = sums.max(axis=0)
    law = np.zeros(most + 1)
    np.add.at(law, tuple(sums.T), 1 / len(sums))
    for at, scale in enumerate(scales):
        noise = shares(scale, laplace)
        shifted = np.zeros((most[at] + 1, most[at] + len(noise)))
        for total in range(most[at] + 1):
            shifted[total, total : total + len(noise)] = noise
        law = np.moveaxis(np.tensordot(law, shifted, axes=(at, 0)), -1, at)
    return law


def largest_divergence(rows, size, scales, epsilon, laplace):
    """Over all members and both directions, by every sample."""
    rows = np.array(rows) - np.min(rows, axis=0)
    samples = list(itertools.combinations(range(len(rows)), size))
    sums = rows[np.array(samples)].sum(axis=1)
    weight, worst = math.exp(epsilon), 0.0
    for member in range(len(rows)):
        drawn = np.array([member in sample for sample in samples])
        # One shape for both: the largest sums of either are appended, and weigh nothing.
        every = released(sums, scales, laplace)
        inside = released(sums[drawn], scales, laplace)
        outside = released(sums[~drawn], scales, laplace)
        both = np.zeros((2, *every.shape))
        for at, law in enumerate((inside, outside)):
            both[(at, *map(slice, law.shape))] = law
        for p, q in (both, both[::-1]):
            worst = max(worst, float(np.maximum(p - weight * q, 0).sum()))
    return worst


def rows_of(shape, rng):
    number, spread = int(rng.integers(5, 9)), int(rng.choice([2, 5, 12]))
    value, group = rng.integers(-3, spread, number), rng.integers(0, 2, number)
    match shape:
        case "bins":
            return np.stack([value, group], axis=1)
        case "bins, many cut off":
            return np.stack([np.minimum(value, 1), group], axis=1)
        case "bins and their counts":
            return np.stack([value, group, 1 - group], axis=1)
        case _:
            return np.stack([np.where(group, value, 0), np.where(group, 0, value)], axis=1)


@pytest.mark.parametrize("laplace", [False, True])
@pytest.mark.parametrize(
    "shape", ["bins", "bins, many cut off", "bins and their counts", "sums by group"]
)
def test_short_lists_by_all_samples_and_all_outputs(shape, laplace, monkeypatch):
    """Columns count as fine from three values on, so that lists are short enough to be listed."""
    monkeypatch.setattr(swaps, "FINE", 2)
    rng = np.random.default_rng([len(shape), laplace])
    noise = DiscreteLaplace if laplace else DiscreteGaussian
    answered = 0
    for _ in range(usual(50, 150)):
        rows = rows_of(shape, rng)
        if np.ptp(rows, axis=0).min() == 0:
            continue
        values, counts = np.unique(rows, axis=0, return_counts=True)
        data = IntegerVectors(values, counts, int(rng.integers(1, len(rows))))
        scales = rng.choice([4.0, 5.0, 9.0], values.shape[1])
        if shape.startswith("bins"):
            scales[1:] = rng.choice([0.4, 1.0, 4.0], len(scales) - 1)
        delta = float(10 ** rng.uniform(-2.5, -0.1))
        found = integer_vectors.by_cells(data, scales, noise, delta, 2.0, Effort())
        if found is None:
            continue
        answered += 1
        truth = largest_divergence(rows, data.size, scales, found.bound.upper, laplace)
        assert truth <= delta
        if answered == usual(1, 6):
            break
    assert answered or laplace


@pytest.mark.parametrize("delta", [1e-305, 1e-310])
@pytest.mark.parametrize("noise", [DiscreteGaussian, DiscreteLaplace])
def test_the_least_delta_is_no_error(noise, delta):
    values = np.stack([np.arange(400) * 1000, np.arange(400) % 2], axis=1)
    data = IntegerVectors(values, np.ones(400, int), 200)
    answer = bound_vectors(data, np.array([1e6, 9.0]), noise, delta, 1.0, Effort(time_limit=2))
    assert answer is None or answer.bound.upper > 0


@pytest.mark.parametrize(
    ("noise", "end"), some_pairs([DiscreteGaussian, DiscreteLaplace], [-(2**63), 2**63 - 1])
)
def test_values_at_the_ends_of_their_type_are_no_error(noise, end):
    """The float next to their mean is 2^63, which is none of theirs."""
    step = -1 if end > 0 else 1
    rows = np.stack([end + step * (np.arange(150) % 70), np.arange(150) % 2], axis=1)
    values, counts = np.unique(rows, axis=0, return_counts=True)
    data = IntegerVectors(values, counts, 75)
    scales, effort = np.array([1e4, 9.0]), Effort(time_limit=60)
    moved = attrs.evolve(data, values=values - np.array([end, 0]))
    found, expected = (
        bound_vectors(each, scales, noise, 1e-2, 2.0, effort) for each in (data, moved)
    )
    assert found.bound.upper == pytest.approx(expected.bound.upper, rel=1e-3)


@pytest.mark.parametrize(
    ("values", "noise", "on_lattice"),
    [
        (values, noise, on_lattice)
        for place, values in enumerate([[-9, -5, -9, -5, -9, -5, -9], [-12] * 3 + [12] * 3])
        for noise, on_lattice in [(Gaussian, True), (Gaussian, False), (Laplace, False)]
        if THOROUGH or place or noise is Gaussian  # Laplace noise takes a second for each list
    ],
)
def test_two_values_as_far_from_their_mean_are_two(values, noise, on_lattice):
    """The farthest and the nearest were one and the same, and its record was not taken out."""
    found = []
    for more in ([], [values[0] + 1]):  # one number more, and the farthest is another
        of = values + more
        distinct, counts = np.unique(of, return_counts=True)
        cell = Cell(distinct, counts, len(of), 3)
        found.append(bound_cell(cell, noise(100.0), 1e-3, 1.0, on_lattice=on_lattice))
    assert found[0] <= 1.25 * found[1]


@pytest.mark.parametrize("columns", [1, 2])
def test_values_too_far_apart_for_64_bits_are_refused(columns):
    """Their difference wrapped round to less than nothing, and the column was a constant."""
    values = np.array([[-(2**63), 0], [2**63 - 1, 1]])[:, :columns]
    with refuses(InvalidArgument, "2-63-apart-in-each") as told:
        IntegerVectors(values, [4, 2], 3)
    assert str(2**63) not in str(told.value)
    assert str(2**63 - 1) not in str(told.value)


@pytest.mark.parametrize("limit", [1e-4, 1e-3, 0.01, 0.1])
def test_time_that_ends_where_all_of_a_cell_are_alike_is_no_error(limit):
    """One bin where values differ, and many where all have one."""
    differ = [[value, 0] for value in range(0, 7000, 100)]
    alike = [[0, place] for place in range(1, 40)]
    counts = [1000] * len(differ) + [20_000] * len(alike)
    data = IntegerVectors(differ + alike, counts, sum(counts) // 2)
    scales = np.array([5e5, 50.0])
    with counted():
        found = integer_vectors.by_cells(
            data, scales, DiscreteGaussian, 1e-5, 1.0, Effort(time_limit=limit)
        )
    assert found is None


def test_many_frequencies_of_few_numbers_are_counted_work():
    """Half a million took ten times the seconds that were counted."""
    three = Cell(np.arange(3), np.ones(3, int), 3, 2)
    with counted(), limited(1.0), pytest.raises(OutOfTime):
        bound_cell(three, Laplace(41.0), 3.5e-7, 0.02, on_lattice=False)


def test_who_hopes_for_more_under_laplace_noise_loses_no_bound():
    """Whole noise costs 1 + e^ε, at the ε that is hoped for more than half of δ."""
    values = np.stack([np.arange(600) % 80, np.arange(600) // 80 % 2], axis=1)
    distinct, counts = np.unique(values, axis=0, return_counts=True)
    data, scales = IntegerVectors(distinct, counts, 300), np.array([60.0, 20.0])
    found = [
        integer_vectors.by_cells(data, scales, DiscreteLaplace, 1e-2, demand, Effort())
        for demand in (3.0, 4.5, 800.0)
    ]
    assert all(each is not None and each.bound.upper < 0.5 for each in found)


@pytest.mark.parametrize(
    ("noise", "delta", "less", "more"),
    [
        (Gaussian, 1e-9, 1.0, 3.0),
        (Gaussian, 6.5e-10, 0.75, 1.0),
        *usual([], [(Laplace, 1e-8, 1.0, 3.0)]),
    ],
)
def test_who_allows_more_loses_no_bound(noise, delta, less, more):
    """Rounding counts e^ε times, so that the largest ε can fail where a smaller one is proved."""
    rng = np.random.default_rng(0)
    values = np.rint(np.minimum(rng.lognormal(10.5, 0.8, 400), 2e5)).astype(int)
    distinct, counts = np.unique(values, return_counts=True)
    cell, scale = Cell(distinct, counts, 800, 400), 10.0 * np.ptp(values)
    found = [
        bound_cell(cell, noise(scale), delta, wanted, on_lattice=False) for wanted in (less, more)
    ]
    assert found[0] < 1
    assert found[1] <= 1.2 * found[0]


def test_densities_are_gone_when_the_bound_is_there(monkeypatch):
    """They take up to half a gigabyte a class, and a search asks for a hundred bounds."""
    made = []
    law = cells.law

    def seen(*arguments):
        made.append(weakref.ref(result := law(*arguments)))
        return result

    monkeypatch.setattr(cells, "law", seen)
    gc.collect()
    gc.disable()
    try:
        cell = Cell(np.arange(40), np.ones(40, int), 200, 100)
        bound_cell(cell, Gaussian(600.0), 1e-6, 1.0, on_lattice=True)
        assert made
        assert not [each for each in made if each() is not None]
    finally:
        gc.enable()
