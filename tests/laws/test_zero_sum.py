"""Laws of noise that adds up to zero: by enumeration, by convolution, by two samplers."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from deniable.errors import InvalidArgument, NotApplicable
from deniable.mechanisms import DiscreteLaplace, ZeroSumNoise
from deniable.notions import Adjacency, PureDP
from deniable.pipeline.noise import Share, VectorPart, calibrate_mechanism
from deniable.pipeline.noise.sampler import confirm, draw_zero_sum, release, repeat_draws
from deniable.publish.query import ErrorTerm, half_width
from tests.cases.refusals import refuses
from tests.oracles.zero_sum import draws_by_compositions, enumerated_law, sum_law

FALSE_ALARM = 1e-9
MISSED = 1e-3
DESIGNS = [(2, 2.0), (3, 0.4), (5, 7.3), (14, 2.0), (26, 2.0), (40, 1.0)]


def part_of(cells, published=None):
    published = cells if published is None else published
    return VectorPart("count", 1.0, published, l1=2, l2=2**0.5, moved=2, partition=cells)


# The law of a sum.


@pytest.mark.parametrize(("cells", "scale", "reach"), [(2, 0.7, 40), (3, 1.0, 40), (4, 0.8, 24)])
def test_the_law_of_a_sum_is_that_of_every_vector_counted(cells, scale, reach):
    law = enumerated_law(cells, scale, reach)
    noise = ZeroSumNoise(cells, scale)
    for terms in range(1, cells + 1):
        for value in range(-6, 7):
            counted = math.fsum(p for z, p in law.items() if sum(z[:terms]) == value)
            assert noise.probability(value, terms) == pytest.approx(counted, rel=1e-7, abs=1e-12)


@pytest.mark.parametrize(("cells", "scale"), DESIGNS)
def test_the_law_of_a_sum_is_that_of_a_convolution(cells, scale):
    noise = ZeroSumNoise(cells, scale)
    for terms in {1, 2, cells // 2, cells - 1} - {0}:
        law = sum_law(cells, scale, terms)
        centre = len(law) // 2
        for value in (0, 1, -3, math.ceil(4 * scale)):
            expected = law[centre + value]
            assert noise.probability(value, terms) == pytest.approx(expected, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(("cells", "scale"), DESIGNS)
def test_variances_and_covariances_are_those_of_the_law(cells, scale):
    noise = ZeroSumNoise(cells, scale)
    k = np.arange(-(reach := math.ceil(45 * scale) + 5), reach + 1)
    for terms in {1, 2, cells - 1}:
        exact = math.fsum(k * k * sum_law(cells, scale, terms)) if terms < cells else 0.0
        assert noise.variance(terms) == pytest.approx(exact, rel=1e-9)
    assert noise.variance(cells) == 0
    pair = 2 * noise.variance() + 2 * noise.covariance()
    assert noise.variance(2) == pytest.approx(pair, abs=1e-12)


def test_the_reference_s_variances_and_half_widths():
    variances = [round(ZeroSumNoise(cells, 2.0).variance(), 6) for cells in (2, 10, 26)]
    assert variances == [1.841347, 6.047950, 7.097465]
    widths = [ZeroSumNoise(14, 2.0).half_width(terms) for terms in range(1, 8)]
    assert widths == [5, 7, 8, 9, 9, 10, 10]


@pytest.mark.parametrize(
    ("cells", "scale"), [*DESIGNS, (3, 60.0), (6, 25.0), (11, 40.0), (5, 50.0)]
)
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.9999])
def test_a_half_width_is_the_least_that_covers(cells, scale, confidence):
    """Widths below the number of cells are summed; wider ones come from the tail's polynomial."""
    noise = ZeroSumNoise(cells, scale)
    for terms in {1, cells // 2, cells - 1} - {0}:
        h, law = noise.half_width(terms, confidence), sum_law(cells, scale, terms)
        centre = len(law) // 2
        assert math.fsum(law[centre - h : centre + h + 1]) >= confidence - 1e-11
        assert h == 0 or math.fsum(law[centre - h + 1 : centre + h]) < confidence + 1e-11
    assert noise.half_width(cells, confidence) == 0


@given(st.floats(1e-3, 2.0**40), st.floats(0.01, 1 - 1e-9))
def test_two_cells_get_discrete_laplace_noise_of_half_the_scale(scale, confidence):
    halved = DiscreteLaplace(scale / 2)
    assert ZeroSumNoise(2, scale).half_width(1, confidence) == halved.half_width(confidence)


@given(st.integers(3, 20), st.floats(0.02, 2.0**20))
def test_one_cell_is_never_wider_than_with_independent_noise(cells, scale):
    narrow, wider = ZeroSumNoise(cells, scale), ZeroSumNoise(cells + 1, scale)
    assert narrow.half_width() <= wider.half_width() <= DiscreteLaplace(scale).half_width(0.95)
    rate = 1 / scale  # variance of a discrete Laplace number: 1/(2 sinh²(1/2s))
    independent = 0.5 / math.sinh(rate / 2) ** 2
    assert narrow.variance() < wider.variance() < independent * (1 + 1e-9)


@pytest.mark.parametrize(("cells", "scale"), [(5, 2.0), (12, 3.0), (30, 1.0)])
def test_no_sum_is_wider_than_with_independent_noise(cells, scale):
    for terms in range(1, cells):
        independent = half_width([ErrorTerm(1, terms, DiscreteLaplace(scale))]).value
        assert ZeroSumNoise(cells, scale).half_width(terms) <= independent


# The guarantee.


def tables(cells, entities):
    """Every table of so many entities, each in one cell."""
    return {
        tuple(row.count(cell) for cell in range(cells))
        for row in itertools.product(range(cells), repeat=entities)
    }


@pytest.mark.parametrize(("cells", "scale"), [(2, 0.9), (3, 2.0), (4, 1.3)])
def test_the_claim_is_attained_and_not_passed_by_any_neighbours(cells, scale):
    """Over every pair of neighbouring tables of up to three entities and every output near them."""
    noise, largest = ZeroSumNoise(cells, scale), 0.0
    reach = {2: 12, 3: 6, 4: 4}[cells]
    law = enumerated_law(cells, scale, reach + 3)
    for entities in (1, 2, 3):
        for before, after in itertools.permutations(tables(cells, entities), 2):
            moved = np.subtract(after, before)
            if np.abs(moved).sum() != 2:  # one entity at most lies elsewhere
                continue
            for z, mass in law.items():
                if max(map(abs, z)) <= reach:
                    there = law[tuple(int(each) for each in np.subtract(z, moved))]
                    largest = max(largest, math.log(mass / there))
    assert largest <= noise.epsilon() * (1 + 1e-12)
    assert largest == pytest.approx(noise.epsilon(), rel=1e-12)
    assert noise.guarantee(2, Adjacency.REPLACE_ONE) == PureDP(noise.epsilon())


@pytest.mark.parametrize("cells", [2, 3])
def test_a_total_that_neighbours_do_not_share_has_no_guarantee(cells):
    """Under add-remove, or where somebody lies in no cell, no output is possible for both."""
    law = enumerated_law(cells, 1.0, 6)
    for x in tables(cells, 2):
        for cell in range(cells):
            neighbour = np.add(x, np.eye(cells, dtype=int)[cell])
            outputs = {tuple(np.add(x, z)) for z in law}
            assert outputs.isdisjoint(tuple(np.add(neighbour, z)) for z in law)
    with refuses(NotApplicable, "use-independent-noise"):
        ZeroSumNoise(cells, 1.0).guarantee(1, Adjacency.ADD_REMOVE)


@given(st.floats(1e-9, 50.0), st.integers(3, 60))
def test_the_calibrated_scale_is_the_least_that_keeps_to_the_share(epsilon, cells):
    noise = calibrate_mechanism(part_of(cells), Share(epsilon=epsilon))
    assert isinstance(noise, ZeroSumNoise)
    assert noise.cells == cells
    assert noise.epsilon() <= epsilon
    assert ZeroSumNoise(cells, math.nextafter(noise.scale, 0)).epsilon() > epsilon
    confirm(noise, part_of(cells))


def test_gaussian_noise_and_wide_noise_have_no_partition():
    part = part_of(5)
    assert not isinstance(calibrate_mechanism(part, Share(rho=0.1)), ZeroSumNoise)
    assert isinstance(calibrate_mechanism(part, Share(epsilon=2.0**-50)), DiscreteLaplace)


def test_a_part_of_other_cells_is_refused():
    with refuses(InvalidArgument, "mechanism-that-fits-part"):
        release(ZeroSumNoise(4, 2.0), part_of(5), np.zeros(5, np.int64))


@pytest.mark.parametrize(
    ("cells", "scale", "message"),
    [
        (1, 1.0, "below-least: cells | 2"),
        (2, 0.0, "not-above-0: scale"),
        (1_001, 1.0, "at-most-cells: 1000"),
    ],
)
def test_wrong_designs_are_refused(cells, scale, message):
    with refuses(InvalidArgument, message):
        ZeroSumNoise(cells, scale)


def test_more_terms_than_cells_are_refused():
    with refuses(InvalidArgument, "at-most-terms: 3"):
        ZeroSumNoise(3, 1.0).half_width(4)


# What is drawn.


def counts_of(drawn, law):
    """How often each of the law's vectors was drawn, and last how often none of them."""
    seen = {}
    for vector in map(tuple, drawn.tolist()):
        seen[vector] = seen.get(vector, 0) + 1
    counts = [seen.get(vector, 0) for vector in law]
    return np.array([*counts, len(drawn) - sum(counts)])


def near(cells, scale):
    """The vectors near 0 with their probabilities, and the rest as one more."""
    law = enumerated_law(cells, scale, 40 if cells < 4 else 22)
    kept = {vector: p for vector, p in law.items() if max(map(abs, vector)) <= 2}
    return kept, np.array([*kept.values(), 1 - math.fsum(kept.values())])


def acceptance(law, draws):
    level = FALSE_ALARM / (2 * len(law))
    return binom.ppf(level, draws, law) - 1, binom.isf(level, draws, law) + 1


@pytest.mark.parametrize("cells", [3, 4])
@pytest.mark.parametrize("sampler", ["released", "compositions"])
def test_either_sampler_draws_the_law(cells, sampler):
    """Except with probability 1e-9. A last number that is just −S is found out, surely enough."""
    draws, scale = 4_000, 1.0
    kept, law = near(cells, scale)
    low, high = acceptance(law, draws)
    # Without rejection the vector has α^|z_1| … α^|z_{K−1}| alone.
    factor = math.tanh(0.5 / scale) ** (cells - 1)
    wrong = [factor * math.exp(-sum(map(abs, z[:-1])) / scale) for z in kept]
    wrong = np.array([*wrong, 1 - sum(wrong)])
    missed = binom.cdf(high, draws, wrong) - binom.cdf(low - 1, draws, wrong)
    assert missed.min() < MISSED
    if sampler == "released":
        drawn = draw_zero_sum(ZeroSumNoise(cells, scale), draws)
    else:
        drawn = draws_by_compositions(np.random.default_rng(20), cells, scale, draws)
    assert (drawn.sum(axis=1) == 0).all()
    counts = counts_of(drawn, kept)
    assert ((low <= counts) & (counts <= high)).all()


@pytest.mark.parametrize("published", [6, 5])
def test_a_release_adds_one_draw_to_the_cells_that_are_published(published):
    noise, part = ZeroSumNoise(6, 2.0), part_of(6, published)
    exact = np.arange(published, dtype=np.int64) * 100
    one, many = release(noise, part, exact), repeat_draws(noise, part, exact, 50)
    assert one.shape == (published,)
    assert many.shape == (50, published)
    assert one.dtype == many.dtype == np.int64
    assert np.abs(many - exact).max() < 100
    if published == 6:
        assert one.sum() == exact.sum()
        assert (many.sum(axis=1) == exact.sum()).all()


def test_noise_past_64_bits_stays_at_the_end():
    part, most = part_of(3), np.iinfo(np.int64).max
    drawn = repeat_draws(ZeroSumNoise(3, 2.0), part, np.full(3, most, np.int64), 20)
    assert drawn.max() == most
    assert drawn.min() > most - 1000
