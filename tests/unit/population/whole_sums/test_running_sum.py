import math

import numpy as np
import pytest

from deniable.population.whole_sums.running_sum import Plain, Scaled, running

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
