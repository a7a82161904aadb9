"""Worlds and releases of sums and of queries."""

import math

import attrs
import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.numerics.bound import Evidence
from deniable.numerics.effort import Effort
from deniable.population.answer import RecordBounds
from deniable.population.bounds import gaussian_shifts
from deniable.population.question import Question, SampleFunction, Summands
from deniable.population.vector_sums.engine import (
    lower_bound_despite_rounding,
    projected_lower_bounds,
)
from deniable.population.vector_sums.guided_subsets import IN, OUT, Hidden, ListDraws, batch_size
from deniable.population.vector_sums.releases import QueryRelease, SumRelease
from tests.cases.refusals import refuses
from tests.oracles import population as brute

ROWS = np.random.default_rng(0).normal(size=(9, 2)) + 50


def test_in_units_of_the_noise_about_the_mean():
    release = SumRelease.of(ROWS, 4, 0.5)
    assert release.points == pytest.approx((ROWS - ROWS.mean(axis=0)) * 2)
    assert (release.population, release.dimension, release.size) == (9, 2, 4)


def test_the_covariance_of_the_sum_of_a_sample():
    from_all = np.cov(SumRelease.of(ROWS, 4, 1.0).points.T) * 4 * (1 - 4 / 9) + np.eye(2)
    assert SumRelease.of(ROWS, 4, 1.0).covariance() == pytest.approx(from_all)


def test_directions_measure_shifts_from_the_others():
    release = SumRelease.of(ROWS, 4, 1.0)
    slopes, lengths = release.directions()
    shift = ROWS[3] - np.delete(ROWS, 3, axis=0).mean(axis=0)
    assert slopes[3] == pytest.approx(np.linalg.solve(release.covariance(), shift))
    assert lengths == pytest.approx(gaussian_shifts(ROWS, 4, 1.0))


def test_a_record_has_everybody_else():
    worlds = SumRelease.of(ROWS, 4, 1.0).worlds(8)
    assert worlds.sizes == (3, 4)
    assert len(worlds.others) == 8


def test_blocks_shrink_with_the_work_in_a_draw():
    release = SumRelease.of(ROWS, 4, 1.0)
    assert release.block_draws(1) == 4096
    assert release.block_draws(10**9) == 64


def test_pilots_shrink_too():
    assert SumRelease.of(ROWS, 4, 1.0).pilot_draws == 2000
    assert SumRelease(np.zeros((100_000, 1)), 4).pilot_draws == 200


def test_it_does_not_change():
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        SumRelease.of(ROWS, 4, 1.0).size = 3


RECORD = SumRelease.of(np.random.default_rng(2).normal(size=(9, 2)), 4, 0.8).worlds(2)
SLOPE = np.array([1.0, -0.5])


@pytest.mark.parametrize("world", [IN, OUT])
def test_batches_cover_all_draws(world):
    found = RECORD.draws(np.random.default_rng(0), world, 1000, 11, SLOPE)
    assert found.log_ratios.shape == found.scores.shape == (11,)
    assert np.all(np.isfinite(found.log_ratios))


@pytest.mark.parametrize("world", [IN, OUT])
def test_a_release_is_the_sum_of_its_world(world):
    truth, releases = RECORD.releases(np.random.default_rng(0), world, 4000)
    own = RECORD.record[:, None] * (world == IN)
    noise = releases - RECORD.others.T @ truth - own
    assert set(truth.sum(axis=0)) == {RECORD.sizes[world]}
    assert abs(noise.mean()) < 6.2 / math.sqrt(noise.size)  # false alarm 1e-9
    assert noise.std() == pytest.approx(1, abs=0.08)


def test_the_truth_is_the_first_candidate_of_its_own_row():
    truth, releases = RECORD.releases(np.random.default_rng(0), OUT, 5)
    found = RECORD.candidates(
        np.random.default_rng(1), releases, 3, hidden=Hidden(OUT, truth), keep=True
    )
    assert np.array_equal(found.members[:, OUT, :5], truth)
    assert not np.array_equal(found.members[:, OUT, 5:10], truth)
    exact = releases - RECORD.others.T @ truth
    assert found.missing[:, OUT, :5] == pytest.approx(exact, abs=1e-12)


QUERY_RELEASE_ROWS = np.random.default_rng(0).normal(size=(10, 2))


def total(members):
    return members.sum(axis=0)


def test_a_linear_query_is_its_own_stand_in():
    release = QueryRelease.fit(np.random.default_rng(1), total, QUERY_RELEASE_ROWS, 5, 0.5)
    slopes = release.points - release.points.mean(axis=0)
    assert slopes == pytest.approx(
        (QUERY_RELEASE_ROWS - QUERY_RELEASE_ROWS.mean(axis=0)) / 0.5, abs=0.03
    )
    assert release.noise == pytest.approx(np.eye(2), abs=0.01)
    members = np.arange(10) < 5
    stand_in = release.offset + release.points[members].sum(axis=0)
    assert stand_in == pytest.approx(total(QUERY_RELEASE_ROWS[members]) / 0.5, abs=0.05)


def test_answers_put_the_record_in_its_place():
    release = QueryRelease.fit(np.random.default_rng(1), total, QUERY_RELEASE_ROWS, 5, 0.5)
    others = np.zeros((9, 1), bool)
    others[[0, 8]] = True
    with_it = release.answers(others, 4, holds=True)[:, 0]
    without = release.answers(others, 4, holds=False)[:, 0]
    assert with_it == pytest.approx(QUERY_RELEASE_ROWS[[0, 4, 9]].sum(axis=0) / 0.5)
    assert without == pytest.approx(QUERY_RELEASE_ROWS[[0, 9]].sum(axis=0) / 0.5)


def test_the_worlds_of_a_query_and_its_sum_agree():
    release = QueryRelease.fit(np.random.default_rng(1), total, QUERY_RELEASE_ROWS, 5, 2.0)
    found = release.worlds(3).draws(np.random.default_rng(2), 0, 8, 300, np.ones(2))
    assert found.log_ratios.shape == (300,)
    assert found.variance < 0.5


def of(query, sigma=1.0):
    return QueryRelease.of(SampleFunction(query, QUERY_RELEASE_ROWS), 5, sigma, Effort())


@pytest.mark.parametrize("query", [lambda _: math.nan, lambda m: np.ones((2, 2)) * m.sum()])
def test_a_query_gives_finite_numbers(query):
    with refuses(InvalidArgument, "same-number-of-finite-numbers"):
        of(query)


@pytest.mark.parametrize(
    ("sigma", "message"), [(1e-12, "sigma-raise: 1e-12"), (1e-101, "sigma-choose: 1e-101")]
)
def test_noise_that_floats_cannot_work_with(sigma, message):
    with refuses(InvalidArgument, message):
        of(total, sigma)


def test_answers_are_measured_from_one_of_them():
    shifted = of(lambda m: total(m) + 1e15)
    assert np.abs(shifted.offset).max() < 1e3


def test_the_variance_needs_two_fresh_candidates():
    one = ListDraws.of(np.zeros((2, 1, 3)), np.zeros((2, 3)), SLOPE)
    assert math.isnan(one.variance)
    weights = np.log(np.array([[[1.0], [1.0], [3.0]], [[1.0], [2.0], [2.0]]]))
    many = ListDraws.of(weights, np.zeros((2, 1)), SLOPE)
    assert many.variance == pytest.approx(0.5)  # of (1/2, 3/2) − (1, 1)
    assert many.log_ratios == pytest.approx(0)


def test_batches_fit_cache_and_memory():
    assert batch_size(1, 100) == 4096
    assert batch_size(10**6, 100) == 1
    assert batch_size(1, 10**6) == 20
    assert batch_size(4, 10**6, kept=True) == 5


def test_scores_are_of_the_release_alone():
    releases = np.array([[1.0, 2.0], [0.0, 4.0]])
    found = ListDraws.of(np.zeros((2, 1, 2)), releases, SLOPE)
    assert found.scores.tolist() == [1.0, 0.0]


PROJECTION_ROWS = np.random.default_rng(2).normal(size=(7, 2)) + 100


def lower_ends(values, sigma, records):
    question = Question(Summands(values), 3, 0.05)
    return projected_lower_bounds(question, records, sigma, Effort())


def test_below_the_truth_and_not_far():
    ends = lower_ends(PROJECTION_ROWS, 1.0, [0, 3, 6])
    for end, record in zip(ends, [0, 3, 6], strict=True):
        exact = brute.gaussian_epsilon(PROJECTION_ROWS, 3, 1.0, 0.05, record, step=0.1)
        assert 0.6 * exact - 0.1 < end <= exact + 1e-3


def test_one_column_loses_nothing_but_the_rounding():
    exact = brute.gaussian_epsilon(PROJECTION_ROWS[:, 0], 3, 1.0, 0.05, 3)
    assert lower_ends(PROJECTION_ROWS[:, :1], 1.0, [3])[0] == pytest.approx(exact, abs=1e-3)


def test_records_that_are_all_the_same():
    assert lower_ends(np.ones((4, 2)), 1.0, [0]).tolist() == [0.0]


def test_noise_that_is_lost_beside_the_records_shows_nothing():
    assert lower_ends(PROJECTION_ROWS * 1e15, 1e-3, [0]).tolist() == [0.0]


def analysis(lower, evidence=Evidence.ENCLOSURE, seen=None):
    def bounds(delta):
        if seen is not None:
            seen.append(delta)
        return RecordBounds([0], [lower], [lower], evidence)

    return bounds


def test_rounding_is_paid_for_by_delta():
    seen = []
    assert lower_bound_despite_rounding(analysis(2.0, seen=seen), 0.05, 1e-4) == 2.0
    assert seen == [0.05, pytest.approx(0.05 + (1 + np.exp(2)) * 1e-4)]
    assert seen[1] > 0.05 + (1 + np.exp(2)) * 1e-4


@pytest.mark.parametrize(
    ("bounds", "moved"),
    [
        (analysis(1.0, Evidence.ESTIMATE), 0.0),
        (analysis(45.0), 1e-15),
        (analysis(float("inf")), 1e-15),
    ],
)
def test_what_rounding_or_an_estimate_could_have_made_is_no_bound(bounds, moved):
    assert lower_bound_despite_rounding(bounds, 0.05, moved) == 0.0
