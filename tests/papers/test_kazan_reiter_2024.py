"""kazan-reiter-2024, *Prior-itizing privacy*: budgets from posteriors about a record's value."""

import math

import numpy as np
import pytest

from deniable.notions import (
    Adjacency,
    PositiveMembership,
    PosteriorRatio,
    PureDP,
)
from deniable.theorems.catalogue import named
from deniable.theorems.derive import derive
from deniable.theorems.membership import pure_dp_for_positive_membership

OUT = Adjacency.ADD_REMOVE


def factor(guarantee):
    """By what a belief about a value grows at most."""
    return named("pure_dp_to_posterior_ratio").implication(guarantee).ratio


def rise(guarantee):
    """By how much a belief about a value rises at most."""
    return named("pure_dp_to_posterior_gain").implication(guarantee).gain


@pytest.mark.parametrize("ratio", [1.1, 2.0, 5.0])
def test_the_budget_for_a_ratio(ratio):
    """r* = r: ε = ½ ln r under add-remove; ln r where the ratio itself is bounded by e^ε."""
    assert factor(PureDP(math.log(ratio) / 2, OUT)) == pytest.approx(ratio, rel=1e-12)
    assert factor(PureDP(math.log(ratio))) == pytest.approx(ratio, rel=1e-12)


@pytest.mark.parametrize("gain", [0.05, 0.1, 0.5])
def test_the_budget_for_a_difference(gain):
    """posterior − prior <= b: ε = ln((1 + b)/(1 − b)) under add-remove; twice that otherwise."""
    budget = math.log((1 + gain) / (1 - gain))
    assert rise(PureDP(budget, OUT)) == pytest.approx(gain, rel=1e-12)
    assert rise(PureDP(2 * budget)) == pytest.approx(gain, rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.5])
def test_two_values_lie_two_steps_apart_and_both_bounds_are_attained(epsilon):
    """Add-remove ε: the likelihoods with a value, without the record, with another value."""
    with_one, without, with_other = (0.01 * math.exp(k * epsilon) for k in (1, 0, -1))
    assert with_one / without == pytest.approx(math.exp(epsilon))
    assert without / with_other == pytest.approx(math.exp(epsilon))
    prior = np.linspace(1e-6, 1 - 1e-6, 200_001)
    posterior = prior * with_one / (prior * with_one + (1 - prior) * with_other)
    gain = rise(PureDP(epsilon, OUT))
    assert (posterior - prior).max() == pytest.approx(gain, rel=1e-6)
    ratio = factor(PureDP(epsilon, OUT))
    assert (posterior / prior).max() == pytest.approx(ratio, rel=1e-4)
    assert ((posterior / prior) <= ratio).all()


def test_the_largest_difference_is_at_the_prior_where_the_geometric_mean_balances():
    r = math.exp(1.0)
    prior = 1 / (1 + math.sqrt(r))
    posterior = prior * r / (prior * r + 1 - prior)
    assert posterior - prior == pytest.approx(math.tanh(0.25), rel=1e-12)


def test_a_factor_on_a_value_is_not_a_factor_on_membership():
    """r = γ = 2: ½ ln 2 for values, ln 2 for membership, ln 3 at prior ½: never mixed."""
    member = pure_dp_for_positive_membership(PositiveMembership(2.0, adjacency=OUT))
    assert member.epsilon == pytest.approx(math.log(2))
    assert factor(member) == pytest.approx(4.0)
    assert factor(PureDP(math.log(2) / 2, OUT)) == pytest.approx(2.0)
    found = derive(PosteriorRatio(2.0), "positive-membership").target
    assert found.gamma == pytest.approx(2.0)
    assert found.adjacency is Adjacency.REPLACE_ONE
