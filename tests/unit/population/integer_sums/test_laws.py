"""Laws of whole sums, by counting, by recursion and by inversion."""

import itertools
import math
from collections import Counter

import attrs
import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.numerics.rounding import UNIT
from deniable.population.integer_sums import counts, inversion, recursion
from deniable.population.integer_sums.chernoff_tilt import few_bits, pairs, spectrum, tilt_at
from deniable.population.integer_sums.multiset import TINY, SumLaws, multiset
from deniable.population.integer_sums.ones import TiltedCounts, tilted_counts
from deniable.population.integer_sums.release import Plain, Scaled, running
from tests.cases.refusals import refuses


def test_reduced_to_what_matters():
    problem, places = multiset([5, -1, 11, 5, 5], 4)
    assert problem.values.tolist() == [0, 1, 2]
    assert problem.counts.tolist() == [1, 3, 1]
    assert (problem.size, problem.step, problem.n_records) == (1, 6, 5)
    assert places.tolist() == [1, 0, 2, 1, 1]


def test_ends_of_the_sum():
    problem, _ = multiset([0, 0, 1, 4, 9, 9], 3)
    assert problem.sum_range == (1, 22)
    assert problem.n_sums == 22


def test_floats_that_are_whole():
    assert multiset(np.array([1.0, 3.0]), 1)[0].step == 2


def test_sums_that_floats_do_not_hold():
    with refuses(InvalidArgument, "at-most-2-52"):
        multiset([0, 2**50] * 8, 8)


def test_frozen():
    laws = SumLaws(*(np.zeros((2, 1, 3)),) * 2, *(np.zeros((2, 1)),) * 2)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        laws.low = laws.high


def test_units():
    assert 1 + UNIT == 1
    assert 1 + 2 * UNIT > 1
    assert TINY * 1e-8 > 0


VALUES = [0, 2, 2, 5, 9, 11, 11, 20]


@pytest.mark.parametrize("size", [1, 3, 4])
def test_numbers_of_samples_one_by_one(size):
    problem, places = multiset(VALUES, size)
    made = counts.count_table(problem)
    for record, target in enumerate(places):
        exact: list[Counter[int]] = [Counter(), Counter()]
        for members in itertools.combinations(range(len(VALUES)), size):
            exact[record not in members][sum(VALUES[i] for i in members)] += 1
        found = counts.counts_of(problem, made, int(target))
        first = problem.sum_range[0]
        expected = [[law[first + at] for at in range(problem.n_sums)] for law in exact]
        assert found.tolist() == expected
        assert found.sum(axis=1).tolist() == list(counts.norms(problem))


def test_terms_that_wrap_around_leave_exact_counts():
    """66 records: the alternating terms pass 2^64, their sum is C(65, 32) or C(65, 33)."""
    problem, _ = multiset([0] * 33 + [1] * 33, 33)
    found = counts.counts_of(problem, counts.count_table(problem), 1)
    expected = [[math.comb(32, s - 1) * math.comb(33, 33 - s) if s else 0 for s in range(34)]]
    expected.append([math.comb(32, s) * math.comb(33, 33 - s) for s in range(34)])
    np.testing.assert_allclose(found, np.array(expected, float), rtol=2**-52)


def test_which_tables_fit():
    assert counts.fits(multiset(range(66), 33)[0])
    assert not counts.fits(multiset(range(67), 33)[0])  # C(67, 33) > 2^63
    assert counts.fits(multiset(range(1000), 5)[0])


def test_cells_are_the_entries():
    problem, _ = multiset(VALUES, 3)
    assert counts.cells(problem) == sum(map(len, counts.count_table(problem).rows))


def test_the_laws_are_those_of_the_recursion():
    problem, _ = multiset(np.random.default_rng(4).integers(0, 30, 25), 11)
    targets = np.array([2, 5])
    found = counts.sum_laws(problem, counts.count_table(problem), targets)
    other = next(recursion.sum_laws(problem, targets, 2))
    assert np.all(found.low <= other.high)
    assert np.all(other.low <= found.high)
    known = np.isfinite(found.low)
    assert np.all(found.high[known] - found.low[known] < 1e-13)


@pytest.mark.parametrize("tilt", [0.0, 0.4, -3.0, 150.0, -150.0])
@pytest.mark.parametrize(("ones", "population", "size"), [(30, 90, 40), (3, 9, 8), (80, 90, 20)])
def test_sums_against_binomials(tilt, ones, population, size):
    counts = tilted_counts(ones, population, size, tilt)
    support = range(max(0, size - population + ones), min(ones, size) + 1)
    logs = [
        math.log(math.comb(ones, y) * math.comb(population - ones, size - y)) + tilt * y
        for y in support
    ]
    peak = max(logs)
    weights = [math.exp(log - peak) for log in logs]
    for factor in (lambda y: y * 1.0, lambda y: y * 0 + 2.0):
        low, high = counts.log_sum(factor(counts.counts))
        truth = math.fsum(w * factor(y) for w, y in zip(weights, support, strict=True))
        assert low - 1e-12 <= math.log(truth) <= high + 1e-12
        assert high - low < 1e-11


def test_windows_of_large_populations():
    counts = tilted_counts(10**9, 3 * 10**9, 10**9, 0.0)
    middle = counts.counts[np.argmax(counts.logs)]
    assert abs(middle - 10**9 / 3) < 2
    assert len(counts.counts) < 10**6
    assert max(counts.below.log, counts.above.log) < math.log(1e-30)


def test_one_count():
    low, high = TiltedCounts.at(3).log_sum(np.array([5.0]))
    assert low <= math.log(5) <= high
    assert TiltedCounts.at(3).log_sum(np.array([0.0])) == (-math.inf, math.inf)


def test_a_law_by_hand():
    """Of 0, 1, 1, 3, two are drawn; without 3 the sums are 1, 1, 2, with it 3, 4, 4."""
    problem, _ = multiset([0, 1, 1, 3], 2)
    laws = next(recursion.sum_laws(problem, np.array([2]), 1))
    expected = [[0, 0, 1 / 3, 2 / 3], [2 / 3, 1 / 3, 0, 0]]
    np.testing.assert_allclose(np.exp(laws.high[:, 0]), expected, rtol=1e-14)
    assert np.all(laws.low <= laws.high)
    assert np.all(np.isneginf(laws.above))


def test_without_underflow_for_a_thousand():
    problem, _ = multiset([0, 1] * 500, 500)
    laws = next(recursion.sum_laws(problem, np.array([1]), 1))
    rarest = -math.lgamma(1000) + 2 * math.lgamma(500) + math.log(500)  # one of C(999, 499)
    assert laws.low[1, 0, 0] <= rarest * (1 - 1e-12) + 1e-9
    assert abs(laws.low[1, 0, 0] - rarest) < 1e-8


def test_targets_in_turn():
    problem, _ = multiset([0, 1, 1, 3], 2)
    whole = next(recursion.sum_laws(problem, np.arange(3), 3))
    each = list(recursion.sum_laws(problem, np.arange(3), 2))
    assert [laws.low.shape[1] for laws in each] == [2, 1]
    np.testing.assert_array_equal(np.concatenate([laws.low for laws in each], axis=1), whole.low)


def test_which_records_it_is_for():
    assert recursion.fits(multiset(range(1000), 3)[0])
    assert not recursion.fits(multiset([0, 1] * 501, 3)[0])
    assert recursion.cells(multiset([0, 1, 1, 3], 2)[0]) == 3 * 5


LOGS = np.array([[0.0, -5000.0, 3.0, -np.inf, 9000.0]])


def test_there_and_back():
    np.testing.assert_allclose(Scaled.of(LOGS).log(), LOGS, rtol=1e-15, atol=1e-15)


def test_sums_and_products_far_outside_float64():
    twice = Scaled.of(LOGS)
    twice.add(slice(None), Scaled.of(LOGS))
    np.testing.assert_allclose(twice.log(), LOGS + math.log(2), rtol=1e-15)
    np.testing.assert_allclose(Scaled.of(LOGS).times(Scaled.of(LOGS)).log(), 2 * LOGS, rtol=1e-15)
    one = Scaled.of(np.array([0.0]))
    one.add(slice(None), Scaled.of(np.array([-9000.0])))
    assert one.log()[0] == 0


def test_power():
    assert Scaled.power(1e6, 3).log() == pytest.approx(-3e6, rel=1e-15)
    assert Scaled.power(0.5, 2).log() == pytest.approx(-1.0, rel=1e-15)
    assert Plain.power(0.5, 2).log() == pytest.approx(-1.0, rel=1e-15)


@pytest.mark.parametrize("length", [1, 2, 7, 50])
@pytest.mark.parametrize(("kind", "spread"), [(Plain, 30), (Scaled, 300)])
def test_running_sums(kind, spread, length):
    rng = np.random.default_rng(length)
    logs, rate = rng.normal(0, spread, (3, length)), 0.7
    before = np.array([-np.inf, 1.0, 4.0 * spread / 3])
    found, error = running(kind.of(logs), rate, kind.of(before))
    carried = before.copy()
    for t in range(length):
        carried = np.logaddexp(carried - rate, logs[:, t])
        np.testing.assert_allclose(found.at((slice(None), t)).log(), carried, rtol=1e-12)
    assert 0 < error < 1e-13


def problem():
    return multiset([0, 1, 1, 4, 6, 6, 9], 3)[0]


@pytest.mark.parametrize("rate", [0.0, 0.25, -0.5, 3.0])
def test_a_tilt_takes_the_size_on_average(rate):
    found = tilt_at(problem(), rate)
    assert problem().counts @ found.p_in == pytest.approx(3, abs=1e-5)
    assert found.p_in + found.p_out == pytest.approx(np.ones(5), abs=1e-15)
    assert found.period >= found.length


def test_few_bits():
    assert few_bits(0.1) * (1 - 1e-6) < 0.1 < few_bits(0.1)
    assert few_bits(0.75) == 0.75


def test_the_spectrum_is_the_generating_function():
    """Inverted plainly: the probability of each count and sum of the others."""
    tilt, target = tilt_at(problem(), 0.125), 3
    waves = spectrum(problem(), np.array([target]), tilt)
    others = [0, 1, 1, 2, 3, 4]  # positions in values, one 6 left out
    for which, k in enumerate((2, 3)):
        exact: dict[int, float] = {}
        for members in itertools.combinations(range(6), k):
            at = sum(problem().values[others[i]] - tilt.centre for i in members)
            chance = math.prod(
                (tilt.p_in if i in members else tilt.p_out)[others[i]] for i in range(6)
            )
            exact[at] = exact.get(at, 0.0) + chance
        full = np.zeros(tilt.period // 2 + 1, complex)
        full[waves.frequencies] = np.conj(waves.values[:, which, 0])
        law = np.fft.irfft(full, tilt.period)
        for at, chance in exact.items():
            assert law[at % tilt.period] == pytest.approx(chance, abs=waves.error)
    assert waves.error < 1e-13


def test_frequencies_left_out_are_counted():
    large = multiset(list(range(20)) * 40, 400)[0]
    tilt = tilt_at(large, 0.0)
    h, a, kept, dropped = pairs(large, tilt)
    assert len(h) == len(a) < tilt.period * tilt.order / 100
    assert 0 < dropped < 1e-13 * kept


PROBLEM = multiset(np.random.default_rng(2).integers(0, 12, 60), 25)[0]
TARGETS = np.arange(len(PROBLEM.values))


def test_tilts_reach_both_ends():
    rates = [tilt.rate for tilt in inversion.tilts(PROBLEM, 0.3)]
    assert rates == sorted(rates)
    assert 0.0 in rates
    assert rates[0] <= -0.3
    assert rates[-1] >= 0.3


def test_tilts_stop_where_the_sample_is_certain():
    assert 2 < len(inversion.tilts(multiset([0, 1, 5, 9], 2)[0], 1e9)) < 200


def test_no_more_tilts_than_wanted():
    many = inversion.tilts(PROBLEM, 0.3)
    assert len(inversion.tilts(PROBLEM, 0.3, len(many))) == len(many)
    assert inversion.tilts(PROBLEM, 0.3, len(many) - 1) == []


def test_what_the_spectra_keep():
    chosen = inversion.tilts(PROBLEM, 0.3)
    kept, frequencies = inversion.count_frequencies(PROBLEM, chosen)
    middle = chosen[len(chosen) // 2]
    assert 0 < frequencies <= len(chosen) * (middle.period // 2 + 1)
    assert frequencies <= kept <= frequencies * middle.order


def test_agrees_with_the_recursion_digit_by_digit():
    plan = inversion.plan(PROBLEM, TARGETS, inversion.tilts(PROBLEM, 2.0))
    some = TARGETS[[0, 3, -1]]
    found, expected = (
        inversion.sum_laws(PROBLEM, some, plan),
        next(recursion.sum_laws(PROBLEM, some, 3)),
    )
    window = slice(plan.first, plan.last + 1)
    low, high = expected.low[:, :, window], expected.high[:, :, window]
    assert np.all(found.low <= high)
    assert np.all(low <= found.high)
    likely = low > -20
    assert np.all((found.high - found.low)[likely] < 1e-8)


def test_what_lies_beyond_a_window():
    plan = inversion.plan(PROBLEM, TARGETS, inversion.tilts(PROBLEM, 0.0))
    laws, whole = (
        inversion.sum_laws(PROBLEM, TARGETS, plan),
        next(recursion.sum_laws(PROBLEM, TARGETS, len(TARGETS))),
    )
    outside = np.exp(whole.low[:, :, plan.last + 1 :]).sum(axis=2)
    assert np.all(outside <= np.exp(laws.above))
    assert np.all(np.exp(laws.above[np.isfinite(laws.above)]) < 1e-15)
