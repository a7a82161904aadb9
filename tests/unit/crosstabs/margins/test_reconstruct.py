import functools
import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.crosstabs.margins import (
    Basis,
    Design,
    close_downwards,
    error_terms,
    measure,
    reconstruct,
)
from deniable.errors import InvalidArgument
from tests.cases.effort import usual
from tests.cases.exact_margins import fractions, variance
from tests.cases.refusals import refuses
from tests.oracles import margins as slow

WANTED = {
    (2, 3): [(0, 1)],
    (3, 2, 2): [(0, 1), (1, 2)],
    (2, 2, 2): [(0, 1, 2)],
    (2, 3, 4): [(0,), (1, 2)],
}


@functools.cache
def design_of(sizes, basis, public=False):
    margins = close_downwards(sizes, WANTED[sizes])
    multipliers = [3 + 7 * i % 11 for i in range(len(margins.margins))]
    return Design(margins, (0 if public else multipliers[0], *multipliers[1:]), basis)


@functools.cache
def least_squares(design, margin):
    """What every least squares solution says of a margin, linear in the vector; no public total."""
    sizes = design.margins.sizes
    matrix = slow.measurement_matrix(
        sizes, design.measured(), residuals=design.basis is Basis.RESIDUALS
    )
    return slow.least_squares_map(matrix, slow.margin_matrix(sizes, margin))


CASES = [(sizes, basis) for sizes in WANTED for basis in Basis]


@pytest.mark.parametrize(("sizes", "basis"), CASES)
def test_tables_are_least_squares_of_the_noisy_vector(sizes, basis):
    design = design_of(sizes, basis)
    noisy = np.random.default_rng(5).integers(-1000, 1000, design.coordinates)
    for margin, table in reconstruct(design, noisy).items():
        expected = slow.apply(least_squares(design, margin), noisy.tolist())
        assert fractions(table) == expected
        assert table.values().reshape(-1).tolist() == [float(value) for value in expected]


@pytest.mark.parametrize(
    "design",
    [
        *(design_of(*case) for case in CASES),
        *(  # six blocks of pairs that differ in nothing but their columns
            Design(close_downwards((2,) * 4, itertools.combinations(range(4), 2)), heights, basis)
            for heights in [(5, *(3,) * 4, *(2,) * 6), (1,) * 11]
            for basis in Basis
        ),
    ],
    ids=str,
)
def test_the_error_of_a_cell_is_that_of_least_squares(design):
    for margin in design.margins.margins:
        for row in least_squares(design, margin):
            sizes_of_noise = sorted(abs(c) for c in row if c)
            terms = error_terms(design, margin)
            assert sorted(itertools.chain(*([c] * n for c, n in terms.items()))) == sizes_of_noise
            assert variance(design, margin, Fraction(9, 4)) == Fraction(9, 4) * sum(
                c * c for c in row
            )


@pytest.mark.parametrize(("sizes", "basis"), CASES)
def test_a_known_total_is_a_measurement_of_unbounded_precision(sizes, basis):
    """A block of the total with a huge multiplier differs from a public one by as little."""
    public = design_of(sizes, basis, public=True)
    sure = Design(public.margins, (10**7, *public.multipliers[1:]), basis)
    noisy = np.random.default_rng(6).integers(-1000, 1000, public.coordinates)
    exact = reconstruct(public, noisy, public_total=40)
    near = reconstruct(sure, np.concatenate([[40 * 10**7], noisy]))
    for margin in public.margins.margins:
        assert exact[margin].values() == pytest.approx(near[margin].values(), abs=1e-6)
        assert float(variance(public, margin)) == pytest.approx(
            float(variance(sure, margin)), abs=1e-9
        )
    assert fractions(exact[()]) == [40]
    assert variance(public, ()) == 0


@pytest.mark.parametrize(("sizes", "basis"), CASES)
@settings(max_examples=usual(3, 8))
@given(data=st.data())
def test_margins_add_up_exactly_at_any_size(sizes, basis, data):
    design = design_of(sizes, basis)
    numbers = st.integers(-(2**62), 2**62)
    n = design.coordinates
    tables = reconstruct(
        design, np.array(data.draw(st.lists(numbers, min_size=n, max_size=n)), np.int64)
    )
    for margin, table in tables.items():
        cells = np.array(fractions(table), object).reshape(table.numerators.shape)
        for axis in range(len(margin)):
            lower = tables[margin[:axis] + margin[axis + 1 :]]
            assert list(np.ravel(cells.sum(axis=axis))) == fractions(lower)


@pytest.mark.parametrize(("sizes", "basis"), CASES)
@pytest.mark.parametrize("public", [False, True])
def test_without_noise_the_tables_come_back(sizes, basis, public):
    design = design_of(sizes, basis, public)
    counts = slow.count_cells(design.margins, np.random.default_rng(7).integers(0, 10**6, sizes))
    total = int(counts[()]) if public else None
    tables = reconstruct(design, measure(design, counts), public_total=total)
    for margin, table in tables.items():
        assert table.values().tolist() == counts[margin].tolist()


def test_small_and_large_integers_give_the_same_fractions():
    """The same vector, once as it is and once 2^52 times as large, which 64 bits do not hold."""
    design = design_of((2, 3), Basis.RESIDUALS)
    noisy = np.random.default_rng(8).integers(-1000, 1000, design.coordinates)
    small, large = reconstruct(design, noisy), reconstruct(design, noisy * 2**52)
    for margin, table in small.items():
        assert [2**52 * cell for cell in fractions(table)] == fractions(large[margin])
    assert small[0, 1].numerators.dtype == np.int64
    assert large[0, 1].numerators.dtype == object


def test_a_block_that_fits_64_bits_until_it_is_centred():
    """Signs that add up in the first cell of a 3 x 4 block: 24 times a number near 2^63/12."""
    design = design_of((2, 3, 4), Basis.RESIDUALS)
    signs = slow.centring_matrix((2, 3, 4), (1, 2))[0]
    blocks = {margin: 0 * block for margin, block in design.split(np.zeros(22, np.int64)).items()}
    large = [(2**63 // 12 - 1) * (1 if sign > 0 else -1) for sign in signs]
    noisy = design.join(blocks | {(1, 2): np.array(large, np.int64)})
    expected = slow.apply(least_squares(design, (1, 2)), noisy.tolist())
    assert fractions(reconstruct(design, noisy)[1, 2]) == expected


def test_a_total_that_is_missing_or_too_many_is_refused():
    for public, total in ((False, 3), (True, None)):
        design = design_of((2, 3), Basis.COUNTS, public)
        with refuses(InvalidArgument, "public-total-exactly-design-measures-none"):
            reconstruct(design, np.zeros(design.coordinates, np.int64), public_total=total)
