"""Recruitment of cases and controls."""

import numpy as np
import pytest

from deniable.gwas.simulation.disease import effects, recruited


def test_causal_variants_explain_the_same_share_of_risk():
    frequencies = np.array([0.05, 0.2, 0.5])
    variance = effects(frequencies, 1.8) ** 2 * 2 * frequencies * (1 - frequencies)
    np.testing.assert_allclose(variance, np.log(1.8) ** 2 / 2, rtol=1e-12)


@pytest.mark.parametrize(("cases", "controls"), [(1, 1), (1, 9), (9, 1), (5, 5)])
def test_groups_have_their_sizes_and_do_not_meet(cases, controls):
    ill, well = recruited(np.zeros(10), cases, controls, np.random.default_rng(2))
    assert (len(ill), len(well)) == (cases, controls)
    assert not set(ill.tolist()) & set(well.tolist())


def test_the_odds_ratio_of_an_exposure_is_the_simulated_one():
    # 200,000 people, half exposed, log odds 1: the estimate's standard error is about 0.01.
    rng = np.random.default_rng(8)
    exposed = np.arange(200_000) % 2 == 0
    ill, well = recruited(exposed * 1.0, 60_000, 60_000, rng)
    a, b = exposed[ill].sum(), exposed[well].sum()
    log_odds = np.log(a / (60_000 - a) / (b / (60_000 - b)))
    error = np.sqrt(1 / a + 1 / b + 1 / (60_000 - a) + 1 / (60_000 - b))
    # Passing 6.1 standard errors has probability 1e-9.
    assert abs(log_odds - 1.0) < 6.1 * error
