"""Pruning, against a slow reference in whole numbers."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from deniable.gwas.association import (
    WINDOW,
    Genotypes,
    Pruning,
    PruningLevels,
    linkage,
)
from tests.cases.effort import one_in, some_pairs
from tests.cases.products import kinds_of_products
from tests.oracles.genotypes import pruned, r_squared

MISSING = -1


def calls(copies):
    return [[None if call == MISSING else call for call in row] for row in copies.tolist()]


def find_linked_pairs(ones, others, bound):
    """Which pairs have r² of the bound or more; (n_ones, n_others)."""
    compared = linkage._Compared(ones.in_units(), others.in_units())
    return compared.find_linked(bound)[: len(ones)]


def chain(rng, variants, people, missing, changed):
    """Variants that are each a copy of the one before at most people, or of one long before."""
    copies = rng.integers(0, 3, (variants, people)).astype(np.int8)
    for index in range(1, variants):
        if rng.random() < 0.9:
            stays = rng.random(people) < 1 - changed
            copies[index] = np.where(stays, copies[index - 1], copies[index])
        if index > WINDOW and rng.random() < 0.15:
            copies[index] = copies[index - rng.integers(WINDOW - 8, min(index, WINDOW + 24))]
        if rng.random() < 0.03:
            copies[index] = rng.integers(0, 3)
    copies[rng.random(copies.shape) < missing] = MISSING
    copies[rng.integers(variants)] = MISSING
    return copies


def kept(copies, chromosomes, bound, cut, counted=False):
    pruning, masks = Pruning(bound), []
    for start in range(0, len(copies), cut):
        part = copies[start : start + cut]
        counts = None
        if counted:
            counts = np.stack([(part == code).sum(axis=1) for code in (0, 1, 2, MISSING)], axis=1)
        masks.append(pruning.keep(chromosomes[start : start + cut], Genotypes.of(part, counts)))
    return np.flatnonzero(np.concatenate(masks)).tolist()


@pytest.mark.parametrize(
    ("chained", "missing"),
    some_pairs(
        [
            (8, 0.25, 0.3),
            (8, 0.5, 0.3),
            (25, 0.2, 0.2),
            (25, 0.81, 0.1),
            (60, 0.1, 0.1),
            (60, 0.7, 0.9),
        ],
        [0.0, 0.05],
    ),
)
def test_kept_variants_are_those_that_none_of_the_last_kept_ones_explains(chained, missing):
    """More variants than a window and a block, ties, chains of links, repeats, two chromosomes."""
    people, bound, changed = chained
    rng = np.random.default_rng(17)
    copies = chain(rng, 240, people, missing, changed)
    chromosomes = ["1"] * 170 + ["2"] * 70
    expected = pruned(calls(copies), chromosomes, bound, WINDOW)
    for turn, _ in enumerate(kinds_of_products()):
        for cut in one_in(2, (1, 17, 64, 100, 240), turn):
            assert kept(copies, chromosomes, bound, cut, counted=cut % 2 == 0) == expected


@pytest.mark.parametrize("bounds", [(0.81, 0.5, 0.2), (0.2, 0.5)])
@pytest.mark.parametrize("missing", [0.0, 0.05])
def test_each_level_prunes_what_the_level_before_keeps(bounds, missing):
    """Windows of the levels reach back to different variants, and share what was compared."""
    rng = np.random.default_rng(23)
    copies = chain(rng, 240, 25, missing, 0.15)
    chromosomes = ["1"] * 180 + ["X"] * 60
    expected, left = [], np.arange(len(copies))
    for bound in bounds:
        places = [chromosomes[i] for i in left]
        left = left[pruned(calls(copies[left]), places, bound, WINDOW)]
        expected.append(left.tolist())
    assert len({len(each) for each in expected}) > 1 or bounds[0] < bounds[1]
    cuts = (1, 50, 64, 240)
    for cut in (cut for turn, _ in enumerate(kinds_of_products()) for cut in one_in(2, cuts, turn)):
        levels, masks = PruningLevels(bounds), []
        for start in range(0, len(copies), cut):
            part = Genotypes.of(copies[start : start + cut])
            masks.append(levels.keep(chromosomes[start : start + cut], part))
        found = np.concatenate(masks, axis=1)
        assert [np.flatnonzero(each).tolist() for each in found] == expected


@pytest.mark.parametrize("people", [4, 7, 12])
@pytest.mark.parametrize("bound", [1 / 16, 0.1, 0.25, 1 / 3, 0.5, 1.0])
def test_the_bound_is_met_in_whole_numbers(people, bound):
    """Among few people r² is often the bound itself."""
    copies = np.random.default_rng(1).integers(MISSING, 3, (40, people)).astype(np.int8)
    rows = calls(copies)
    expected = [[r_squared(one, other) >= bound for other in rows] for one in rows]
    for _ in kinds_of_products():
        block = Genotypes.of(copies)
        assert find_linked_pairs(block, block, bound).tolist() == expected
        columns = Genotypes.of(np.asfortranarray(copies))
        assert find_linked_pairs(columns, columns, bound).tolist() == expected


@pytest.mark.parametrize("missing", [0.0, 0.02, 0.6])
@pytest.mark.parametrize("people", [6, 257])
def test_no_product_is_further_from_r_than_is_said(people, missing):
    """Common variants, rare ones of a single copy, such as differ in one person, and empty ones."""
    rng = np.random.default_rng(11)
    copies = rng.binomial(2, rng.choice([0.003, 0.1, 0.5, 0.98], (24, 1)), (24, people))
    copies = copies.astype(np.int8)
    copies[12:18] = copies[:6]
    copies[12:18, 0] = 2 - copies[12:18, 0]
    copies[20:22] = np.arange(people) == 1
    copies[rng.random(copies.shape) < missing] = MISSING
    copies[23] = MISSING
    rows = calls(copies)
    with localcontext() as digits:
        digits.prec = 40
        exact = [[r_squared(one, other) for other in rows] for one in rows]
        roots = [[(Decimal(r.numerator) / r.denominator).sqrt() for r in row] for row in exact]
        for kind in kinds_of_products():
            block = Genotypes.of(copies).in_units()
            compared = linkage._Compared(block.take(slice(0)), block)
            errors = np.broadcast_to(compared.error, compared.r.shape)
            assert errors.min() < (1e-3 if kind == "floats" else 1e-11)
            assert np.median(errors) < 0.05
            for row, near, error in zip(roots, compared.r.tolist(), errors.tolist(), strict=True):
                assert all(
                    abs(Decimal(r) - root) <= Decimal(most)
                    for r, root, most in zip(near, row, error, strict=True)
                )


def test_what_stands_for_missing_calls_decides_nothing():
    """A whole number of units is not the mean: pairs near the bound are counted call by call."""
    rng = np.random.default_rng(29)
    copies = chain(rng, 40, 331, 0.2, 0.4)
    rows = calls(copies)
    exact = [[r_squared(one, other) for other in rows] for one in rows]
    bounds = [float(each) for row in exact[:5] for each in row if 0 < each < 1][::7]
    for kind in kinds_of_products():
        block = Genotypes.of(copies).in_units()
        compared, open_pairs = linkage._Compared(block.take(slice(0)), block), 0
        for bound in bounds:
            linked = compared.find_linked(bound).tolist()
            assert linked == [[each >= bound for each in row] for row in exact]
            apart = np.abs(compared.r - np.sqrt(bound))
            open_pairs += np.count_nonzero((apart <= compared.error) & (apart > 1e-3))
        assert (open_pairs > 0) == (kind != "floats")


@pytest.mark.parametrize("missing", [0, 1])
def test_r_squared_one_unit_below_the_bound_is_no_link(missing):
    """Of 30,000 people, r² is a fraction that no float is; the floats on its two sides decide."""
    copies = np.random.default_rng(3).integers(0, 3, (2, 30_000)).astype(np.int8)
    copies[1, :20_000] = copies[0, :20_000]
    copies[0, :missing] = MISSING
    exact = r_squared(*calls(copies))
    near = float(exact)
    below, above = (near, np.nextafter(near, 1)) if near <= exact else (np.nextafter(near, 0), near)
    for _ in kinds_of_products():
        one, other = (Genotypes.of(row[None]) for row in copies)
        assert find_linked_pairs(one, other, float(below)).tolist() == [[True]]
        assert find_linked_pairs(one, other, float(above)).tolist() == [[False]]


def test_a_full_window_forgets_its_oldest_variant_one_by_one():
    """Each of WINDOW + 3 unrelated variants comes again: what has left the window is kept again."""
    rng = np.random.default_rng(9)
    unrelated = rng.permuted(np.tile(np.arange(40) % 3, (4 * WINDOW, 1)), axis=1).astype(np.int8)
    selected, pruning = [], Pruning(0.3)
    for row in unrelated:
        if pruning.keep(["1"], Genotypes.of(row[None]))[0]:
            selected.append(row)
    assert len(selected) > WINDOW + 3
    again = np.array(selected[: WINDOW + 3])
    twice = np.concatenate([again, again[3:], again[:3]])
    stay = Pruning(0.3).keep(["1"] * len(twice), Genotypes.of(twice))
    assert stay[: WINDOW + 3].all()
    assert not stay[WINDOW + 3 : 2 * WINDOW + 3].any()
    assert stay[-3:].all()


def test_a_bound_of_one_keeps_all_that_varies():
    copies = np.array([[0, 1, 2, 1], [0, 1, 2, 1], [1, 1, 1, 1], [1, 1, 1, -1]], np.int8)
    assert Pruning(1.0).keep(["1"] * 4, Genotypes.of(copies)).tolist() == [True, True, False, False]
