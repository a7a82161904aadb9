"""One candidate of several, by sampling subsets."""

import math

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort, limited
from deniable.population.choices import sampling
from deniable.population.choices.enumeration import enumerate_samples
from deniable.population.choices.sampling import (
    PairedSums,
    exchange_bounds,
    ratio_limits,
    sample_bounds,
)
from tests.cases.refusals import refuses

SCORES = np.random.default_rng(7).random((4, 14)) * 2


def test_closes_in_on_the_exact_value():
    found = sample_bounds(SCORES, 7, effort=Effort(gap=0.05))
    exact = enumerate_samples(SCORES, 7).population_epsilon()
    assert found.evidence is Evidence.CONFIDENCE
    assert found.maximum().upper <= found.maximum().lower * 1.05
    assert (found.lower <= exact.upper).all()
    assert (exact.lower <= found.upper).all()


def test_one_seed_one_answer_whatever_the_workers():
    one = sample_bounds(SCORES, 7, effort=Effort(seed=3, gap=0.2))
    again = sample_bounds(SCORES, 7, effort=Effort(seed=3, gap=0.2, workers=2))
    other = sample_bounds(SCORES, 7, effort=Effort(seed=4, gap=0.2))
    assert again.upper == pytest.approx(one.upper, rel=1e-12)
    assert again.draws == one.draws
    assert (other.upper != one.upper).any()


def test_a_time_limit_leaves_a_wide_interval():
    found = sample_bounds(SCORES, 7, effort=Effort(time_limit=1e-3, gap=1e-6))
    exact = enumerate_samples(SCORES, 7).population_epsilon()
    assert (found.lower <= exact.upper).all()
    assert (exact.lower <= found.upper).all()
    with limited(
        -1.0
    ):  # what is said without a look at pairs, for which a busy machine has no time
        hasty = exchange_bounds(SCORES, 7).upper
    assert (exchange_bounds(SCORES, 7).upper <= hasty).all()
    assert (found.upper <= hasty).all()
    assert (found.draws or 0) <= sampling.FIRST * len(SCORES)  # none, where time is over before


def test_records_hardly_ever_left_out_get_draws_of_their_own():
    scores = SCORES.copy()
    scores[0, 0] = scores[0].min() - 6.0
    found = sample_bounds(scores, 7, effort=Effort(gap=0.2))
    exact = enumerate_samples(scores, 7).population_epsilon()
    assert found.worst() == exact.worst() == 0
    assert found.maximum().upper <= found.maximum().lower * 1.2
    assert found.lower[0] <= exact.upper[0]
    assert exact.lower[0] <= found.upper[0]


@pytest.mark.parametrize("record", [None, 2])
def test_sums_of_a_task_estimate_the_ratio(record):
    """Means over 200,000 draws, within 2 %: far more than ten standard errors."""
    weights = np.full(4, 0.25)
    task = sampling.SamplingTask(
        sampling.score_table(SCORES, 7)[0], 7, 1, weights, record, 50_000, (0,), Effort()
    )
    found = sampling.draw(task)
    exact = enumerate_samples(SCORES, 7)
    ratio = np.exp(exact.log_in - exact.log_out)[:, 1]
    seen = found["count"] > 0
    assert seen.sum() == (14 if record is None else 1)
    assert found["a"][seen] / found["b"][seen] == pytest.approx(ratio[seen], rel=0.02)


@pytest.mark.parametrize("spread", [1.0, 40.0])
def test_the_rest_of_a_sum_by_adding_and_by_subtracting(spread):
    """Scores far apart let one record have nearly all of a sum, which subtraction would lose."""
    task = sampling.SamplingTask(
        sampling.score_table(spread * SCORES, 7)[0], 7, 1, np.full(4, 0.25), None, 1, (0,), Effort()
    )
    chosen = np.random.default_rng(0).permuted(np.tile(np.arange(14) < 6, (5, 1)), axis=1)
    found = sampling._sum_pairs(task, chosen)
    expected = PairedSums.zero(14)
    for row in chosen:
        outside = np.flatnonzero(~row)
        u = {i: weighted(task, [*np.flatnonzero(row), i]) for i in outside}
        for x in outside:
            a, b = u[x], sum(u[i] for i in outside if i != x) / 7
            at = np.arange(14) == x
            expected += PairedSums(*(at * v for v in (1.0, a, b, a * a, b * b, a * b)))
    unit = found.a.sum() / expected.a.sum()  # t is known up to a factor
    for name, power in (("count", 0), ("a", 1), ("b", 1), ("aa", 2), ("bb", 2), ("ab", 2)):
        values = getattr(expected, name) * unit**power
        assert getattr(found, name) == pytest.approx(values, rel=1e-10)


def weighted(task, members):
    """t_i V(E ∪ i) by its definition, but for Π_{j∈E} t_j, which is the same for all i."""
    scores, weights = task.scores, task.weights
    logits = -scores[:, members].sum(axis=1)
    law = np.exp(logits - np.logaddexp.reduce(logits))
    t = np.exp(weights @ scores[:, members[-1]] - scores[task.candidate, members[-1]])
    return t * np.exp(weights @ np.log(law))


def test_the_largest_that_b_can_be_is_never_passed():
    scores = SCORES * 3
    table = sampling.score_table(scores, 7)[0]
    weights = sampling.tilts(table, 7)
    for candidate in range(4):
        one = sampling.SamplingTask(
            table, 7, candidate, weights[candidate], None, 1, (0,), Effort()
        )
        t, b_max = sampling._largest(table, 7, candidate, weights[candidate])
        for chosen in np.eye(14, dtype=bool)[:8]:
            sets = np.roll(np.arange(14) < 6, np.flatnonzero(chosen)[0])[None]
            found = sampling._sum_pairs(one, sets)
            assert (found.a <= t).all()
            assert (found.b <= b_max).all()


def test_one_candidate_and_scores_past_sampling_need_no_draws():
    alone = sample_bounds(SCORES[:1], 7)
    assert alone.evidence is Evidence.ENCLOSURE
    assert alone.maximum().upper < 1e-12
    wild = sample_bounds(SCORES * 1e4, 7)
    assert wild.evidence is Evidence.ENCLOSURE
    assert np.isfinite(wild.upper).all()


def test_too_many_records_to_draw_from():
    found = sample_bounds(SCORES, 7, largest=50)
    assert found.evidence is Evidence.ENCLOSURE
    assert (found.upper == exchange_bounds(SCORES, 7).upper).all()


def test_bad_input():
    with refuses(InvalidArgument, "1-at-most-size-below-number"):
        sample_bounds(SCORES, 14)


def sums(a, b):
    """Over draws in rows, quotients in columns."""
    count = np.full(a.shape[1], float(len(a)))
    return PairedSums(count, *(each.sum(axis=0) for each in (a, b, a * a, b * b, a * b)))


def pairs(rng, draws, quotients=1):
    """E a / E b = 3/2; a and b move together."""
    common = rng.random((draws, quotients))
    return 0.75 * common, np.minimum(1.0, common + 0.1 * (rng.random((draws, quotients)) - 0.5))


def test_the_limits_close_in_and_know_that_the_two_move_together():
    rng = np.random.default_rng(0)
    widths = []
    for draws in (1_000, 100_000):
        a, b = pairs(rng, draws)
        low, high = ratio_limits(sums(a, b), np.array([0.75]), np.array([1.0]), 10.0)
        assert low[0] < 0.75 < high[0] * 1.001
        widths.append(high[0] - low[0])
    assert widths[1] < widths[0] / 5
    a = rng.permutation(a)
    low, high = ratio_limits(sums(a, b), np.array([0.75]), np.array([1.0]), 10.0)
    assert high[0] - low[0] > 3 * widths[1]


def test_the_ends_are_where_the_inequality_breaks():
    a, b = pairs(np.random.default_rng(1), 500)
    low, high = ratio_limits(sums(a, b), np.array([0.75]), np.array([1.0]), 8.0)

    def excess(rho):
        y = (a - rho * b)[:, 0]
        margin = math.sqrt(2 * y.var(ddof=1) * 8 / 500) + 7 * (0.75 + rho) * 8 / (3 * 499)
        return abs(y.mean()) / margin

    assert excess(low[0]) == pytest.approx(1, abs=1e-6)
    assert excess(high[0]) == pytest.approx(1, abs=1e-6)


def test_no_limit_without_enough_draws():
    a, b = pairs(np.random.default_rng(2), 3)
    low, high = ratio_limits(sums(a, b), np.array([0.75]), np.array([1.0]), 10.0)
    assert (low[0], high[0]) == (0.0, math.inf)
    low, high = ratio_limits(PairedSums.zero(2), np.ones(2), np.ones(2), 10.0)
    assert low.tolist() == [0.0, 0.0]
    assert high.tolist() == [math.inf, math.inf]


@pytest.mark.parametrize("factor", [1e-100, 1e100])
def test_only_the_quotient_of_the_units_matters(factor):
    a, b = pairs(np.random.default_rng(1), 2_000)
    expected = ratio_limits(sums(a, b), np.array([0.75]), np.array([1.0]), 8.0)
    found = ratio_limits(sums(factor * a, b), factor * np.array([0.75]), np.array([1.0]), 8.0)
    for value, other in zip(found, expected, strict=True):
        assert value / factor == pytest.approx(other)


def test_means_too_small_to_square_are_not_used():
    a, b = pairs(np.random.default_rng(1), 2_000)
    low, high = ratio_limits(sums(1e-200 * a, b), np.array([1e-200]), np.array([1.0]), 8.0)
    assert (low[0], high[0]) == (0.0, math.inf)


def test_coverage():
    """2,000 intervals at α = 0.2: more than 520 misses have probability below 1e-9."""
    a, b = pairs(np.random.default_rng(3), 200, 2_000)
    truth = 0.75 * 0.5 / 0.5
    b = np.clip(b, 0, 1)
    ones = np.ones(2_000)
    low, high = ratio_limits(sums(a, b), 0.75 * ones, ones, math.log(4 / 0.2))
    assert ((low > truth * 1.01) | (high < truth * 0.99)).sum() <= 520


def test_only_one_and_sums_add():
    a, b = pairs(np.random.default_rng(4), 10, 3)
    whole = sums(a, b)
    one = whole.only(1)
    assert one.a.tolist() == [0.0, whole.a[1], 0.0]
    assert (whole + one).count.tolist() == [10.0, 20.0, 10.0]
