import math

import numpy as np
import pytest

from deniable.population.whole_sums.scaled import power, running, scaled

LOGS = np.array([[0.0, -5000.0, 3.0, -np.inf, 9000.0]])


def test_there_and_back():
    np.testing.assert_allclose(scaled(LOGS).log(), LOGS, rtol=1e-15, atol=1e-15)


def test_sums_and_products_far_outside_float64():
    twice = scaled(LOGS).plus(scaled(LOGS)).log()
    np.testing.assert_allclose(twice, LOGS + math.log(2), rtol=1e-15)
    np.testing.assert_allclose(scaled(LOGS).times(scaled(LOGS)).log(), 2 * LOGS, rtol=1e-15)
    assert scaled(np.array([0.0])).plus(scaled(np.array([-9000.0]))).log()[0] == 0


def test_power():
    assert power(1e6, 3).log() == pytest.approx(-3e6, rel=1e-15)
    assert power(0.5, 2).log() == pytest.approx(-1.0, rel=1e-15)


@pytest.mark.parametrize("length", [1, 2, 7, 50])
def test_running_sums(length):
    rng = np.random.default_rng(length)
    logs, before, rate = rng.normal(0, 300, (3, length)), np.array([-np.inf, 1.0, 400.0]), 0.7
    found, error = running(scaled(logs), rate, scaled(before))
    carried = before.copy()
    for t in range(length):
        carried = np.logaddexp(carried - rate, logs[:, t])
        np.testing.assert_allclose(found.at((slice(None), t)).log(), carried, rtol=1e-12)
    assert 0 < error < 1e-13
