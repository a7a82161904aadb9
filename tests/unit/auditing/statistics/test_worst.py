"""The worst of many records, and the region of a curve."""

import numpy as np
from scipy import stats

from deniable.auditing.statistics import (
    Cut,
    counted,
    lower_limit,
    rate_region,
    thresholds,
    worst_records,
)
from deniable.errors import InvalidArgument
from tests.cases.effort import usual
from tests.cases.refusals import refuses


def records(n: int, share: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    members = rng.random((n, len(share))) < 0.5
    right = rng.random(members.shape) < share
    return np.where(right, members, ~members) + 0.1 * rng.random(members.shape), members


def test_the_worst_of_500_loses_at_most_015_against_a_single_one():
    share = np.where(np.arange(500) == 77, 0.731, 0.5)
    lost = []
    for seed in range(4):
        pilot, test = records(500, share, 2 * seed), records(500, share, 2 * seed + 1)
        found = worst_records(pilot, test)
        assert found[0].record == 77
        one = Cut.select(pilot[0][:, 77], pilot[1][:, 77])
        alone = lower_limit(500, *counted(one, test[0][:, 77], test[1][:, 77]))
        lost.append(alone - found[0].found)
    assert np.mean(lost) <= 0.15


def test_limits_of_all_listed_hold_at_once():
    share, alarms, audits = np.full(12, 0.731), 0, usual(100, 200)
    for seed in range(audits):
        found = worst_records(records(60, share, 2 * seed), records(60, share, 2 * seed + 1))
        alarms += found[0].found > 1.0
    # at 5 % more than 18 of 100 have a chance of 1e-6; without the correction some 30 % are
    assert alarms <= stats.binom.isf(1e-6, audits, 0.05)


def test_records_of_other_runs_are_refused():
    with refuses(InvalidArgument, "test-runs-of-records: 2"):
        worst_records(records(4, np.full(2, 0.5), 1), records(4, np.full(3, 0.5), 1))
    with refuses(InvalidArgument, "shape-n-runs-n-records"):
        worst_records((np.zeros(3), np.zeros(3, bool)), records(4, np.full(3, 0.5), 1))


def test_all_points_of_a_curve_lie_in_their_rectangles_at_once():
    rng, missed = np.random.default_rng(9), 0
    cuts = thresholds(rng.normal(size=2000) + 0.5)
    true_fpr, true_tpr = stats.norm.sf(cuts), stats.norm.sf(cuts - 1)
    for _ in range(300):
        members = rng.random(400) < 0.5
        points = rate_region(cuts[::-1], rng.normal(size=400) + members, members)
        fits = zip(points, true_fpr[::-1], true_tpr[::-1], strict=True)
        missed += not all(
            p.fpr_lower <= f <= p.fpr_upper and p.tpr_lower <= t <= p.tpr_upper for p, f, t in fits
        )
    assert missed <= stats.binom.isf(1e-6, 300, 0.05)


def test_a_region_without_members_knows_nothing_of_them():
    (point,) = rate_region(np.array([0.5]), np.zeros(30), np.zeros(30, bool))
    assert (point.tpr_lower, point.tpr_upper) == (0.0, 1.0)
    assert point.fpr_upper < 0.2


def test_scores_that_are_all_infinite_have_a_curve():
    assert len(thresholds(np.array([np.inf, -np.inf]))) == 1
