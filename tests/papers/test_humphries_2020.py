"""humphries-2020 on the advantage of attacks; yeom-2018 and erlingsson-2019 before it."""

import math

import numpy as np
import pytest

from deniable.notions import ApproxDP, GaussianDP, PureDP
from deniable.theorems.catalogue import named
from tests.oracles import relations as slow

BUDGETS = [(0.0, 0.0), (0.1, 0.0), (1.0, 1e-6), (1.0, 0.1), (4.0, 0.01), (0.0, 0.3)]


def apply(name, *arguments):
    return named(name).implication(*arguments)


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_the_tight_advantage_is_below_both_earlier_ones(epsilon, delta):
    guarantee = ApproxDP(epsilon, delta)
    e = math.exp(epsilon)
    tight = apply("approx_dp_to_advantage", guarantee).value
    assert tight == pytest.approx((e - 1 + 2 * delta) / (e + 1), abs=1e-12)
    erlingsson = apply("approx_dp_to_advantage_by_erlingsson", guarantee).value
    assert erlingsson == pytest.approx(1 - (1 - delta) / e, abs=1e-12)
    assert tight <= erlingsson
    if delta == 0:
        yeom = apply("pure_dp_to_advantage_by_yeom", PureDP(epsilon)).value
        assert yeom == pytest.approx(min(e - 1, 1.0), abs=1e-12)
        assert tight <= erlingsson <= yeom


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_the_tight_advantage_is_attained_by_randomised_response(epsilon, delta):
    p, q = slow.randomised_response(epsilon, delta)
    assert slow.both_hockey_sticks(p, q, epsilon) == pytest.approx(delta, abs=1e-12)
    tight = apply("approx_dp_to_advantage", ApproxDP(epsilon, delta)).value
    assert slow.total_variation(p, q) == pytest.approx(tight, abs=1e-12)


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_every_pair_is_a_post_processing_of_randomised_response(epsilon, delta):
    """A random pair with this δ(ε) is never easier to tell apart, at any false-positive rate."""
    generator = np.random.default_rng(2020)
    reference = slow.randomised_response(epsilon, delta)
    for _ in range(30):
        p, q = generator.dirichlet(np.ones(4), size=2)
        share = 1.0
        while slow.both_hockey_sticks(*_towards(p, q, share), epsilon) > delta:
            share *= 0.8
            if share < 1e-6:
                share = 0.0
        p, q = _towards(p, q, share)
        for fpr in (0.01, 0.1, 0.3, 0.7):
            assert slow.trade_off(p, q, fpr) <= slow.trade_off(*reference, fpr) + 1e-9


def _towards(p, q, share):
    middle = (p + q) / 2
    return middle + share * (p - middle), middle + share * (q - middle)


def test_predictive_values():
    """At α = 1 % and 10 non-members for each member ε = 1 leaves four of five flags wrong."""
    found = apply("approx_dp_to_predictive_value", ApproxDP(1.0, 0.0), 0.01, 10.0).value
    tpr = 0.01 * math.e
    assert found == pytest.approx(tpr / (tpr + 0.1), rel=1e-12)
    assert found == pytest.approx(0.2137, abs=1e-4)
    shift = apply("gaussian_dp_to_predictive_value", GaussianDP(1.0), 0.01, 10.0).value
    assert shift == pytest.approx(0.4801, abs=1e-4)
