"""What a simulation looks for: guided subsets and an attacker's threshold."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import chi2

from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort, limited
from deniable.population.vector_sums.engine import upper_bounds
from deniable.population.vector_sums.guided_subsets import (
    Guide,
    Hidden,
    draw_guided_subsets,
    draw_uniform_subsets,
)
from deniable.population.vector_sums.releases import SumRelease
from deniable.population.vector_sums.running_interval import ThresholdAttack
from deniable.population.vector_sums.search import intervals, nothing_drawn
from tests.cases.effort import usual
from tests.oracles import population as brute

ROWS = np.random.default_rng(0).normal(size=(12, 2))
EASY = Effort(gap=0.5, seed=2)


def found(records, effort=EASY, *, rows=ROWS, size=6, sigma=4.0, delta=0.05, lower=None):
    release = SumRelease.of(rows, size, sigma)
    return intervals(release, np.array(records), delta, effort, lower=lower)


def test_the_bounds_say_what_they_rest_on():
    bounds = found([3, 5])
    assert bounds.records.tolist() == [3, 5]
    assert (bounds.evidence, bounds.confidence, bounds.seed) == (Evidence.CONFIDENCE, 0.95, 2)
    assert bounds.draws > 0
    assert bounds.candidates >= 1
    assert bounds.method == "crowd"


def test_workers_change_nothing():
    one, two = found([3, 5]), found([3, 5], Effort(gap=0.5, seed=2, workers=2))
    assert np.array_equal(one.upper, two.upper)
    assert np.array_equal(one.lower, two.lower)


def test_a_record_is_where_it_is_whatever_its_place_in_the_list():
    assert found([5, 3]).upper.tolist() == found([3, 5]).upper[::-1].tolist()


def test_no_time_gives_a_wide_interval():
    bounds = found([3], Effort(time_limit=1e-9, gap=0.1), sigma=1.0, delta=0.001)
    assert bounds.lower[0] <= bounds.upper[0]
    nothing = nothing_drawn(np.array([3]), EASY, np.array([0.25]))
    assert (nothing.lower[0], nothing.upper[0], nothing.draws) == (0.25, math.inf, 0)


def test_known_lower_ends_are_kept_and_leave_more_for_the_upper():
    with_end, without = found([3], lower=np.array([0.01])), found([3])
    assert with_end.lower[0] == 0.01
    assert without.lower[0] != 0.01


def test_intervals_never_cross():
    bounds = found([3], lower=np.array([50.0]))
    assert bounds.lower[0] == bounds.upper[0] < 50


def test_constant_records_reveal_nothing():
    bounds = found([0], rows=np.ones((12, 2)), sigma=1.0)
    assert (bounds.lower[0], bounds.upper[0]) == (0, 0)


def test_hopeless_noise_is_called_hopeless():
    rows = np.array([[0.0], [0.0], [0.0], [0.0], [1.0]])
    bounds = found([4], Effort(time_limit=1.0), rows=rows, size=2, sigma=1e-3, delta=0.01)
    assert bounds.upper[0] > 1000 or math.isinf(bounds.upper[0])


def test_progress_ends_at_one():
    told = []
    found([3], Effort(gap=0.5, progress=told.append))
    assert told[-1] == 1.0
    assert told == sorted(told)


POINTS = np.random.default_rng(0).normal(size=(11, 2))
NOISE = np.array([[1.0, 0.3], [0.3, 2.0]])


def test_farthest_first():
    guide = Guide.towards(POINTS, 0.4, NOISE)
    far = np.linalg.norm(POINTS - POINTS.mean(axis=0), axis=1)[guide.order]
    assert np.all(np.diff(far) <= 0)
    assert np.array_equal(guide.steps, POINTS[guide.order])


def test_slopes_point_along_the_covariance_of_what_is_to_come():
    guide = Guide.towards(POINTS, 0.4, NOISE)
    for step in range(9):
        rest, record = guide.steps[step + 1 :], guide.steps[step]
        covariance = 0.4 * 0.6 * len(rest) * np.cov(rest.T) + NOISE
        slope = np.linalg.solve(covariance, record - rest.mean(axis=0))
        assert guide.slopes[step] == pytest.approx(slope, rel=1e-9)
        assert guide.drifts[step] == pytest.approx(slope @ rest.mean(axis=0), rel=1e-9)
        assert guide.halves[step] == pytest.approx(slope @ (record - rest.mean(axis=0)) / 2)


def test_blocks_of_rows_change_nothing():
    whole = Guide.towards(POINTS, 0.4, NOISE)
    parts = Guide.towards(POINTS, 0.4, NOISE, rows_at_once=3)
    assert parts.slopes == pytest.approx(whole.slopes, rel=1e-12)
    assert parts.drifts == pytest.approx(whole.drifts, rel=1e-12)


def test_one_record_alone():
    guide = Guide.towards(np.array([[3.0]]), 0.5, np.eye(1))
    assert np.all(np.isfinite(guide.slopes))


GUIDED_SUBSETS_POINTS = np.random.default_rng(1).normal(size=(6, 2))
GUIDE = Guide.towards(GUIDED_SUBSETS_POINTS, 0.5, np.eye(2))
SIZES = (2, 3)
TARGETS = np.array([[0.7, 0.2], [-0.4, 0.9]])  # coordinates × rows
FALSE_ALARM = 1e-9


def every(size):
    """All subsets of a size as columns."""
    columns = list(itertools.combinations(range(len(GUIDED_SUBSETS_POINTS)), size))
    members = np.zeros((len(GUIDED_SUBSETS_POINTS), len(columns)), bool)
    for column, subset in enumerate(columns):
        members[list(subset), column] = True
    return members


def targets(columns):
    return np.repeat(TARGETS[:, :, None], columns, axis=2)


def probabilities(row):
    """The sampler's own account of every subset's probability, by hiding each of them."""
    members = every(SIZES[row])
    hidden, rng = Hidden(row, members), np.random.default_rng(0)
    drawn = draw_guided_subsets(rng, GUIDE, targets(members.shape[1]), SIZES, hidden=hidden)
    return np.exp(-drawn.log_shares[row]) / members.shape[1]


def counts(members, size):
    """How often each subset occurs."""
    all_of_them = every(size)
    code = 1 << np.arange(len(GUIDED_SUBSETS_POINTS))
    position = {int(c): i for i, c in enumerate(code @ all_of_them)}
    found = [position[int(c)] for c in code @ members]
    return np.bincount(found, minlength=all_of_them.shape[1])


def agrees(observed, expected):
    statistic = ((observed - expected) ** 2 / expected).sum()
    return statistic < chi2.isf(FALSE_ALARM, len(expected) - 1)


@pytest.mark.parametrize("row", [0, 1])
def test_probabilities_add_up_to_one(row):
    found = probabilities(row)
    assert found.min() > 0
    assert found.sum() == pytest.approx(1, rel=1e-12)
    assert found.max() / found.min() > 5  # it does lean


@pytest.mark.parametrize("row", [0, 1])
def test_subsets_come_as_often_as_their_probability_says(row):
    n_draws = 40_000
    drawn = draw_guided_subsets(np.random.default_rng(3), GUIDE, targets(n_draws), SIZES, keep=True)
    expected = n_draws * probabilities(row)
    observed = counts(drawn.members[:, row], SIZES[row])
    assert agrees(observed, expected)
    assert not agrees(observed, np.full(len(expected), n_draws / len(expected)))


@pytest.mark.parametrize("row", [0, 1])
def test_the_partner_of_a_hidden_subset_follows_its_own_law(row):
    """Hide what the sampler would have drawn: the pair must be as if nothing was hidden."""
    n_draws, rng = 40_000, np.random.default_rng(4)
    truth = draw_guided_subsets(rng, GUIDE, targets(n_draws), SIZES, keep=True).members[:, row]
    drawn = draw_guided_subsets(
        rng, GUIDE, targets(n_draws), SIZES, hidden=Hidden(row, truth), keep=True
    )
    assert np.array_equal(drawn.members[:, row], truth)
    assert agrees(
        counts(drawn.members[:, 1 - row], SIZES[1 - row]), n_draws * probabilities(1 - row)
    )
    alike = (drawn.members[:, 0] & drawn.members[:, 1]).sum(axis=0).mean()
    assert alike > 1.5  # of 2; independent ones would share about 1


def test_only_the_first_columns_are_hidden():
    members = every(2)[:, :4]
    drawn = draw_guided_subsets(
        np.random.default_rng(0), GUIDE, targets(9), SIZES, hidden=Hidden(0, members), keep=True
    )
    assert np.array_equal(drawn.members[:, 0, :4], members)
    assert drawn.members[:, 0].sum(axis=0).tolist() == [2] * 9
    assert drawn.members[:, 1].sum(axis=0).tolist() == [3] * 9


def test_what_is_missing_and_the_mean_weight_is_the_density():
    n_draws = 20_000
    drawn = draw_guided_subsets(np.random.default_rng(5), GUIDE, targets(n_draws), SIZES, keep=True)
    for row, size in enumerate(SIZES):
        missing = TARGETS[:, [row]] - GUIDED_SUBSETS_POINTS.T @ drawn.members[:, row]
        assert drawn.missing[:, row] == pytest.approx(missing, abs=1e-12)
        exact = np.exp(
            -((TARGETS[:, [row]] - GUIDED_SUBSETS_POINTS.T @ every(size)) ** 2).sum(axis=0) / 2
        ).mean()
        weights = np.exp(drawn.log_weights()[row])
        error = weights.std() / np.sqrt(n_draws)
        assert abs(weights.mean() - exact) < 6.2 * error  # false alarm 1e-9
        assert error < exact / 50


def test_extreme_targets_leave_every_subset_possible():
    far = np.full((2, 1, 15), 1e6)
    hidden = Hidden(0, every(2))
    drawn = draw_guided_subsets(np.random.default_rng(0), GUIDE, far, (2,), hidden=hidden)
    assert np.all(np.isfinite(drawn.log_shares))


def test_an_empty_and_a_full_row():
    drawn = draw_guided_subsets(np.random.default_rng(0), GUIDE, targets(4), (0, 6), keep=True)
    assert drawn.members[:, 0].sum() == 0
    assert drawn.members[:, 1].all()
    assert drawn.log_shares == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("size", [1, 3, 6])
def test_uniform_subsets_are_uniform(size):
    members = draw_uniform_subsets(np.random.default_rng(6), 6, size, 20_000)
    number = every(size).shape[1]
    observed = counts(members, size)
    assert number == 1 or agrees(observed, np.full(number, 20_000 / number))


def test_no_record_at_all():
    assert draw_uniform_subsets(np.random.default_rng(0), 4, 0, 3).sum() == 0


MU = 1.2


def normal_worlds(seed, n_draws):
    """Scores N(±μ/2, 1) with their exact ln ratios."""
    noise = np.random.default_rng(seed).standard_normal((2, n_draws))
    scores = noise[0] + MU / 2, noise[1] - MU / 2
    return tuple(MU * each for each in scores), scores


def advantage(cut, epsilon):
    def tail(t):
        return math.erfc(t / math.sqrt(2)) / 2

    return tail(cut - MU / 2) - math.exp(epsilon) * tail(cut + MU / 2)


def from_pilot(sign, seed=0, precision=0.05):
    ratios, scores = normal_worlds(seed, 3000)
    if sign < 0:
        ratios, scores = tuple(-r for r in ratios[::-1]), tuple(-s for s in scores[::-1])
    return ThresholdAttack.from_pilot(ratios, scores, sign, 0.02, precision)


@pytest.mark.parametrize("epsilon", [0.0, 0.7, 1.5])
def test_gains_have_the_advantage_as_their_mean(epsilon):
    attack, n_draws = from_pilot(1.0), 40_000
    gains = attack.gains(*normal_worlds(5, n_draws), epsilon)
    exact = advantage(attack.cut, epsilon)
    assert abs(gains.mean() - exact) < 6.2 * gains.std() / math.sqrt(n_draws)  # false alarm 1e-9
    assert gains.min() >= -2 * math.exp(epsilon)
    assert gains.max() <= 2


def test_the_lower_end_is_near_and_below_what_the_attack_refutes():
    attack = from_pilot(1.0)
    found = attack.lower_limit(*normal_worlds(6, 40_000), 1e-9)
    low, high = 0.0, 5.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if advantage(attack.cut, middle) > 0.02 else (low, middle)
    assert 0.75 * low < found < low


def test_the_other_direction_is_the_mirror_image():
    there, back = from_pilot(1.0), from_pilot(-1.0)
    assert back.cut == pytest.approx(there.cut)
    assert back.stakes == pytest.approx(there.stakes)


def test_no_bet_can_go_broke():
    attack = from_pilot(1.0, precision=5.0)
    worst = 2 * math.exp(attack.most) + attack.delta
    assert all(stake * worst < 1 for stake in attack.stakes)
    assert sum(attack.weights) == pytest.approx(1)


def test_never_more_than_it_was_planned_for():
    attack = from_pilot(1.0)
    ratios = (np.full(5000, 50.0), np.full(5000, -50.0))
    scores = (np.full(5000, 9.0), np.full(5000, -9.0))
    assert attack.lower_limit(ratios, scores, 0.05) == pytest.approx(attack.most)


def test_no_draws_refute_nothing():
    nothing = (np.empty(0), np.empty(0))
    assert from_pilot(1.0).lower_limit(nothing, nothing, 0.05) == 0.0


CEILING_ROWS = np.random.default_rng(4).normal(size=(8, 2))
RELEASE = SumRelease.of(CEILING_ROWS, 4, 2.0)
EXACT = [brute.gaussian_epsilon(CEILING_ROWS, 4, 2.0, 0.1, x, step=0.2) for x in range(8)]


def ends_under(records, ceiling, *, seconds=math.inf, told=None, **effort):
    with limited(seconds):
        progress = {} if told is None else {"progress": told.append}
        return upper_bounds(RELEASE, np.array(records), 0.1, ceiling, Effort(**effort, **progress))


def test_records_are_shown_to_be_below_and_above_the_truth():
    told = []
    ceiling = 1.5 * max(EXACT)
    bounds = ends_under(range(8), ceiling, told=told)
    assert np.all(bounds.upper <= ceiling)
    assert np.all(bounds.upper >= np.array(EXACT) - 1e-3)
    assert bounds.draws > 0
    assert told[-1] == 1.0


def test_more_records_need_no_more_draws_each():
    ceiling = 3 * max(EXACT)
    one, all_of_them = ends_under([0], ceiling), ends_under(range(8), ceiling)
    assert np.all(all_of_them.upper <= ceiling)
    assert all_of_them.draws == 8 * one.draws


def test_no_ceiling_can_be_proved_that_is_too_low():
    worst = int(np.argmax(EXACT))
    bounds = ends_under([worst], 0.5 * EXACT[worst])
    assert bounds.upper[0] >= EXACT[worst] - 1e-3


def test_a_seed_gives_the_same_whatever_the_workers():
    one, other = (
        ends_under([0, 1, 2], 0.5, seed=3),
        ends_under([0, 1, 2], 0.5, seed=3, workers=2),
    )
    assert one.upper.tolist() == other.upper.tolist()
    assert one.upper.tolist() != ends_under([0, 1, 2], 0.5, seed=4).upper.tolist()


def test_without_time():
    assert ends_under([0, 1], 1.0, seconds=-1.0).upper.tolist() == [np.inf, np.inf]
    assert ends_under([0, 1], 1.0, seconds=-1.0).draws == 0


def test_the_largest_end_covers_with_a_probability_that_records_do_not_share():
    # At confidence ½ failures are Bin(runs, at most ½) or fewer; 52 or more of 60 have chance
    # 1e-9, as have 30 of 30.
    runs, too_many = usual((30, 30), (60, 52))
    failures = sum(
        ends_under(range(8), 10.0, seed=seed, confidence=0.5).upper.max() < max(EXACT) - 1e-3
        for seed in range(runs)
    )
    assert failures < too_many


def test_coverage_over_seeds():
    # At confidence ½ failures are Bin(60, at most ½) or fewer; 52 or more have chance 1e-9.
    worst = int(np.argmax(EXACT))
    failures = sum(
        ends_under([worst], 10.0, seed=seed, confidence=0.5).upper[0] < EXACT[worst] - 1e-3
        for seed in range(60)
    )
    assert failures < 52
