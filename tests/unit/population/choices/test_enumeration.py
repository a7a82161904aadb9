"""One candidate of several, by listing subsets."""

import itertools
import math

import array_api_strict
import numpy as np
import pytest
from scipy.special import logsumexp

from deniable.errors import InvalidArgument
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from deniable.numerics.rounding import UNIT
from deniable.population.choices import enumeration, scores
from deniable.population.choices.enumeration import (
    Blocks,
    RunningSum,
    enumerate_samples,
    enumeration_error,
    log_sum,
    members,
    pair_sums,
    parts,
    sums_by_member,
)
from deniable.population.choices.sampling import exchange_bounds, exchange_means
from deniable.population.choices.scores import adjacent_epsilon, restricted_epsilon
from tests.cases.refusals import refuses
from tests.oracles import choices as brute

SCORES = np.random.default_rng(3).random((3, 9))


@pytest.mark.parametrize(
    ("scores", "size", "message"),
    [
        ([1.0, 2.0], 1, "candidates-by-records"),
        (np.zeros((0, 4)), 1, "candidates-by-records"),
        ([[1.0, math.nan]], 1, "finite-scores-one"),
        ([[1.0, math.inf]], 1, "finite-scores-one"),
        ([[1e308, -1e308], [0.0, 1e308]], 1, "finite-scores-one"),
        ([[1.0, 2.0]], 2, "1-at-most-size-below-number"),
        ([[1.0, 2.0]], 0, "below-least: size | 1"),
        ([[1.0, 2.0]], 1.5, "not-whole"),
        (np.zeros((1, 80)), 40, "sample-them-samples"),
    ],
)
def test_bad_input(scores, size, message):
    with refuses(InvalidArgument, message):
        enumerate_samples(scores, size)


def test_small_tasks_and_blocks_add_up_to_the_same():
    whole = enumerate_samples(SCORES, 4)
    parts = enumerate_samples(SCORES, 4, blocks=Blocks(rows=3, pairs=2))
    assert np.abs(whole.log_in - parts.log_in).max() <= whole.error + parts.error
    assert np.abs(whole.log_out - parts.log_out).max() <= whole.error + parts.error


def test_progress_is_told_to_the_end():
    told = []
    enumerate_samples(SCORES, 4, effort=Effort(progress=told.append))
    assert told == sorted(told)
    assert told[-1] == 1


def test_the_error_is_stated_and_small():
    assert enumerate_samples(SCORES, 4).error < 1e-11
    assert enumerate_samples(SCORES * 1e6, 4).error < 1e-6


def test_a_probability_too_small_for_a_float_is_found():
    scores = np.array([[0.0, 0.0, 0.0, 0.0], [3000.0, 2000.0, 1000.0, 2500.0]])
    found = enumerate_samples(scores, 2)
    expected = brute.log_laws(scores.tolist(), 2)
    assert found.log_in == pytest.approx(np.array(expected[0]), rel=1e-12)
    assert found.log_in[0, 1] == pytest.approx(-4000 - math.log(3))


def test_nothing_cancels_where_a_record_decides():
    """The record alone makes the second candidate likely: its out-law is e^-40 of the whole."""
    scores = np.zeros((2, 10))
    scores[0, 0], scores[1, 1:] = 40.0, 8.0
    found = enumerate_samples(scores, 5)
    expected = brute.log_laws(scores.tolist(), 5)
    assert np.abs(found.log_out - np.array(expected[1])).max() < 1e-11


def test_many_records_and_few_of_them_sampled():
    scores = np.random.default_rng(0).random((2, 60))
    found = enumerate_samples(scores, 2)
    expected = brute.log_laws(scores.tolist(), 2)
    assert found.subsets == 1770
    assert np.abs(found.log_in - np.array(expected[0])).max() < 1e-11


def test_a_device_that_no_library_serves():
    with refuses(InvalidArgument, "pytorch-or-cupy-for-device"):
        enumerate_samples(SCORES, 4, effort=Effort(device="cuda:7"))


def test_a_whole_task_runs_on_the_strict_array_api(monkeypatch):
    table, size = enumeration.score_table(SCORES, 4)
    task = enumeration.EnumerationTask(table, size, 2, (0, 6), (1, 9), None)
    expected = enumeration.sum_pairs(task)
    monkeypatch.setattr(enumeration, "placed", lambda values, _: array_api_strict.asarray(values))
    found = enumeration.sum_pairs(task)
    for name, values in expected.items():
        assert found[name] == pytest.approx(values, rel=1e-14)


TABLE = np.array([[1.0, -2.0, 3.0], [-1.0, 2.0, -3.0]])


def test_grows_with_the_scores_the_rows_and_the_levels():
    least = enumeration_error(TABLE, 2, 10, 1)
    assert least > 20 * UNIT
    assert enumeration_error(2 * TABLE, 2, 10, 1) > least
    assert enumeration_error(TABLE, 2, 1000, 1) > least + 1900 * UNIT
    assert enumeration_error(TABLE, 2, 10, 2) > least


def test_counts_the_largest_scores_of_a_sample_only():
    one = enumeration_error(np.array([[1.0, 5.0, 3.0]]), 2, 10, 1)
    assert one == enumeration_error(np.array([[0.0, 5.0, 3.0]]), 2, 10, 1)


def test_scores_past_one_scale_pay_for_the_halvings():
    at = 250 / (4 * 5)
    below, above = (enumeration_error(TABLE * at * f, 2, 1024, 1) for f in (0.999, 1.001))
    assert above > below * 1.2


@pytest.mark.parametrize(("records", "size"), [(1, 0), (1, 1), (5, 0), (6, 2), (7, 5), (8, 4)])
def test_every_subset_once(records, size):
    total = math.comb(records, size)
    found = members(records, size, 0, total)
    assert {tuple(np.flatnonzero(row)) for row in found} == set(
        itertools.combinations(range(records), size)
    )
    assert (members(records, size, 1, total)[:3] == found[1:4]).all()


def test_large_numbers_are_exact():
    total = math.comb(60, 30)
    last = members(60, 30, total - 2, total)
    assert (np.flatnonzero(last[1]) == np.arange(30, 60)).all()
    assert (np.flatnonzero(last[0]) == [29, *range(31, 60)]).all()


@pytest.mark.parametrize(("count", "most"), [(1, 5), (5, 5), (6, 5), (100, 7)])
def test_parts_cover_everything_once(count, most):
    found = parts(count, most)
    assert [number for run in found for number in range(*run)] == list(range(count))
    assert max(stop - start for start, stop in found) <= most
    assert len(found) == math.ceil(count / most)


def plainly(first, second):
    both = first[:, None, :] + second[None, :, :]
    laws = both - logsumexp(both, axis=2, keepdims=True)
    return logsumexp(laws, axis=1), logsumexp(laws, axis=0)


def rows(number, spread, seed):
    return np.random.default_rng(seed).normal(size=(number, 4)) * spread


@pytest.mark.parametrize("spread", [0.1, 10.0, 200.0, 3000.0, 1e6])
@pytest.mark.parametrize("other", [0.1, 500.0])
@pytest.mark.parametrize("library", [np, array_api_strict])
def test_equals_the_plain_sums(spread, other, library):
    first, second = rows(7, spread, 1), rows(5, other, 2)
    found = pair_sums(library.asarray(first), library.asarray(second), 3)
    for values, expected in zip(found, plainly(first, second), strict=True):
        scale = 1 + np.abs(first).max() + np.abs(second).max()
        assert np.abs(np.asarray(values) - expected).max() <= 1e-14 * scale


def test_a_column_small_throughout():
    """Candidate 1 never passes e^-900 of candidate 0, yet its sums are right."""
    first = np.array([[0.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    second = np.array([[0.0, -900.0], [0.0, -950.0]])
    found = pair_sums(first, second, 2)
    for values, expected in zip(found, plainly(first, second), strict=True):
        assert np.abs(values - expected).max() <= 1e-12


@pytest.mark.parametrize("spread", [1.0, 1e4])
@pytest.mark.parametrize("library", [np, array_api_strict])
def test_sums_by_member(spread, library):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(20, 3)) * spread
    members = rng.random((20, 5)) < 0.5
    members[:, 4] = True
    found = sums_by_member(library.asarray(values), library.asarray(members.astype(float)))
    for record in range(4):
        chosen = members[:, record]
        for result, rows in zip(found, (chosen, ~chosen), strict=True):
            expected = logsumexp(values[rows], axis=0)
            assert np.asarray(result)[record] == pytest.approx(expected, rel=1e-12)
    assert np.isneginf(np.asarray(found[1])[4]).all()


def test_a_sum_of_many_tables_equals_one_sum():
    tables = np.random.default_rng(1).normal(size=(5000, 2, 3)) * 50
    tables[:, 0, 0] = -np.inf
    running = RunningSum()
    for table in tables:
        running.add(table)
    assert np.isneginf(running.total()[0, 0])
    assert running.depth <= 4
    assert running.total().ravel()[1:] == pytest.approx(
        logsumexp(tables, axis=0).ravel()[1:], rel=1e-14
    )
    assert (log_sum([tables[0]]) == tables[0]).all()


def means_by_definition(scores):
    """Both means, by their definition."""
    candidates, records = scores.shape
    rise, fall = np.zeros((records, candidates)), np.zeros((records, candidates))
    for x in range(records):
        for w in range(candidates):
            away = [scores[:, x] - scores[:, y] for y in range(records) if y != x]
            rise[x, w] = np.log(np.mean([np.exp(d.max() - d[w]) for d in away]))
            fall[x, w] = np.log(np.mean([np.exp(d[w] - d.min()) for d in away]))
    return rise, fall


def test_the_means():
    scores = np.random.default_rng(0).normal(size=(3, 7)) * 5
    for found, expected in zip(exchange_means(scores, 3), means_by_definition(scores), strict=True):
        assert found == pytest.approx(expected, rel=1e-12)
        assert (found >= expected).all()


def test_the_means_in_several_blocks():
    """A block holds 2^20 differences: of 1,100 records it has 953."""
    scores = np.random.default_rng(0).normal(size=(2, 1100))
    rise, fall = exchange_means(scores, 3)
    for x in (0, 952, 953, 1099):
        away = scores[:, [x]] - np.delete(scores, x, axis=1)
        for w in range(2):
            up = np.log(np.exp(away.max(axis=0) - away[w]).mean())
            down = np.log(np.exp(away[w] - away.min(axis=0)).mean())
            assert rise[x, w] == pytest.approx(up, rel=1e-11)
            assert fall[x, w] == pytest.approx(down, rel=1e-11)


def test_scores_too_far_apart_for_one_product():
    scores = np.random.default_rng(0).normal(size=(3, 7)) * 400
    rise, fall = exchange_means(scores, 3)
    away = scores[:, [0]] - scores[:, 1:]
    expected = np.logaddexp.reduce(away.max(axis=0) - away[1]) - np.log(6)
    assert rise[0, 1] == pytest.approx(expected, rel=1e-12, abs=1e-11)
    assert rise[0, 1] >= expected
    assert np.isfinite(fall).all()


def test_never_above_the_worst_exchange_and_nothing_for_equal_records():
    scores = np.random.default_rng(1).normal(size=(4, 9))
    found = exchange_bounds(scores, 3)
    assert found.evidence is Evidence.ENCLOSURE
    assert found.maximum().upper <= brute.exchange_epsilon(scores.tolist()) + 1e-12
    assert (found.lower == 0).all()
    assert exchange_bounds(np.ones((4, 9)), 3).maximum().upper < 1e-12


def test_two_records():
    """One of two is sampled: the bound is the exchange itself."""
    scores = np.array([[0.0, 1.0], [2.0, 0.0]])
    assert exchange_bounds(scores, 1).maximum().upper == pytest.approx(3.0)


EXCHANGED = np.random.default_rng(5).random((4, 10)) * 2


def test_an_enclosure_as_wide_as_rounding():
    found = adjacent_epsilon(EXCHANGED, 5)
    assert found.evidence is Evidence.ENCLOSURE
    assert 0 < found.upper - found.lower < 1e-10


def test_parts_and_blocks_change_nothing():
    whole = adjacent_epsilon(EXCHANGED, 5)
    parts = adjacent_epsilon(EXCHANGED, 5, blocks=Blocks(rows=3, pairs=2))
    assert parts.lower <= whole.upper
    assert whole.lower <= parts.upper


@pytest.mark.parametrize("scale", [300.0, 1e5])
def test_scores_past_every_scale(scale):
    scores = EXCHANGED[:, :7] * scale
    found = adjacent_epsilon(scores, 3)
    assert found.upper == pytest.approx(brute.adjacent_epsilon(scores.tolist(), 3), rel=1e-12)


@pytest.mark.parametrize(("records", "size"), [(2, 1), (3, 1), (3, 2)])
def test_the_smallest_samples(records, size):
    scores = EXCHANGED[:, :records]
    found = adjacent_epsilon(scores, size)
    assert found.upper == pytest.approx(brute.adjacent_epsilon(scores.tolist(), size))


def test_out_of_time_the_interval_is_wide_and_right(monkeypatch):
    exact = adjacent_epsilon(EXCHANGED, 5)
    told = []
    monkeypatch.setattr("time.monotonic", lambda: 2.0 * len(told))  # a part takes 2 seconds
    effort = Effort(time_limit=1.0, progress=told.append)
    found = adjacent_epsilon(EXCHANGED, 5, effort=effort, blocks=Blocks(together=1))
    assert found.lower <= exact.upper
    assert exact.lower <= found.upper <= brute.exchange_epsilon(EXCHANGED.tolist()) * (1 + 1e-9)
    assert found.upper - found.lower > 1e-3


def test_nothing_where_it_would_take_too_long():
    assert adjacent_epsilon(np.zeros((2, 80)), 40) is None
    assert adjacent_epsilon(EXCHANGED, 5, effort=Effort(time_limit=1e-9)) is None


def test_restricted_sensitivity_sees_constants_of_a_record_and_exchanges_do_not():
    shifted = EXCHANGED + np.arange(10.0)
    assert restricted_epsilon(shifted) > restricted_epsilon(EXCHANGED) + 1
    assert adjacent_epsilon(shifted, 5).upper == pytest.approx(adjacent_epsilon(EXCHANGED, 5).upper)


def test_the_strict_array_api_runs_the_kernel():
    rng = np.random.default_rng(0)
    first, second, exchanged = (rng.random((rows, 3)) * 400 for rows in (6, 5, 2))
    plain = scores._ratios(first, second, exchanged, 4)
    strict = scores._ratios(*map(array_api_strict.asarray, (first, second, exchanged)), 4)
    assert strict == pytest.approx(plain, rel=1e-12)
    assert math.isfinite(plain[0])
