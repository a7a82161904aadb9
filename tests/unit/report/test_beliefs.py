import math

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.analysis.belief import posterior_upper
from deniable.analysis.calibrate import calibrated
from deniable.analysis.target import (
    AdvantageTarget,
    AttackSuccessTarget,
    EpsilonTarget,
    GammaTarget,
    IdentifiabilityTarget,
    MaxPosteriorTarget,
)
from deniable.notions import Adjacency
from deniable.priors import BoundedPriors
from deniable.report import beliefs
from tests.cases.sample_certificate import gaussian_certificate, sample_certificate
from tests.cases.sample_study import study_certificate

BANDS = st.tuples(st.floats(0, 1), st.floats(0, 1)).map(lambda ends: BoundedPriors(*sorted(ends)))


def test_limits_enclose_the_diagonal():
    picture = beliefs.belief_picture(sample_certificate())
    assert len(picture.limits) == 101
    assert all(low <= p <= high for p, low, high in picture.limits)


def test_the_worst_prior_of_gamma_is_where_limit_and_target_meet():
    picture = beliefs.belief_picture(sample_certificate())
    assert picture.worst[0] == 0.7
    assert picture.worst[1] == pytest.approx(0.85)
    assert picture.target[-1] == pytest.approx((0.7, 0.85))


@pytest.mark.parametrize(
    "target",
    [
        GammaTarget(1.5),
        MaxPosteriorTarget(0.8),
        AttackSuccessTarget(0.6),
        AdvantageTarget(0.3),
        IdentifiabilityTarget(0.3, 8),
    ],
)
def test_a_calibrated_limit_meets_the_target_at_the_worst_prior(target):
    band = BoundedPriors(0.2, 0.6)
    loss = calibrated(target, band, Adjacency.REPLACE_ONE).epsilon
    worst, _ = beliefs.worst_prior(target, band, loss)
    line = beliefs.target_line(target, band)
    nearest = min(line, key=lambda point: abs(point[0] - worst))
    assert posterior_upper(loss, worst) == pytest.approx(nearest[1], abs=1e-9)


def test_with_a_budget_or_any_prior_the_steepest_rise_is_marked():
    anything = BoundedPriors(0.0, 1.0)
    for target in (EpsilonTarget(1.0), GammaTarget(math.e)):
        worst, reason = beliefs.worst_prior(target, anything, 1.0)
        assert worst == pytest.approx(1 / (1 + math.exp(0.5)))
        assert "rise" in reason
    assert beliefs.target_line(EpsilonTarget(1.0), anything) == ()


@given(BANDS, st.floats(0.01, 20))
def test_no_prior_of_the_band_rises_further_than_the_steepest(band, loss):
    steep = beliefs.steepest_prior(band, loss)
    most = posterior_upper(loss, steep) - steep
    for step in range(11):
        p = min(band.low + (band.high - band.low) * step / 10, band.high)
        assert posterior_upper(loss, p) - p <= most + 1e-12


@pytest.mark.parametrize(
    ("low", "high", "prior"),
    [
        (0.0, 1.0, 0.05),
        (0.3, 0.7, 0.3),
        (1 / 3, 0.7, 0.34),
        (0.0, 0.001, 0.001),
        (0.1234, 0.1238, 0.1234),
        (0.1234, 0.126, 0.124),
        (0.0, 0.0, 0.05),
        (1.0, 1.0, 0.05),
    ],
)
def test_the_readable_prior_is_in_the_band_and_reads_well(low, high, prior):
    assert beliefs.readable_prior(BoundedPriors(low, high)) == prior


def test_the_table_has_its_four_priors_and_the_ends():
    assert beliefs.table_priors(BoundedPriors(0.3, 0.7)) == (0.01, 0.05, 0.1, 0.3, 0.5, 0.7)
    assert beliefs.table_priors(BoundedPriors(0.0, 1.0)) == (0.01, 0.05, 0.1, 0.5)


def test_a_band_near_zero_is_looked_at_closely():
    picture = beliefs.belief_picture(gaussian_certificate())
    assert picture.extent == pytest.approx((0.002, 0.01))
    assert picture.limits[-1][0] == picture.extent[0]
    far = attrs.evolve(gaussian_certificate(), target=AttackSuccessTarget(0.6))
    assert beliefs.belief_picture(far).extent == (1.0, 1.0)


def test_without_any_limit_the_picture_still_stands():
    sample = sample_certificate()
    open_ended = attrs.evolve(sample.guarantee, epsilon=math.inf)
    picture = beliefs.belief_picture(attrs.evolve(sample, guarantee=open_ended))
    assert picture.limits[50] == (0.5, 0.0, 1.0)


def test_ends_that_differ_by_a_rounding_are_one():
    certificate = study_certificate(adjacency="swap", gamma=1.5)
    band = certificate.adversary
    assert band.low < band.high  # a third, rounded outwards
    assert len([p for p in beliefs.table_priors(band) if p not in (0.01, 0.05, 0.1, 0.5)]) == 1
    (start, limit), (end, same) = beliefs.belief_picture(certificate).target
    assert start < band.low < end
    assert limit == same == pytest.approx(0.5)
