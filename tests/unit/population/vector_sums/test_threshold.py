import math

import numpy as np
import pytest
from scipy.stats import binom

from deniable.population.vector_sums.release import Release
from deniable.population.vector_sums.threshold import (
    Attacks,
    attack_scores,
    chosen_attacks,
    clopper_pearson_lower,
    clopper_pearson_upper,
    refuted_epsilon,
)

ROWS = np.random.default_rng(0).normal(size=(8, 2))
RELEASE = Release.of(ROWS, 3, 1.0)


@pytest.mark.parametrize("hits", [0, 1, 7, 40])
def test_exact_limits_by_the_binomial_tails(hits):
    alpha, counted = 0.03, np.array([hits])
    low = clopper_pearson_lower(counted, 40, alpha)[0]
    high = clopper_pearson_upper(counted, 40, alpha)[0]
    if hits:
        assert binom.sf(hits - 1, 40, low) == pytest.approx(alpha, rel=1e-6)
    else:
        assert low == 0
    if hits < 40:
        assert binom.cdf(hits, 40, high) == pytest.approx(alpha, rel=1e-6)
    else:
        assert high == 1


def test_limits_cover_as_stated():
    alpha = 0.1
    for chance in (0.001, 0.2, 0.97):
        hits = np.arange(51)
        law = binom.pmf(hits, 50, chance)
        assert law[clopper_pearson_lower(hits, 50, alpha) > chance].sum() <= alpha
        assert law[clopper_pearson_upper(hits, 50, alpha) < chance].sum() <= alpha


def test_what_counts_refute():
    hits = np.array([[900, 5], [90, 5]])
    found = refuted_epsilon(hits, 10_000, 0.01, 0.05)
    assert 0 < found[0] < math.log(0.08 / 0.009)
    assert found[1] == 0


def test_scores_are_of_releases_with_the_record_in_and_out():
    records = np.arange(8)
    slopes = RELEASE.directions()[0]
    scores = attack_scores(np.random.default_rng(1), RELEASE, records, 20_000)
    for record in records:
        others = np.delete(RELEASE.points, record, axis=0).mean(axis=0)
        inside = slopes[record] @ (RELEASE.points[record] + 2 * others)
        for world, expected in enumerate((inside, slopes[record] @ others * 3)):
            sample = scores[world, :, record]
            assert abs(sample.mean() - expected) < 6.2 * sample.std() / math.sqrt(20_000)


def test_attacks_fire_beyond_their_cut():
    attacks = Attacks(np.array([1.0, -1.0]), np.array([2.0, 0.0]))
    scores = np.array([[[3.0, 1.0], [1.0, -1.0]], [[0.0, -2.0], [2.5, -1.0]]])
    assert attacks.fired(scores).tolist() == [[1, 1], [1, 2]]


def test_the_better_direction_is_chosen():
    rng = np.random.default_rng(2)
    rare = np.where(rng.random(20_000) < 0.1, 9.0, rng.random(20_000))
    plain = rng.random(20_000)
    up = np.stack([rare, plain])[:, :, None]
    assert chosen_attacks(up, 0.01, 20_000).signs.tolist() == [1.0]
    assert chosen_attacks(-up[::-1], 0.01, 20_000).signs.tolist() == [-1.0]
