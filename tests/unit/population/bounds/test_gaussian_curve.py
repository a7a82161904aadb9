import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable._rounding import directed, lower, upper
from deniable.population.bounds.gaussian_curve import delta_upper, epsilon_upper, epsilons
from tests.oracles import population as brute

magnitudes = st.floats(-3, 4).map(lambda x: 10.0**x)


def ball(epsilon, mu):
    with directed(2000) as r:
        e, m = r(epsilon), r(mu)
        return r.normal_cdf(m / 2 - e / m) - r.exp(e) * r.normal_cdf(-m / 2 - e / m)


@given(magnitudes, st.floats(-0.2, 1.2))
def test_never_below_the_curve_and_close_to_it(mu, share):
    epsilon = max(mu * mu / 2 + mu * 8 * (share - 0.5), 0.0)
    found = float(delta_upper(epsilon, mu))
    exact = ball(epsilon, mu)
    assert found >= min(upper(exact), 1.0) * (1 - 1e-15)
    assert found <= lower(exact) + 2e-15 * (6 + mu + epsilon / mu)


@pytest.mark.parametrize(("epsilon", "mu"), [(0.0, 1.0), (1.0, 1.0), (2.0, 0.5), (0.5, 3.0)])
def test_it_is_the_hockey_stick(epsilon, mu):
    assert float(delta_upper(epsilon, mu)) == pytest.approx(brute.gaussian_curve(epsilon, mu))


def test_ends():
    assert delta_upper(1.0, 0.0) == 0.0
    assert delta_upper(0.0, 0.0) == 0.0
    assert delta_upper(0.0, 1e12) == 1.0
    assert delta_upper(1.0, 1e15) == 1.0
    assert delta_upper(1e6, 1e-300) <= 1e-300
    assert delta_upper(np.zeros((3, 1)), np.ones(4)).shape == (3, 4)


@given(magnitudes, st.floats(-8, -0.1).map(lambda x: 10.0**x))
def test_the_least_epsilon_by_balls(mu, delta):
    found = epsilon_upper(mu, delta)
    assert upper(ball(found, mu)) <= delta
    if found > 0:
        assert lower(ball(found * (1 - 1e-9), mu)) > delta * (1 - 1e-6)
    assert float(epsilons(np.array([mu]), delta)[0]) == pytest.approx(found, rel=1e-4, abs=1e-6)


def test_least_epsilon_at_the_ends():
    assert epsilon_upper(0.0, 0.0) == 0.0
    assert epsilon_upper(1.0, 0.0) == math.inf
    assert epsilon_upper(math.inf, 0.1) == math.inf
    assert epsilon_upper(1e-3, 0.5) == 0.0
    assert epsilons(np.array([0.0, 1.0]), 0.0).tolist() == [0.0, math.inf]


def test_nothing_is_needed_where_the_distance_alone_keeps_to_delta():
    assert epsilons(np.array([0.0, 1e-9, 1.0]), 0.01)[:2].tolist() == [0.0, 0.0]
