"""Membership statistics against sums written out, and their ends."""

import math

import numpy as np
import pytest

from deniable.gwas.attacks import (
    Sums,
    add_tables,
    auc,
    homer_distances,
    log_likelihood_ratios,
    power,
    theoretical_power,
    without_target,
)
from tests.cases.products import kinds_of_products


def slow_likelihood(copies, pool, reference):
    """The likelihood of a genotype drawn with frequency p̂, over that with p, allele by allele."""
    total = 0.0
    for x, inside, outside in zip(copies, pool, reference, strict=True):
        for allele in [1] * x + [0] * (2 - x):
            total += math.log(inside if allele else 1 - inside)
            total -= math.log(outside if allele else 1 - outside)
    return total


def slow_homer(copies, pool, reference):
    terms = [
        abs(x / 2 - p) - abs(x / 2 - q) for x, q, p in zip(copies, pool, reference, strict=True)
    ]
    mean = sum(terms) / len(terms)
    variance = sum((term - mean) ** 2 for term in terms) / (len(terms) - 1)
    return mean / math.sqrt(variance / len(terms))


@pytest.fixture(name="study")
def made_up_study():
    rng = np.random.default_rng(11)
    pool, reference = rng.uniform(0.1, 0.9, (2, 40))
    copies = rng.integers(0, 3, (40, 7)).astype(np.int8)
    return pool, reference, copies


def test_likelihood_ratios_are_those_of_the_alleles_one_by_one(study):
    pool, reference, copies = study
    sums = Sums(7)
    table = log_likelihood_ratios(pool, reference)
    add_tables([sums], [table[:15]], copies[:15])
    add_tables([sums], [table[15:]], copies[15:])
    expected = [slow_likelihood(target, pool, reference) for target in copies.T]
    np.testing.assert_allclose(sums.total[0], expected, rtol=1e-12)


def test_homers_statistic_is_a_mean_over_its_standard_error(study):
    pool, reference, copies = study
    sums = Sums(7)
    add_tables([sums], [homer_distances(pool, reference)], copies)
    expected = [slow_homer(target, pool, reference) for target in copies.T]
    np.testing.assert_allclose(sums.studentise()[0], expected, rtol=1e-10)


def test_a_missing_call_says_nothing(study):
    pool, reference, copies = study
    holes = copies.copy()
    holes[3, 2] = -1
    one, other = Sums(7), Sums(7)
    add_tables([one], [log_likelihood_ratios(pool, reference)], holes)
    rest = np.delete(np.arange(40), 3)
    add_tables([other], [log_likelihood_ratios(pool[rest], reference[rest])], copies[rest])
    assert one.total[0, 2] == pytest.approx(other.total[0, 2], rel=1e-12)


def test_who_carries_what_the_pool_lacks_is_no_member():
    sums = Sums(3)
    add_tables(
        [sums], [log_likelihood_ratios(np.array([0.0]), np.array([0.3]))], np.array([[0, 1, 2]])
    )
    assert sums.total[0, 0] > 0
    assert sums.total[0, 1] == sums.total[0, 2] == -math.inf


@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1.0, 1e12])
def test_sums_of_many_sets_are_those_of_exact_fractions(scale):
    """Sets in any order, missing calls, what cannot be, and more variants than a digit's sums."""
    rng = np.random.default_rng(7)
    copies = rng.integers(-1, 3, (5_000, 3)).astype(np.int8)
    sets = rng.random((4, 5_000)) < np.array([1.0, 0.5, 0.1, 0.0])[:, None]
    one, other = scale * rng.normal(size=(2, 5_000, 3)) * 10.0 ** rng.uniform(-6, 0, (5_000, 1))
    one[17, 2] = -math.inf
    first, second = Sums(3, 4, squared=False), Sums(3, 4)
    for part in (slice(0, 1_000), slice(1_000, 5_000)):
        tables = [one[part], other[part]]
        add_tables([first, second], tables, copies[part], sets[:, part])
    for number, chosen in enumerate(sets):
        for target in range(3):
            counted = [i for i in np.flatnonzero(chosen) if copies[i, target] >= 0]
            for sums, table in ((first, one), (second, other)):
                exact = math.fsum(table[i, copies[i, target]] for i in counted)
                near = pytest.approx(exact, abs=1e-11 * scale, rel=0)
                assert sums.total[number, target] == near
    equal = Sums(2)
    add_tables([equal], [one[:900]], np.repeat(copies[:900, :1], 2, axis=1))
    assert equal.total[0, 0] == equal.total[0, 1]


@pytest.mark.parametrize("holes", [False, True])
def test_every_kind_of_product_gives_the_same_sums_to_the_last_bit(holes):
    """Digits are whole numbers, up to 2^12, in products of either kind; runs are long and short."""
    rng = np.random.default_rng(19)
    copies = rng.integers(-holes, 3, (3_000, 37)).astype(np.int8)
    sets = np.sort(rng.random((3, 3_000)) < np.array([1.0, 0.5, 0.1])[:, None], axis=1)
    sets[2] = rng.random(3_000) < 0.02
    table = rng.normal(size=(3_000, 3)) * 10.0 ** rng.uniform(-9, 0, (3_000, 1))
    table[5] = 0, 8.0, -8.0  # digits of 2^12 on both sides
    table[9, 1] = -math.inf
    answers = []
    for _ in kinds_of_products():
        sums = Sums(37, 3)
        add_tables([sums], [table], copies, sets)
        answers.append((sums.total.tobytes(), sums.studentise().tobytes()))
    assert len(answers) == 3
    assert len({*answers}) == 1


def test_homers_statistic_counts_squares_of_each_set():
    rng = np.random.default_rng(8)
    table, copies = rng.normal(size=(60, 3)), rng.integers(-1, 3, (60, 4)).astype(np.int8)
    sets = rng.random((2, 60)) < 0.6
    sums = Sums(4, 2)
    add_tables([sums], [table], copies, sets)
    for number, chosen in enumerate(sets):
        for target in range(4):
            rows = [i for i in np.flatnonzero(chosen) if copies[i, target] >= 0]
            terms = np.array([table[i, copies[i, target]] for i in rows])
            expected = terms.mean() / (terms.std(ddof=1) / math.sqrt(len(terms)))
            assert sums.studentise()[number, target] == pytest.approx(expected, rel=1e-10)


def test_a_target_leaves_the_reference_before_it_is_compared():
    assert without_target(np.array([3]), np.array([4])).tolist() == [[3.5 / 7, 2.5 / 7, 1.5 / 7]]


def test_power_never_passes_more_strangers_than_allowed():
    strangers = np.repeat([0.0, 1.0], [90, 10])
    assert power(np.array([0.5, 1.5]), strangers, 0.05) == 0.5
    assert power(np.array([0.5, 1.5]), strangers, 0.1) == 1.0


def test_auc_counts_ties_by_half():
    rng = np.random.default_rng(3)
    members, strangers = rng.integers(0, 5, 30), rng.integers(0, 4, 20)
    slow = np.mean([(a > b) + (a == b) / 2 for a in members for b in strangers])
    assert auc(members, strangers) == pytest.approx(slow, rel=1e-12)


def test_the_formula_is_sankararamans():
    # sankararaman-2009: the values with hapsample's pool of 200 at 5 %.
    powers = [round(theoretical_power(m, 200, 0.05), 3) for m in (100, 300, 1000)]
    assert powers == [0.174, 0.337, 0.723]
