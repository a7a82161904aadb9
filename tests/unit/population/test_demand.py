"""From beliefs about who was drawn to population privacy: each meets its target, tightly."""

import math
from fractions import Fraction

import pytest

from deniable.errors import InfeasibleTarget
from deniable.population.plans import demanded_privacy, share_of
from deniable.publish.plan import PopulationDemand
from deniable.theorems.analysis import target_of


def of(kind, value, delta=None, drawn=25, members=100):
    return demanded_privacy(PopulationDemand(target_of(kind, value), delta), drawn, members)


def test_a_share_is_enclosed():
    low, high = share_of(1, 3)
    assert Fraction(low) < Fraction(1, 3) < Fraction(high)
    assert math.nextafter(low, 1) == high


@pytest.mark.parametrize("delta", [None, 0.01])
def test_a_budget_outright_is_taken_as_it_is(delta):
    assert (of("epsilon", 0.5, delta).epsilon, of("epsilon", 0.5, delta).delta) == (
        0.5,
        delta or 0.0,
    )


def test_the_largest_belief_starts_at_the_share_that_was_drawn():
    # odds 1/3 times e^ε are even odds at ε = ln 3
    found = of("max_posterior", 0.5)
    assert found.epsilon <= math.log(3) == pytest.approx(found.epsilon, rel=1e-12)


def test_a_factor_on_beliefs_is_that_at_the_share():
    # From ¼, γ = 2 allows ½ up, and a doubt of ¾ may shrink to ⅜: odds 5/3 over ⅓ are more than 3.
    found = of("gamma", 2.0)
    e = math.exp(found.epsilon)
    up = 0.25 * e / (0.25 * e + 0.75) / 0.25
    doubt = 0.75 / (0.75 * e / (0.75 * e + 0.25))
    assert up <= 2 * (1 + 1e-12)
    assert max(up, 1 / doubt) > 1.5


@pytest.mark.parametrize(("kind", "value"), [("attack_success", 0.6), ("advantage", 0.2)])
@pytest.mark.parametrize("delta", [None, 0.01])
def test_guesses_at_even_odds_reach_what_was_asked_for_and_no_more(kind, value, delta):
    found = of(kind, value, delta)
    e, d = math.exp(found.epsilon), found.delta
    success = (e + d) / (e + 1)
    assert 0.6 * (1 - 1e-12) <= success <= 0.6 * (1 + 1e-15)


def test_with_delta_beliefs_pass_the_limit_no_more_often_than_delta():
    found = of("max_posterior", 0.5, 1e-3)
    # (ε, δ) gives Pr[loss > ℓ] <= δ/(1 − e^(ε−ℓ)), here at ℓ = ln 3
    passed = found.delta / (1 - math.exp(found.epsilon - math.log(3)))
    assert passed <= 1e-3 * (1 + 1e-9)


@pytest.mark.parametrize(
    ("kind", "value", "delta"),
    [
        ("max_posterior", 0.25, None),
        ("max_posterior", 0.1, None),
        ("gamma", 1.0, None),
        ("attack_success", 0.5, None),
        ("attack_success", 0.505, 0.02),
        ("advantage", 0.0, None),
        ("max_posterior", 0.2501, 1e-3),
    ],
)
def test_what_no_noise_meets_is_refused(kind, value, delta):
    with pytest.raises(InfeasibleTarget):
        of(kind, value, delta)
